//! Measures the anchoring engine on made-up repositories: many comments, and the worst inputs.
//!
//! Prints times of this run; only ratios between them mean anything on another machine.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use postil_core::anchoring::{Head, Pointed, anchor_at, locate};
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId};
use postil_core::record::{Anchor, LineSpan, Range};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    gix::init_bare(folder.path())?;
    let repo = gix::open_opts(folder.path(), gix::open::Options::isolated())?;
    many_files(&repo, 10)?;
    many_files(&repo, 100)?;
    one_file(&repo)?;
    near_identical(&repo)?;
    long_lines(&repo)?;
    Ok(())
}

/// Comments over 1,000 files, of which a commit changes 50.
fn many_files(repo: &gix::Repository, comments: u32) -> Result<(), Failure> {
    let old: BTreeMap<String, String> =
        (0..1000).map(|file| (format!("src/file_{file}.rs"), code(file, 400, 0))).collect();
    let mut new = old.clone();
    for file in (0..1000).step_by(20) {
        new.insert(format!("src/file_{file}.rs"), code(file, 400, 1));
    }
    let from = commit(repo, &old, None)?;
    let to = commit(repo, &new, Some(from))?;
    let mut anchors = Vec::new();
    for (path, text) in &old {
        for comment in 0..comments {
            anchors.push(anchor(repo, from, path, text, 1 + comment * 400 / comments)?);
        }
    }
    let taken = time(repo, &anchors, to)?;
    println!("{} comments over 1,000 files, 50 changed: {taken:?}", anchors.len());
    Ok(())
}

/// 10,000 comments in one file that changed.
fn one_file(repo: &gix::Repository) -> Result<(), Failure> {
    let files = |version| BTreeMap::from([("a.rs".to_owned(), code(1, 10_000, version))]);
    let from = commit(repo, &files(0), None)?;
    let to = commit(repo, &files(1), Some(from))?;
    let text = code(1, 10_000, 0);
    let anchors: Vec<Anchor> =
        (1..=10_000).map(|line| anchor(repo, from, "a.rs", &text, line)).collect::<Result<_, _>>()?;
    let taken = time(repo, &anchors, to)?;
    println!("10,000 comments in one file: {taken:?}, {:?} each", taken / 10_000);
    Ok(())
}

/// A file of 500 KB whose lines differ in one digit, all of them changed.
fn near_identical(repo: &gix::Repository) -> Result<(), Failure> {
    let text = |version: u32| -> String {
        (0..12_000).map(|line| format!("    value = compute(source, {});\n", (line + version) % 10)).collect()
    };
    let changed = text(0).replace("value", "other");
    one(repo, "near-identical lines, 500 KB", &text(0), &text(3), 6_000)?;
    one(repo, "near-identical lines, 500 KB, each changed", &text(0), &changed, 6_000)
}

/// Lines of 100 KB.
fn long_lines(repo: &gix::Repository) -> Result<(), Failure> {
    let long = |word: &str| format!("{word} ").repeat(100_000 / (word.len() + 1));
    let old = format!("first\n{}\n{}\nlast\n", long("alpha"), long("beta"));
    let new = format!("first\n{}\n{}more\nlast\n", long("gamma"), long("beta"));
    one(repo, "lines of 100 KB", &old, &new, 3)
}

fn one(repo: &gix::Repository, name: &str, old: &str, new: &str, line: u32) -> Result<(), Failure> {
    let files = |text: &str| BTreeMap::from([("a.rs".to_owned(), text.to_owned())]);
    let from = commit(repo, &files(old), None)?;
    let to = commit(repo, &files(new), Some(from))?;
    let taken = time(repo, &[anchor(repo, from, "a.rs", old, line)?], to)?;
    println!("{name}: {taken:?}");
    Ok(())
}

fn time(repo: &gix::Repository, anchors: &[Anchor], to: CommitId) -> Result<Duration, Failure> {
    let tree = repo.find_commit(to.raw())?.tree_id()?.detach().into();
    let head = Head { tree, commit: Some(to) };
    let begun = Instant::now();
    let positions = locate(repo, anchors, head, NonZeroUsize::MIN);
    let taken = begun.elapsed();
    for position in positions {
        position?;
    }
    Ok(taken)
}

/// A file of functions; the versions differ in every ninth line.
fn code(file: u32, lines: u32, version: u32) -> String {
    (0..lines)
        .map(|line| match line % 10 {
            0 => format!("fn function_{file}_{line}() {{\n"),
            9 => "}\n".to_owned(),
            at => {
                let edit = if line % 9 == 0 { version } else { 0 };
                format!("    let value_{at} = compute_{}(input_{line}, {edit});\n", (file + line) % 31)
            }
        })
        .collect()
}

fn anchor(
    repo: &gix::Repository,
    commit: CommitId,
    path: &str,
    text: &str,
    line: u32,
) -> Result<Anchor, Failure> {
    let path = RepoPath::new(path).ok_or("no path")?;
    let range = LineSpan::from_numbers(line, line).map(Range::lines);
    let blob =
        BlobId::from(gix::objs::compute_hash(repo.object_hash(), gix::objs::Kind::Blob, text.as_bytes())?);
    Ok(anchor_at(&Pointed { commit: Some(commit), path: &path, blob, content: text.as_bytes(), range })?)
}

fn commit(
    repo: &gix::Repository,
    files: &BTreeMap<String, String>,
    parent: Option<CommitId>,
) -> Result<CommitId, Failure> {
    let who = gix::actor::SignatureRef { name: "a".into(), email: "a@example.org".into(), time: "1 +0000" };
    let parents: Vec<_> = parent.iter().map(|parent| parent.raw()).collect();
    let tree = tree(repo, files)?;
    Ok(repo.new_commit_as(who, who, "c", tree.raw(), parents)?.id.into())
}

fn tree(repo: &gix::Repository, files: &BTreeMap<String, String>) -> Result<TreeId, Failure> {
    use gix::objs::tree::{Entry, EntryKind};
    let mut entries = Vec::new();
    let mut folders: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for (path, text) in files {
        match path.split_once('/') {
            Some((folder, rest)) => {
                folders.entry(folder).or_default().insert(rest.to_owned(), text.clone());
            }
            None => {
                let oid = repo.write_blob(text.as_bytes())?.detach();
                entries.push(Entry { mode: EntryKind::Blob.into(), filename: path.as_str().into(), oid });
            }
        }
    }
    for (folder, files) in folders {
        let oid = tree(repo, &files)?.raw();
        entries.push(Entry { mode: EntryKind::Tree.into(), filename: folder.into(), oid });
    }
    entries.sort();
    Ok(repo.write_object(gix::objs::Tree { entries })?.detach().into())
}
