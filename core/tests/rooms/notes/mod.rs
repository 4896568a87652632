//! The store of records in notes: reading, writing, merging and healing it.

mod added_since;
mod drafts;
mod heal;
mod hostile;
mod merge;
mod open_merge;
mod overwritten;
mod pins;
mod positions;
mod pruned;
mod purge;
mod read;
mod repositories;
mod unreadable_tip;
mod write;
