//! What has become of what a suggestion does to one file.

use crate::edit::{AgreementMode, Algorithm, Clash, EditError, LineMap, Replacement, Text, TextEdit};
use crate::git::RepoPath;
use crate::patch::FileMode;
use crate::record::SuggestedFile;

use super::carry::{CarriedEdit, SuggestionConflict, carry};
use super::changes_since::changes_since;
use super::conflict_marks::MarkedSection;
use super::moved_lines::moved_elsewhere;

/// A file as it is now.
#[derive(Clone, Copy, Debug)]
pub struct CurrentFile<'a> {
    /// What it holds.
    pub text: &'a [u8],
    /// Its mode, where that is known.
    pub mode: Option<FileMode>,
    /// Whether the same suggestion gives it another path, or deletes it.
    pub leaves: bool,
}

/// What has become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// It can be done.
    Left(RemainingChange),
    /// It is done.
    Done,
    /// It cannot be done as things are.
    Conflict(Refusal),
    /// What it was made for is not here, so it cannot be known.
    Pending,
}

/// What is left to do to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemainingChange {
    /// Its text, perhaps its path and its mode change.
    Change {
        /// Where it is now.
        at: RepoPath,
        /// The edit of its text as it is now.
        edit: TextEdit,
        /// Where it goes.
        to: Option<RepoPath>,
        /// The mode it gets.
        mode: Option<FileMode>,
    },
    /// It is made.
    Create {
        /// Where.
        at: RepoPath,
        /// What it holds.
        text: Vec<u8>,
        /// The mode it gets.
        mode: Option<FileMode>,
    },
    /// It goes.
    Delete {
        /// Where it is now.
        at: RepoPath,
    },
}

impl RemainingChange {
    /// The same, with the edit of a text in lines, and in words of lines that stay themselves.
    ///
    /// Two suggestions that rewrite one line are in each other's way, whatever letters their lines have in common.
    /// Fails if `current` is not the text that this is left to do to.
    pub fn in_lines(self, current: &[u8]) -> Result<Self, EditError> {
        match self {
            Self::Change { at, edit, to, mode } if !edit.is_empty() => {
                let edit = changes_since(current, &edit.apply(current)?);
                Ok(Self::Change { at, edit, to, mode })
            }
            other => Ok(other),
        }
    }
}

/// Why something cannot be done to a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Something else was done in the same place.
    #[error("{}", met(.0))]
    Changed(SuggestionConflict),
    /// Both sides are in its place, between conflict marks, and neither was chosen.
    #[error("the file contains conflict markers")]
    Marked(MarkedSection),
    /// There is another file where one is to be made.
    #[error("another file exists there")]
    Exists,
    /// The file is gone.
    #[error("the file no longer exists")]
    Missing,
    /// The file that is to go was changed since.
    #[error("the file to delete has changed")]
    ChangedBeforeDelete,
    /// The suggestion does not fit what it was made for, or asks for what is not a file.
    #[error("the suggestion is damaged")]
    Damaged,
}

fn met(meeting: &SuggestionConflict) -> &'static str {
    match meeting.conflict.clash {
        Clash::Overlap => "the lines have changed",
        Clash::Touch => "adjacent lines have changed",
        Clash::Insertions => "other lines were inserted at the same place",
    }
}

