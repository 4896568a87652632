//! `postil daemon …`: the same binary in its other role, and how it is started, looked at and ended.

mod command;
mod install;
mod life;
mod logs;
mod run;
mod status;
mod unit;

pub use command::{DaemonCommand, run};
