//! Reads a line of code by the table of its language.

mod heredoc;
mod keys;
mod line;
mod number;
mod quotes;
mod state;
mod strings;

pub(crate) use line::line;
pub(crate) use state::CodeState;
