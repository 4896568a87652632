//! The daemon as clients and the machine see it: how soon, how fast for how many, and what it costs to have it.

mod comments;
mod counted;
mod idle;
mod lists;
mod moves;
mod run;
mod served;

pub use run::run;
pub use served::{Commented, Daemon};
