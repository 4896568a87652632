//! Which review a new comment belongs to, and the record that opens one.
//!
//! Returns what is to be written and writes nothing: the caller puts the record into its own batch, with the comment
//! that needs it.

use super::branches::{Branches, Current};
use super::find_merged::own_commits;
use super::follow::Following;
use crate::git::{CommitId, ObjectId, RefName, history};
use crate::notes::Home;
use crate::record::{Author, Body, Record, RecordId, ReviewRecord, Seq, Timestamp, Via};
use crate::review::ReviewError;
use crate::review::folding::review::ReviewState;
use crate::review::folding::review_group::ReviewGroup;
use crate::review::folding::threads::Threads;

/// Which review a new comment belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belonging {
    /// None.
    Nowhere(NoReview),
    /// This one, which is open.
    Review(RecordId),
    /// A new one, which is to be written with it.
    Opens(Opening),
}

/// Why a new comment does not belong to a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReview {
    /// No branch is checked out.
    Detached,
    /// The branch is the base of others.
    BaseBranch,
    /// The branch has no commit yet.
    Unborn,
    /// The branch has no base.
    NoBase,
    /// The branch has no history in common with its base.
    Unrelated,
}

/// A new review, to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Its record.
    pub record: Record,
    /// Which note it goes into: that of its first head.
    pub home: Home,
}

/// What is to be reviewed, as a person asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewRequest {
    /// The branch, as a full name; `None`: the branch that is checked out.
    pub branch: Option<RefName>,
    /// What it is compared with, as a full name; `None`: the default base.
    pub base: Option<RefName>,
    /// Its title; `None`: the subject of its only commit, else the name of the branch.
    pub title: Option<String>,
    /// What it is about, in Markdown.
    pub description: String,
}

/// Who opens a review, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opener {
    /// The person.
    pub author: Author,
    /// What writes in their name, if not a person by hand.
    pub via: Option<Box<Via>>,
    /// When, for showing only.
    pub at: Timestamp,
}

impl Belonging {
    /// Returns which review a comment on the checked-out branch belongs to.
    ///
    /// That is the open review of the branch, or of one that was renamed to it; the first comment opens one. See
    /// [`Following::open_review_in`].
    pub fn of_current(
        handle: &gix::Repository,
        branches: &Branches,
        threads: &Threads,
        opener: &Opener,
    ) -> Result<Self, ReviewError> {
        let Current::Branch(branch) = branches.current() else {
            return Ok(Self::Nowhere(NoReview::Detached));
        };
        if branches.usual_base() == Some(branch) {
            return Ok(Self::Nowhere(NoReview::BaseBranch));
        }
        if let Some(group) = Following::new(handle, branches).open_review_in(threads, branch)? {
            return Ok(Self::Review(group.id()));
        }
        match Opening::of(handle, branches, &ReviewRequest::default(), opener) {
            Ok(opening) => Ok(Self::Opens(opening)),
            Err(ReviewError::NoBase) => Ok(Self::Nowhere(NoReview::NoBase)),
            Err(ReviewError::Unrelated { .. }) => Ok(Self::Nowhere(NoReview::Unrelated)),
            Err(ReviewError::NoSuchBranch { .. }) => Ok(Self::Nowhere(NoReview::Unborn)),
            Err(error) => Err(error),
        }
    }
}

impl Threads {
    /// Returns the open review of a branch: with this base if there is one, else the one with the lowest id.
    pub fn open_review_of(&self, branch: &RefName, base: Option<&RefName>) -> Option<ReviewGroup<'_>> {
        let is_open = |group: &ReviewGroup<'_>| {
            group.lead().state() == ReviewState::Open && group.lead().branch() == branch.as_bytes()
        };
        let with_base =
            |group: &ReviewGroup<'_>| base.is_some_and(|base| group.lead().base() == base.as_bytes());
        self.groups().filter(is_open).find(with_base).or_else(|| self.groups().find(is_open))
    }
}

impl Opening {
    /// Makes the record of a new review.
    ///
    /// It begins at the fork point of the branch and its base. If the review is open already, this makes a second
    /// one, which is shown as one with the first: see [`Threads::open_review_of`].
    pub fn of(
        handle: &gix::Repository,
        branches: &Branches,
        request: &ReviewRequest,
        opener: &Opener,
    ) -> Result<Self, ReviewError> {
        let branch = match (&request.branch, branches.current()) {
            (Some(branch), _) | (None, Current::Branch(branch)) => branch,
            (None, Current::Detached) => return Err(ReviewError::Detached),
        };
        let base = request.base.as_ref().or(branches.usual_base()).ok_or(ReviewError::NoBase)?;
        if base == branch {
            return Err(ReviewError::OwnBase { name: branch.to_string() });
        }
        let missing = |name: &RefName| ReviewError::NoSuchBranch { name: name.to_string() };
        let head = branches.tip(handle, branch)?.ok_or_else(|| missing(branch))?;
        let base_tips = branches.base_tips(handle, base);
        if base_tips.is_empty() {
            return Err(missing(base));
        }
        let base_commit = history::merge_base_of_any(handle, head, &base_tips)?;
        let base_commit = base_commit
            .ok_or_else(|| ReviewError::Unrelated { branch: branch.to_string(), base: base.to_string() })?;
        let title = match &request.title {
            Some(title) => title.clone(),
            None => usual_title(handle, branch, base_commit, head)?,
        };
        let review = ReviewRecord {
            author: opener.author.clone(),
            at: opener.at,
            seq: Seq::default(),
            via: opener.via.clone(),
            title,
            description: request.description.clone(),
            branch: branch.as_bytes().to_vec(),
            base: base.as_bytes().to_vec(),
            base_commit,
            head,
        };
        let record = Record::new(&Body::Review(review))?;
        Ok(Self { record, home: Home::On(ObjectId::from(head)) })
    }
}

fn usual_title(
    handle: &gix::Repository,
    branch: &RefName,
    base: CommitId,
    head: CommitId,
) -> Result<String, ReviewError> {
    let own = own_commits(handle, base, head)?;
    if let [only] = own.as_slice()
        && let Ok(commit) = handle.find_commit(only.raw())
        && let Ok(message) = commit.message()
        && !message.title.is_empty()
    {
        return Ok(message.summary().to_string());
    }
    let name = branch.to_string();
    Ok(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned())
}
