//! Stages or commits files that were written, through git itself.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use postil_protocol::{Advice, AskedSuggestion, ChangeInto, Fault, FaultCode, NotRecorded, PlannedFile};

use super::git_index::{git, no_git};
use crate::repository::work_tree::WorkTree;

/// The most characters of the subject of a commit.
const MAX_SUBJECT_CHARS: usize = 72;

/// Fails if staging or committing these files would include changes that the plan did not make.
pub fn check_recordable(work_tree: &WorkTree, files: &[PlannedFile], into: ChangeInto) -> Result<(), Fault> {
    let (against, what) = match into {
        ChangeInto::Files => return Ok(()),
        ChangeInto::Index => (None, "staged"),
        ChangeInto::Commit => (Some("HEAD"), "committed"),
    };
    // Git commits no single files then, and would say so when they are written.
    let under_way = [("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick")];
    let git_dir = work_tree.repository().git_dir();
    let under_way = under_way.iter().find(|(name, _)| against.is_some() && git_dir.join(name).exists());
    if let Some((_, what)) = under_way {
        let message = format!("{what} is in progress");
        return Err(Fault::new(FaultCode::Conflict, message).advise(Advice::EndOperationFirst));
    }
    let mut command = git(work_tree, ["diff", "--quiet"]);
    command.args(against).arg("--").args(paths(files));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => {
            let message = format!("a file has changes that are not {what}");
            Err(Fault::new(FaultCode::Conflict, message).advise(Advice::CommitOwnChangesFirst))
        }
        Err(error) => Err(no_git(&error)),
    }
}

/// Stages or commits files that were written. If git refuses, it prints the reason itself.
pub fn record(
    work_tree: &WorkTree,
    files: &[PlannedFile],
    into: ChangeInto,
    message: impl FnOnce() -> String,
) -> Option<NotRecorded> {
    let failed = |command: &mut Command| !command.status().is_ok_and(|status| status.success());
    if into == ChangeInto::Files {
        return None;
    }
    // As `git apply --index` does it: what a patch makes is meant to be there, ignored or not.
    if failed(git(work_tree, ["add", "--all", "--force"]).arg("--").args(paths(files))) {
        return Some(NotRecorded::NotStaged);
    }
    if into == ChangeInto::Commit {
        let mut commit = git(work_tree, ["commit", "--quiet"]);
        if failed(commit.args(["-m", &message(), "--only", "--"]).args(paths(files))) {
            return Some(NotRecorded::NotCommitted);
        }
    }
    None
}

/// The message of a commit: who suggested what, but for the one who commits.
pub fn commit_message(suggestions: &[AskedSuggestion], email: Option<&str>) -> String {
    let subject = match suggestions {
        [] => "Apply a patch".to_owned(),
        [one] => format!("Apply suggestion: {}", one.subject.trim()),
        many => format!("Apply {} suggestions", many.len()),
    };
    let mut message: String = subject.chars().take(MAX_SUBJECT_CHARS).filter(|c| !c.is_control()).collect();
    let mut people: Vec<String> = Vec::new();
    for said in suggestions {
        let person = format!("{} <{}>", said.author.name, said.author.email);
        if email != Some(said.author.email.as_str()) && !people.contains(&person) {
            people.push(person);
        }
    }
    let trailers: Vec<String> =
        people.into_iter().map(|person| format!("Co-authored-by: {person}")).collect();
    if !trailers.is_empty() {
        message.push_str("\n\n");
        message.push_str(&trailers.join("\n"));
    }
    message
}

fn paths(files: &[PlannedFile]) -> impl Iterator<Item = &OsStr> {
    let both = files.iter().flat_map(|file| {
        let to = file.to.as_ref().filter(|to| file.from.as_ref() != Some(*to));
        file.from.iter().chain(to)
    });
    both.map(|path| OsStr::from_bytes(path.as_bytes()))
}
