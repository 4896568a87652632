//! When reviews may be exchanged in the background, what that could give away, and how it last ended.
//!
//! `exchange` puts together what that takes; `transport` starts git.

mod exchange;
mod exposure;
mod policy;
mod trouble;

pub(crate) use exchange::Exchange;
pub use exchange::{BackgroundLimits, exchange_in_background, meant_remotes};
pub(crate) use exposure::{SPARING, at_risk, leads_to, pushing_all, unspared};
pub use policy::{Policy, pause};
pub use trouble::NOBODY;
pub(crate) use trouble::{Trouble, trouble};
