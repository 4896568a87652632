//! What records mean together: threads, reviews, and which of their words are in force.
//!
//! [`Threads`] is a pure fold: the order of the records and how often one comes make no difference. What a review means
//! for the branches of a repository is read from it by [`Following`], [`Belonging`] and [`Opening`]. Nothing is written
//! here: what is to be written is said, and goes through `notes`.

mod ancestry;
mod branches;
mod comment;
mod error;
mod fact;
mod fold;
mod following;
mod former;
mod group;
mod heads;
mod history;
mod interdiff;
mod keyed;
#[cfg(test)]
mod laws;
mod lineages;
mod merged;
mod merging;
mod noticing;
mod opening;

mod patches;
mod prefixes;
mod reading;
mod renamed;
mod renaming;
#[expect(clippy::module_inception, reason = "the file holds what the room is named after")]
mod review;
mod searched;
mod sight;
mod since;
#[cfg(test)]
mod story;
mod thread;
mod threads;
mod touched;
mod words;
mod worked;

pub use crate::git::PatchId;
pub use branches::{Branches, Current};
pub use comment::{Comment, Disagreement, ThreadState};
pub use error::ReviewError;
pub use fact::Fact;
pub use following::{Followed, Following, Found, Lead};
pub use group::ReviewGroup;
pub use history::{Change, History, MAX_OVER, Standing};
pub use interdiff::{PatchLine, PatchMark, Row};
pub use merged::How;
pub use merging::Merging;
pub use noticing::{News, Notice, Noticed};
pub use opening::{Belonging, NoReview, Opener, Opening, Request};
pub use prefixes::{MIN_SHORT_DIGITS, Named, Prefixes, ShortId};
pub use reading::NotUnderstood;
pub use renaming::Renaming;
pub use review::{Review, ReviewState};
pub use sight::{Show, Sight, Viewpoint, Why};
pub use since::{FileSince, Since, SinceWhat, Stretch};
pub use thread::{HeldThread, Membership, Root, Thread};
pub use threads::Threads;
pub use words::Words;
