//! What the service advises, in the words of the command line.
//!
//! The only place where advice becomes commands and options; every word that the service knows has its own here.

use postil_protocol::{Advice, ByteText, WarningView};

/// The sentence for a piece of advice; `None` for one of a later version.
pub fn hint(advice: &Advice) -> Option<String> {
    let words = match advice {
        Advice::PointAtNewSide { path, start, end } => {
            let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
            let path = text(path);
            return Some(format!(
                "it is {path}:{lines} now: point there without `--side old`; `postil diff` shows what is deleted"
            ));
        }
        Advice::EnterSubmodule { path } => {
            return Some(format!("run postil there: `postil -C {} …`", text(path)));
        }
        Advice::RestoreFile { path } => {
            let path = text(path);
            return Some(format!(
                "`git restore {path}` brings it back; `{path} @HEAD` means the committed one"
            ));
        }
        Advice::ChooseWord { words } => return Some(format!("there are {}", listed(words))),
        Advice::ShowReview { review } => {
            return Some(format!("`postil review show {review}` shows the review and its threads"));
        }
        Advice::MoveThread { thread } => return Some(format!("that is {thread}")),
        Advice::ShowForeignWords { object } => {
            return Some(format!("`git notes --ref=refs/notes/reviews show {object}` shows them"));
        }
        Advice::RestorePurged { record } => {
            return Some(format!("if that was wrong: `postil doctor --restore {record}`"));
        }
        Advice::CommitFirst => "make one with `git commit` first",
        Advice::NameTextFile => "name a file with text in it",
        Advice::ListFiles => {
            "`git ls-files` lists those that git knows; paths are relative to the folder you are in"
        }
        Advice::NamePathInside => {
            "paths count from the root of the repository, without `..`, and lead into no `.git`"
        }
        Advice::QuoteMore => {
            "say what stands right before or behind with `--prefix TEXT` or `--suffix TEXT`, or quote more"
        }
        Advice::QuoteAsRead => {
            "quote the words as they read on the page, without marks, or name lines: `FILE:12`"
        }
        Advice::NameLines => "name lines instead: `FILE:12`",
        Advice::CountLines => "lines count from one; without any, the whole file is meant",
        Advice::CountColumns => "columns count bytes from one; without any, whole lines are meant",
        Advice::NameWholeFile => "name the file without lines",
        Advice::PointAtLess => "point at fewer lines, or at the whole file",
        Advice::NameLinesOrReview => "name lines or a file: `FILE:12`; or a review with `--review`",
        Advice::ChooseCandidate => {
            "`postil show` lists them with their numbers; a location such as `FILE:12` goes always"
        }
        Advice::ListThreads => {
            "`postil list --all` shows every thread with its id, `postil review list --all` every review"
        }
        Advice::GiveMoreDigits => "give more digits of the id",
        Advice::NameWhatExists => {
            "name a file, line, branch or commit that is there; `git log` and `git branch --all` tell"
        }
        Advice::ListCommits => {
            "`git log --all --oneline` lists commits; one of somebody else is fetched first"
        }
        Advice::ListBranches => "`git branch --all` lists the branches",
        Advice::ListBranchesAndTags => "`git branch --all` lists the branches, `git tag` the tags",
        Advice::CommentOrFetch => {
            "make one with `postil comment FILE:LINE`, or fetch those of others with `postil sync`"
        }
        Advice::ListSuggestions => "`postil list` tells which threads suggest something, `postil show` what",
        Advice::SayText => "say it with `-m TEXT` or `-F FILE`",
        Advice::SayTitle => "say what it is called: `--title TEXT`",
        Advice::KeepSuggestion => {
            "leave the block as it is; suggest another one with `postil reply`, or `postil withdraw` it"
        }
        Advice::ResolveInstead => "`postil resolve` closes anybody's thread, and says who did",
        Advice::SignOrTurnOff => {
            "sign as git signs commits, or turn it off with `git config postil.sign false`"
        }
        Advice::StartReview => {
            "`postil review start` begins one; `postil review list --all` shows the others"
        }
        Advice::ChooseBase => "say what to compare with: `postil review start --base REF`",
        Advice::ChooseRelatedBase => "compare with another branch or tag: `postil review start --base REF`",
        Advice::ChooseDifferentBase => "name another one: `--base REF`",
        Advice::SwitchToReviewed => "switch to the branch that is to be reviewed, or name it",
        Advice::SwitchToBranch => "switch to a branch, or name one: `postil review start BRANCH`",
        Advice::GetJudgedCommit => {
            "whoever has that commit can push it to a branch; `postil diff` shows all of the change"
        }
        Advice::GetBranchOrClose => {
            "fetch or make the branch again, or end the review with `postil review close`"
        }
        Advice::ListVerdicts => "`postil review show` tells who has; `postil diff` shows all of the change",
        Advice::ImportInParts => "import it in several parts",
        Advice::ChooseFormat => {
            "`--format` says what it is: sarif, rdjson, rdjsonl, comments, json or appraise"
        }
        Advice::FetchAppraise => "fetch them: git fetch origin 'refs/notes/devtools/*:refs/notes/devtools/*'",
        Advice::SendFiles { remote } => {
            return Some(format!(
                "push the branches they are on to {remote}, or send them along with \
                 `postil sync {remote} --with-files`; what came is kept"
            ));
        }
        Advice::FetchFirst => "`postil sync` fetches first, merges, and sends then",
        Advice::AllowNotesRef => {
            "whoever looks after the remote can allow refs/notes/reviews; nothing of yours is lost"
        }
        Advice::DeleteOtherRef => {
            "whoever looks after the remote can delete that ref; nothing of yours is lost"
        }
        Advice::SyncLater => "what came is kept, and nothing of yours is lost; try again",
        Advice::SyncAgain => "nothing of yours is lost; try again",
        Advice::NothingChanged => "nothing was changed",
        Advice::PlanAgain => "nothing was written; try again",
        Advice::CheckAgain => "nothing was written; run it with `--check` again",
        Advice::EndOperationFirst => "nothing was written; end it first, or apply to the files alone",
        Advice::CommitOwnChangesFirst => {
            "nothing was written; commit or stash your own changes first, or apply to the files alone"
        }
        Advice::PutBackByHand { files } => {
            return Some(format!("put back by hand: {}", files.join(", ")));
        }
        Advice::UnstageFiles => "run `git restore --staged` for them",
        Advice::UnstageFirst => {
            return Some(skipping("`git restore --staged` them first, or take it out by hand; "));
        }
        Advice::TakeOwnChangeOut => {
            return Some(skipping("take your own change of it out first, or this one by hand; "));
        }
        Advice::SkipUndo => return Some(skipping("")),
        Advice::RevertCommits => "`git log` and `git revert` take back what is committed",
        Advice::RevertCommit { commit } => {
            return Some(skipping(&format!("`git revert {commit}` takes the commit back; ")));
        }
        Advice::TryAgain => "try again",
        Advice::MakeRoom => "nothing was stored; make room or get the right to write there, and try again",
        Advice::CheckRepository => "look at the repository with `git fsck`",
        Advice::Nothing => "nothing is left to do",
        Advice::MendNotes => "`postil doctor --fix` brings it back, as the next comment does",
        Advice::ReadNotes => "`postil list`, as the next comment, brings back what it held",
        Advice::SyncHistory => "`postil sync` fetches the rest of it",
        Advice::FetchNotesFromClone => {
            "fetch it from a clone that has it: `git fetch CLONE refs/notes/reviews`"
        }
        Advice::SyncMissing => {
            "`git fsck` tells what is missing; `postil sync` with somebody who has it brings it back"
        }
        Advice::SyncFiles => "`postil sync` with somebody who has them brings them",
        Advice::AskAuthor => "whoever wrote it can say it again; until then nobody sees what it says",
        Advice::UseNewerVersion => "a newer postil understands it",
        Advice::PushThenShareFiles => "push the branch; `postil doctor --fix` then shares them",
        Advice::RestoreSome => "restore some to see the rest",
        Advice::ListPurged => "`postil doctor` lists what was taken away, each with its id",
        Advice::SetMergeStrategy => "`postil doctor --fix` sets it to `union`",
        Advice::PushByName => "push branches by name, or set `remote.<name>.push` to `refs/heads/*`",
        Advice::RemoveRefspec => "take that refspec out; `postil init` sets one that does not",
        Advice::SpareLocalRefs => "`postil doctor --fix` keeps them out of it",
        Advice::SetDaemon => "say `on` or `off`",
        Advice::SetAutosync => "say `off`, `on-push` or an interval such as `10m`",
        Advice::DeleteCaches => "`postil doctor --fix` deletes them",
        Advice::RestartDaemon => "`postil daemon restart` starts it anew; `postil daemon status` tells more",
        Advice::Other => return None,
    };
    Some(words.to_owned())
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
    let skip = "`postil apply --undo --skip` leaves it as it is, and makes way for what was applied before";
    format!("nothing was changed; {first}{skip}")
}

fn text(path: &ByteText) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
