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
mod locate;
mod make;
mod matching;
mod objects;
mod position;
pub mod prose;
mod region;
mod resolve;
mod route;
mod sameness;
mod scope;
mod solid;
mod statement;
mod textual;
mod trace;
mod verdict;
mod vestige;

pub use cache::MapCache;
pub use deleted::{Base, counterpart};
pub use locate::{ENGINE_VERSION, Head, LocateError, Means, locate, locate_change};
pub use make::{AnchorError, Counterpart, Pointed, PointedBase, anchor_at, anchor_at_base};
pub use position::{Candidate, Confidence, Orphaning, Outdating, Position, Shift, Site};
