//! Reads files of other tools: one file here for each format.

pub mod appraise;
mod codex;
mod comments;
mod rdjson;
mod sarif;
mod threads;

pub use codex::codex;
pub use comments::comments;
pub use rdjson::{rdjson, rdjsonl};
pub use sarif::sarif;
pub use threads::threads;
