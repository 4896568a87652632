//! What the tests of several rooms need: sealed repositories, and a way to say what a machine lacks.
//!
//! No checks of postil itself: those are the tests.
#![allow(dead_code, unused_imports, reason = "each test binary uses its own part of this")]

mod branches;
pub mod damage;
mod reviews;
mod sandbox;
#[path = "../../../tests/support/skip.rs"]
mod skip;

pub use branches::{Asked, full};
pub use reviews::{alice, binary_comment, by_alice, comment, options, purge_of};
pub use sandbox::{Checkout, Sandbox, committer, impatient, log, patient};
pub use skip::skipped;
