//! Which part of what happened somebody wants to hear of.

use postil_core::record::Body;
use postil_protocol::{ByteText, Fault, Hex, PlacedView, PositionView, ThreadView, Topic};

use crate::names::review_named;
use crate::request::Request;
use crate::view::hex;

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
            Topic::File(file) => Self::File(file.clone()),
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
            Self::File(file) => first.anchor.as_ref().is_some_and(|on| on.path.as_bytes() == file.as_bytes()),
        }
    }

    /// Whether a thread is part of it that is elsewhere now; `review` is its own.
    pub fn has_placed(&self, placed: &PlacedView, review: Option<&Hex>) -> bool {
        match self {
            Self::Everything => true,
            Self::Review(id) => review == Some(id),
            Self::File(file) => {
                let is_in = |place: &Option<PositionView>| {
                    place.as_ref().is_some_and(|place| place.path.as_ref() == Some(file))
                };
                let depends = placed.view.as_ref().is_some_and(|view| view.depends_on.contains(file));
                // Where nobody knows any more where it was, it may have been there.
                depends || is_in(&placed.from) || is_in(&placed.to) || placed.from.is_none()
            }
        }
    }
}
