//! Talks to git repositories: objects, trees, refs and history, with typed ids.
//!
//! What the objects mean to postil is the business of the rooms to the right.

mod absence;
mod ancestry;
mod cruft;
mod deflate;
mod delta_bases;
mod departure;
mod durable;
mod error;
pub mod history;
mod id;
mod known_trees;
mod lineage;
mod lockfile;
mod loose;
mod objects;
mod open_pack;
mod pack;
mod pack_index;
mod pack_reader;
mod packed;
mod path;
mod patience;
mod publication;
mod reference;
mod reflog;
mod refname;
mod renames;
mod repository;
mod small_blobs;
mod swap;
pub mod tree;
mod treewalk;
mod work_tree;
mod writer;

pub(crate) use delta_bases::DeltaBases;
pub use departure::left_at;
pub use durable::Durability;
pub use error::{OpenError, ReadError, RefError, RefNameError, WriteError};
pub use id::{BlobId, CommitId, ObjectId, TreeId};
pub use lineage::Lineage;
pub use objects::{PACK_FROM, Settled};
pub(crate) use pack_reader::PackReader;
pub use path::RepoPath;
pub use patience::Patience;
pub use publication::{BlobSeen, blobs_ever_published, blobs_published, published};
pub use reference::RefList;
pub use reflog::LogEntry;
pub use refname::RefName;
pub use renames::{BranchRename, branch_renames};
pub use repository::{Repository, Settings};
pub use small_blobs::SmallBlobs;
pub use swap::RefUpdate;
pub use work_tree::{NoPlace, place_on_disk};
pub use writer::WriterLock;
