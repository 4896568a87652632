//! The user's own git as the way to the remotes: with their credentials, ssh settings and proxies.
//!
//! What is exchanged, and when, is decided elsewhere; here git is started, watched and understood.

mod git;
mod said;

pub use git::{GitTransport, Manner};
