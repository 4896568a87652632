//! How large a record and its parts may be.
//!
//! Bounds hold for single records, never for a note as a whole.

/// A larger body is refused when a record is made, and is not read as a record: one record must not be able to fill a
/// reader's memory.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// How many lines of context an anchor keeps on each side.
pub const CONTEXT_LINES: usize = 5;

/// A longer line is stored as its BLAKE3: minified files can be commented on,
/// and eleven such lines still fit a body many times over.
pub const MAX_LINE_BYTES: usize = 4096;

/// A longer path is refused: no file system or tool that git runs on opens one.
pub const MAX_PATH_BYTES: usize = 4096;

/// More commented lines are refused; the whole file can be commented on instead.
pub const MAX_ANCHOR_LINES: usize = 4096;

/// A longer name, version or model of a program is refused: it is shown wherever an author is.
pub const MAX_VIA_BYTES: usize = 128;
