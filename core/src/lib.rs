//! Review comments that live in a git repository and stay attached to its code.
//!
//! Everything here is true without a process: no runtime, no socket, no printing, no clock.
//! Rooms use the rooms to their left only:
//!
//! ```text
//! edit ─► git ─► record ─► notes ─► anchoring ─► patch ─► review ─► sync
//! ```

pub mod anchoring;
pub mod edit;
pub mod git;
pub mod record;
