//! Finds a run of lines of one text in another text.
//!
//! `comparison` has the two texts, `evidence` judges one pair of lines, `line_match` chooses among pairs, and `trace` takes
//! a whole region across. Which texts are compared is decided by the callers.

pub(super) mod balance;
pub(super) mod comparison;
pub(super) mod evidence;
pub(super) mod former_place;
pub(super) mod line_match;
pub(super) mod line_part;
pub(super) mod moved_run;
pub(super) mod sameness;
pub(super) mod surroundings;
pub(super) mod token_links;
pub(super) mod trace;
pub(super) mod trusted_match;
pub(super) mod twin;
pub(super) mod within_hunk;
