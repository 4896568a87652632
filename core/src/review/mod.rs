//! What records mean together: threads, reviews, and which of their edits and statuses are in force.
//!
//! [`Threads`] is a pure fold: the order of the records and how often one comes make no difference. [`Following`],
//! [`Belonging`] and [`Opening`] say what a review means for the branches of a repository. Nothing is written here: records
//! are returned, and `notes` writes them.

mod error;
mod folding;
mod following;
mod since;
mod visible_threads;

pub use crate::git::PatchId;
pub use error::ReviewError;
pub use folding::change_history::{Change, ChangeState, History, MAX_OVER};
pub use folding::comment::{Comment, Disagreement, ThreadState};
pub use folding::fact::Fact;
pub use folding::key::{KEY, ReportKey};
pub use folding::prefixes::{MIN_SHORT_DIGITS, PrefixMatch, Prefixes, ShortId};
pub use folding::proposal::{Proposal, ProposalState};
pub use folding::records_by_kind::NotUnderstood;
pub use folding::review::{Review, ReviewState};
pub use folding::review_group::ReviewGroup;
pub use folding::text_edits::TextEdits;
pub use folding::thread::{HeldThread, Membership, Root, Thread};
pub use folding::threads::Threads;
pub use folding::timeline::{TimelineEntry, TimelineKind};
pub use following::branches::{Branches, Current};
pub use following::find_merged::HowMerged;
pub use following::follow::{BranchFound, FollowedReview, Following, ReviewBranch};
pub use following::merge_record::Merging;
pub use following::notice::{MAX_SEARCHED_REVIEWS, Notice, Noticed, ReviewNews};
pub use following::opening::{Belonging, NoReview, Opener, Opening, ReviewRequest};
pub use following::rename_record::Renaming;
pub use since::interdiff::{PatchLine, PatchMark, Row};
pub use since::since_hunks::{HunkRow, SinceHunk};
pub use since::since_verdict::{FileSince, Since, SinceWhat, Stretch};
pub use visible_threads::{ShowThreads, ThreadVisibility, Viewpoint, WhyVisible};
