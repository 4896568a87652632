//! The files of a diff as a tree: folders with one child are one row, in git's order.

use std::collections::BTreeMap;

use maud::{Markup, html};
use postil_protocol::{DiffFile, Hex, ThreadStatus};

use super::file_key::{key, known_path, shown, viewed};
use super::file_section::{counts, kind, viewed_word};
use super::shell::PageFrame;
use crate::viewed::Viewed;

/// A folder.
#[derive(Default)]
struct TreeFolder<'a> {
    folders: BTreeMap<String, TreeFolder<'a>>,
    files: Vec<(String, &'a DiffFile)>,
}

/// The tree of the files of a diff.
pub(super) fn file_tree(files: &[DiffFile], frame: &PageFrame<'_>) -> Markup {
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
    html! { ul.tree-list { (inside(&root, frame)) } }
}

fn inside(folder: &TreeFolder<'_>, frame: &PageFrame<'_>) -> Markup {
    html! {
        @for (name, below) in &folder.folders {
            @let (name, below) = joined(name, below);
            li.folder {
                div.folder-row {
                    span.dir { (name) "/" }
                    button.mark type="button" data-js data-act="view-folder" aria-label={ "Mark all files in " (name) " as viewed" } title="Viewed" {}
                }
                ul { (inside(below, frame)) }
            }
        }
        @for (name, file) in &folder.files { (row(name, file, frame)) }
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

/// How many files were viewed, in words; nothing if none was.
pub(super) fn viewed_count(files: &[DiffFile], frame: &PageFrame<'_>) -> String {
    match files.iter().filter(|file| viewed(file, frame) == Viewed::Yes).count() {
        0 => String::new(),
        count => format!("{count} viewed"),
    }
}

fn row(name: &str, file: &DiffFile, frame: &PageFrame<'_>) -> Markup {
    let threads = file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()));
    let open = threads.filter(|thread| thread.status == ThreadStatus::Open).count();
    let open = open + file.left.map_or(0, |left| left.open as usize);
    let (letter, word) = kind(file);
    let key = key(known_path(file));
    html! {
        li data-row=(key) data-viewed=[viewed_word(viewed(file, frame))] data-change=[file.change.as_ref().map(Hex::as_str)] {
            a href={ "#f-" (key) } title=(shown(known_path(file))) {
                span class={ "kind " (word) } aria-label=(word) { (letter) }
                span.name { (name) @if viewed(file, frame) == Viewed::Yes { span.vh { " viewed" } } }
                @if open > 0 { span.badge aria-label={ (open) " open threads" } { (open) } }
                (counts(file.added, file.deleted))
            }
        }
    }
}
