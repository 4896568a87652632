//! The anchoring engine against real objects: what must be true of positions, rule by rule.

#![allow(clippy::unwrap_used, reason = "a fixture that fails is a test that fails")]

mod bounds;
mod columns;
mod determinism;
mod encodings;
mod files;
mod identity;
mod lines;
mod missing;
mod partial;
mod renames;
mod reuse;
mod rewriting;
mod rewritten;
mod statements;
mod story;
mod world;
