//! Stages or commits files that were written, through git itself.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use postil_protocol::{
    Advice, AskedSuggestion, ChangeInto, Fault, FaultCode, NotRecorded, PlannedFile, SuggestionState,
};

use super::git_index::{git, no_git};
use crate::repository::work_tree::WorkTree;

/// The most characters of the subject of a commit.
const MAX_SUBJECT_CHARS: usize = 72;

/// The trailer that names the thread of a suggestion.
const THREAD: &str = "Postil-Thread";

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

/// The message of a commit: what was suggested, by whom, and in which thread.
///
/// What is committed already plays no part, and who commits is not named again.
pub fn commit_message(suggestions: &[AskedSuggestion], email: Option<&str>) -> String {
    let changing: Vec<&AskedSuggestion> =
        suggestions.iter().filter(|said| said.state != SuggestionState::Done).collect();
    let subject = |said: &AskedSuggestion| one_line(&said.subject);
    let subject = match changing.as_slice() {
        [] => "Apply a patch".to_owned(),
        [one] if subject(one).is_empty() => "Apply a suggestion".to_owned(),
        [one] => format!("Apply suggestion: {}", subject(one)),
        many => {
            let list = many.iter().map(|said| format!("- {}", cut(&subject(said))));
            let list: Vec<String> = list.filter(|line| line != "- ").collect();
            format!("Apply {} suggestions\n\n{}", many.len(), list.join("\n")).trim_end().to_owned()
        }
    };
    let (first, rest) = subject.split_once('\n').unwrap_or((&subject, ""));
    let mut message = [&cut(first), rest].join("\n").trim_end().to_owned();
    let mut trailers: Vec<String> = Vec::new();
    let mut add = |trailer: String| {
        if !trailers.contains(&trailer) {
            trailers.push(trailer);
        }
    };
    for said in changing.iter().filter(|said| email != Some(said.author.email.as_str())) {
        let [name, email] = [&said.author.name, &said.author.email].map(|words| one_line(words));
        add(format!("Co-authored-by: {name} <{email}>"));
    }
    for said in &changing {
        add(format!("{THREAD}: {}", said.thread));
    }
    if !trailers.is_empty() {
        message.push_str("\n\n");
        message.push_str(&trailers.join("\n"));
    }
    message
}

/// Words of others on one line: nothing in them begins another trailer.
fn one_line(words: &str) -> String {
    words.trim().chars().filter(|c| !c.is_control()).collect()
}

fn cut(line: &str) -> String {
    line.chars().take(MAX_SUBJECT_CHARS).collect()
}

fn paths(files: &[PlannedFile]) -> impl Iterator<Item = &OsStr> {
    let both = files.iter().flat_map(|file| {
        let to = file.to.as_ref().filter(|to| file.from.as_ref() != Some(*to));
        file.from.iter().chain(to)
    });
    both.map(|path| OsStr::from_bytes(path.as_bytes()))
}

#[cfg(test)]
mod tests {
    use postil_protocol::{Hex, Person};

    use super::*;

    fn suggested(name: &str, thread: char, subject: &str, state: SuggestionState) -> AskedSuggestion {
        let id = Hex::new(thread.to_string().repeat(32)).unwrap();
        let author = Person::new(name, format!("{name}@example.com"));
        AskedSuggestion {
            id: id.clone(),
            short: id.as_str()[..7].into(),
            thread: id,
            author,
            subject: subject.into(),
            state,
        }
    }

    #[test]
    fn a_commit_names_who_suggested_it_and_in_which_thread() {
        let check = |suggestions: &[AskedSuggestion], message: &str| {
            assert_eq!(commit_message(suggestions, Some("ann@example.com")), message);
        };
        let (a, b) = ("a".repeat(32), "b".repeat(32));
        let applies = SuggestionState::Applies;
        check(&[], "Apply a patch");
        check(
            &[suggested("ben", 'a', "shorter", applies)],
            &format!(
                "Apply suggestion: shorter\n\nCo-authored-by: ben <ben@example.com>\nPostil-Thread: {a}"
            ),
        );
        check(&[suggested("ann", 'a', "", applies)], &format!("Apply a suggestion\n\nPostil-Thread: {a}"));
        check(
            &[
                suggested("ben", 'a', "one", applies),
                suggested("ben", 'b', "two\u{7}", applies),
                suggested("cat", 'c', "there", SuggestionState::Done),
            ],
            &format!(
                "Apply 2 suggestions\n\n- one\n- two\n\nCo-authored-by: ben <ben@example.com>\n\
                 Postil-Thread: {a}\nPostil-Thread: {b}"
            ),
        );
    }

    #[test]
    fn a_name_cannot_begin_another_trailer() {
        let evil =
            suggested("eve\nSigned-off-by: ann", 'a', "x\n\nFixes: everything", SuggestionState::Applies);
        let message = commit_message(&[evil], None);
        assert!(message.lines().all(|line| !line.starts_with("Signed-off") && !line.starts_with("Fixes")));
    }
}
