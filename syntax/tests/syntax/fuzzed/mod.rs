//! The fuzz target of the lexer as an ordinary test: its corpus, and thousands of mutations of it.
//!
//! Deterministic: the same inputs on every machine, so that a failure can be repeated. The bodies are those of `fuzz/`.

#[path = "../../../../fuzz/src/dice.rs"]
mod dice;
#[path = "../../../../fuzz/src/mutated.rs"]
mod mutated;
#[path = "../../../../fuzz/src/syntax.rs"]
mod syntax;
#[path = "../../../../fuzz/src/thrown.rs"]
mod thrown;

mod sources;
