//! The files of a diff as a tree: folders with one child are one row, in git's order.

use std::collections::HashMap;

use maud::{Markup, html};
use postil_protocol::{DiffFile, Hex, ThreadStatus};

use super::file_key::{key, known_path, shown, viewed};
use super::file_section::{counts, kind, viewed_word};
use super::shell::PageFrame;
use crate::viewed::Viewed;

/// A folder: what is in it, in the order of the diff, so that the next file is the next row.
#[derive(Default)]
struct TreeFolder<'a> {
    rows: Vec<(String, TreeRow<'a>)>,
    /// Where the row of a folder is.
    folders: HashMap<String, usize>,
}

/// What is in a folder.
enum TreeRow<'a> {
    Folder(TreeFolder<'a>),
    File(&'a DiffFile),
}

impl<'a> TreeFolder<'a> {
    /// Puts a file below folders, which are made.
    fn add(&mut self, path: &str, file: &'a DiffFile) {
        let (mut folder, mut path) = (self, path);
        while let Some((name, rest)) = path.split_once('/') {
            let next = folder.rows.len();
            let at = *folder.folders.entry(name.to_owned()).or_insert(next);
            if at == next {
                folder.rows.push((name.to_owned(), TreeRow::Folder(TreeFolder::default())));
            }
            let Some((_, TreeRow::Folder(below))) = folder.rows.get_mut(at) else { return };
            (folder, path) = (below, rest);
        }
        folder.rows.push((path.to_owned(), TreeRow::File(file)));
    }
}

/// The tree of the files of a diff.
pub(super) fn file_tree(files: &[DiffFile], frame: &PageFrame<'_>) -> Markup {
    let mut root = TreeFolder::default();
    for file in files {
        root.add(&shown(known_path(file)), file);
    }
    html! { ul.tree-list { (inside(&root, frame)) } }
}

fn inside(folder: &TreeFolder<'_>, frame: &PageFrame<'_>) -> Markup {
    html! {
        @for (name, below) in &folder.rows {
            @match below {
                TreeRow::File(file) => (row(name, file, frame)),
                TreeRow::Folder(below) => {
                    @let (name, below) = joined(name, below);
                    li.folder {
                        div.folder-row {
                            span.dir { (name) "/" }
                            button.mark type="button" data-js data-act="view-folder" aria-label={ "Mark all files in " (name) " as viewed" } title="Viewed" {}
                        }
                        ul { (inside(below, frame)) }
                    }
                }
            }
        }
    }
}

/// A folder that has nothing but another one is shown with it.
fn joined<'a, 'b>(name: &str, folder: &'a TreeFolder<'b>) -> (String, &'a TreeFolder<'b>) {
    let (mut name, mut folder) = (name.to_owned(), folder);
    while let [(next, TreeRow::Folder(below))] = &folder.rows[..] {
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

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::super::samples::frame;
    use super::*;

    #[test]
    fn the_next_file_of_the_diff_is_the_next_row_of_the_tree() {
        let paths = ["a/b/c.rs", "a/b/d.rs", "a.rs", "b/z/y/one.rs", "b/z/y/two.rs", "c.rs", "d/e.rs"];
        let file =
            |path| json!({ "before": null, "after": path, "binary": false, "lines": [], "threads": [] });
        let files: Vec<DiffFile> = paths.iter().map(|path| from_value(file(path)).unwrap()).collect();
        let tree = file_tree(&files, &frame()).into_string();
        let rows: Vec<&str> =
            tree.split(" title=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let rows: Vec<&str> = rows.into_iter().filter(|title| *title != "Viewed").collect();
        assert_eq!(rows, paths);
        for folder in ["a/b/", "b/z/y/", "d/"] {
            assert!(tree.contains(&format!("<span class=\"dir\">{folder}</span>")), "{folder}: {tree}");
        }
    }
}
