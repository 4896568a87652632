//! Takes over what others wrote elsewhere.

pub(crate) mod absent;
pub(crate) mod cap;
pub(crate) mod dismissed;
pub(crate) mod exported_message;
pub(crate) mod find_lines;
pub(crate) mod finding_key;
pub(crate) mod import_batch;
pub(crate) mod imported_reviews;
pub(crate) mod imported_suggestion;
pub(crate) mod importing;
pub(crate) mod known_comment;
pub(crate) mod known_finding;
pub(crate) mod place_finding;
pub(crate) mod place_suggestion;
pub(crate) mod read_files;
pub(crate) mod report_finding;
pub(crate) mod retired;
