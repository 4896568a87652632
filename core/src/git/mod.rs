//! Talks to git repositories: objects, trees, refs and history, with typed ids.
//!
//! What the objects mean to postil is the work of the rooms to the right.
//!
//! gix reads and writes repositories. Each part here that does the same by hand does it because gix lacks something:
//!
//! | part | what gix lacks |
//! |---|---|
//! | `durable_write/loose_writer` | syncs no loose object, and makes folders that others in a shared repository cannot write to |
//! | `durable_write/pack_writer`, `pack_index` | makes an index only from a finished pack, by unpacking and hashing all of it again |
//! | `durable_write/deflate` | sets up zlib again for each object, which costs more than compressing a note |
//! | `durable_write/ref_update`, `packed_refs`, `lockfile` | does not wait for the disk before and after a ref moves, and cannot tell a dead writer's lock from a living one's |
//! | `durable_write/writer_lock` | has no lock for one writer per repository that ends with its process |
//! | `durable_write/reflog` | writes a reflog only as a part of its own ref transactions |
//! | `durable_write/sync_pool`, `durable_files` | has no fsync of many files at once, and no permissions of `core.sharedRepository` |
//! | `refs/read` | trusts the modification time of `packed-refs`, which two rewrites in one tick of the clock do not change |
//! | `refs/branch_renames`, `last_checkout` | does not look for renames and checkouts in reflogs |
//! | `packs/pack_reader`, `delta_bases` | unpacks the object at the end of a delta chain again for each object of the chain |
//! | `packs/small_blobs` | sets up zlib again for each blob |
//! | `packs/cruft_packs` | does not say that an object is in a cruft pack only, and so may go at any time |
//! | `missing_objects` | can miss an object that `git gc` moves while it looks |
//! | `tree` | has no limits on the size and depth of trees that others made |
//! | `history/walk`, `lineage` | fails if a shallow clone or a missing object cuts a history off |
//! | `history/merge_bases` | picks a worse merge base if commits are of the same second |
//! | `patch_id` | has no patch ids |
//! | `work_tree` | does not check a path that others wrote before it is used on disk |

mod durable_write;
mod error;
pub mod history;
mod id;
mod missing_objects;
mod packs;
mod patch_id;
mod path;
mod refs;
mod repository;
pub mod tree;
mod work_tree;

pub use durable_write::durable_files::Durability;
pub use durable_write::patience::Patience;
pub use durable_write::ref_update::{Moved, RefUpdate};
pub use durable_write::reflog::{LogEntry, LoggedMove, last_message, last_moves};
pub use durable_write::store_objects::{PACK_FROM, StoredObjects};
pub use durable_write::writer_lock::WriterLock;
pub use error::{OpenError, ReadError, RefError, RefNameError, WriteError};
pub use history::lineage::Lineage;
pub use history::published::{BlobSeen, blobs_ever_published, blobs_published, published};
pub use id::{BlobId, CommitId, ObjectId, TreeId};
pub(crate) use packs::delta_bases::DeltaBases;
pub(crate) use packs::pack_reader::PackReader;
pub use packs::small_blobs::SmallBlobs;
pub use patch_id::PatchId;
pub(crate) use patch_id::{FileSides, PatchHasher, PatchIds};
pub use path::RepoPath;
pub use refs::branch_renames::{BranchRename, branch_renames};
pub use refs::last_checkout::LastCheckouts;
pub use refs::name::RefName;
pub use refs::read::RefList;
pub use repository::{ConfigScope, Repository};
pub use work_tree::{NoPlace, place_on_disk};
