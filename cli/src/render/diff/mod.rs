//! A diff as the user's own git prints it, with threads between its lines.
//!
//! The diff is git's, byte for byte: nothing here makes one. `git_output` reads it file by file, `section_paths`
//! finds out which file that is, `placed_threads` decides where each thread goes, `thread_notes` writes it, and
//! `weave` puts both together. Lines of threads begin with `#`.

mod diff_colours;
mod git_output;
mod placed_threads;
mod section_paths;
mod thread_notes;
mod weave;

pub use diff_colours::DiffColours;
pub use git_output::HunkForm;
pub use placed_threads::{DeletedLines, ThreadsToPlace};
pub use section_paths::PathPrefixes;
pub use weave::{GitDiffText, ThreadPlacement};
