//! Links in the documentation lead somewhere: to a file, a folder or a heading of this repository.
//!
//! Pages for people who change the code also name files in backticks; those files exist too. Links to other sites are
//! not checked.

use std::path::Path;

use crate::source::{Complaint, Source};

/// The pages on which a file in backticks is a file of this repository, not an example.
const ABOUT_THE_CODE: [&str; 7] = [
    "CONTRIBUTING.md",
    "docs/anchoring.md",
    "docs/architecture.md",
    "docs/decisions/",
    "docs/glossary.md",
    "docs/json.md",
    "docs/tour.md",
];

/// A page that describes code of the past begins with this.
const WITHDRAWN: &str = "Status: withdrawn";

/// Complains about links and file names that lead nowhere.
pub fn broken(sources: &[Source]) -> Vec<Complaint> {
    let pages = sources.iter().filter(|source| source.is_page());
    pages.flat_map(|page| links(page, sources).into_iter().chain(files(page, sources))).collect()
}

fn links(page: &Source, sources: &[Source]) -> Vec<Complaint> {
    let is_broken = |(at, target): &(usize, &str)| {
        let inside = !target.contains("://") && !target.starts_with("mailto:");
        let in_code = page.text[..*at].matches("```").count() % 2 == 1;
        inside && !in_code && !leads_somewhere(page, target, sources)
    };
    let starts = page.text.match_indices("](").map(|(at, _)| at + 2);
    starts
        .filter_map(|at| Some((at, page.text[at..].split_once(')')?.0)))
        .filter(is_broken)
        .map(|(at, target)| page.complain(at, format!("the link `{target}` leads nowhere")))
        .collect()
}

fn leads_somewhere(page: &Source, target: &str, sources: &[Source]) -> bool {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = if path.is_empty() { page.path.clone() } else { joined(folder, path) };
    if heading.is_empty() {
        return exists(&path, sources) || is_picture(&path);
    }
    let file = sources.iter().find(|source| source.path == path);
    file.is_some_and(|file| headings(&file.text).any(|found| found == heading))
}

/// Whether a picture is there; those are not among the sources, which are text.
fn is_picture(path: &str) -> bool {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the workspace");
    path.starts_with("docs/images/") && root.join(path).is_file()
}

fn files(page: &Source, sources: &[Source]) -> Vec<Complaint> {
    let is_about_code = ABOUT_THE_CODE.iter().any(|about| page.path.starts_with(about));
    if !is_about_code || page.text.starts_with(WITHDRAWN) {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let mut at = 0;
    for (number, part) in page.text.split('`').enumerate() {
        let name = part.trim_end_matches('/');
        if number % 2 == 1 && is_file_name(name) && !is_somewhere(name, sources) {
            complaints.push(page.complain(at, format!("there is no file or folder `{name}`")));
        }
        at += part.len() + 1;
    }
    complaints
}

/// Whether text in backticks is the name of a source file, or a path from the root.
fn is_file_name(text: &str) -> bool {
    let is_path = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let roots = ["bench/", "cli/", "client/", "core/", "daemon/", "docs/", "protocol/", "service/", "tests/"];
    let is_rust = Path::new(text).extension().is_some_and(|extension| extension == "rs");
    is_path && (is_rust || roots.iter().any(|root| text.starts_with(root)))
}

/// Whether a file has this path, or a path that ends with it.
fn is_somewhere(name: &str, sources: &[Source]) -> bool {
    exists(name, sources) || sources.iter().any(|source| source.path.ends_with(&format!("/{name}")))
}

fn exists(path: &str, sources: &[Source]) -> bool {
    let path = path.trim_end_matches('/');
    let mut paths = sources.iter().map(|source| source.path.strip_prefix(path));
    paths.any(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of a page's headings, as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, complaints: usize) {
        let code = Source::new("core/src/git/refs.rs", "");
        let other = Source::new("docs/sync.md", "# Sharing\n\n## Before a push\n");
        let sources = [Source::new(path, text), code, other];
        assert_eq!(broken(&sources).len(), complaints, "{path}: {text}");
    }

    #[test]
    fn a_link_to_a_missing_file_or_heading_is_found() {
        check("README.md", "[a](docs/gone.md) [b](docs/sync.md#gone) [c](#gone)", 3);
        check("README.md", "# It\n[a](docs/sync.md#before-a-push) [b](#it) [c](docs/) [d](https://x.y/z)", 0);
        check("docs/a.md", "[a](../README.md) [b](sync.md) [c](../core/src/git/refs.rs)", 1);
        check("docs/a.md", "```text\n[a](nowhere)\n```\n", 0);
    }

    #[test]
    fn a_missing_file_in_backticks_is_found_on_pages_about_the_code() {
        check("docs/architecture.md", "`git/refs.rs`, `refs.rs`, `core/src/git/`, `a == b`", 0);
        check("docs/architecture.md", "`git/names.rs`, `core/src/notes/`", 2);
        check("docs/decisions/0001.md", "Status: withdrawn.\n\n`gone.rs`", 0);
        check("docs/suggestions.md", "`better.rs`", 0);
    }
}
