//! Which threads a request wants.

use postil_core::git::RepoPath;
use postil_core::record::{Author, PositionEntry, PositionState, RecordId};
use postil_core::review::{Membership, Thread};
use postil_protocol::{Fault, Filter};

use crate::convert::severity;
use crate::lists::pathspec::Pathspecs;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::view;
use crate::view::thread::file;

/// A filter that was understood.
#[derive(Debug)]
pub(crate) struct ParsedFilter<'a> {
    filter: &'a Filter,
    reviews: Option<Vec<RecordId>>,
    paths: Pathspecs,
}

impl<'a> ParsedFilter<'a> {
    /// Understands a filter; fails for a review that is not there, and for an invalid pathspec.
    pub fn new(request: &Request, filter: &'a Filter) -> Result<Self, Fault> {
        let reviews = match &filter.review {
            None => None,
            Some(name) => {
                let group = review_named(request, Some(name))?;
                Some(group.reviews().map(postil_core::review::Review::id).collect())
            }
        };
        Ok(Self { filter, reviews, paths: Pathspecs::read(&filter.paths)? })
    }

    /// Whether a thread may be wanted, by what is known without its position.
    pub fn may_be(&self, thread: Thread<'_>) -> bool {
        let Filter { statuses, authors, severities, tags, since, .. } = self.filter;
        let any = |list: &[String], fits: &dyn Fn(&String) -> bool| list.is_empty() || list.iter().any(fits);
        let root = thread.root_comment().map(postil_core::review::Comment::said);
        let spoke = |author: &String| {
            let sought = author.to_lowercase();
            let is_sought = |author: &Author| {
                author.name.to_lowercase().contains(&sought) || author.email.to_lowercase().contains(&sought)
            };
            thread.comments().any(|comment| {
                let mut proposals = comment.words().proposals().contenders();
                is_sought(&comment.said().author) || proposals.any(|change| is_sought(&change.said.author))
            })
        };
        let weight = root.and_then(|root| root.severity.as_ref()).map(severity::shown);
        let tagged = |tag: &String| root.is_some_and(|root| root.tags.contains(tag));
        let in_review = self.reviews.as_ref().is_none_or(|reviews| match thread.review() {
            Membership::Review(review) => reviews.contains(&review.id()),
            Membership::Unknown(_) | Membership::None => false,
        });
        (statuses.is_empty() || statuses.contains(&view::status(thread.state())))
            && any(authors, &spoke)
            && (severities.is_empty() || weight.is_some_and(|weight| severities.contains(&weight)))
            && any(tags, &tagged)
            && since.is_none_or(|since| view::updated(thread) >= since)
            && in_review
    }

    /// Whether a thread is wanted, given where it is.
    pub fn is(&self, thread: Thread<'_>, entry: Option<&PositionEntry>) -> bool {
        let Filter { paths, states, needs_choice, .. } = self.filter;
        let undecided = |entry: &PositionEntry| match entry.state {
            PositionState::Orphaned => true,
            PositionState::Outdated => !entry.candidates.is_empty(),
            PositionState::Anchored | PositionState::Shifted => false,
        };
        let state = entry.map(|entry| view::place_state(entry.state));
        (states.is_empty() || state.is_some_and(|state| states.contains(&state)))
            && (!needs_choice || entry.is_some_and(undecided))
            && (paths.is_empty() || places(thread, entry).any(|place| self.paths.include(place)))
    }
}

/// The file that a thread is in; of an orphan also the one it was in.
fn places<'a>(thread: Thread<'a>, entry: Option<&'a PositionEntry>) -> impl Iterator<Item = &'a RepoPath> {
    let now = thread.anchor().map(|anchor| file(anchor, entry));
    let lost = entry.is_none_or(|entry| entry.path.is_none());
    let was = thread.anchor().map(|anchor| &anchor.path).filter(|_| lost);
    now.into_iter().chain(was)
}
