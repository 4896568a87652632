//! `postil agent …`: what coding agents need to work with reviews, apart from the commands that everybody has.
//!
//! Texts that tell an agent how, the stop hooks of five agents, and the one command behind these hooks.

mod command;
mod hook;
mod hook_input;
mod install;
mod json_text;
mod known_agent;
mod session_marks;

pub use command::{AgentCommand, run};
