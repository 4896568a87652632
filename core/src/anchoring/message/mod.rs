//! Finds commented lines of a commit's message again, in the message of the commit that it became.
//!
//! A commit never changes, so the work is to find what it was rewritten as (`rewritten`), or the message that has its
//! words (`wording`), and to follow the lines from one message to the other as those of any two files (`locate`).

mod locate;
mod rewritten;
mod wording;

pub use locate::{MessagePosition, locate_messages};
