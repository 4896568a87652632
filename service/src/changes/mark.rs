//! Marks: what somebody knows who has an answer, so that later changes can be told from there on.
//!
//! A mark never says more than what was looked at: who is told something twice sees the same, and who is not told
//! something never learns of it.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Display;
use std::hash::{Hash, Hasher as _};
use std::sync::Mutex;

use postil_core::git::{CommitId, history};
use postil_core::review::{Branches, Viewpoint};
use postil_protocol::{HeadName, Mark};

use crate::notes_index::NotesVersion;
use crate::repository::lock;
use crate::request::{Request, viewpoint_of};

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkParts {
    /// Where notes and drafts were.
    pub version: NotesVersion,
    /// What places were for; `None` if they were not all known.
    pub places: Option<PlacesMark>,
}

/// What places are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacesMark {
    /// The commit.
    pub head: Option<CommitId>,
    /// What decides which threads are seen, but for the notes.
    pub sight: u64,
    /// How the files on disk differ from the commit.
    pub files: FilesMark,
}

/// How the files on disk differ from a commit, in what places depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesMark {
    /// Nobody looked.
    Unseen,
    /// They do not, or only the commit counts.
    Committed,
    /// They do; the same number for the same difference.
    Differing(u64),
}

/// What takes the place of a commit, or of places, where there is none.
const NONE: &str = "0";
const UNSEEN: &str = "x";
const COMMITTED: &str = "c";

impl MarkParts {
    /// What a request knows that was just begun; of files on disk, nothing.
    pub fn of(request: &Request) -> Self {
        let from = viewpoint_of(request, &HeadName::WorkTree).ok();
        let places = from.map(|from| PlacesMark {
            head: request.head,
            sight: sight_of(&from, &request.branches),
            files: FilesMark::Unseen,
        });
        Self { version: request.notes.version, places }
    }

    /// The mark that says this.
    pub fn write(&self) -> Mark {
        let said = format!("{}.{}", word(self.version.notes), word(self.version.drafts));
        let places = self.places.map_or_else(
            || UNSEEN.to_owned(),
            |places| {
                let files = match places.files {
                    FilesMark::Unseen => UNSEEN.to_owned(),
                    FilesMark::Committed => COMMITTED.to_owned(),
                    FilesMark::Differing(hash) => format!("{hash:x}"),
                };
                format!("{}.{:x}.{files}", word(places.head), places.sight)
            },
        );
        Mark::new(&said, &places)
    }

    /// Reads a mark.
    pub fn read(mark: &Mark) -> Result<Self, NotAMark> {
        let (notes, drafts) = mark.said().split_once('.').ok_or(NotAMark)?;
        let version = NotesVersion { notes: commit(notes)?, drafts: commit(drafts)? };
        let number = |word: &str| u64::from_str_radix(word, 16).map_err(|_| NotAMark);
        let parts: Vec<&str> = mark.places().split('.').collect();
        let places = match parts[..] {
            [UNSEEN] => None,
            [head, sight, files] => Some(PlacesMark {
                head: commit(head)?,
                sight: number(sight)?,
                files: match files {
                    UNSEEN => FilesMark::Unseen,
                    COMMITTED => FilesMark::Committed,
                    hash => FilesMark::Differing(number(hash)?),
                },
            }),
            _ => return Err(NotAMark),
        };
        Ok(Self { version, places })
    }
}

fn word(id: Option<impl Display>) -> String {
    id.map_or_else(|| NONE.to_owned(), |id| id.to_string())
}

/// Reads the word for a commit or for none.
fn commit(word: &str) -> Result<Option<CommitId>, NotAMark> {
    if word == NONE {
        return Ok(None);
    }
    CommitId::from_hex(word.as_bytes()).map(Some).ok_or(NotAMark)
}

/// Something is not a mark, or one of another version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotAMark;

/// What decides which threads are seen from somewhere, but for what is kept of single reviews, as a number.
pub(crate) fn sight_of(from: &Viewpoint, branches: &Branches) -> u64 {
    hash_of(&(&from.branch, from.commit, branches.besides_kept()))
}

/// A number that is the same for the same value, in one version of the program.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Where the notes are, as far as only what this request wrote came to what it had looked at.
#[derive(Debug)]
pub(crate) struct OwnWrites(Mutex<Option<CommitId>>);

impl OwnWrites {
    /// Nothing is written yet.
    pub fn behind(notes: Option<CommitId>) -> Self {
        Self(Mutex::new(notes))
    }

    /// Notes that the notes are at `tip` by what was just written; not where others wrote in between.
    pub fn wrote(&self, handle: &gix::Repository, tip: Option<CommitId>) {
        let Some(tip) = tip else { return };
        let mut known = lock(&self.0);
        let parents = history::commit(handle, tip).map(|commit| commit.parents).unwrap_or_default();
        let is_next = match *known {
            Some(known) => parents == [known],
            None => parents.is_empty(),
        };
        if is_next {
            *known = Some(tip);
        }
    }

    /// Where that is.
    pub fn tip(&self) -> Option<CommitId> {
        *lock(&self.0)
    }
}

/// What is known with the answer to a request.
pub(crate) fn mark_of(request: &Request) -> Mark {
    let mut parts = MarkParts::of(request);
    parts.version.notes = request.own_writes.tip();
    parts.write()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_back_and_nonsense_is_not() {
        let id = |digit: &str| CommitId::from_hex(digit.repeat(40).as_bytes());
        for files in [FilesMark::Unseen, FilesMark::Committed, FilesMark::Differing(0xab)] {
            for (notes, drafts, head) in [(id("a"), None, id("1")), (None, id("b"), None)] {
                let places = Some(PlacesMark { head, sight: 7, files });
                for places in [places, None] {
                    let parts = MarkParts { version: NotesVersion { notes, drafts }, places };
                    assert_eq!(MarkParts::read(&parts.write()), Ok(parts));
                }
            }
        }
        for text in ["", "-", "0", "0.0", "0.0-0", "zz.0-x", "0.0-x.y", "0.0-0.q.c"] {
            assert_eq!(MarkParts::read(&Mark::from(text)), Err(NotAMark), "{text}");
        }
    }
}
