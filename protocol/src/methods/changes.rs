//! What happened since a mark: what people wrote and changed, and which threads have another position now.

use serde::{Deserialize, Serialize};

use super::reply::HeadView;
use super::request::HeadName;
use super::suggestion::SuggestionState;
use crate::daemon::control::Topic;
use crate::daemon::event::{Changed, Event, PlacedEvent, ResetEvent};
use crate::views::mark::Mark;
use crate::views::place::PositionView;
use crate::views::review::ReviewView;
use crate::views::thread::{Person, ThreadView};
use crate::wire::bytes::{ByteText, Hex};

/// An answer has at most so many changes, and as many positions; if there are more, it is a reset.
pub const MAX_CHANGES: usize = 2_000;

/// With more bytes of text in the threads that changed, an answer is a reset too.
pub const MAX_CHANGES_BYTES: usize = 4 << 20;

/// Asks what happened since a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// What is known already; without one, the answer has only the mark of now.
    #[serde(default)]
    pub since: Option<Mark>,
    /// The head that positions are asked for.
    #[serde(default)]
    pub head: HeadName,
    /// Of all of the repository, or of a part.
    #[serde(default)]
    pub topic: Topic,
}

/// What happened since a mark.
///
/// Who knows the threads as they were listed at that mark knows them as they are now by leaving out what is `gone`, putting
/// `threads` in the place of those with the same id, and then going through `placed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ChangesReply {
    /// Where to continue.
    pub mark: Mark,
    /// Whether this is not all there is to know: threads are to be listed again.
    pub reset: bool,
    /// The head that places are for.
    pub head: HeadView,
    /// What people wrote and changed, the oldest first.
    pub changes: Vec<ChangeView>,
    /// The threads that this is about, as they are now, with all their comments; those that the head sees.
    pub threads: Vec<ThreadView>,
    /// The reviews that this is about, as they are now.
    pub reviews: Vec<ReviewView>,
    /// The threads and reviews that are not here any more, or not seen.
    pub gone: Vec<Hex>,
    /// The threads whose position changed, because the head moved or a file was saved.
    pub placed: Vec<PlacedView>,
}

impl ChangesReply {
    /// Whether it has anything that somebody wrote or changed.
    pub fn has_changes(&self) -> bool {
        !(self.changes.is_empty()
            && self.threads.is_empty()
            && self.reviews.is_empty()
            && self.gone.is_empty())
    }

    /// The same for a client that cannot be sent all of it, and is to list threads again: what people did, without texts.
    #[must_use]
    pub fn without_words(&self) -> Self {
        Self {
            mark: self.mark.clone(),
            reset: true,
            head: self.head.clone(),
            changes: self.changes.clone(),
            threads: Vec::new(),
            reviews: Vec::new(),
            gone: Vec::new(),
            placed: Vec::new(),
        }
    }

    /// The events of this answer, for a subscriber at the mark `known`.
    ///
    /// A subscriber who waits for positions gets an event even if none changed.
    pub fn events(
        &self,
        subscription: u64,
        git_dir: &ByteText,
        known: &Mark,
        was_announced: bool,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        let tells_places = was_announced || !self.placed.is_empty();
        if self.has_changes() {
            // Who goes after this event has not heard of places yet, if another one follows.
            let is_last = !tells_places && !self.reset;
            let mark = if is_last { self.mark.clone() } else { self.mark.with_places_of(known) };
            events.push(Event::Changed(Changed {
                subscription,
                git_dir: git_dir.clone(),
                mark,
                changes: self.changes.clone(),
                threads: self.threads.clone(),
                reviews: self.reviews.clone(),
                gone: self.gone.clone(),
            }));
        }
        if self.reset {
            let (git_dir, mark) = (git_dir.clone(), self.mark.clone());
            events.push(Event::Reset(ResetEvent { subscription, git_dir, mark }));
        }
        if tells_places {
            events.push(Event::Placed(PlacedEvent {
                subscription,
                git_dir: git_dir.clone(),
                mark: self.mark.clone(),
                head: self.head.commit.clone(),
                placed: self.placed.clone(),
            }));
        }
        events
    }
}

/// Something that somebody wrote or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ChangeView {
    /// What it was.
    pub what: ChangeKind,
    /// The thread or the review.
    pub of: Hex,
    /// The record that says so, by which a client knows its own; `None` if none does.
    pub record: Option<Hex>,
    /// Who did it.
    pub by: Option<Person>,
    /// When, in milliseconds since 1970.
    pub at: Option<u64>,
}

/// A thread whose position or suggestion changed, though nobody wrote anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlacedView {
    /// The thread.
    pub thread: Hex,
    /// What became of it.
    pub what: PlacedAs,
    /// Where it was, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PositionView>,
    /// Where it is.
    pub to: Option<PositionView>,
    /// Why it is seen; `None` if it is not.
    pub seen: Option<String>,
    /// What has become of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// The whole thread, if a client that had it before cannot derive what it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<ThreadView>>,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlacedAs {
    /// Its position changed, or how sure it is.
    Moved,
    /// The head sees it now.
    Came,
    /// The head does not see it any more.
    Left,
    /// Its position is the same, and the state of its suggestion changed.
    Suggestion,
    /// Something that a later version reports.
    #[serde(other)]
    Other,
}

/// What somebody did to a thread or a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A thread was started.
    Commented,
    /// A thread was answered.
    Replied,
    /// A change was suggested, in a new thread or in an answer.
    Suggested,
    /// The text of a comment or of a review was edited.
    Edited,
    /// Somebody proposed another text for somebody else's comment or review.
    Proposed,
    /// A thread was moved by hand; a review continues under another branch.
    Moved,
    /// A thread was resolved.
    Resolved,
    /// A thread or a review was opened again.
    Reopened,
    /// A comment was taken back.
    Withdrawn,
    /// A draft was shared.
    Published,
    /// A draft was given up.
    Dropped,
    /// It was hidden everywhere, for good.
    Purged,
    /// A review was started.
    Started,
    /// Somebody gave a verdict on a review.
    Judged,
    /// A review was closed.
    Closed,
    /// A review was merged.
    Merged,
    /// Something else; also what a later version reports.
    #[serde(other)]
    Changed,
}
