//! Files of other tools, read and written: bytes in, requests of the service out, and the other way round.
//!
//! All input comes from other programs and may be hostile. It is limited, each invalid entry is refused on
//! its own, and no path leads out of the repository. Pure: other modules open and write the files.

mod field;
pub(crate) mod fingerprint;
mod format_of;
mod import_tags;
mod path;
pub(crate) mod person;
mod reading;
mod region;
mod report;
mod rfc3339;
mod writing;

pub use format_of::format_of;
pub use path::{is_trackable, percent_encoded};
pub use reading::{appraise, codex, comments, rdjson, rdjsonl, sarif, threads};
pub use report::{FormatError, MAX_INPUT_BYTES, Report};
pub use writing::{
    CommentsFile, Exported, write_comments, write_lines, write_rdjson, write_rdjsonl, write_sarif,
};
