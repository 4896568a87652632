//! Pure text: lines, tokens, the maps that diffs give, how alike two lines are; edits and their algebra.
//!
//! Nothing here knows of git, of files or of comments, and nothing here looks at a clock.
//! Lines are counted from zero in this room; people's line numbers live in `record`. Offsets of edits are
//! in bytes, and no edit that is computed here cuts a UTF-8 character in two.

mod agreement;
mod algebra;
mod bounded_diff;
mod builder;
mod coordinates;
mod diff;
mod line_map;
pub mod markdown;
mod normalise;
mod reapply;
mod rebase;
mod replacement;
mod similarity;
#[cfg(test)]
mod tests;
mod text;
mod text_edit;
mod token;
mod transform;

pub use agreement::{AgreementMode, AutoClose, EditOrigin, MAX_AGREEMENT_OFFSET, MAX_IMPERFECT_AGREEMENT};
pub(crate) use bounded_diff::changed_tokens;
pub use coordinates::{Coordinates, LineCoordinates, RemarkFate, Transition};
pub use diff::Grain;
pub use line_map::{Algorithm, Hunk, LineMap, Mapped};
pub use normalise::{is_blank, normal_hash, normalise};
pub use reapply::{ReapplyOutcome, ReapplyRequest, SuggestedStep, SuggestedSteps};
pub use rebase::{Clash, Conflict, Rules, rebase};
pub use replacement::Replacement;
pub use similarity::{LineWords, Vocabulary};
pub use text::Text;
pub use text_edit::{EditError, TextEdit};
pub use token::{Token, TokenKind, tokens};
pub use transform::Swallowed;
