//! Understands what git says about a fetch or a push; it is asked to say it in English.

use postil_core::notes::refs::NOTES;

/// What a remote is quoted with.
const MAX_WORDS: usize = 200;

/// Parts of a rejection that mean a race: trying again helps.
///
/// Another push held the lock of the ref, or the ref moved since it was listed. Each server words this in its
/// own way, and so did different versions of git.
const RACES: [&str; 8] = [
    "failed to update ref",
    "cannot lock ref",
    "failed to lock",
    "lock failure",
    "fetch first",
    "non-fast-forward",
    "incorrect old value",
    "reference already exists",
];

/// How a push ended, if the remote answered; of several addresses, the worst.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PushOutcome {
    /// It was there already.
    UpToDate,
    Accepted,
    /// Another push was faster.
    Outrun,
    /// The remote does not want it, because of this.
    Refused(String),
}

/// Whether a failed fetch failed because the remote has no such ref.
pub(crate) fn lacks_the_ref(stderr: &str) -> bool {
    stderr.lines().any(|line| line.contains("couldn't find remote ref"))
}

/// The problem of a remote whose notes are cut off.
pub(crate) const CUT_OFF: &str =
    "its reviews are incomplete, because of a shallow fetch; a full sync there fixes that";

/// Whether a fetch left a ref as it was, because the remote has it without its history.
pub(crate) fn is_cut_off(stderr: &str) -> bool {
    stderr.lines().any(|line| line.contains("shallow roots are not allowed to be updated"))
}

/// The problem if our own notes are cut off, and the remote does not have the rest.
pub(crate) const CUT_OFF_HERE: &str = "the reviews here are incomplete, because of a shallow fetch; a sync with a remote that has all of them fixes that";

/// Whether a remote refused for that reason.
pub(crate) fn is_cut_off_here(reason: &str) -> bool {
    reason.contains("shallow update not allowed")
}

/// Reads the lines of `git push --porcelain` about the one ref that was sent; none if it did not get that far.
pub(crate) fn answer(stdout: &str) -> Option<PushOutcome> {
    let ours = format!(":{NOTES}\t");
    let lines = stdout.lines().filter(|line| line.contains(&ours));
    lines.filter_map(answer_of_one).max()
}

fn answer_of_one(line: &str) -> Option<PushOutcome> {
    let mut fields = line.split('\t');
    let (flag, summary) = (fields.next()?, fields.nth(1).unwrap_or_default());
    match flag {
        "!" => {}
        "=" => return Some(PushOutcome::UpToDate),
        _ => return Some(PushOutcome::Accepted),
    }
    // `[rejected]` is our own git, which knows that the remote is elsewhere. `[remote rejected]` is the remote.
    let is_race = summary.starts_with("[rejected]") || RACES.iter().any(|race| summary.contains(race));
    Some(if is_race { PushOutcome::Outrun } else { PushOutcome::Refused(reason(summary).to_owned()) })
}

/// A refusal, with what the remote itself had to say about it.
pub(crate) fn with_their_words(reason: String, stderr: &str) -> String {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix("remote:")).map(str::trim);
    // Beside the words of a hook, its git says that the hook declined, which is the reason already.
    let words =
        lines.filter(|line| !line.is_empty() && !line.starts_with("error:")).collect::<Vec<_>>().join(" ");
    let words: String = words.chars().filter(|char| !char.is_control()).take(MAX_WORDS).collect();
    if words.is_empty() { reason } else { format!("{reason} ({words})") }
}

/// The text in the last parentheses, without the words `[remote rejected]`.
fn reason(summary: &str) -> &str {
    let inside = summary.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or(summary)
}

/// The important part of git's error output, on one line.
pub(crate) fn gist(stderr: &str) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let chosen = lines().find(telling).or_else(|| lines().next_back()).unwrap_or("no message from git");
    // The line that ssh printed just before says more than that it failed.
    let before = lines().take_while(|line| *line != chosen).last();
    let is_bare = chosen.starts_with("fatal: Could not read from remote repository");
    let chosen = before.filter(|_| is_bare).unwrap_or(chosen);
    let words = chosen.trim_start_matches("fatal: ").trim_start_matches("error: ");
    words.chars().filter(|char| !char.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> Option<PushOutcome> {
        answer(&format!("To ../remote\n{line}\nDone\n"))
    }

    #[test]
    fn each_answer_of_a_push_is_understood() {
        let accepted = Some(PushOutcome::Accepted);
        assert_eq!(after("*\t1234:refs/notes/reviews\t[new reference]"), accepted);
        assert_eq!(after(" \t1234:refs/notes/reviews\t1234567..89abcde"), accepted);
        let up_to_date = "=\t1234:refs/notes/reviews\t[up to date]";
        assert_eq!(after(up_to_date), Some(PushOutcome::UpToDate));
        let outrun = Some(PushOutcome::Outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[rejected] (fetch first)"), outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[rejected] (non-fast-forward)"), outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[remote rejected] (failed to update ref)"), outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[remote rejected] (reference already exists)"), outrun);
        let hook = "!\t1234:refs/notes/reviews\t[remote rejected] (pre-receive hook declined)";
        let declined = Some(PushOutcome::Refused("pre-receive hook declined".to_owned()));
        assert_eq!(after(hook), declined);
        // A remote with two addresses answers twice.
        let two = format!("*\t1234:refs/notes/reviews\t[new reference]\nDone\nTo ../other\n{hook}");
        assert_eq!(after(&two), declined);
        let one_had_it =
            format!("{up_to_date}\nDone\nTo ../other\n*\t1234:refs/notes/reviews\t[new reference]");
        assert_eq!(after(&one_had_it), accepted);
        assert_eq!(answer("fatal: no such remote\n"), None);
    }

    #[test]
    fn a_refusal_is_told_with_the_words_of_the_remote() {
        let said =
            "remote: no \u{1b}[1mnotes\u{1b}[m here        \nremote: \nerror: failed to push some refs\n";
        assert_eq!(with_their_words("declined".to_owned(), said), "declined (no [1mnotes[m here)");
        assert_eq!(with_their_words("declined".to_owned(), "error: no\n"), "declined");
        assert!(with_their_words(String::new(), &format!("remote: {}", "x".repeat(1000))).len() < 300);
    }

    #[test]
    fn the_gist_of_a_complaint_is_its_first_error_without_control_characters() {
        let said = "fatal: Could not read from remote repository.\n\nPlease make sure\n";
        assert_eq!(gist(said), "Could not read from remote repository.");
        let said = format!("ann@host: Permission denied (publickey).\n{said}");
        assert_eq!(gist(&said), "ann@host: Permission denied (publickey).");
        assert_eq!(gist("some \u{1b}[31mhint\n"), "some [31mhint");
        assert_eq!(gist(""), "no message from git");
    }
}
