//! The commands that an editor runs: they write, edit, jump or show something.

pub(crate) mod apply;
pub(crate) mod choose;
pub(crate) mod command;
pub(crate) mod execute;
pub(crate) mod jump;
mod list;
pub(crate) mod marked;
pub(crate) mod original;
