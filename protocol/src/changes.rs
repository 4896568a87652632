//! What happened since a mark: what people said and did, and which threads are elsewhere now.

use serde::{Deserialize, Serialize};

use super::bytes::{ByteText, Hex};
use super::change::SuggestionState;
use super::event::{Changed, Event, PlacedEvent, ResetEvent};
use super::mark::Mark;
use super::place::PositionView;
use super::reply::HeadView;
use super::request::HeadName;
use super::review::ReviewView;
use super::server::Topic;
use super::thread::{Person, ThreadView};

/// An answer tells of at most so many changes, and of as many places; where there is more, it is a reset.
pub const MAX_CHANGES: usize = 2_000;

/// With more bytes of words in the threads that changed, an answer is a reset too.
pub const MAX_CHANGES_BYTES: usize = 4 << 20;

/// Asks what happened since a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// What is known already; without one, the answer has only the mark of now.
    #[serde(default)]
    pub since: Option<Mark>,
    /// Where places are asked for.
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
    /// Where to go on.
    pub mark: Mark,
    /// Whether this is not all there is to know: threads are to be listed again.
    pub reset: bool,
    /// The head that places are for.
    pub head: HeadView,
    /// What people said and did, the oldest first.
    pub changes: Vec<ChangeView>,
    /// The threads that this is about, as they are now, with all their comments; those that the head sees.
    pub threads: Vec<ThreadView>,
    /// The reviews that this is about, as they are now.
    pub reviews: Vec<ReviewView>,
    /// The threads and reviews that are not here any more, or not seen.
    pub gone: Vec<Hex>,
    /// The threads that are elsewhere, because the head moved or a file was saved.
    pub placed: Vec<PlacedView>,
}

impl ChangesReply {
    /// Whether it tells of something that somebody said or did.
    pub fn tells_changes(&self) -> bool {
        !(self.changes.is_empty()
            && self.threads.is_empty()
            && self.reviews.is_empty()
            && self.gone.is_empty())
    }

    /// The same for a client that cannot be sent all of it, and is to list threads again: what people did, and no words.
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

    /// The events that tell this to somebody who knew what `known` says.
    ///
    /// Whoever was told that places are being computed is told of them even if there is nothing to tell.
    pub fn events(
        &self,
        subscription: u64,
        git_dir: &ByteText,
        known: &Mark,
        was_announced: bool,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        let tells_places = was_announced || !self.placed.is_empty();
        if self.tells_changes() {
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

/// Something that somebody said or did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ChangeView {
    /// What it was.
    pub what: What,
    /// The thread or the review.
    pub of: Hex,
    /// The record that says so, by which a client knows its own; `None` where none does.
    pub record: Option<Hex>,
    /// Who did it.
    pub by: Option<Person>,
    /// When, in milliseconds since 1970.
    pub at: Option<u64>,
}

/// A thread that is elsewhere, or fares otherwise, though nobody said anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlacedView {
    /// The thread.
    pub thread: Hex,
    /// What became of it.
    pub what: PlacedAs,
    /// Where it was, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PositionView>,
    /// Where it is.
    pub to: Option<PositionView>,
    /// Why it is seen; `None` if it is not.
    pub seen: Option<String>,
    /// What has become of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// All of it, where somebody who knew it before could not tell what it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<ThreadView>>,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlacedAs {
    /// It is elsewhere, or its place is known in another way.
    Moved,
    /// The head sees it now.
    Came,
    /// The head does not see it any more.
    Left,
    /// It is where it was, and what it suggests fares otherwise.
    Suggestion,
    /// Something that a later version tells.
    #[serde(other)]
    Other,
}

/// What somebody did to a thread or a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A thread was begun.
    Commented,
    /// A thread was answered.
    Replied,
    /// A change was suggested, in a new thread or in an answer.
    Suggested,
    /// Words of a comment or of a review are others.
    Edited,
    /// Somebody would have somebody else's words be others.
    Proposed,
    /// A thread was put elsewhere by hand; a review goes on under another branch.
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
    /// A review was begun.
    Started,
    /// Somebody judged a review.
    Judged,
    /// A review was closed.
    Closed,
    /// A review was merged.
    Merged,
    /// Something else; also what a later version tells.
    #[serde(other)]
    Changed,
}
