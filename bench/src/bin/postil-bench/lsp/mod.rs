//! `postil lsp` as an editor meets it: how long after a key a thread is at its place, and how long until its state is known.

mod editor;
mod run;

pub use run::run;
