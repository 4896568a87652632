//! Pure text: lines, tokens, the maps that diffs give, how alike two lines are; edits and their algebra.
//!
//! Nothing here knows of git, of files or of comments, and nothing here looks at a clock.
//! Lines are counted from zero in this room; people's line numbers live in `record`. Offsets of edits are
//! in bytes, and no edit that is computed here cuts a UTF-8 character in two.

mod agreement;
mod algebra;
mod bounded;
mod builder;
#[cfg(test)]
mod cases;
mod coordinates;
mod diff;
#[cfg(test)]
mod laws;
mod line_map;
pub mod markdown;
mod normal;
mod rebase;
mod replacement;
mod similarity;
mod suggested;
mod text;
mod text_edit;
mod token;
mod transform;
#[cfg(test)]
mod wording;

pub use agreement::{AutoClose, MAX_AGREEMENT_OFFSET, MAX_IMPERFECT_AGREEMENT, Mode, Origin};
pub(crate) use bounded::changed_tokens;
pub use coordinates::{Coordinates, DiffLine, Fate, Transition};
pub use diff::Grain;
pub use line_map::{Algorithm, Hunk, LineMap, Mapped};
pub use normal::{is_blank, normal_hash, normalise};
pub use rebase::{Clash, Conflict, Rules, rebase};
pub use replacement::Replacement;
pub use similarity::{LineWords, Vocabulary};
pub use suggested::{Outcome, Request, Step, Steps};
pub use text::Text;
pub use text_edit::{EditError, TextEdit};
pub use token::{Token, TokenKind, tokens};
pub use transform::Swallowed;
