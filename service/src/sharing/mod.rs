//! When reviews may be exchanged in the background, what that could give away, and how it last ended.
//!
//! `exchange` puts together what that takes; `git_transport` starts the user's own git, with their credentials, ssh settings and proxies.

mod exchange;
mod git_output;
mod git_transport;
mod last_failures;
mod policy;
mod remote_notes;
mod risky_settings;

pub(crate) use exchange::Exchange;
pub use exchange::{BackgroundLimits, exchange_in_background, meant_remotes};
pub use git_transport::{GitTransport, Interaction};
pub use last_failures::NOBODY;
pub(crate) use last_failures::{SyncFailure, last_failures};
pub use policy::{Policy, pause};
pub(crate) use remote_notes::ComparedNotes;
pub(crate) use risky_settings::{SPARING, at_risk, leads_to, pushing_all, unspared};
