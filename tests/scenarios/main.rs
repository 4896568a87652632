//! Stories from end to end, against the real binaries and the real git; one file each.

#[path = "../support/mod.rs"]
mod support;

mod daemon;
mod demo;
mod usage;
