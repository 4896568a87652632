//! Finds commented lines again: takes anchors and a head, and gives positions.
//!
//! Pure and deterministic: the same objects give the same positions on every machine, in any
//! order and on any number of threads. Nothing here writes, and nothing looks at a clock. Which
//! threads a head sees and where positions are kept is not this room's business.

mod balance;
mod bypass;
mod cache;
mod comparison;
mod conflict;
mod deleted;
mod ends;
mod evidence;
mod files;
mod follow;
mod history;
#[cfg(test)]
mod laws;
mod locate;
mod make;
mod matching;
mod objects;
mod position;
pub mod prose;
mod quoted;
mod region;
mod resolve;
mod route;
mod sameness;
mod scope;
mod selection;
mod solid;
mod textual;
mod trace;
mod verdict;
mod vestige;

pub use cache::MapCache;
pub use deleted::{Base, counterpart, counterparts};
pub use locate::{ENGINE_VERSION, Head, LocateError, Means, locate, locate_change};
pub use make::{AnchorError, Counterpart, Pointed, PointedBase, anchor_at, anchor_at_base};
pub use position::{ByteRange, Candidate, Confidence, Orphaning, Outdating, Passage, Position, Shift, Site};
pub use selection::{PointedWords, Words, anchor_at_words};
