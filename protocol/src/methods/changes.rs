//! What happened since a mark: what people wrote and changed, and which positions changed.

use serde::{Deserialize, Serialize};

use super::reply::HeadView;
use super::request::HeadName;
use super::suggestion::SuggestionState;
use crate::daemon::control::Topic;
use crate::daemon::event::{Changed, Event, PlacedEvent, ResetEvent};
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::place::PositionView;
use crate::views::review::ReviewView;
use crate::views::thread::{Person, ThreadView};
use crate::wire::bytes::{ByteText, Hex};

/// Maximum number of changes in an answer, and of positions; if there are more, the answer is a reset.
pub const MAX_CHANGES: usize = 2_000;

/// Maximum size of the text in changed threads; if there is more, the answer is a reset.
pub const MAX_CHANGES_BYTES: usize = 4 << 20;

/// Asks what happened since a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The mark to start from; without one, the answer only contains the current mark.
    #[serde(default)]
    pub since: Option<Mark>,
    /// The head to compute positions for.
    #[serde(default)]
    pub head: HeadName,
    /// The whole repository, or a part of it.
    #[serde(default)]
    pub topic: Topic,
}

/// What happened since a mark.
///
/// To update a list of threads from that mark: remove what is in `gone`, replace the threads with the same
/// ids as in `threads` (or add them), then apply `placed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ChangesReply {
    /// The mark to continue from.
    pub mark: Mark,
    /// Whether the answer is incomplete, so that the client must list the threads again.
    pub reset: bool,
    /// The head that the positions are for.
    pub head: HeadView,
    /// What people wrote and changed, oldest first.
    pub changes: Vec<ChangeView>,
    /// The threads that changed and that the head sees, as they are now, with all their comments.
    pub threads: Vec<ThreadView>,
    /// The reviews that changed, as they are now.
    pub reviews: Vec<ReviewView>,
    /// The threads and reviews that no longer exist or are no longer visible.
    pub gone: Vec<Hex>,
    /// The threads whose position changed, because the head moved or a file was saved.
    pub placed: Vec<PlacedView>,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

impl ChangesReply {
    /// Whether it contains changes that people made.
    pub fn has_changes(&self) -> bool {
        !(self.changes.is_empty()
            && self.threads.is_empty()
            && self.reviews.is_empty()
            && self.gone.is_empty())
    }

    /// The same for a client that must list the threads again, because the answer is too large: only the
    /// changes, without texts.
    #[must_use]
    pub fn without_words(&self) -> Self {
        Self {
            warnings: self.warnings.clone(),
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
            // A client that continues from this event has not seen the positions yet, if another event
            // follows.
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

/// One change that a person made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ChangeView {
    /// The kind of change.
    pub what: ChangeKind,
    /// The thread or the review.
    pub of: Hex,
    /// The record of the change, by which a client recognizes its own changes; `None` if there is none.
    pub record: Option<Hex>,
    /// Who did it.
    pub by: Option<Person>,
    /// When, in milliseconds since 1970.
    pub at: Option<u64>,
    /// Whether a purge removed something that somebody else wrote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub others: bool,
}

/// A thread whose position or suggestion changed without anyone writing something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlacedView {
    /// The thread.
    pub thread: Hex,
    /// How it changed.
    pub what: PlacedAs,
    /// Its old position, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PositionView>,
    /// Its new position.
    pub to: Option<PositionView>,
    /// Why the head sees it; `None` if it does not.
    pub seen: Option<String>,
    /// The state of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// The whole thread, if the client cannot derive it from what it had before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<ThreadView>>,
}

/// How the position of a thread changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlacedAs {
    /// Its position or its confidence changed.
    Moved,
    /// It became visible for the head.
    Came,
    /// It is no longer visible for the head.
    Left,
    /// Only the state of its suggestion changed.
    Suggestion,
    /// A change of a later version.
    #[serde(other)]
    Other,
}

/// What a person did to a thread or a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A thread was started.
    Commented,
    /// A reply was written.
    Replied,
    /// A change was suggested, in a new thread or in a reply.
    Suggested,
    /// The text of a comment or of a review was edited.
    Edited,
    /// A new text for another person's comment or review was proposed, or that a thread is done or belongs elsewhere.
    Proposed,
    /// A proposal was declined.
    Declined,
    /// A thread was moved by hand; a review continues under another branch.
    Moved,
    /// A thread was resolved.
    Resolved,
    /// A thread was resolved because its source no longer reports what it is about.
    Retired,
    /// A suggestion was applied in a commit; only in timelines.
    Applied,
    /// A thread or a review was reopened.
    Reopened,
    /// A comment was withdrawn.
    Withdrawn,
    /// A draft was published.
    Published,
    /// A draft was deleted.
    Dropped,
    /// It was purged: hidden everywhere, for good.
    Purged,
    /// A review was started.
    Started,
    /// A verdict was given on a review.
    Judged,
    /// Somebody was asked to review.
    Requested,
    /// Somebody need not review any more.
    Released,
    /// A review was closed.
    Closed,
    /// A review was merged.
    Merged,
    /// Another change, or one of a later version.
    #[serde(other)]
    Changed,
}

impl ChangeKind {
    /// What somebody did, as a word before what it was done to.
    pub fn word(self) -> &'static str {
        match self {
            Self::Commented => "commented",
            Self::Replied => "replied",
            Self::Edited => "edited",
            Self::Moved => "moved",
            Self::Resolved => "resolved",
            Self::Retired => "retired",
            Self::Applied => "applied",
            Self::Reopened => "reopened",
            Self::Withdrawn => "withdrew",
            Self::Published => "published",
            Self::Suggested => "suggested",
            Self::Proposed => "proposed",
            Self::Declined => "declined",
            Self::Requested => "requested",
            Self::Released => "released",
            Self::Dropped => "dropped",
            Self::Purged => "purged",
            Self::Started => "began",
            Self::Judged => "judged",
            Self::Closed => "closed",
            Self::Merged => "merged",
            Self::Changed => "changed",
        }
    }
}
