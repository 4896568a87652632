//! Review comments that live in a git repository and stay attached to its code.
//!
//! Everything here is true without a process: no runtime, no socket, no printing, no clock.
//! Rooms use the rooms to their left only:
//!
//! ```text
//! edit ─► git ─► record ─► notes ─► anchoring ─► patch ─► suggestion ─► review ─► sync
//! ```

#![forbid(unsafe_code)]
// Time, randomness, the environment and the working directory arrive as arguments; clippy.toml has the list.
#![deny(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

pub mod anchoring;
pub mod edit;
pub mod git;
pub mod notes;
pub mod patch;
pub mod record;
pub mod review;
pub mod suggestion;
pub mod sync;
