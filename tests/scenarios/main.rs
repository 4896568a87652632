//! Stories from end to end, against the real binaries and the real git; one file each.

#[path = "../support/mod.rs"]
mod support;

mod commenting;
mod daemon;
mod demo;
mod hostile;
mod readme;
mod reviewing;
mod shells;
mod usage;
