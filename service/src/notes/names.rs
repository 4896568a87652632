//! What a person calls a comment or a review: the beginning of an id, `@` for the newest comment, a branch.

use postil_core::git::RefName;
use postil_core::record::RecordId;
use postil_core::review::{Comment, PrefixMatch, Review, ReviewGroup, ReviewState, Thread};
use postil_protocol::{Advice, Fault, FaultCode};
use rapidfuzz::distance::osa;

use super::index::NotesIndex;
use crate::request::{Request, current_branch};
use crate::reviews::follow_up::open_review_in;

/// More candidates than this are not listed.
const MAX_CANDIDATES: usize = 10;

/// Of shorter names too many are near, and longer ones are none.
const MIN_MISTYPED: usize = 5;
const MAX_MISTYPED: usize = 33;

/// So many that may have been meant are named.
const MAX_MISTYPED_TOLD: usize = 3;

/// The name of the newest comment.
const NEWEST: &str = "@";

impl NotesIndex {
    /// The comment with this name.
    pub fn comment_named(&self, name: &str) -> Result<&Comment, Fault> {
        if name == NEWEST {
            let newest = self
                .threads
                .comments()
                .max_by_key(|comment| (comment.said().at, comment.said().seq, comment.id()));
            return newest.ok_or_else(|| {
                Fault::new(FaultCode::NotFound, "no comments yet").advise(Advice::CommentOrFetch)
            });
        }
        let id = self.named(name, "comment", |id| self.threads.comment(id).is_some())?;
        self.threads.comment(id).ok_or_else(|| {
            Fault::new(FaultCode::NotFound, format!("{name} is a review, not a comment"))
                .advise(Advice::ShowReview { review: name.to_owned() })
        })
    }

    /// The thread that a comment with this name is in.
    pub fn thread_named(&self, name: &str) -> Result<Thread<'_>, Fault> {
        // Answers can be here without the comment that they answer, whose id is then a thread's.
        if let Some(thread) = RecordId::from_hex(name).and_then(|id| self.threads.thread(id)) {
            return Ok(thread);
        }
        let comment = self.comment_named(name)?;
        Ok(self.threads.thread_of(comment.id()).expect("every comment is in a thread"))
    }

    /// The one record of a sort that this is the beginning of.
    fn named(&self, name: &str, sort: &str, fits: impl Fn(RecordId) -> bool) -> Result<RecordId, Fault> {
        match self.prefixes.find(name) {
            _ if name.is_empty() => Err(Fault::new(FaultCode::NotFound, format!("the {sort} ID is empty"))),
            PrefixMatch::Unique(id) => Ok(id),
            PrefixMatch::Unknown => Err(Fault::new(FaultCode::NotFound, format!("no such {sort}: {name}"))
                .perhaps(self.mistyped(name, fits).into_iter().map(|id| self.describe(id)))),
            PrefixMatch::Ambiguous(ids) => {
                let fitting: Vec<RecordId> = ids.iter().copied().filter(|id| fits(*id)).collect();
                if let [id] = fitting[..] {
                    return Ok(id);
                }
                let told = if fitting.is_empty() { ids } else { &fitting };
                let candidates = told.iter().take(MAX_CANDIDATES).map(|id| self.describe(*id));
                Err(Fault::new(FaultCode::Ambiguous, format!("ambiguous ID prefix: {name}"))
                    .perhaps(candidates))
            }
        }
    }

    /// Those that were meant, perhaps: one digit of the name is wrong, missing or too much, or two are swapped.
    fn mistyped(&self, name: &str, fits: impl Fn(RecordId) -> bool) -> Vec<RecordId> {
        let args = osa::Args::default().score_cutoff(1);
        let name = name.to_lowercase();
        let is_near = |id: &RecordId| {
            let digits = id.to_string();
            // As many digits as were given, or one less or more.
            let mut lengths = [0, 1, 2].map(|more| (name.len() + more).saturating_sub(1)).into_iter();
            lengths.any(|length| {
                let digits = digits.get(..length).unwrap_or(&digits);
                osa::distance_with_args(name.chars(), digits.chars(), &args).is_some()
            })
        };
        if !(MIN_MISTYPED..=MAX_MISTYPED).contains(&name.len()) {
            return Vec::new();
        }
        let comments = self.threads.comments().map(Comment::id);
        let all = comments.chain(self.threads.reviews().iter().map(Review::id));
        all.filter(|id| fits(*id)).filter(is_near).take(MAX_MISTYPED_TOLD).collect()
    }

    /// An id with a few words about what it is.
    fn describe(&self, id: RecordId) -> String {
        let words = match (self.threads.comment(id), self.threads.review(id)) {
            (Some(comment), _) => comment.text(),
            (None, Some(review)) => review.title(),
            (None, None) => "",
        };
        let line: String = words.lines().next().unwrap_or_default().chars().take(60).collect();
        format!("{} {line}", self.prefixes.shorten(id))
    }
}

