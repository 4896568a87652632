//! What can be asked of the service: the parameters of each method.
//!
//! Fields that are missing have their default; unknown ones are ignored, so that an older service understands a newer
//! client as far as it can.

use serde::{Deserialize, Serialize};

use super::buffer::Buffer;
use super::suggestion::Suggest;
use crate::views::place::{Place, PlaceState};
use crate::views::review::{ReviewStatus, Verdict};
use crate::views::severity::SeverityView;
use crate::views::thread::{Detail, Person, ThreadStatus};
use crate::wire::bytes::ByteText;

/// The most threads that one answer lists; more are asked for with a cursor.
pub const MAX_LIST: u32 = 10_000;

/// A request about one repository, with what only the client knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryRequest<P> {
    /// Which repository.
    pub repository: RepositoryName,
    /// Who asks; writing needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Person>,
    /// The offset of the author's clock from UTC, in seconds, for the notes commit.
    #[serde(default)]
    pub utc_offset: i32,
    /// When it is done, in milliseconds since 1970, if that is not now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Texts that are not saved, on top of the files on disk; they count for this request alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Buffer>,
    /// What is asked for.
    #[serde(flatten)]
    pub params: P,
}

/// Which repository, as paths on disk; both must be absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RepositoryName {
    /// Its git directory; of a linked working tree, that of the working tree.
    pub git_dir: ByteText,
    /// Where its files are checked out, if that is not what the git directory says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<ByteText>,
}

/// What positions are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HeadName {
    /// What is checked out, as the files are on disk, with unsaved buffers on top; in a bare repository, HEAD.
    #[default]
    WorkTree,
    /// The commit that is checked out.
    Head,
    /// Another commit, as git names commits.
    Rev(String),
}

/// Whether positions may be those of an earlier head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// Waits until they are computed.
    #[default]
    Wait,
    /// Takes what there is at once; the answer says `resolving` if that is old.
    Now,
}

/// Which threads are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Those that the head sees.
    #[default]
    Seen,
    /// Every one.
    All,
}

/// A comment or thread, by what a person calls it: the beginning of an id, or `@` for the newest.
pub type Target = String;

/// Makes a repository ready: its settings for notes. Changes nothing that is set already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Init {
    /// Which remote a plain `git fetch` is to bring notes from; `None`: the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether to take back what was set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
}

/// Writes a comment on lines, a file or a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Comment {
    /// What it is about; `None`: the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The text, in Markdown.
    pub text: String,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The review; `None`: that of the branch that is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The change that it suggests; without one, a block in the text that is called `suggestion` is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggest>,
    /// Whether to keep it here until it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Answers a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReplyTo {
    /// The comment.
    pub to: Target,
    /// The text, in Markdown.
    pub text: String,
    /// The change that it suggests; without one, a block in the text that is called `suggestion` is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggest>,
    /// Whether to keep it here until it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
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
}

/// Opens threads again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Reopen {
    /// The threads.
    pub threads: Vec<Target>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Takes one's own comments back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Withdraw {
    /// The comments; a thread's first one stands for the thread.
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
    /// To one of its position's candidates, counted from one; 0 is the position itself, taken as right.
    Candidate(u32),
    /// To a place that a person names.
    Place(Place),
}

/// Lists threads: those about the whole review first, then by file, orphans at the head of theirs, then by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct List {
    /// Which threads are looked at.
    #[serde(default)]
    pub scope: Scope,
    /// Which of those are wanted.
    #[serde(default)]
    pub filter: Filter,
    /// What positions are asked for.
    #[serde(default)]
    pub head: HeadName,
    /// Whether positions may be old.
    #[serde(default)]
    pub freshness: Freshness,
    /// How much of each thread is wanted.
    #[serde(default)]
    pub detail: Detail,
    /// The most threads wanted; [`MAX_LIST`] if it is larger or left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where the answer before this one ended, as its `next` said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which threads are wanted: all that hold what every list that is not empty asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Filter {
    /// Pathspecs as git reads them, from the top of the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<ByteText>,
    /// States of positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<PlaceState>,
    /// What has become of threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<ThreadStatus>,
    /// People who wrote in the thread, or proposed another text: a part of a name or email, in capitals or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<SeverityView>,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// Threads in which something was written at this time or later, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only those that a person should put somewhere: orphaned, or outdated with other places to consider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_choice: bool,
}

/// Shows one thread whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Show {
    /// The thread, or any comment of it.
    pub of: Target,
    /// What its position is asked for.
    #[serde(default)]
    pub head: HeadName,
}

/// Reports where a comment was at each commit, and why it moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Log {
    /// The comment.
    pub of: Target,
}

/// Compares a head with its base, with the threads at their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Diff {
    /// What is compared; `None`: the base of the review of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// With what.
    #[serde(default)]
    pub head: HeadName,
    /// Pathspecs as git reads them, from the top of the repository; empty: everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<ByteText>,
    /// How many unchanged lines are shown around each change; `None`: three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
}

/// Starts a review of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewStart {
    /// The branch, in full or short; `None`: what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What it is compared with; `None`: the usual base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What it is called; `None`: the subject of its only commit, else the branch's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether to keep it here until it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Lists reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewList {
    /// Which ones; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<ReviewStatus>,
}

/// Shows one review, with what has become of its branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewShow {
    /// The review, by its id or its branch; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
}

/// Reports what changed in a review since somebody's last verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewSince {
    /// The review, by its id or its branch; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// Whose verdict, by a part of their name or email; `None`: that of the author of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Judges a review at the head that its branch has now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewVerdict {
    /// The review; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The judgement.
    pub verdict: Verdict,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether to keep it here until it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// Ends a review, or opens it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewChange {
    /// The review; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// What it is to be.
    pub status: ReviewStatus,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Changes the title or the description of a review; what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewEdit {
    /// The review; `None`: that of what is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// What it is called now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about, in Markdown; empty: the description is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The branch, in full or short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// Shares drafts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Publish {
    /// Those of this review; `None`: as the scope says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// `Seen`: those of the review of what is checked out, and those that belong to no review.
    #[serde(default)]
    pub scope: Scope,
}

/// Reports the state of the reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Status {
    /// Whether positions may be old.
    #[serde(default)]
    pub freshness: Freshness,
}

/// Hides threads everywhere, for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Purge {
    /// The threads or reviews, or single answers.
    pub of: Vec<Target>,
}

/// Writes the positions of the head into its note, and shares pins that git has published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WritePositions {}
