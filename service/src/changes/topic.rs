//! Which changes a client asked for: those of a file, a review or a repository.

use postil_core::git::RepoPath;
use postil_core::record::{Body, CommentAnchor};
use postil_core::review::{Comment, Thread};
use postil_protocol::{ByteText, Fault, Hex, PlacedAs, PlacedView, PositionView, ThreadView, Topic};

use crate::notes::index::NotesIndex;
use crate::notes::names::review_named;
use crate::pointing::point::trackable_path;
use crate::positions::applied::suggestions_of;
use crate::request::Request;
use crate::view::{self, hex};

/// Which part of a repository is wanted.
pub(crate) enum WantedPart {
    /// All of it.
    Everything,
    /// One review and its threads.
    Review(Hex),
    /// The threads in one file.
    File(ByteText),
}

impl WantedPart {
    /// What a topic names; a review that is not here any more may come back.
    pub fn of(request: &Request, topic: &Topic) -> Result<Self, Fault> {
        Ok(match topic {
            Topic::Repository => Self::Everything,
            Topic::File(file) => Self::File(ByteText::new(trackable_path(file)?.as_bytes())),
            Topic::Review(name) => match (review_named(request, Some(name)), Hex::new(name)) {
                (Ok(group), _) => Self::Review(hex(group.id())),
                (Err(_), Ok(id)) => Self::Review(id),
                (Err(fault), Err(_)) => return Err(fault),
            },
        })
    }

    /// Whether a thread is part of it.
    pub fn has_thread(&self, view: &ThreadView) -> bool {
        match self {
            Self::Everything => true,
            Self::Review(id) => view.review.as_ref() == Some(id),
            Self::File(file) => {
                let place = view.position.as_ref().and_then(|place| place.path.as_ref());
                place.or(view.anchor.as_ref().map(|anchor| &anchor.path)) == Some(file)
                    || view.depends_on.contains(file)
            }
        }
    }

    /// Whether a review is part of it.
    pub fn has_review(&self, id: &Hex) -> bool {
        match self {
            Self::Everything => true,
            Self::Review(wanted) => wanted == id,
            Self::File(_) => false,
        }
    }

    /// Whether a thread was part of it that is not here any more, by its first comment where that is known.
    pub fn had(&self, first: Option<&Body>) -> bool {
        let Some(Body::Comment(first)) = first else { return matches!(self, Self::Everything) };
        match self {
            Self::Everything => true,
            Self::Review(id) => first.review.map(hex).as_ref() == Some(id),
            Self::File(file) => {
                let on = first.anchor.as_ref().and_then(CommentAnchor::file);
                on.is_some_and(|on| on.path.as_bytes() == file.as_bytes())
            }
        }
    }

    /// Whether a thread belonged to the topic before it was moved by hand.
    pub fn had_before_move(&self, thread: Thread<'_>) -> bool {
        let (Self::File(file), Some(first)) = (self, thread.root_comment()) else { return false };
        let moves = first.moves().changes().iter().map(|moved| &moved.said.anchor);
        let mut anchors = first.said().anchor.iter().chain(moves).filter_map(CommentAnchor::file);
        anchors.any(|anchor| anchor.path.as_bytes() == file.as_bytes())
    }

    /// Whether a thread was part of it that is not seen any more, or is elsewhere; `was` is where it was, if that is known.
    pub fn had_thread(&self, notes: &NotesIndex, thread: Thread<'_>, was: Option<&RepoPath>) -> bool {
        match self {
            Self::Everything => true,
            Self::Review(id) => view::review_of(notes, thread).map(hex).as_ref() == Some(id),
            Self::File(file) => {
                let is_it = |path: &RepoPath| path.as_bytes() == file.as_bytes();
                let suggested = |said: &Comment| {
                    let files = said.said().suggestion.iter();
                    files.flat_map(|file| [Some(&file.path), file.new_path.as_ref()]).flatten().any(is_it)
                };
                was.or(thread.anchor().map(|anchor| &anchor.path)).is_some_and(is_it)
                    || suggestions_of(thread).any(suggested)
            }
        }
    }

    /// Whether a thread is part of it that is elsewhere now.
    pub fn has_placed(&self, notes: &NotesIndex, thread: Thread<'_>, placed: &PlacedView) -> bool {
        let Self::File(file) = self else { return self.had_thread(notes, thread, None) };
        let is_in = |place: &Option<PositionView>| {
            place.as_ref().is_some_and(|place| place.path.as_ref() == Some(file))
        };
        let depends = placed.view.as_ref().is_some_and(|view| view.depends_on.contains(file));
        // A thread that just became visible has not been reported before.
        let is_old = placed.what != PlacedAs::Came;
        let was_there = match placed.from.as_ref().and_then(|from| from.path.as_ref()) {
            Some(_) => is_in(&placed.from),
            None => is_old && self.had_thread(notes, thread, None),
        };
        depends || is_in(&placed.to) || was_there
    }
}
