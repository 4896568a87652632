//! Pure text: lines, tokens, the maps that diffs give, and how alike two lines are.
//!
//! Nothing here knows of git, of files or of comments, and nothing here looks at a clock.
//! Lines are counted from zero in this room; people's line numbers live in `record`.

mod line_map;
mod normal;
mod similarity;
mod text;
mod token;

pub use line_map::{Algorithm, Hunk, LineMap, Mapped};
pub use normal::{is_blank, normal_hash, normalise};
pub use similarity::{LineWords, Vocabulary};
pub use text::Text;
pub use token::{Token, TokenKind, tokens};
