//! Reads diffs that other people and language models wrote, and makes edits of them.
//!
//! A patch is read in one of three forms into files and hunks; each hunk is given the one place where it
//! can be meant, by stages of growing tolerance; all hunks become one edit, or nothing does. No file is
//! read or written here: texts come in, texts and edits go out.

mod aligned;
mod begin_end;
mod bom;
mod bounds;
mod candidates;
mod changes;
mod done;
#[cfg(test)]
mod done_cases;
mod fence;
mod file_change;
mod file_patch;
mod form;
mod found;
mod header;
mod hunk;
mod indent;
mod ladder;
mod line;
mod outdent;
mod path;
mod placed;
mod plan;
mod route;
mod seam;
mod search_replace;
mod target;
mod unified;
mod written;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod seam_cases;
#[cfg(test)]
mod whole_cases;

pub use aligned::Likeness;
pub use bounds::{
    MAX_FUZZ, MAX_INTERNAL_CONTEXT, MAX_OFFSET, MAX_PATCH_BYTES, MAX_PATCH_FILES, MAX_STEPS, MAX_STRUCTURAL,
};
pub use file_patch::{FileMode, FilePatch, Hunks, Kind};
pub use form::{Form, Patch, ReadError, flatten};
pub use found::Found;
pub use hunk::{End, Hunk, HunkLine, Role, Stated};
pub use path::PatchPath;
pub use placed::{Applied, Failure, HunkFailure, PlacedHunk, Stage, Why};
pub use plan::{FileChange, FileFailure, PlanError, Source};
pub use written::{WrittenSide, is_binary, unified_diff};
