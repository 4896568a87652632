//! Reads refs and their reflogs. Moving a ref is `durable_write`'s work.

pub(super) mod branch_renames;
pub(super) mod last_checkout;
pub(super) mod name;
pub(super) mod read;
