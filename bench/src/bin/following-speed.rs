//! Times how a review is followed whose base has gone on by thousands of commits, against `git cherry`.
//!
//! How right the answers are is tested in `core`; here only that they are the expected ones.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use postil_core::git::{CommitId, ConfigScope, ObjectId, RefName, Repository};
use postil_core::record::{Author, Body, Judgement, Record, Seq, Timestamp, VerdictRecord};
use postil_core::review::{Branches, Following, Opener, Opening, ReviewRequest, Threads};

type FollowingResult<T> = Result<T, Box<dyn std::error::Error>>;

/// Files of the repository, in folders of twenty.
const FILES: usize = 400;

/// Commits of the branch under review.
const OWN: usize = 5;

/// How often the branch was made anew, and judged each time.
const VERSIONS: usize = 8;

fn main() -> FollowingResult<()> {
    let commits = std::env::args().nth(1).map_or(Ok(10_000), |count| count.parse::<usize>())?;
    let dir = tempfile::tempdir()?;
    git(dir.path(), &["init", "-q", "--bare", "--initial-branch=main", "."])?;
    import(dir.path(), &history(commits)?)?;
    let repo = Repository::open(dir.path(), ConfigScope::Isolated)?;
    let records = records(&repo)?;
    let threads = Threads::fold(records.iter().map(|(page, record)| (*page, record)));
    let began = Instant::now();
    git(dir.path(), &["cherry", "main", "topic"])?;
    println!("{:<52}{:>10}", format!("git cherry over {commits} commits"), shown(began.elapsed()));
    for (story, args) in [
        ("the branch is open, its base went on", &["rev-parse", "topic"][..]),
        ("the branch was renamed", &["branch", "-M", "topic", "better-name"]),
        ("the branch is gone, not merged", &["branch", "-D", "better-name"]),
        (
            "the branch is gone, its last commit was squashed",
            &["update-ref", "refs/heads/main", "refs/other/squashed"],
        ),
    ] {
        git(dir.path(), args)?;
        let branches = Branches::read(&repo)?;
        let handle = repo.handle();
        let group = threads.groups().next().ok_or("there is a review")?;
        let began = Instant::now();
        let followed = Following::new(&handle, &branches).follow(group, &[])?;
        let name = followed.branch.map(|lead| lead.name.to_string());
        println!("{story:<52}{:>10}  {name:?} {:?}", shown(began.elapsed()), followed.merged);
    }
    Ok(())
}

/// A base of so many commits, a branch in several versions, and a base with the branch squashed into it.
fn history(commits: usize) -> FollowingResult<String> {
    let mut stream = String::new();
    let path = |file: usize| format!("dir-{:02}/file-{file:03}", file / 20);
    let text = |line: &str| {
        (0..40).fold(String::new(), |text, number| {
            text + &format!("line {number}{}\n", if number == 20 { line } else { "" })
        })
    };
    let mut at = 1_600_000_000;
    let mut commit =
        |name: &str, from: Option<&str>, subject: &str, files: &[(String, String)]| -> FollowingResult<()> {
            at += 60;
            writeln!(stream, "commit refs/{name}\ncommitter A U Thor <author@example.com> {at} +0000")?;
            writeln!(stream, "data {}\n{subject}", subject.len())?;
            if let Some(from) = from {
                writeln!(stream, "from {from}")?;
            }
            for (path, content) in files {
                writeln!(stream, "M 100644 inline {path}\ndata {}\n{content}", content.len())?;
            }
            Ok(())
        };
    let all: Vec<_> = (0..FILES).map(|file| (path(file), text(""))).collect();
    commit("heads/main", None, "all files", &all)?;
    let version = |file: usize, version: usize| (path(7 * file), text(&format!(" of version {version}")));
    for number in 0..VERSIONS {
        let name =
            if number + 1 == VERSIONS { "heads/topic".to_owned() } else { format!("versions/{number}") };
        for own in 0..OWN {
            let from = (own == 0).then_some("refs/heads/main");
            commit(&name, from, &format!("own {own} of {number}"), &[version(own, number)])?;
        }
    }
    for number in 0..commits {
        let file = number * 131 % FILES;
        let file = if file.is_multiple_of(7) && file / 7 < OWN { file + 1 } else { file };
        commit(
            "heads/main",
            None,
            &format!("change {number}"),
            &[(path(file), text(&format!(" by {number}")))],
        )?;
        if number == commits / 2 {
            // The same base, with the branch in the midst of it.
            let whole: Vec<_> = (0..OWN).map(|own| version(own, VERSIONS - 1)).collect();
            commit("other/squashed", Some("refs/heads/main"), "topic (squashed)", &whole)?;
        }
        if number > commits / 2 {
            commit(
                "other/squashed",
                None,
                &format!("change {number}"),
                &[(path(file), text(&format!(" by {number}")))],
            )?;
        }
    }
    Ok(stream)
}

/// A review of the branch, and a verdict on each of its versions.
fn records(repo: &Repository) -> FollowingResult<Vec<(ObjectId, Record)>> {
    let author = Author { name: "A U Thor".into(), email: "author@example.com".into() };
    let opener = Opener { author: author.clone(), via: None, at: Timestamp(0) };
    let branches = Branches::read(repo)?;
    let branch = Some(RefName::new("refs/heads/topic")?);
    let request = ReviewRequest { branch, ..ReviewRequest::default() };
    let opening = Opening::of(&repo.handle(), &branches, &request, &opener)?;
    let page = opening.home.object();
    let mut records = vec![(page, opening.record.clone())];
    for (_, head) in repo.list_refs("refs/versions/")?.refs {
        let verdict = VerdictRecord {
            author: author.clone(),
            at: Timestamp(0),
            seq: Seq::new(1),
            via: None,
            review: opening.record.id(),
            head: CommitId::from(head.raw()),
            verdict: Judgement::Changes,
            text: String::new(),
        };
        records.push((page, Record::new(&Body::Verdict(verdict))?));
    }
    Ok(records)
}

fn git(dir: &Path, args: &[&str]) -> FollowingResult<()> {
    let status = Command::new("git").args(args).current_dir(dir).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}

fn import(dir: &Path, stream: &str) -> FollowingResult<()> {
    let path = dir.join("stream");
    std::fs::write(&path, stream)?;
    let file = std::fs::File::open(&path)?;
    let status =
        Command::new("git").args(["fast-import", "--quiet"]).current_dir(dir).stdin(file).status()?;
    if status.success() { Ok(()) } else { Err("git fast-import failed".into()) }
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
