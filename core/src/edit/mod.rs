//! Pure text: lines, tokens, the maps that diffs give, and how alike two lines are.
//!
//! Nothing here knows of git, of files or of comments, and nothing here looks at a clock.
//! Lines are counted from zero in this room; people's line numbers live in `record`.

pub mod markdown;
