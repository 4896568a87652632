//! How far tolerance goes, and how much a patch may cost.

/// A larger patch is not read.
pub const MAX_PATCH_BYTES: usize = 16 << 20;

/// A patch of more files is not read.
pub const MAX_PATCH_FILES: usize = 10_000;

/// How many lines of context may be wrong at either end of a hunk.
pub const MAX_FUZZ: usize = 2;

/// How many lines away from the stated one a hunk may be found without its header being called wrong.
pub const MAX_OFFSET: usize = 10;

/// How many closing brackets or comments between two lines of context a hunk may have left out.
pub const MAX_STRUCTURAL: usize = 2;

/// How many lines within the context a hunk may have too many or too few, as a last resort.
pub const MAX_INTERNAL_CONTEXT: usize = 2;

/// How many blank lines a hunk may have too many or too few.
pub(super) const MAX_BLANK: usize = 16;

/// After this many comparisons of lines a file's hunks are refused: the patch is hostile, or nobody would
/// understand why the place that is found in the end is the right one.
pub const MAX_STEPS: usize = 4_000_000;

/// Blocks that build on each other are looked for one after the other while the text, once for each of them, is no longer
/// than this; beyond it, each is looked for in the text as it was alone.
pub(super) const MAX_SEQUENCE_BYTES: usize = 64 << 20;
