//! Which of the versions of a branch is shown: all of it, one commit with its message, or what is new.

mod commit_picker;
mod message_section;
mod since_choice;

pub(super) use commit_picker::commit_picker;
pub(crate) use message_section::message_section;
pub(super) use message_section::shown_message;
pub(super) use since_choice::{since_choice, since_note};