/// What has become of what a suggestion does to `file`.
///
/// `base` is the content that it was made for. `at` is where the file is now, and `here` what is there;
/// `there` is what is at the path that it is to get.
pub fn fate_of(
    file: &SuggestedFile,
    base: Option<&[u8]>,
    at: &RepoPath,
    here: Option<CurrentFile<'_>>,
    there: Option<CurrentFile<'_>>,
    mode: AgreementMode,
) -> FileFate {
    let Some(edit) = edit_of(file) else { return FileFate::Conflict(Refusal::Damaged) };
    let wanted_mode = match file.mode.map(FileMode::from_number) {
        None => None,
        Some(Some(mode @ (FileMode::Plain | FileMode::Executable))) => Some(mode),
        Some(_) => return FileFate::Conflict(Refusal::Damaged),
    };
    if file.blob.is_none() {
        return created(&edit, at, here, wanted_mode);
    }
    if file.delete {
        return match (here, base) {
            (None, _) => FileFate::Done,
            (Some(_), None) => FileFate::Pending,
            (Some(here), Some(base)) if here.text == base => {
                FileFate::Left(RemainingChange::Delete { at: at.clone() })
            }
            (Some(_), Some(_)) => FileFate::Conflict(Refusal::ChangedBeforeDelete),
        };
    }
    let to = file.new_path.as_ref().filter(|to| *to != at);
    let (at, here, to) = match (to, here, there) {
        (None, Some(here), _) => (at, here, None),
        (Some(to), Some(here), None) => (at, here, Some(to)),
        (Some(to), Some(_), Some(there)) if is_there(&edit, base, there) => (to, there, None),
        (Some(to), Some(here), Some(there)) if there.leaves => (at, here, Some(to)),
        (Some(_), Some(_), Some(_)) => return FileFate::Conflict(Refusal::Exists),
        // Somebody renamed it as suggested.
        (Some(to), None, Some(there)) => (to, there, None),
        (_, None, _) => return FileFate::Conflict(Refusal::Missing),
    };
    let mode_left = mode_left(wanted_mode, here);
    let edit = if edit.is_empty() {
        edit
    } else {
        let Some(base) = base else { return FileFate::Pending };
        let elsewhere = *at != file.path && file.new_path.as_ref() != Some(at);
        if elsewhere && !is_version(base, here.text) {
            // Its lines went to another file, where only they and what was around them can be recognised.
            let left = edit.apply(base).ok().and_then(|wanted| moved_elsewhere(base, &wanted, here.text));
            return match left {
                Some(edit) => {
                    FileFate::Left(RemainingChange::Change { at: at.clone(), edit, to: None, mode: None })
                }
                None => FileFate::Conflict(Refusal::Missing),
            };
        }
        match carry(base, &edit, here.text, mode) {
            Ok(CarriedEdit::Left(left)) => left,
            Ok(CarriedEdit::Done) => TextEdit::nothing(),
            Ok(CarriedEdit::Conflict(meeting)) => return FileFate::Conflict(Refusal::Changed(meeting)),
            Ok(CarriedEdit::Marked(between)) => return FileFate::Conflict(Refusal::Marked(between)),
            Err(_) => return FileFate::Conflict(Refusal::Damaged),
        }
    };
    if edit.is_empty() && to.is_none() && mode_left.is_none() {
        return FileFate::Done;
    }
    FileFate::Left(RemainingChange::Change { at: at.clone(), edit, to: to.cloned(), mode: mode_left })
}

/// Whether a file that another one of the suggestion made way for is at its new path.
fn is_there(edit: &TextEdit, base: Option<&[u8]>, there: CurrentFile<'_>) -> bool {
    let wanted = base.and_then(|base| edit.apply(base).ok());
    there.leaves && wanted.is_some_and(|wanted| wanted == there.text)
}

/// Whether a file under another name is the same one, as git asks it of renames: half of the larger one is in both.
fn is_version(base: &[u8], current: &[u8]) -> bool {
    let (base, current) = (Text::new(base), Text::new(current));
    let map = LineMap::between(&base, &current, Algorithm::Histogram);
    let gone: u32 = map.hunks().iter().map(|hunk| hunk.before.end - hunk.before.start).sum();
    (base.len() - gone) * 2 >= base.len().max(current.len())
}

fn created(
    edit: &TextEdit,
    at: &RepoPath,
    here: Option<CurrentFile<'_>>,
    mode: Option<FileMode>,
) -> FileFate {
    let Ok(text) = edit.apply(b"") else { return FileFate::Conflict(Refusal::Damaged) };
    match here {
        None => FileFate::Left(RemainingChange::Create { at: at.clone(), text, mode }),
        Some(here) if here.text == text => match mode_left(mode, here) {
            None => FileFate::Done,
            mode => FileFate::Left(RemainingChange::Change {
                at: at.clone(),
                edit: TextEdit::nothing(),
                to: None,
                mode,
            }),
        },
        Some(_) => FileFate::Conflict(Refusal::Exists),
    }
}

/// The mode that a file is still to get.
fn mode_left(wanted: Option<FileMode>, here: CurrentFile<'_>) -> Option<FileMode> {
    wanted.filter(|wanted| here.mode.is_some_and(|mode| mode != *wanted))
}

