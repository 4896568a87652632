//! Which message has the commented words, where nothing says what the commit was rewritten as.
//!
//! A squash joins messages, and a clone may lack the commit that was commented on. Only words that are all there count:
//! a message that is merely similar belongs to another commit.

use crate::edit::Text;
use crate::git::CommitId;

/// Words of a message: those that are commented on, and the lines around them.
pub(super) struct Wording {
    meant: Vec<Vec<u8>>,
    around: Vec<Vec<u8>>,
}

/// What a search for words found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordingFound {
    /// This commit's message has them.
    At(CommitId),
    /// Several messages have them, and nothing tells them apart.
    Several,
    /// No message has them.
    Nowhere,
}

impl Wording {
    /// Lines that are commented on, and those around them; blank ones say nothing.
    pub fn new<'a>(meant: impl Iterator<Item = &'a [u8]>, around: impl Iterator<Item = &'a [u8]>) -> Self {
        let said = |line: &&[u8]| line.iter().any(u8::is_ascii_alphanumeric) || !line.is_ascii();
        let trimmed = |line: &'a [u8]| line.trim_ascii().to_vec();
        Self {
            meant: meant.filter(said).map(trimmed).collect(),
            around: around.filter(said).map(trimmed).collect(),
        }
    }

    /// Finds the message that has the words, among those of some commits; the newest come first.
    pub fn find<E>(
        &self,
        commits: impl Iterator<Item = CommitId>,
        message: impl Fn(CommitId) -> Result<Vec<u8>, E>,
    ) -> Result<WordingFound, E> {
        let (mut best, mut found) = (0, WordingFound::Nowhere);
        for commit in commits {
            let score = self.score(&Text::new(message(commit)?));
            if score > best {
                (best, found) = (score, WordingFound::At(commit));
            } else if score == best && score > 0 {
                found = WordingFound::Several;
            }
        }
        Ok(found)
    }

    /// How much of it a message has; 0 if it lacks a commented line. A whole line counts more than a part of one, as in
    /// `Revert "…"`.
    fn score(&self, message: &Text) -> usize {
        let has = |line: &Vec<u8>| {
            let is_whole = message.bare_lines().any(|other| other.trim_ascii() == line.as_slice());
            let is_part = || message.bare_lines().any(|other| contains(other, line));
            if is_whole { 4 } else { usize::from(is_part()) }
        };
        let meant: Vec<usize> = self.meant.iter().map(has).collect();
        if meant.is_empty() || meant.contains(&0) {
            return 0;
        }
        meant.iter().sum::<usize>() + self.around.iter().map(has).sum::<usize>() / 2
    }
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len().max(1)).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(meant: &str, around: &str, messages: &[&str], expected: Option<usize>) {
        let wording = Wording::new(meant.lines().map(str::as_bytes), around.lines().map(str::as_bytes));
        let ids: Vec<CommitId> =
            (0..messages.len()).map(|at| CommitId::from_bytes(&[at as u8; 20]).unwrap()).collect();
        let message = |commit: CommitId| {
            let at = ids.iter().position(|id| *id == commit).unwrap();
            Ok::<_, std::convert::Infallible>(messages[at].as_bytes().to_vec())
        };
        let found = wording.find(ids.iter().copied(), message).unwrap();
        let expected = expected.map(|at| WordingFound::At(ids[at]));
        match found {
            WordingFound::At(_) => assert_eq!(Some(found), expected, "{meant}"),
            WordingFound::Several | WordingFound::Nowhere => assert_eq!(expected, None, "{meant}"),
        }
    }

    #[test]
    fn words_are_found_where_all_of_them_are() {
        let joined = "Read the file\n\n* Add a parser\n\nIt is slow.\n";
        check("It is slow.", "Add a parser", &["Other\n", joined], Some(1));
        check("Add a parser", "", &["Other\n", joined], Some(1));
        check("It is slow.\nIt is not", "", &[joined], None);
        check("Add a parser", "", &["Revert \"Add a parser\"\n", "Add a parser\n"], Some(1));
        check("Fix it", "", &["Fix it\n\nnow", "Fix it\n\nthen"], None);
        check("Fix it", "then", &["Fix it\n\nnow", "Fix it\n\nthen"], Some(1));
        check("\n---", "", &["Fix it\n\n---\n"], None);
    }
}
