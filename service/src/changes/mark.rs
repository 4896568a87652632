//! Marks: what a client knows after an answer, so that it can ask for later changes.
//!
//! A mark never claims more than was looked at. Reporting a change twice does no harm, but a change that is
//! left out is never reported.

use std::fmt::Display;
use std::sync::Mutex;

use postil_core::git::{CommitId, history};
use postil_protocol::{Fault, HeadName, Mark};

use crate::lists::visible::sight_of;
use crate::notes::index::NotesVersion;
use crate::positions::in_head::FilesMark;
use crate::repository::state::{RepositoryState, lock};
use crate::repository::work_tree::WorkTree;
use crate::request::{Request, viewpoint_in, viewpoint_of};

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

/// What takes the place of a commit, or of places, if there is none.
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
        let NotesVersion { notes, drafts, lacking } = self.version;
        let said = format!("{}.{}", word(notes), word(drafts));
        let said = if lacking == 0 { said } else { format!("{said}.{lacking:x}") };
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
        let number = |word: &str| u64::from_str_radix(word, 16).map_err(|_| NotAMark);
        let said: Vec<&str> = mark.said().split('.').collect();
        let (notes, drafts, lacking) = match said[..] {
            [notes, drafts] => (notes, drafts, 0),
            [notes, drafts, lacking] => (notes, drafts, number(lacking)?),
            _ => return Err(NotAMark),
        };
        let version = NotesVersion { notes: commit(notes)?, drafts: commit(drafts)?, lacking };
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

/// The tip of the notes, as far as only what this request wrote came to what it had looked at.
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

/// What is known with an answer that needs no look at the notes: where everything is now.
pub(crate) fn mark_here(repository: &RepositoryState, work_tree: &WorkTree) -> Result<Mark, Fault> {
    let (version, branches, head) = (repository.version()?, work_tree.branches()?, work_tree.head()?);
    let sight = sight_of(&viewpoint_in(work_tree, &branches, head), &branches);
    let places = Some(PlacesMark { head, sight, files: FilesMark::Unseen });
    Ok(MarkParts { version, places }.write())
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
                for (places, lacking) in [(places, 0), (None, 0), (places, 0xcd)] {
                    let parts = MarkParts { version: NotesVersion { notes, drafts, lacking }, places };
                    assert_eq!(MarkParts::read(&parts.write()), Ok(parts));
                }
            }
        }
        for text in ["", "-", "0", "0.0", "0.0-0", "zz.0-x", "0.0-x.y", "0.0-0.q.c"] {
            assert_eq!(MarkParts::read(&Mark::from(text)), Err(NotAMark), "{text}");
        }
    }
}
