//! Exchanges reviews with remotes in the background, for those who asked for it.
//!
//! `postil.autosync` says when. Nothing here may ask a person anything or wait for ever; what fails is written down for
//! `postil status`, and tried again later and later.

mod errand;
mod exposure;
mod policy;
mod schedule;
mod trouble;

pub(crate) use errand::{Errand, keep_sharing};
pub use exposure::at_risk;
pub(crate) use exposure::{SPARING, leads_to, pushing_all, unspared};
pub(crate) use policy::Policy;
pub use trouble::made_good;
pub(crate) use trouble::trouble;
