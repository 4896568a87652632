//! Finds commented lines again: takes anchors and a head, and gives positions.
//!
//! Pure and deterministic: the same objects give the same positions on every machine, in any
//! order and on any number of threads. Nothing here writes, and nothing looks at a clock. Which
//! threads a head sees and where positions are kept is not this room's business.
//!
//! Anchors of every kind go into one batch:
//!
//! ```no_run
//! use std::num::NonZeroUsize;
//!
//! use postil_core::anchoring::{Base, Head, PointedWords, Position, WordSelection, anchor_at_words, locate_change};
//! use postil_core::git::{BlobId, RepoPath};
//! use postil_core::record::Anchor;
//!
//! # fn example(
//! #     repo: &gix::Repository, base: Base, head: Head, blob: BlobId, mut anchors: Vec<Anchor>,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! let path = RepoPath::new("README.md").ok_or("a path is not empty")?;
//! let words = WordSelection::Said { exact: "in the margin", prefix: "", suffix: "" };
//! let content = repo.find_blob(blob.raw())?.take_data();
//! let pointed = PointedWords { commit: head.commit, path: &path, blob, content: &content, words };
//! anchors.push(anchor_at_words(&pointed)?);
//! for position in locate_change(repo, &anchors, base, head, NonZeroUsize::MIN) {
//!     let position: Position = position?;
//!     let passage = position.site().and_then(|site| site.passage);
//!     assert!(passage.is_none() || position.state() != "orphaned");
//! }
//! # Ok(())
//! # }
//! ```

mod cache;
mod claim;
mod classify;
mod deleted;
mod files;
mod history;
#[cfg(test)]
mod laws;
mod lines;
mod locate;
mod lost_lines;
mod make;
mod matching;
mod message;
mod partial_tree;
mod position;
pub mod prose;
mod quoted;
mod repository;
mod resolve;
mod stop;
mod without_blob;

pub use cache::MapCache;
pub use claim::claim_holds;
pub use deleted::{Base, counterpart, counterparts};
pub use files::bypass::generated;
pub use locate::{ENGINE_VERSION, Head, LocateError, LocateOptions, locate, locate_change};
pub use make::lines::{AnchorError, Counterpart, Pointed, PointedBase, anchor_at, anchor_at_base};
pub use make::message::{MessageAnchorError, anchor_at_message};
pub use make::words::{PointedWords, WordSelection, anchor_at_words};
pub use message::{MessagePosition, locate_messages};
pub use partial_tree::PartialTree;
pub use position::{
    ByteRange, MatchConfidence, Orphaning, Outdating, Passage, Position, Shift, Site, SiteCandidate,
};
pub use stop::Stop;
