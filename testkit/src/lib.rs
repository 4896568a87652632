//! What the tests of several crates need: sealed repositories, random numbers, waiting, system calls that fail, and honest skips.
//!
//! No checks of postil itself: those are the tests. Only tests and benchmarks depend on this crate. What needs the
//! binaries is in `tests/support`, since cargo tells only the tests of a crate where its binaries are.

#![allow(clippy::unwrap_used, reason = "a fixture that fails is a test that fails")]
#![allow(clippy::new_without_default, reason = "a fixture is made by a test, which says so")]
#![allow(missing_docs, reason = "most of a fixture is what its name says; docs are for the rest")]

mod branches;
pub mod chromium;
pub mod damage;
mod dice;
pub mod histories;
mod object_world;
mod reviews;
mod sandbox;
mod skip;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod tracer;
mod waiting;

pub use branches::{Asked, full};
pub use dice::Dice;
pub use object_world::{Files, ObjectWorld, shown, unmark};
pub use reviews::{alice, binary_comment, by_alice, comment, options, purge_of};
pub use sandbox::{Checkout, Sandbox, committer, impatient, log, patient};
pub use skip::skipped;
pub use waiting::{LONG_ENOUGH, wait_at_most, wait_for, wait_until};
