//! Exchanges reviews with remotes in the background, for those who asked for it.
//!
//! `postil.autosync` says when. Nothing here may ask a person anything or wait for ever; what fails is written down for
//! `postil status`, and tried again later and later.

mod errand;
mod schedule;

pub(crate) use errand::{Errand, keep_sharing};