/// The review with this name: an id, a branch, or without one that of what is checked out.
pub fn review_named<'a>(request: &'a Request, name: Option<&str>) -> Result<ReviewGroup<'a>, Fault> {
    let Some(name) = name else {
        return current_review(request).ok_or_else(|| {
            Fault::new(FaultCode::NotFound, "the current branch has no review").advise(Advice::StartReview)
        });
    };
    if let Some(branch) = branch_named(request, name)
        && let Some(group) = review_of(request, &branch)
    {
        return Ok(group);
    }
    let threads = &request.notes.threads;
    let id = request.notes.named(name, "review", |id| threads.review(id).is_some())?;
    threads
        .group_of(id)
        .ok_or_else(|| Fault::new(FaultCode::NotFound, format!("{name} is a comment, not a review")))
}

/// The review of what is checked out: the open one, else the newest.
pub fn current_review(request: &Request) -> Option<ReviewGroup<'_>> {
    let branch = current_branch(request).cloned().or_else(|| request.work_tree.rebased_branch())?;
    review_of(request, &branch)
}

/// The review of a branch: the open one, else the newest that has or had this name.
fn review_of<'a>(request: &'a Request, branch: &RefName) -> Option<ReviewGroup<'a>> {
    let newest = |fits: &dyn Fn(&Review) -> bool| {
        let groups = request.notes.threads.groups().filter(|group| fits(group.lead()));
        groups.max_by_key(|group| (group.lead().said().at, group.id()))
    };
    // A review whose branch was renamed is found by its old name too, but for a branch that has taken it.
    let is_here = request.branches.local().any(|(name, _)| name == branch);
    open_review_in(request, branch)
        .or_else(|| {
            newest(&|review| review.state() != ReviewState::Open && review.branch() == branch.as_bytes())
        })
        .or_else(|| newest(&|review| !is_here && review.was_called(branch.as_bytes())))
}

/// The branch that a person calls by this name, if there is one here or on a remote, or a review of one.
pub fn branch_named(request: &Request, name: &str) -> Option<RefName> {
    let known =
        |full: &RefName| {
            !request.branches.tips(full).is_empty()
                || request.notes.threads.reviews().iter().any(|review: &Review| {
                    review.was_called(full.as_bytes()) || review.base() == full.as_bytes()
                })
        };
    let full = |name: &str| RefName::new(&format!("refs/heads/{name}")).ok().filter(known);
    if name.starts_with("refs/") {
        return RefName::new(name).ok().filter(known);
    }
    // `origin/main` is what others call `main`.
    full(name).or_else(|| full(name.split_once('/')?.1))
}

/// Whether a review goes on.
pub fn is_open(group: ReviewGroup<'_>) -> bool {
    group.lead().state() == ReviewState::Open
}

/// Short names, for messages.
pub fn short_names(request: &Request, ids: &[RecordId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| request.notes.prefixes.shorten(*id).to_string()).collect();
    names.join(", ")
}
