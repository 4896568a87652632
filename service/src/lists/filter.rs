//! Which threads a request wants.

use std::collections::BTreeSet;

use postil_core::git::RepoPath;
use postil_core::record::{Author, PositionEntry, PositionState, RecordId};
use postil_core::review::{Membership, Thread};
use postil_protocol::{ByteText, Fault, FaultCode, Filter};
use regex::{Regex, RegexBuilder};

use crate::convert::severity;
use crate::lists::pathspec::Pathspecs;
use crate::lists::unread::ReadState;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::view;
use crate::view::thread::file;

/// A regular expression that needs more memory is refused.
const MAX_EXPRESSION_BYTES: usize = 1 << 20;

/// A filter that was understood.
#[derive(Debug)]
pub(crate) struct ParsedFilter<'a> {
    filter: &'a Filter,
    threads: Option<BTreeSet<RecordId>>,
    reviews: Option<Vec<RecordId>>,
    /// Whether threads without a review are to be merged into the branch that is asked for.
    is_usual_base: bool,
    paths: Pathspecs,
    text: Option<Regex>,
    /// What was read, if that matters.
    read: Option<ReadState>,
}

impl<'a> ParsedFilter<'a> {
    /// Understands a filter; fails for a thread or a review that is not there, and for an invalid pathspec or regular
    /// expression.
    pub fn new(request: &Request, filter: &'a Filter) -> Result<Self, Fault> {
        let named = |name: &String| request.notes.thread_named(name).map(Thread::id);
        let threads = match filter.threads.as_slice() {
            [] => None,
            names => Some(names.iter().map(named).collect::<Result<BTreeSet<RecordId>, Fault>>()?),
        };
        let reviews = match &filter.review {
            None => None,
            Some(name) => {
                let group = review_named(request, Some(name))?;
                Some(group.reviews().map(postil_core::review::Review::id).collect())
            }
        };
        let usual = request.branches.usual_base();
        let is_usual_base =
            filter.into.as_ref().zip(usual).is_some_and(|(into, usual)| is_base(usual.as_bytes(), into));
        let paths = Pathspecs::read(&filter.paths)?;
        let text = filter.text.as_deref().map(regular_expression).transpose()?;
        let read = filter.unread.then(|| ReadState::of(request));
        Ok(Self { filter, threads, reviews, is_usual_base, paths, text, read })
    }

    /// Whether a thread may be wanted, by what is known without its position.
    pub fn may_be(&self, thread: Thread<'_>) -> bool {
        let Filter { statuses, authors, started_by, severities, tags, since, .. } = self.filter;
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
        let started = |email: &String| {
            root.is_some_and(|root| {
                let person = root.via.as_deref().and_then(|via| via.person.as_ref());
                root.author.email == *email || person.is_some_and(|person| person.email == *email)
            })
        };
        let says = |text: &Regex| thread.comments().any(|comment| text.is_match(comment.text()));
        let weight = root.and_then(|root| root.severity.as_ref()).map(severity::shown);
        let tagged = |tag: &String| root.is_some_and(|root| root.tags.contains(tag));
        let in_review = self.reviews.as_ref().is_none_or(|reviews| {
            thread.with_copies().any(|part| match part.review() {
                Membership::Review(review) => reviews.contains(&review.id()),
                Membership::Unknown(_) | Membership::None => false,
            })
        });
        let goes_into = self.filter.into.as_ref().is_none_or(|into| {
            thread.with_copies().any(|part| match part.review() {
                Membership::Review(review) => is_base(review.base(), into),
                // It may belong anywhere, and a check must not pass over it.
                Membership::Unknown(_) => true,
                Membership::None => self.is_usual_base,
            })
        });
        self.threads.as_ref().is_none_or(|threads| threads.contains(&thread.id()))
            && (statuses.is_empty() || statuses.contains(&view::status(thread.state())))
            && any(authors, &spoke)
            && any(started_by, &started)
            && (severities.is_empty() || weight.is_some_and(|weight| severities.contains(&weight)))
            && any(tags, &tagged)
            && since.is_none_or(|since| view::updated(thread) >= since)
            && in_review
            && goes_into
            && self.text.as_ref().is_none_or(says)
            && self.read.as_ref().is_none_or(|read| read.is_unread(thread))
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

/// A regular expression, in any case; fails for one that is not valid, or is too large.
fn regular_expression(pattern: &str) -> Result<Regex, Fault> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_EXPRESSION_BYTES).build();
    built.map_err(|error| {
        Fault::new(FaultCode::InvalidParams, format!("invalid regular expression: {pattern:?}"))
            .because(&error)
    })
}

/// Whether the base of a review is this branch, here or on a remote.
pub(crate) fn is_base(base: &[u8], branch: &ByteText) -> bool {
    let on_remote = || {
        let name = base.strip_prefix(b"refs/remotes/")?;
        let (_, name) = name.split_at(name.iter().position(|byte| *byte == b'/')?);
        Some(branch.as_bytes().strip_prefix(b"refs/heads")? == name)
    };
    base == branch.as_bytes() || on_remote().unwrap_or(false)
}

/// The file that a thread is in; of an orphan also the one it was in.
fn places<'a>(thread: Thread<'a>, entry: Option<&'a PositionEntry>) -> impl Iterator<Item = &'a RepoPath> {
    let now = thread.anchor().map(|anchor| file(anchor, entry));
    let lost = entry.is_none_or(|entry| entry.path.is_none());
    let was = thread.anchor().map(|anchor| &anchor.path).filter(|_| lost);
    now.into_iter().chain(was)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_branch_here_or_on_a_remote() {
        let check = |base: &str, branch: &str, expected: bool| {
            assert_eq!(is_base(base.as_bytes(), &ByteText::from(branch)), expected, "{base} {branch}");
        };
        check("refs/heads/main", "refs/heads/main", true);
        check("refs/remotes/origin/main", "refs/heads/main", true);
        check("refs/remotes/origin/team/main", "refs/heads/team/main", true);
        check("refs/remotes/origin/team/main", "refs/heads/main", false);
        check("refs/remotes/main", "refs/heads/main", false);
        check("refs/tags/main", "refs/heads/main", false);
    }
}
