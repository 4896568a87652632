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
//! use postil_core::anchoring::{Base, Head, PointedWords, Position, Words, anchor_at_words, locate_change};
//! use postil_core::git::{BlobId, RepoPath};
//! use postil_core::record::Anchor;
//!
//! # fn example(
//! #     repo: &gix::Repository, base: Base, head: Head, blob: BlobId, mut anchors: Vec<Anchor>,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! let path = RepoPath::new("README.md").ok_or("a path is not empty")?;
//! let words = Words::Said { exact: "in the margin", prefix: "", suffix: "" };
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

mod balance;
mod begin;
mod bypass;
mod cache;
mod changes;
mod comparison;
mod conflict;
mod deleted;
mod ends;
mod evidence;
mod files;
mod fingerprint;
mod folders;
mod follow;
mod history;
mod journey;
#[cfg(test)]
mod laws;
mod locate;
mod make;
mod matching;
mod memory;
mod moved_run;
mod objects;
mod part;
mod partial;
mod position;
pub mod prose;
mod quoted;
mod region;
mod renames;
mod resolve;
mod route;
mod same_change;
mod sameness;
mod saying;
mod scope;
mod selection;
mod sight;
mod solid;
mod statement;
mod stood;
mod stop;
mod surroundings;
mod textual;
mod trace;
mod trail;
mod trees;
mod twin;
mod verdict;
mod vestige;
mod wanted;
mod within_hunk;

pub use cache::MapCache;
pub use deleted::{Base, counterpart, counterparts};
pub use locate::{ENGINE_VERSION, Head, LocateError, Means, locate, locate_change};
pub use make::{AnchorError, Counterpart, Pointed, PointedBase, anchor_at, anchor_at_base};
pub use partial::PartialTree;
pub use position::{ByteRange, Candidate, Confidence, Orphaning, Outdating, Passage, Position, Shift, Site};
pub use selection::{PointedWords, Words, anchor_at_words};
pub use stop::Stop;
