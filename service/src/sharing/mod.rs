//! When reviews may be exchanged in the background, what that could give away, and how it last ended.
//!
//! Nothing here fetches or pushes: `transport` does.

mod exposure;
mod policy;
mod trouble;

pub use exposure::at_risk;
pub(crate) use exposure::{SPARING, leads_to, pushing_all, unspared};
pub use policy::{Policy, pause};
pub(crate) use trouble::trouble;
pub use trouble::{NOBODY, made_good, note};
