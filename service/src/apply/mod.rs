//! Writes the files of a plan, all of them or none, and stores how to undo it.
//!
//! What is to be written is decided elsewhere. This runs in the process of the person who asks: it writes their work
//! tree and starts their git. HEAD and branches are not touched, unless a commit is asked for.

pub(crate) mod checked_file;
pub(crate) mod git_index;
pub(crate) mod record_change;
pub(crate) mod undo_entry;
pub(crate) mod undo_journal;
pub(crate) mod write_files;
