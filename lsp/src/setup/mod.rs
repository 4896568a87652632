//! The configuration that makes an editor start this program, as a person copies it.

mod editor_setup;
mod helix;

pub use editor_setup::{SetupEditor, setup};