/// The edit that is stored for a file; `None` if it is none: it may come from others.
pub fn edit_of(file: &SuggestedFile) -> Option<TextEdit> {
    let mut replacements = Vec::with_capacity(file.edits.len());
    for edit in &file.edits {
        let (start, end) = (usize::try_from(edit.start).ok()?, usize::try_from(edit.end).ok()?);
        if end < start {
            return None;
        }
        replacements.push(Replacement::new(start..end, edit.text.clone(), ()));
    }
    TextEdit::new(replacements).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::BlobId;
    use crate::record::SuggestedEdit;

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path).unwrap()
    }

    fn file(edits: &[(u64, u64, &str)]) -> SuggestedFile {
        let edits = edits.iter().map(|(start, end, text)| SuggestedEdit {
            start: *start,
            end: *end,
            text: (*text).into(),
        });
        SuggestedFile {
            path: path("f"),
            blob: Some(BlobId::from(gix::ObjectId::null(gix::hash::Kind::Sha1))),
            new_path: None,
            mode: None,
            delete: false,
            edits: edits.collect(),
        }
    }

    fn here(text: &str) -> CurrentFile<'_> {
        CurrentFile { text: text.as_bytes(), mode: Some(FileMode::Plain), leaves: false }
    }

    fn check(
        file: &SuggestedFile,
        base: Option<&str>,
        here: Option<CurrentFile<'_>>,
        there: Option<CurrentFile<'_>>,
    ) -> FileFate {
        fate_of(file, base.map(str::as_bytes), &path("f"), here, there, AgreementMode::Strict)
    }

    #[test]
    fn an_edit_is_left_done_or_in_conflict() {
        let suggested = file(&[(0, 2, "A\n")]);
        assert!(matches!(check(&suggested, Some("a\nb\n"), Some(here("a\nb\n")), None), FileFate::Left(_)));
        assert_eq!(check(&suggested, Some("a\nb\n"), Some(here("A\nb\n")), None), FileFate::Done);
        assert!(matches!(
            check(&suggested, Some("a\nb\n"), Some(here("x\nb\n")), None),
            FileFate::Conflict(Refusal::Changed(_))
        ));
        assert_eq!(check(&suggested, Some("a\n"), None, None), FileFate::Conflict(Refusal::Missing));
        assert_eq!(check(&suggested, None, Some(here("a\n")), None), FileFate::Pending);
    }

    #[test]
    fn in_another_file_only_the_lines_with_all_around_them_are_changed() {
        let base = "def alpha(a):\n    if a is None:\n        return None\n    return a + 1\n\n\nomega = 1\n";
        let at = base.find("return None").unwrap() as u64;
        let suggested = file(&[(at, at + 11, "return 0")]);
        let fate = |text: &str| {
            fate_of(
                &suggested,
                Some(base.as_bytes()),
                &path("g"),
                Some(here(text)),
                None,
                AgreementMode::Strict,
            )
        };
        let rest: String = (0..20).map(|line| format!("other = {line}\n")).collect();
        assert!(matches!(fate(&format!("{rest}{base}{rest}")), FileFate::Left(_)), "moved whole");
        let gamma = base.replace("alpha", "gamma").replace("a + 1", "a - 1");
        assert_eq!(fate(&format!("{gamma}{rest}")), FileFate::Conflict(Refusal::Missing), "another function");
        let twice = format!("{base}{rest}{base}");
        assert_eq!(fate(&twice), FileFate::Conflict(Refusal::Missing), "two places");
        let renamed = base.replace("a + 1", "a + 2");
        assert!(matches!(fate(&renamed), FileFate::Left(_)), "the same file under another name");
    }

    #[test]
    fn what_is_left_is_told_in_lines_and_words_of_lines_that_stay_themselves() {
        let base = "first\n    rv = config[name]\nlast\n";
        let told = |new: &str| {
            let edit = TextEdit::single(Replacement::new(6..28, new, ()));
            let left = RemainingChange::Change { at: path("f"), edit, to: None, mode: None }
                .in_lines(base.as_bytes());
            let Ok(RemainingChange::Change { edit, .. }) = left else { panic!("it fits") };
            let parts = edit.replacements().iter().map(|part| base[part.range()].to_owned());
            parts.collect::<Vec<_>>()
        };
        assert_eq!(told("    value = config[name]\n"), ["rv"]);
        assert_eq!(told("    rv = 1\n    # two\n"), ["    rv = config[name]"]);
        assert!(
            RemainingChange::Change {
                at: path("f"),
                edit: TextEdit::single(Replacement::new(9..99, "", ())),
                to: None,
                mode: None
            }
            .in_lines(base.as_bytes())
            .is_err()
        );
    }

    #[test]
    fn files_are_made_and_deleted_once() {
        let create = SuggestedFile { blob: None, ..file(&[(0, 0, "new\n")]) };
        assert!(matches!(check(&create, None, None, None), FileFate::Left(RemainingChange::Create { .. })));
        assert_eq!(check(&create, None, Some(here("new\n")), None), FileFate::Done);
        assert_eq!(check(&create, None, Some(here("other\n")), None), FileFate::Conflict(Refusal::Exists));
        let program = SuggestedFile { mode: Some(0o100_755), ..create };
        let plain = check(&program, None, Some(here("new\n")), None);
        let FileFate::Left(RemainingChange::Change { mode, .. }) = plain else {
            panic!("it is no program: {plain:?}")
        };
        assert_eq!(mode, Some(FileMode::Executable));
        let done = CurrentFile { text: b"new\n", mode: Some(FileMode::Executable), leaves: false };
        assert_eq!(check(&program, None, Some(done), None), FileFate::Done);
        let delete = SuggestedFile { delete: true, ..file(&[]) };
        assert!(matches!(
            check(&delete, Some("a\n"), Some(here("a\n")), None),
            FileFate::Left(RemainingChange::Delete { .. })
        ));
        assert_eq!(check(&delete, Some("a\n"), None, None), FileFate::Done);
        let changed = check(&delete, Some("a\n"), Some(here("b\n")), None);
        assert_eq!(changed, FileFate::Conflict(Refusal::ChangedBeforeDelete));
    }

    #[test]
    fn a_rename_that_somebody_made_is_followed() {
        let rename = SuggestedFile { new_path: Some(path("g")), ..file(&[(0, 1, "A")]) };
        let FileFate::Left(RemainingChange::Change { to, .. }) =
            check(&rename, Some("a\n"), Some(here("a\n")), None)
        else {
            panic!("it can be done");
        };
        assert_eq!(to, Some(path("g")));
        let FileFate::Left(RemainingChange::Change { at, to: None, .. }) =
            check(&rename, Some("a\n"), None, Some(here("a\n")))
        else {
            panic!("half of it was done");
        };
        assert_eq!(at, path("g"));
        assert_eq!(check(&rename, Some("a\n"), None, Some(here("A\n"))), FileFate::Done);
        let both = check(&rename, Some("a\n"), Some(here("a\n")), Some(here("b\n")));
        assert_eq!(both, FileFate::Conflict(Refusal::Exists));
        let leaving = CurrentFile { leaves: true, ..here("b\n") };
        assert!(matches!(check(&rename, Some("a\n"), Some(here("a\n")), Some(leaving)), FileFate::Left(_)));
        let swapped = CurrentFile { leaves: true, ..here("A\n") };
        assert_eq!(check(&rename, Some("a\n"), Some(here("b\n")), Some(swapped)), FileFate::Done);
    }

    #[test]
    fn a_mode_is_part_of_it_and_links_are_never_made() {
        let executable = SuggestedFile { mode: Some(0o100_755), ..file(&[]) };
        assert!(matches!(check(&executable, Some("a\n"), Some(here("b\n")), None), FileFate::Left(_)));
        let done = Some(CurrentFile { text: b"b\n", mode: Some(FileMode::Executable), leaves: false });
        assert_eq!(check(&executable, Some("a\n"), done, None), FileFate::Done);
        for bad in
            [SuggestedFile { mode: Some(0o120_000), ..file(&[]) }, file(&[(3, 2, "")]), file(&[(0, 99, "x")])]
        {
            assert_eq!(
                check(&bad, Some("a\n"), Some(here("b\n")), None),
                FileFate::Conflict(Refusal::Damaged)
            );
        }
    }
}
