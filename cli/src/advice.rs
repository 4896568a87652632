//! What the service advises, in the words of the command line.
//!
//! The only place where advice becomes commands and options; every word that the service knows has its own here.

use postil_protocol::{Advice, ByteText, Hex, WarningView};

/// The sentence for a piece of advice; `None` for one of a later version.
pub fn hint(advice: &Advice) -> Option<String> {
    let words = match advice {
        Advice::PointAtNewSide { path, start, end } => {
            let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
            let path = text(path);
            return Some(format!(
                "the line still exists, as {path}:{lines}; comment on it without `--side old`"
            ));
        }
        Advice::EnterSubmodule { path } => {
            return Some(format!("run postil in the submodule: `postil -C {} …`", text(path)));
        }
        Advice::RestoreFile { path } => {
            let path = text(path);
            return Some(format!(
                "restore it with `git restore {path}`, or comment on the committed file with `{path} @HEAD`"
            ));
        }
        Advice::ChooseWord { words } => return Some(format!("possible values: {}", words.join(", "))),
        Advice::ShowReview { review } => {
            return Some(format!("see `postil review show {review}`"));
        }
        Advice::EditReview { review } => {
            return Some(format!("to change its title or description, use `postil review edit {review}`"));
        }
        Advice::CommentOnReview { review } => {
            return Some(format!("to add a comment to it, use `postil review comment {review} -m TEXT`"));
        }
        Advice::FetchReviews { remote } => {
            return Some(format!(
                "`git clone` does not fetch reviews; `postil sync` fetches those of {remote}"
            ));
        }
        Advice::MoveThread { thread } => return Some(format!("use {thread}")),
        Advice::ShowForeignWords { object } => {
            return Some(format!("see `git notes --ref=refs/notes/reviews show {object}`"));
        }
        Advice::RestorePurged { records } => {
            return Some(format!("to restore it, run `{}`", restore_command(records)));
        }
        Advice::ShowRestored { record } => {
            return Some(format!("it was restored; see `postil show {record}`"));
        }
        Advice::CommitFirst => "commit something first with `git commit`",
        Advice::NameTextFile => "choose a text file",
        Advice::ListFiles => {
            "paths are relative to the current directory; `git ls-files` lists the tracked files"
        }
        Advice::NamePathInside => {
            "use a path relative to the root of the repository, without `..` and not in `.git`"
        }
        Advice::QuoteMore => {
            "quote more text, or give the text before or after it with `--prefix TEXT` or `--suffix TEXT`"
        }
        Advice::QuoteAsRead => {
            "quote the text as it reads when rendered, or as it is in the file, or give lines: `FILE:12`"
        }
        Advice::NameLines => "give lines instead: `FILE:12`",
        Advice::ReadMessage { commit } => {
            return Some(format!(
                "`git show -s --format=%B {commit}` shows the message; the subject is line 1"
            ));
        }
        Advice::CountLines => "lines start at 1; without lines, the comment is on the whole file",
        Advice::CountColumns => {
            "columns are bytes and start at 1; without columns, the comment is on whole lines"
        }
        Advice::NameWholeFile => "give the file without lines",
        Advice::PointAtLess => "choose fewer lines, or the whole file",
        Advice::NameLinesOrReview => "give a location such as `FILE:12`, or a review with `--review`",
        Advice::ChooseCandidate => {
            "`postil show` lists the places with their numbers; or give a location such as `FILE:12`"
        }
        Advice::AllowIgnored => "to share its lines anyway, use `--force`",
        Advice::ListThreads => {
            "`postil list --all` lists all threads, `postil review list --all` all reviews"
        }
        Advice::GiveMoreDigits => "give more digits of the ID",
        Advice::NameWhatExists => {
            "give an existing file, line, branch or commit; see `git log` and `git branch --all`"
        }
        Advice::ListCommits => "`git log --all --oneline` lists commits; you may have to fetch first",
        Advice::ListBranches => "`git branch --all` lists the branches",
        Advice::ListBranchesAndTags => "`git branch --all` lists the branches, `git tag` the tags",
        Advice::CommentOrFetch => {
            "add one with `postil comment FILE:LINE`, or fetch others' with `postil sync`"
        }
        Advice::ListSuggestions => "`postil list` shows which threads have suggestions",
        Advice::ListAgain => "list again without `--after`",
        Advice::SayText => "use `-m TEXT` or `-F FILE`",
        Advice::SayTitle => "use `--title TEXT`",
        Advice::KeepSuggestion => {
            "keep the block; to suggest another change, use `postil reply`; to retract it, `postil withdraw`"
        }
        Advice::LeaveReasonOut => "withdraw it without `-m`",
        Advice::ResolveInstead => "use `postil resolve`, which works on anyone's thread",
        Advice::SignOrTurnOff => {
            "set up commit signing in git, or turn signing off with `git config postil.sign false`"
        }
        Advice::StartReview => {
            "start one with `postil review start`; `postil review list --all` lists the others"
        }
        Advice::ChooseBase => "choose a base: `postil review start --base REF`",
        Advice::ChooseRelatedBase => "choose another base: `postil review start --base REF`",
        Advice::ChooseDifferentBase => "choose another base with `--base REF`",
        Advice::SwitchToReviewed => "switch to the branch to review, or give its name",
        Advice::SwitchToBranch => "switch to a branch, or give its name: `postil review start BRANCH`",
        Advice::GetJudgedCommit => {
            "ask someone who has the commit to push it; `postil diff` shows the whole change"
        }
        Advice::GetBranchOrClose => {
            "fetch or recreate the branch, or close the review with `postil review close`"
        }
        Advice::CloseReviews => {
            "`postil review list` lists them; close those that are done with `postil review close`"
        }
        Advice::ListVerdicts => {
            "`postil review show` lists the verdicts; `postil diff` shows the whole change"
        }
        Advice::LetPersonDo => "only people may do that; ask the person you work for",
        Advice::ProposeInstead => "use `postil propose`, and a person decides",
        Advice::KeepAsDraft => "use `--draft`; a person publishes it",
        Advice::AllowAgents { setting } => {
            return Some(format!(
                "a person must allow it in their own configuration: `git config --global {setting} draft` or `write`"
            ));
        }
        Advice::NamePerson => "give an email, or `NAME <EMAIL>`",
        Advice::ImportInParts => "import it in several parts",
        Advice::ChooseFormat => {
            "use `--format` with sarif, rdjson, rdjsonl, codex, comments, json or appraise"
        }
        Advice::FetchAppraise => {
            "fetch them with `git fetch origin 'refs/notes/devtools/*:refs/notes/devtools/*'`"
        }
        Advice::SendFiles { remote } => {
            return Some(format!(
                "push their branches to {remote}, or send them with \
                 `postil sync {remote} --with-files`; what was fetched is kept"
            ));
        }
        Advice::FetchFirst => "run `postil sync`, which fetches and merges first",
        Advice::AllowNotesRef => {
            "ask the administrator of the remote to allow refs/notes/reviews; your comments are safe"
        }
        Advice::DeleteOtherRef => {
            "ask the administrator of the remote to delete that ref; your comments are safe"
        }
        Advice::SyncLater => "what was fetched is kept, and your comments are safe; try again",
        Advice::SyncAgain => "your comments are safe; try again",
        Advice::NothingChanged => "nothing was changed",
        Advice::PlanAgain => "nothing was written; try again",
        Advice::CheckAgain => "nothing was written; run it with `--check` again",
        Advice::EndOperationFirst => {
            "nothing was written; finish it first, or apply without `--index` and `--commit`"
        }
        Advice::CommitOwnChangesFirst => {
            "nothing was written; commit or stash your changes first, or apply without `--index` and `--commit`"
        }
        Advice::PutBackByHand { files } => {
            return Some(format!("restore these files by hand: {}", files.join(", ")));
        }
        Advice::UnstageFiles => "unstage them with `git restore --staged`",
        Advice::UnstageFirst => {
            return Some(skipping("unstage them first with `git restore --staged`, or undo it by hand; "));
        }
        Advice::TakeOwnChangeOut => {
            return Some(skipping("undo your own change first, or undo this one by hand; "));
        }
        Advice::SkipUndo => return Some(skipping("")),
        Advice::RevertCommits => "undo commits with `git revert`",
        Advice::RevertCommit { commit } => {
            return Some(skipping(&format!("undo the commit with `git revert {commit}`; ")));
        }
        Advice::TryAgain => "try again",
        Advice::MakeRoom => "nothing was saved; check disk space and permissions, and try again",
        Advice::CheckRepository => "check the repository with `git fsck`",
        Advice::Nothing => "nothing to do",
        Advice::MendNotes => "fix it with `postil doctor --fix`; the next comment also does that",
        Advice::CleanNotes => "leave them out with `postil doctor --fix`",
        Advice::ReadNotes => "`postil list` or the next comment restores it",
        Advice::FinishNotesMerge => {
            "finish it with `git notes merge --commit`, or cancel it with `git notes merge --abort`"
        }
        Advice::SyncHistory => "fetch the rest with `postil sync`",
        Advice::FetchNotesFromClone => {
            "fetch it from a clone that has it with `git fetch CLONE refs/notes/reviews`"
        }
        Advice::SyncMissing => "see `git fsck`; to restore it, run `postil sync` with a remote that has it",
        Advice::SyncFiles => "run `postil sync` with a remote that has them",
        Advice::AskAuthor => "ask the author to write it again; until then it cannot be shown",
        Advice::UseNewerVersion => "use a newer version of postil",
        Advice::PushThenShareFiles => "push the branch, then run `postil doctor --fix`",
        Advice::RestoreSome => "only some are listed; restore one of these to see the next",
        Advice::ListPurged => "`postil doctor` lists what was purged",
        Advice::SetMergeStrategy => "set it to `union` with `postil doctor --fix`",
        Advice::PushByName => "push branches by name, or set `remote.<name>.push` to `refs/heads/*`",
        Advice::RemoveRefspec => "remove that refspec; `postil init` sets a safe one",
        Advice::SpareLocalRefs => "exclude them with `postil doctor --fix`",
        Advice::SetDaemon => "use `on` or `off`",
        Advice::SetAutosync => "use `off`, `on-push` or an interval such as `10m`",
        Advice::DeleteCaches => "delete them with `postil doctor --fix`",
        Advice::RestartDaemon => "run `postil daemon restart`; for details, see `postil daemon status`",
        Advice::Other => return None,
    };
    Some(words.to_owned())
}

/// The command that restores these purged records.
pub fn restore_command(records: &[Hex]) -> String {
    records.iter().fold("postil doctor".to_owned(), |command, id| format!("{command} --restore {id}"))
}

/// A warning, with what to do about it.
pub fn warning(warning: &WarningView) -> String {
    match warning.advice.as_ref().and_then(hint) {
        Some(hint) => format!("{}; {hint}", warning.what),
        None => warning.what.clone(),
    }
}

/// How to go on where what was last applied cannot be taken back.
fn skipping(first: &str) -> String {
    let skip = "to keep it and undo the apply before it, run `postil apply --undo --skip`";
    format!("nothing was changed; {first}{skip}")
}

fn text(path: &ByteText) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
