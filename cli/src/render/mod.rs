//! Answers as people read them: text for a terminal or a pipe, or JSON.
//!
//! Everything that others wrote passes through `harmless` first: no record can move the cursor, change colours or
//! turn the direction of text around.

mod change;
mod change_line;
mod colour;
mod diff;
mod inbox;
mod json;
mod log;
mod message_words;
mod person;
mod position_words;
mod review;
mod screen;
mod signature;
mod since;
mod site;
mod stats;
mod status;
mod thread;
mod timeline;
mod when;

pub use crate::sanitize::{line, paragraph};
pub use colour::Colour;
pub use diff::{
    DeletedLines, DiffColours, GitDiffText, HunkForm, PathPrefixes, ThreadPlacement, ThreadsToPlace,
};
pub use inbox::repository_name;
pub use json::{refused, versioned};
pub use person::name as person_name;
pub use position_words::count;
pub use review::missing_in_words;
pub use screen::{OutputFormat, Paging, Screen, Volume, git_says};
pub use thread::{ThreadFormat, format_help};
