//! Which files a person has viewed: for each, a hash of the change that they saw.
//!
//! So a mark goes away by itself when the file changes, and is back when the change is what it was. The marks of a
//! branch are one private file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::typed::TypedTexts;

/// A file as it is known in an address, and the change that was seen.
type SeenChange = (String, String);

/// Whether a person has viewed a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Viewed {
    /// Not yet.
    #[default]
    No,
    /// As it is now.
    Yes,
    /// It was another change then.
    Before,
}

/// The marks of all branches.
#[derive(Clone, Debug)]
pub(crate) struct ViewedMarks {
    texts: TypedTexts,
}

/// The marks of one branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ViewedFiles(BTreeMap<String, String>);

impl ViewedMarks {
    /// Those in a folder, which is made when it is needed.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { texts: TypedTexts::in_folder(folder.join("viewed")) }
    }

    /// The marks of a branch, or of another name for what is compared.
    pub(crate) fn of(&self, scope: &str) -> ViewedFiles {
        let text = self.texts.text(&name(scope)).unwrap_or_default();
        let mark = |line: &str| line.split_once(' ').map(|(key, change)| (key.to_owned(), change.to_owned()));
        ViewedFiles(text.lines().filter_map(mark).collect())
    }

    /// Marks files as viewed; those with an empty change are not any more.
    pub(crate) fn mark(&self, scope: &str, marks: Vec<SeenChange>) -> io::Result<()> {
        let ViewedFiles(mut files) = self.of(scope);
        for (key, change) in marks {
            let is_word = |word: &str| {
                !word.is_empty() && word.len() <= 64 && word.bytes().all(|c| c.is_ascii_hexdigit())
            };
            match (is_word(&key), change.is_empty(), is_word(&change)) {
                (true, true, _) => _ = files.remove(&key),
                (true, false, true) => _ = files.insert(key, change),
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        let text: String = files.iter().map(|(key, change)| format!("{key} {change}\n")).collect();
        self.texts.keep_newest(&name(scope), &text)
    }
}

impl ViewedFiles {
    /// Whether a change of a file was viewed.
    pub(crate) fn state(&self, key: &str, change: Option<&str>) -> Viewed {
        match (self.0.get(key), change) {
            (Some(seen), Some(change)) if seen == change => Viewed::Yes,
            (Some(_), Some(_)) => Viewed::Before,
            _ => Viewed::No,
        }
    }
}

fn name(scope: &str) -> String {
    format!("viewed {}", scope.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_holds_for_what_was_seen_and_comes_back_with_it() {
        let root = tempfile::tempdir().unwrap();
        let marks = ViewedMarks::in_folder(root.path());
        let mark = |key: &str, change: &str| marks.mark("topic", vec![(key.into(), change.into())]);
        mark("aa", "01").unwrap();
        mark("bb", "02").unwrap();
        let again = ViewedMarks::in_folder(root.path());
        let files = again.of("topic");
        assert_eq!(files.state("aa", Some("01")), Viewed::Yes);
        assert_eq!(files.state("aa", Some("03")), Viewed::Before);
        assert_eq!((files.state("cc", Some("01")), files.state("aa", None)), (Viewed::No, Viewed::No));
        assert_eq!(again.of("other"), ViewedFiles::default());
        mark("aa", "").unwrap();
        assert_eq!(again.of("topic").state("aa", Some("01")), Viewed::No);
        assert_eq!(again.of("topic").state("bb", Some("02")), Viewed::Yes);
        for (key, change) in [("a b", "01"), ("aa", "x y"), ("", "01"), ("aa\n", "01")] {
            assert!(mark(key, change).is_err(), "{key:?} {change:?}");
        }
    }
}
