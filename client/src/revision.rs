//! What a client asks of the history directly: small questions that need no service.

use postil_core::git::{CommitId, history};
use postil_protocol::Hex;

use crate::checkout::Checkout;

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

    fn commit_id(&self, rev: &str) -> Option<CommitId> {
        let handle = self.repository().handle();
        let object = handle.rev_parse_single(rev).ok()?.object().ok()?;
        Some(CommitId::from(object.peel_to_kind(gix::object::Kind::Commit).ok()?.id))
    }
}
