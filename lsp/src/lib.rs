//! `postil lsp`: review comments in every editor that speaks the Language Server Protocol.
//!
//! A client of the service, like the command line: it speaks to an editor over standard input and output, keeps the
//! documents that are open, and moves the places of their threads with every key (`postil_live`). States come from the
//! service alone. Nothing else is ever printed to standard output.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod asking;
mod capabilities;
mod commands;
mod documents;
mod extension;
mod requests;
mod server;
mod setup;
mod shown;
mod texts;
mod told;
mod uri;

pub use server::{ServeError, run, serve};
pub use setup::{SetupEditor, setup};
