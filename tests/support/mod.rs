//! What the scenarios stand on: sealed worlds, finished commands, running daemons.
//!
//! What needs no binary is in `postil-testkit`.

pub mod finished;
pub mod forms;
pub mod language_server;
pub mod mcp;
pub mod postil;
pub mod real_editors;
pub mod running;
pub mod served;
pub mod tmux;
pub mod world;
