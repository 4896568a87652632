//! What a client asks of the history and of other tools' notes directly: small questions that need no service.

use postil_core::git::{CommitId, history, tree};
use postil_protocol::Hex;

use crate::checkout::Checkout;
use crate::error::SessionError;

/// A note of another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignNote {
    /// The object that it is on, in hexadecimal digits.
    pub object: String,
    /// What it says.
    pub text: Vec<u8>,
}

impl Checkout {
    /// The commit that a word names; `None` if it names none.
    pub fn commit(&self, rev: &str) -> Option<Hex> {
        Hex::new(self.commit_id(rev)?.to_string()).ok()
    }

    /// The best commit that two lead to; `None` if there is none, or one of the words names no commit.
    pub fn merge_base(&self, one: &str, other: &str) -> Option<Hex> {
        let handle = self.repository().handle();
        let base = history::merge_base(&handle, self.commit_id(one)?, self.commit_id(other)?);
        Hex::new(base.ok()??.to_string()).ok()
    }

    /// The notes of a ref, in order of the objects that they are on; `None` if there is no such ref.
    pub fn foreign_notes(&self, name: &str) -> Result<Option<Vec<ForeignNote>>, SessionError> {
        let handle = self.repository().handle();
        let found = handle.try_find_reference(name).map_err(|error| unread(name, error))?;
        let Some(mut found) = found else { return Ok(None) };
        let tip = CommitId::from(found.peel_to_id().map_err(|error| unread(name, error))?.detach());
        let tree = history::commit(&handle, tip).map_err(|error| unread(name, error))?.tree;
        let entries = tree::list(&handle, tree).map_err(|error| unread(name, error))?.entries;
        let notes = entries.into_iter().filter_map(|(path, entry)| {
            let object: Vec<u8> = path.as_bytes().iter().copied().filter(|byte| *byte != b'/').collect();
            let object = String::from_utf8(object).ok()?;
            Some(ForeignNote { object, text: handle.find_blob(entry.id.raw()).ok()?.data.clone() })
        });
        Ok(Some(notes.collect()))
    }

    fn commit_id(&self, rev: &str) -> Option<CommitId> {
        let handle = self.repository().handle();
        let object = handle.rev_parse_single(rev).ok()?.object().ok()?;
        Some(CommitId::from(object.peel_to_kind(gix::object::Kind::Commit).ok()?.id))
    }
}

fn unread(name: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SessionError {
    SessionError::Notes { name: name.to_owned(), source: error.into() }
}
