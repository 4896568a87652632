//! The command line as a person meets it: whole processes, from their start to their end.

mod dirty;
mod first;
mod import;
mod run;
mod task;
mod waiting;
mod woven;

pub use run::run;
