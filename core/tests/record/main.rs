//! The laws of records and pages, seen from outside the room.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in the functions it calls")]

mod bodies;
mod encoding;
mod fuzzed;
mod hiding;
mod hostile;
mod pages;

#[path = "../../../fuzz/src/dice.rs"]
mod dice;
#[path = "../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../fuzz/src/note_page.rs"]
mod note_page;
#[path = "../../../fuzz/src/record.rs"]
mod record;
#[path = "../../../fuzz/src/sealing.rs"]
mod sealing;
#[path = "../../../fuzz/src/thrown.rs"]
mod thrown;
