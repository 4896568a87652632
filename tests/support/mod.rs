//! What the scenarios stand on: sealed worlds, finished commands, running daemons, honest skips.
//!
//! `world.rs` and `skip.rs` know nothing of the binaries, so that the tests of other crates can take them in by
//! their paths.

pub mod finished;
pub mod forms;
pub mod postil;
pub mod running;
pub mod served;
pub mod skip;
pub mod world;
