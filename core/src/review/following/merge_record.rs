//! Makes and reads the records that say that a review was merged into its base.
//!
//! Several machines may find the same merge. So the record depends only on what was found, not on a clock or a
//! person: all machines write the same bytes, which are one record.

use super::find_merged::HowMerged;
use super::follow::FollowedReview;
use crate::git::{CommitId, history};
use crate::notes::Home;
use crate::record::{Author, Body, Record, RecordId, StatusRecord, StatusWord, Timestamp};
use crate::review::ReviewError;
use crate::review::folding::fact::seq_behind;
use crate::review::folding::review::{Review, ReviewState};
use crate::review::folding::review_group::ReviewGroup;

/// The author of a status that no person wrote.
const NOBODY: &str = "postil";

/// A status `merged` of a review, to be written.
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
    /// Makes the statuses of those reviews of a group that were merged and are not marked so yet.
    ///
    /// A review that was marked as merged and then opened again is marked again only for a later merge: otherwise it
    /// could not be opened again after a revert.
    pub fn of(
        handle: &gix::Repository,
        group: ReviewGroup<'_>,
        followed: &FollowedReview,
    ) -> Result<Vec<Self>, ReviewError> {
        let (Some(how), Some(arrived)) = (followed.merged, followed.arrived) else { return Ok(Vec::new()) };
        let seconds = u64::try_from(history::commit(handle, arrived)?.time).unwrap_or_default();
        let at = Timestamp(seconds.saturating_mul(1000));
        let silent =
            group.reviews().filter(|review| review.state() == ReviewState::Open && is_news(review, how, at));
        silent
            .map(|review| {
                let replaced = review.statuses().contenders().map(|status| status.said.seq);
                let status = StatusRecord {
                    author: Author { name: NOBODY.into(), email: String::new() },
                    at,
                    seq: seq_behind(replaced),
                    via: None,
                    of: review.id(),
                    over: review.statuses().over(),
                    status: StatusWord::Merged,
                    reason: Some(in_words(how)),
                    by: Some(arrived),
                    proposal: None,
                    source: None,
                };
                let record = Record::new(&Body::Status(status))?;
                Ok(Self { of: review.id(), record, home: Home::On(review.page()) })
            })
            .collect()
    }
}

/// Whether the review was not opened again after a merge of this kind and time.
fn is_news(review: &Review, how: HowMerged, came_at: Timestamp) -> bool {
    let statuses = review.statuses();
    if !statuses.changes().iter().any(|status| status.said.status == StatusWord::Merged) {
        return true;
    }
    let opened = statuses.contenders().filter(|status| status.said.status == StatusWord::Open);
    // A branch that was brought up to date with its base after a revert looks like one that its base moved on to.
    how != HowMerged::FastForward && opened.map(|status| status.said.at).all(|opened_at| came_at > opened_at)
}

/// The commits that completed the merges of a group, as its records say.
pub(in crate::review) fn recorded_arrivals(group: ReviewGroup<'_>) -> impl Iterator<Item = CommitId> {
    let statuses = group.reviews().flat_map(|review| review.statuses().contenders());
    let merged = statuses.filter(|status| status.said.status == StatusWord::Merged);
    merged.filter_map(|status| status.said.by.or_else(|| squash_in(status.said.reason.as_deref()?)))
}

/// What the reason of a squash begins with.
const SQUASH: &str = "squash, as ";

fn in_words(how: HowMerged) -> String {
    match how {
        HowMerged::FastForward => "fast-forward".into(),
        HowMerged::MergeCommit => "merge commit".into(),
        HowMerged::Rebase => "rebase".into(),
        HowMerged::Squash(commit) => format!("{SQUASH}{commit}"),
    }
}

/// The commit in the reason of a squash: older records name it only there.
fn squash_in(reason: &str) -> Option<CommitId> {
    CommitId::from_hex(reason.strip_prefix(SQUASH)?.as_bytes())
}
