//! Writes threads in formats of other tools: one file here for each format.

mod comments;
mod exported;
mod lines;
mod rdjson;
mod sarif;

pub use comments::{CommentsFile, write_comments};
pub use exported::Exported;
pub use lines::write_lines;
pub use rdjson::{write_rdjson, write_rdjsonl};
pub use sarif::write_sarif;
