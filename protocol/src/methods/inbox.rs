//! What waits for a person in a repository, and what they have read of it.
//!
//! What was read is kept in the repository on this machine. It is never sent anywhere.

use serde::{Deserialize, Serialize};

use super::changes::ChangeKind;
use super::request::Target;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::proposal::RequestView;
use crate::views::review::{ReviewStatus, VerdictView};
use crate::views::severity::SeverityView;
use crate::views::thread::{Person, ThreadStatus};
use crate::wire::bytes::{ByteText, Hex};

/// More threads than this are counted, but not listed.
pub const MAX_INBOX: usize = 1000;

/// Reports what waits for the author of the request, or for the person whose repository it is if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Inbox {}

/// What waits for a person in one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InboxReply {
    /// The git directory, shared by all its working trees.
    pub git_dir: ByteText,
    /// Whose inbox it is; `None` if git does not know.
    pub who: Option<Person>,
    /// The reviews in which something waits: those to judge first, then those with the latest news.
    pub reviews: Vec<InboxReview>,
    /// How many threads with news are not listed, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
    /// Whether something may be missing, because it could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// The mark of this answer, for a later `changes` or `read` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// What waits for a person in one review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InboxReview {
    /// The review; `None` for threads without a review.
    pub review: Option<InboxReviewName>,
    /// Who asked the person to review, if they have not judged the current head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<RequestView>,
    /// Verdicts of others that they have not read, on a review that they started; oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<VerdictView>,
    /// Threads in which something happened that they have not read: those that they wrote in, and all of a review that
    /// they started. The latest news first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<InboxThread>,
}

/// What a review is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InboxReviewName {
    /// Its id.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// Its title.
    pub title: String,
    /// The branch, as a full ref name.
    pub branch: ByteText,
    /// Its status.
    pub status: ReviewStatus,
    /// Who started it.
    pub author: Person,
}

/// A thread in which something happened that a person has not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InboxThread {
    /// Its id.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// Its status.
    pub status: ThreadStatus,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// The file that it was put on; its current position is in a `list` or `show`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// The commit whose message it was put on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Hex>,
    /// The first line of its first comment; empty if that is missing.
    pub text: String,
    /// What happened, oldest first.
    pub news: Vec<NewsView>,
}

/// Something that a person has not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct NewsView {
    /// What happened.
    pub what: ChangeKind,
    /// The record of it.
    pub record: Hex,
    /// Who did it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The first line of what they wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Marks as read, for the person whose repository it is, what others did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MarkRead {
    /// All that happened in these threads, or in the threads of these comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Target>,
    /// The verdicts on these reviews.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Target>,
    /// Everything in the repository.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The versions of reviews that were looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looked: Vec<LookedHead>,
    /// The mark of what was shown: what came later stays unread. Without one, nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Mark>,
}

/// A version of a review that a person looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LookedHead {
    /// The review.
    pub review: Target,
    /// The head of its branch.
    pub head: Hex,
}

/// What was marked as read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MarkReadReply {
    /// How many comments, verdicts and other actions were unread before.
    pub marked: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
