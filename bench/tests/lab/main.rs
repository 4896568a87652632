//! The laboratory, as the real program.

#![allow(clippy::unwrap_used, reason = "a fixture that fails is a test that fails")]

mod gerrit;
mod sample;
