//! `postil lsp` as an editor meets it: how long after a key a thread is at its place, how long until its state is known, how soon
//! the threads of a file are there, and what it costs at rest.

mod editor;
mod opening;
mod rest;
mod run;

pub use run::run;
