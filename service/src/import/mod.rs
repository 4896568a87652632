//! Takes over what others wrote elsewhere.

pub(crate) mod exported_message;
pub(crate) mod find_lines;
pub(crate) mod import_batch;
pub(crate) mod imported_reviews;
pub(crate) mod imported_suggestion;
pub(crate) mod importing;
pub(crate) mod read_files;
