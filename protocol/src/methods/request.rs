//! The parameters of each method.
//!
//! Missing fields have their defaults, and unknown fields are ignored, so that an older service understands a
//! newer client as far as possible.

use serde::{Deserialize, Serialize};

use super::buffer::Buffer;
use super::suggestion::Suggest;
use crate::views::place::{MessagePlace, Place};
use crate::views::review::{ReviewStatus, Verdict};
use crate::views::severity::SeverityView;
use crate::views::thread::Person;
use crate::views::via::ViaView;
use crate::wire::bytes::ByteText;

/// A request about one repository, with its author and unsaved buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryRequest<P> {
    /// The repository.
    pub repository: RepositoryName,
    /// The author; required for writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Person>,
    /// The program that asks in their name; none if they do so by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<ViaView>,
    /// The offset of the author's clock from UTC, in seconds, for the notes commit.
    #[serde(default)]
    pub utc_offset: i32,
    /// The time of the request, in milliseconds since 1970; the current time if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Unsaved text, which takes precedence over the files on disk, for this request only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Buffer>,
    /// The parameters of the method.
    #[serde(flatten)]
    pub params: P,
}

/// A repository, by absolute paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RepositoryName {
    /// Its git directory; for a linked working tree, that of the working tree.
    pub git_dir: ByteText,
    /// The working tree, if it is not the one that the git directory names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<ByteText>,
}

/// The head to compute positions for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HeadName {
    /// The working tree, with unsaved buffers; in a bare repository, HEAD.
    #[default]
    WorkTree,
    /// The checked-out commit.
    Head,
    /// Another commit, by any name that git knows.
    Rev(String),
}

/// Whether positions may be those of an earlier head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// Wait until they are computed.
    #[default]
    Wait,
    /// Do not wait; the answer has `resolving` if the positions are old.
    Now,
}

/// Which threads a request is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Those that the head sees.
    #[default]
    Seen,
    /// All threads of the repository.
    All,
}

/// A comment or thread: a prefix of its id, or `@` for the newest.
pub type Target = String;

/// Sets up git to fetch and merge reviews. Existing settings are not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Init {
    /// The remote to fetch reviews from; if left out, the default remote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether to remove the settings again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
}

/// Writes a comment on lines, a file, a commit's message or a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Comment {
    /// What it is on; if left out, the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The message that it is on, instead of a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessagePlace>,
    /// The text, in Markdown.
    pub text: String,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The review; if left out, that of the checked-out branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The suggested change; if left out, a `suggestion` block in the text is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggest>,
    /// Whether to save it as a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Replies to a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReplyTo {
    /// The comment.
    pub to: Target,
    /// The text, in Markdown.
    pub text: String,
    /// The suggested change; if left out, a `suggestion` block in the text is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggest>,
    /// Whether to save it as a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Whether to resolve the thread with it; not possible for drafts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolve: bool,
}

/// Changes the text of a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Edit {
    /// The comment.
    pub of: Target,
    /// Its new text.
    pub text: String,
}

/// Resolves threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Resolve {
    /// The threads.
    pub threads: Vec<Target>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The commit by which they were resolved, as git names commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Reopens threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Reopen {
    /// The threads.
    pub threads: Vec<Target>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Withdraws the author's own comments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Withdraw {
    /// The comments; the first comment of a thread represents the thread.
    pub comments: Vec<Target>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Moves a comment by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Move {
    /// The comment.
    pub of: Target,
    /// Where to.
    pub to: MoveTo,
}

/// Where a comment is moved to by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MoveTo {
    /// One of the candidates of its position, counted from one; 0 confirms the current position.
    Candidate(u32),
    /// Another place.
    Place(Place),
    /// Lines of a commit's message.
    Message(MessagePlace),
}

/// Shows a thread with all its comments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Show {
    /// The thread, or any comment in it.
    pub of: Target,
    /// The head to compute its position for.
    #[serde(default)]
    pub head: HeadName,
    /// Whether to say which words, strings and comments its lines have, for colours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub syntax: bool,
}

/// Reports where a comment was at each commit, and why it moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Log {
    /// The comment.
    pub of: Target,
}

/// Starts a review of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewStart {
    /// The branch, as a full or short name; if left out, the checked-out branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The base; if left out, the default base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The title; if left out, the subject of the only commit, or the name of the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether to save it as a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Lists reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewList {
    /// The statuses to list; if empty, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<ReviewStatus>,
    /// Only reviews with something written at this time or later, in milliseconds since 1970: about the review, or in
    /// one of its threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Shows a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewShow {
    /// The review, by id or branch; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
}

/// Reports what changed in a review since a person's last verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewSince {
    /// The review, by id or branch; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// A part of the person's name or email; if left out, the author of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Since the version that the person of this repository looked at last, not since a verdict. Without `by`, this also
    /// holds if the author of the request gave no verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked: bool,
}

/// Gives a verdict on a review, at the current head of its branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewVerdict {
    /// The review; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The verdict.
    pub verdict: Verdict,
    /// The text, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether to save it as a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Closes, merges or reopens a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewChange {
    /// The review; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The new status.
    pub status: ReviewStatus,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Changes a review; fields that are left out stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewEdit {
    /// The review; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The new description, in Markdown; if empty, the description is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The new branch, as a full or short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The new base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// Says that threads were dealt with at a commit, or where one belongs; a person accepts it or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Propose {
    /// The threads.
    pub threads: Vec<Target>,
    /// The commit at which they were dealt with, as git names commits; `None`: what is checked out, unless a place is
    /// proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// Whether they no longer fit the code of that commit, instead of having been dealt with there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub obsolete: bool,
    /// Where the thread belongs; only for one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The message that it belongs to, instead of a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessagePlace>,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether to keep it here until it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Accepts or declines what was proposed for threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct AnswerProposals {
    /// The threads; all that is pending there is answered.
    pub threads: Vec<Target>,
    /// The answer.
    pub answer: ProposalAnswer,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a person says to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProposalAnswer {
    /// The thread is resolved, or moved to the proposed place.
    Accept,
    /// The thread stays as it is.
    Decline,
}

/// Asks people to review, or releases them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewAsk {
    /// The review; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The people: `Name <email>`, an email, or a part of a name or email that only one known person has.
    pub who: Vec<String>,
    /// Whether they need not review any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub release: bool,
}

/// Publishes drafts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Publish {
    /// The review whose drafts to publish; if left out, as `scope` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// `seen`: the drafts of the current review, and those without a review.
    #[serde(default)]
    pub scope: Scope,
}

/// Reports the status of the reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Status {
    /// Whether positions may be old.
    #[serde(default)]
    pub freshness: Freshness,
    /// Whether to leave out the review, the positions and the warnings, for an answer at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_only: bool,
}

/// Purges threads: hides them everywhere, for good.
///
/// Without `force` and `confirmed` nothing is hidden, and the answer says what would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Purge {
    /// The threads, replies or reviews.
    pub of: Vec<Target>,
    /// Whether to hide them without a question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// How many records a person saw and agreed to; refused if there are more or fewer by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<u32>,
}

/// Stores the positions for the head in its note, and shares pins whose commits were pushed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WritePositions {}
