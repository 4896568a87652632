//! Locates the review comments of a Gerrit-hosted repository in later patch sets of their changes.
//!
//! Nothing but git is read: Gerrit keeps its reviews in `refs/changes` (NoteDb). What people were talking about is a
//! rewritten history in nearly every case, since the next patch set is the amended commit.

mod answers;
mod draw;
mod git_diff;
mod notedb;
mod options;
mod report;
mod run;
mod sample;

pub use run::run;
