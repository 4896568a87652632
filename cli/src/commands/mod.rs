//! What each command does, one file each: its words, and its run.

pub mod daemon;
pub mod demo;
