//! Reads diffs that other people and language models wrote, and makes edits of them.
//!
//! A patch is read in one of three forms into files and hunks; each hunk is given the one place where it
//! can be meant, by stages of growing tolerance; all hunks become one edit, or nothing does. No file is
//! read or written here: texts come in, texts and edits go out.

mod bounds;
mod byte_order_mark;
mod file_change;
mod file_patch;
mod file_paths;
mod hunk;
mod outcome;
mod parse;
mod path;
mod placing;
mod plan;
mod target_file;
#[cfg(test)]
mod tests;
mod unified_diff;

pub use bounds::{
    MAX_FUZZ, MAX_INTERNAL_CONTEXT, MAX_OFFSET, MAX_PATCH_BYTES, MAX_PATCH_FILES, MAX_STEPS, MAX_STRUCTURAL,
};
pub use file_patch::{FileAction, FileMode, FilePatch, Hunks};
pub use hunk::{End, HunkLine, PatchHunk, Role, Stated};
pub use outcome::{Applied, HunkFailure, HunkProblem, PatchFailure, PlacedHunk, PlacementStage};
pub use parse::form::{ParsedPatch, PatchForm, PatchReadError, flatten};
pub use path::PatchPath;
pub use placing::align::LineLikeness;
pub use plan::{FileFailure, PatchedFile, PlanError, TextSource};
pub use target_file::TargetFile;
pub use unified_diff::{WrittenSide, is_binary, unified_diff};
