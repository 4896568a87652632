//! The laws of records and pages, seen from outside the room.

mod bodies;
mod encoding;
mod format_examples;
mod hiding;
mod hostile;
mod pages;
