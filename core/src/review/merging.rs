//! The records that say that the work of a review was found in its base.
//!
//! Every machine that looks may find it there. So what is written depends on nothing but what was found: no clock, and
//! nobody's name. Whoever notices the same merge writes the same bytes, and all of them are one record.

use super::ReviewError;
use super::fact::seq_behind;
use super::following::Followed;
use super::group::ReviewGroup;
use super::merged::How;
use super::review::{Review, ReviewState};
use crate::git::history;
use crate::notes::Home;
use crate::record::{Author, Body, Record, RecordId, Status, StatusWord, Timestamp};

/// Whose word a status is that nobody said.
const NOBODY: &str = "postil";

/// The status `merged` of a review, which is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merging {
    /// The review.
    pub of: RecordId,
    /// The status.
    pub record: Record,
    /// Which note it goes into: that of the review.
    pub home: Home,
}

impl Merging {
    /// Makes the statuses of those reviews of a group whose work has arrived and of which nobody has said so yet.
    ///
    /// What was called merged once, by whomever, and then opened again is called so again only for work that came later
    /// than that: a revert must not be overruled by the next look.
    pub fn of(
        handle: &gix::Repository,
        group: ReviewGroup<'_>,
        followed: &Followed,
    ) -> Result<Vec<Self>, ReviewError> {
        let (Some(how), Some(arrived)) = (followed.merged, followed.arrived) else { return Ok(Vec::new()) };
        let seconds = u64::try_from(history::commit(handle, arrived)?.time).unwrap_or_default();
        let at = Timestamp(seconds.saturating_mul(1000));
        let silent =
            group.reviews().filter(|review| review.state() == ReviewState::Open && is_news(review, how, at));
        silent
            .map(|review| {
                let replaced = review.statuses().contenders().map(|status| status.said.seq);
                let status = Status {
                    author: Author { name: NOBODY.into(), email: String::new() },
                    at,
                    seq: seq_behind(replaced),
                    of: review.id(),
                    over: review.statuses().over(),
                    status: StatusWord::Merged,
                    reason: Some(in_words(how)),
                };
                let record = Record::new(&Body::Status(status))?;
                Ok(Self { of: review.id(), record, home: Home::On(review.page()) })
            })
            .collect()
    }
}

/// Whether nobody who opened the review again can have known of work that came in this way, at this time.
fn is_news(review: &Review, how: How, came_at: Timestamp) -> bool {
    let statuses = review.statuses();
    if !statuses.changes().iter().any(|status| status.said.status == StatusWord::Merged) {
        return true;
    }
    let opened = statuses.contenders().filter(|status| status.said.status == StatusWord::Open);
    // A branch that was brought up to date with its base after a revert looks like one that its base moved on to.
    how != How::FastForward && opened.map(|status| status.said.at).all(|opened_at| came_at > opened_at)
}

fn in_words(how: How) -> String {
    match how {
        How::FastForward => "fast-forward".into(),
        How::MergeCommit => "merge commit".into(),
        How::Rebase => "rebase".into(),
        How::Squash(commit) => format!("squash, as {commit}"),
    }
}
