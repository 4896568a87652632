//! Line maps, positions and trails that outlive a process: by content, bounded, rebuildable at any time.
//!
//! What is here can only save time. A file that is damaged, missing or being written by somebody
//! else costs the work again and nothing more.

mod entries;
mod generation;
mod positions;
mod reader;
mod store;
mod trails;

pub(super) use positions::PositionKey;
pub use store::MapCache;
pub(super) use trails::TrailKey;
