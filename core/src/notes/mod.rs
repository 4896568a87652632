//! Keeps records in `refs/notes/reviews`, and loses none of them.
//!
//! Reads, writes, merges and heals the ref. What the records mean together is `review`'s work, and
//! where their anchors are now is `anchoring`'s.

mod drafts;
mod error;
mod kept_heads;
mod local_pins;
mod merging;
mod open_merge;
mod purging;
mod reading;
pub mod refs;
mod store;
mod tracking;
mod unsent_files;
mod waiting;
mod writing;

pub use drafts::{Draft, DraftPin, DraftsOf};
pub use error::NotesError;
pub use kept_heads::KeptHeads;
pub use merging::merge_theirs::{MergeKind, MergedNotes};
pub use open_merge::OpenMerge;
pub use purging::purge::Purging;
pub use purging::purged_backup::{KEPT_SECONDS, PurgedRecord};
pub use purging::restore_purged::{RestoredRecord, restore_purged};
pub use reading::added_since::AddedRecords;
pub use reading::difference::NotesDifference;
pub use reading::page_scan::{MAX_POSITION_HEADS, Purged};
pub use reading::readable_tip::TipToRead;
pub use reading::snapshot::{Damage, Snapshot};
pub use store::{Store, StoreOptions};
pub use unsent_files::UnsentFile;
pub use writing::batch::{Batch, WrittenBatch};
pub use writing::committer::Committer;
pub use writing::home::Home;
pub use writing::lost_tips::LostTip;
pub use writing::ref_backup::Overwritten;
pub use writing::write_positions::HeadPositions;
pub use writing::write_session::Checked;
