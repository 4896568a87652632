//! Which suggestions are meant: those that a person named, or all that are open.

use postil_core::review::{Comment, Membership, Review, Thread, ThreadState};
use postil_protocol::{Advice, Fault, FaultCode, HeadName};

use crate::notes::names::current_review;
use crate::positions::applied::suggestions_of;
use crate::request::{Request, seen_from};
use crate::suggestions::status::standing_suggestions;

/// The comments that are meant, each once: those that suggest something themselves, else the newest of their thread.
pub(crate) fn named_suggestions<'a>(
    request: &'a Request,
    names: &[String],
) -> Result<Vec<(Thread<'a>, &'a Comment)>, Fault> {
    let mut chosen: Vec<(Thread<'_>, &Comment)> = Vec::new();
    for name in names {
        let thread = request.notes.thread_named(name)?;
        let named = request.notes.comment_named(name).ok();
        let itself = named.filter(|comment| !comment.said().suggestion.is_empty());
        if itself.is_some_and(|comment| comment.state() == ThreadState::Withdrawn) {
            let message = format!("{name} was withdrawn");
            return Err(Fault::new(FaultCode::Refused, message));
        }
        let standing = |comment: &&Comment| comment.state() != ThreadState::Withdrawn;
        let comment = itself.or_else(|| suggestions_of(thread).filter(standing).last());
        let comment = comment.ok_or_else(|| {
            Fault::new(FaultCode::Refused, format!("{name} is not a suggestion"))
                .advise(Advice::ListSuggestions)
        })?;
        if !chosen.iter().any(|(_, other)| other.id() == comment.id()) {
            chosen.push((thread, comment));
        }
    }
    Ok(chosen)
}

/// The newest suggestion of each open thread, the oldest first: of the current review or, without one, of the threads
/// that the working tree sees.
pub(crate) fn open_suggestions(request: &Request) -> Result<Vec<(Thread<'_>, &Comment)>, Fault> {
    let reviews: Option<Vec<_>> =
        current_review(request).map(|group| group.reviews().map(Review::id).collect());
    let seen = seen_from(request, &HeadName::WorkTree)?;
    let is_wanted = |thread: &Thread<'_>| {
        let is_here = match (&reviews, thread.review()) {
            (Some(reviews), Membership::Review(review)) => reviews.contains(&review.id()),
            (Some(_), Membership::Unknown(_) | Membership::None) => false,
            (None, _) => true,
        };
        is_here && thread.state() == ThreadState::Open && seen.threads.contains_key(&thread.id())
    };
    let threads = request.notes.threads.iter().filter(is_wanted);
    let mut open: Vec<(Thread<'_>, &Comment)> =
        threads.filter_map(|thread| Some((thread, standing_suggestions(thread).last()?))).collect();
    open.sort_by_key(|(_, comment)| (comment.said().at, comment.said().seq, comment.id()));
    Ok(open)
}
