//! Answers as people read them: text for a terminal or a pipe, or JSON.
//!
//! Everything that others wrote passes through `harmless` first: no record can move the cursor, change colours or
//! turn the direction of text around.

mod change;
mod colour;
mod diff;
mod happened;
mod json;
mod log;
mod review;
mod screen;
mod signature;
mod since;
mod site;
mod status;
mod thread;
mod when;
mod words;

pub use crate::harmless::{line, paragraph};
pub use colour::Colour;
pub use json::{refused, versioned};
pub use screen::{Format, Paging, Screen, Volume, git_says};
pub use words::count;
