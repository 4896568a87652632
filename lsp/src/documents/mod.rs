//! The documents that are open in the editor: their texts, what is on disk, and what the editor says about them.

pub(crate) mod disk_form;
pub(crate) mod document;
pub(crate) mod messages;
pub(crate) mod span;
