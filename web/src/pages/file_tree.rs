//! The files of a diff as a tree: folders with one child are one row, in git's order.

use std::collections::BTreeMap;

use maud::{Markup, html};
use postil_protocol::{DiffFile, ThreadStatus};

use super::file_key::{key, known_path, shown};
use super::file_section::{counts, kind};

/// A folder.
#[derive(Default)]
struct TreeFolder<'a> {
    folders: BTreeMap<String, TreeFolder<'a>>,
    files: Vec<(String, &'a DiffFile)>,
}

/// The tree of the files of a diff.
pub(super) fn file_tree(files: &[DiffFile]) -> Markup {
    let mut root = TreeFolder::default();
    for file in files {
        let path = shown(known_path(file));
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts.pop().unwrap_or_default().to_owned();
        let mut folder = &mut root;
        for part in parts {
            folder = folder.folders.entry(part.to_owned()).or_default();
        }
        folder.files.push((name, file));
    }
    html! { ul.tree-list { (inside(&root)) } }
}

fn inside(folder: &TreeFolder<'_>) -> Markup {
    html! {
        @for (name, below) in &folder.folders {
            @let (name, below) = joined(name, below);
            li.folder { span.dir { (name) "/" } ul { (inside(below)) } }
        }
        @for (name, file) in &folder.files { (row(name, file)) }
    }
}

/// A folder that has nothing but another one is shown with it.
fn joined<'a, 'b>(name: &str, folder: &'a TreeFolder<'b>) -> (String, &'a TreeFolder<'b>) {
    let (mut name, mut folder) = (name.to_owned(), folder);
    while folder.files.is_empty() && folder.folders.len() == 1 {
        let Some((next, below)) = folder.folders.iter().next() else { break };
        name = format!("{name}/{next}");
        folder = below;
    }
    (name, folder)
}

fn row(name: &str, file: &DiffFile) -> Markup {
    let threads = file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()));
    let open = threads.filter(|thread| thread.status == ThreadStatus::Open).count();
    let (letter, word) = kind(file);
    let key = key(known_path(file));
    html! {
        li data-row=(key) {
            a href={ "#f-" (key) } title=(shown(known_path(file))) {
                span class={ "kind " (word) } aria-label=(word) { (letter) }
                span.name { (name) }
                @if open > 0 { span.badge aria-label={ (open) " open threads" } { (open) } }
                (counts(file.added, file.deleted))
            }
        }
    }
}
