//! The daemon as clients and the machine see it: how soon, how fast for how many, and what it costs to have it.

mod changes;
mod comments;
mod counted;
mod idle;
mod lists;
mod moves;
mod races;
mod run;
mod served;

pub use counted::{Counted, own_memory};
pub use run::run;
pub use served::{Commented, Daemon};
