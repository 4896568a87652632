//! Understands what git says about a fetch or a push; it is asked to say it in English.

use postil_core::sync::Pushed;

/// How a push ended, if the remote answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Ended(Pushed),
    /// The remote does not want it, because of this.
    Refused(String),
}

/// Whether a failed fetch failed because the remote has no such ref.
pub(super) fn lacks_the_ref(stderr: &str) -> bool {
    stderr.lines().any(|line| line.contains("couldn't find remote ref"))
}

/// Reads the line of `git push --porcelain` about the one ref that was sent; none if it did not get that far.
pub(super) fn answer(stdout: &str) -> Option<Answer> {
    let line = stdout.lines().find(|line| line.contains(":refs/notes/reviews\t"))?;
    let mut fields = line.split('\t');
    let (flag, summary) = (fields.next()?, fields.nth(1).unwrap_or_default());
    if flag != "!" {
        return Some(Answer::Ended(Pushed::Accepted));
    }
    // `[rejected]` is our own git, which knows that the remote is elsewhere. `[remote rejected]` is the remote: with
    // its lock taken by somebody else's push, or the ref moved since it was told to us, another try will do.
    let is_race = summary.starts_with("[rejected]")
        || ["failed to update ref", "cannot lock ref", "fetch first", "incorrect old value"]
            .iter()
            .any(|race| summary.contains(race));
    Some(if is_race { Answer::Ended(Pushed::Outrun) } else { Answer::Refused(reason(summary).to_owned()) })
}

/// What stands in the last parentheses, without the word `[remote rejected]`.
fn reason(summary: &str) -> &str {
    let inside = summary.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or(summary)
}

/// What somebody should know of git's complaint, on one line.
pub(super) fn gist(stderr: &str) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let telling = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let chosen = lines().find(telling).or_else(|| lines().next_back()).unwrap_or("git said nothing");
    // What ssh said right before tells more than that it failed.
    let before = lines().take_while(|line| *line != chosen).last();
    let is_bare = chosen.starts_with("fatal: Could not read from remote repository");
    let chosen = before.filter(|_| is_bare).unwrap_or(chosen);
    let words = chosen.trim_start_matches("fatal: ").trim_start_matches("error: ");
    words.chars().filter(|char| !char.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> Option<Answer> {
        answer(&format!("To ../remote\n{line}\nDone\n"))
    }

    #[test]
    fn each_answer_of_a_push_is_understood() {
        let accepted = Some(Answer::Ended(Pushed::Accepted));
        assert_eq!(after("*\t1234:refs/notes/reviews\t[new reference]"), accepted);
        assert_eq!(after(" \t1234:refs/notes/reviews\t1234567..89abcde"), accepted);
        assert_eq!(after("=\t1234:refs/notes/reviews\t[up to date]"), accepted);
        let outrun = Some(Answer::Ended(Pushed::Outrun));
        assert_eq!(after("!\t1234:refs/notes/reviews\t[rejected] (fetch first)"), outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[rejected] (non-fast-forward)"), outrun);
        assert_eq!(after("!\t1234:refs/notes/reviews\t[remote rejected] (failed to update ref)"), outrun);
        let hook = after("!\t1234:refs/notes/reviews\t[remote rejected] (pre-receive hook declined)");
        assert_eq!(hook, Some(Answer::Refused("pre-receive hook declined".to_owned())));
        assert_eq!(answer("fatal: no such remote\n"), None);
    }

    #[test]
    fn the_gist_of_a_complaint_is_its_first_error_without_control_characters() {
        let said = "fatal: Could not read from remote repository.\n\nPlease make sure\n";
        assert_eq!(gist(said), "Could not read from remote repository.");
        let said = format!("ann@host: Permission denied (publickey).\n{said}");
        assert_eq!(gist(&said), "ann@host: Permission denied (publickey).");
        assert_eq!(gist("some \u{1b}[31mhint\n"), "some [31mhint");
        assert_eq!(gist(""), "git said nothing");
    }
}
