//! What records mean together: threads, reviews, and which of their words are in force.
//!
//! A pure fold. The order of the records and how often one comes make no difference; nothing is
//! read from a repository here, and nothing is written.

mod ancestry;
mod comment;
mod fact;
mod fold;
mod group;
mod history;
#[cfg(test)]
mod laws;
mod prefixes;
mod reading;
#[expect(clippy::module_inception, reason = "the file holds what the room is named after")]
mod review;
#[cfg(test)]
mod story;
mod thread;
mod threads;
mod words;

pub use comment::{Comment, Disagreement, ThreadState};
pub use fact::Fact;
pub use group::ReviewGroup;
pub use history::{Change, History, MAX_OVER, Standing};
pub use prefixes::{MIN_SHORT_DIGITS, Named, Prefixes, ShortId};
pub use reading::{ForeignWords, NotUnderstood};
pub use review::{Review, ReviewState};
pub use thread::{Membership, Root, Thread};
pub use threads::Threads;
pub use words::Words;
