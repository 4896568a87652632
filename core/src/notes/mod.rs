//! Keeps records in `refs/notes/reviews`, and loses none of them.
//!
//! Reads, writes, merges and heals the ref; what the records mean together is `review`'s work, and
//! where their anchors are now is `anchoring`'s.

mod absorb;
mod addition;
mod anew;
mod aside;
mod batch;
mod commit;
mod committer;
mod contents;
mod difference;
mod drafts;
mod error;
mod gain;
mod heads;
mod heal;
mod home;
mod local_pins;
mod merge;
mod note_blobs;
mod pages;
mod purge;
mod recall;
pub mod refs;
mod session;
mod snapshot;
mod staged;
mod store;
mod tracking;
mod unsent;
mod upkeep;
mod write_back;

pub use absorb::{MergeKind, Merged};
pub use anew::anew;
pub use aside::{Aside, KEPT_SECONDS};
pub use batch::{Batch, Written};
pub use committer::Committer;
pub use difference::NotesDifference;
pub use drafts::{Draft, DraftPin, DraftsOf};
pub use error::NotesError;
pub use gain::Gain;
pub use heads::KeptHeads;
pub use home::Home;
pub use purge::Purging;
pub use recall::Overwritten;
pub use session::Checked;
pub use snapshot::{Damage, Snapshot};
pub use store::{Options, Store};
pub use unsent::UnsentFile;
pub use upkeep::{MAX_POSITION_HEADS, Purged};
pub use write_back::HeadPositions;
