//! Exchanges reviews with remotes in the background, for those who asked for it.
//!
//! `postil.autosync` says when. Nothing here may ask a person anything or wait for ever; what fails is written down for
//! `postil status`, and tried again later and later.

mod background_sync;
mod schedule;

pub(crate) use background_sync::{BackgroundSync, keep_sharing};
