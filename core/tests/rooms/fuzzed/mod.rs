//! The fuzz targets as ordinary tests: their corpus, and thousands of mutations of it.
//!
//! Deterministic: the same inputs on every machine, so that a failure can be repeated. The bodies are those of `fuzz/`.

#[path = "../../../../fuzz/src/dice.rs"]
mod dice;
#[path = "../../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../../fuzz/src/note_page.rs"]
pub mod note_page;
#[path = "../../../../fuzz/src/patch.rs"]
mod patch;
#[path = "../../../../fuzz/src/rebase.rs"]
mod rebase;
#[path = "../../../../fuzz/src/record.rs"]
mod record;
#[path = "../../../../fuzz/src/sealing.rs"]
pub mod sealing;
#[path = "../../../../fuzz/src/thrown.rs"]
mod thrown;

mod records;
mod suggestions;
