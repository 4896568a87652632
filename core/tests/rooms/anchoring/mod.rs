//! The anchoring engine against real objects: what must be true of positions, rule by rule.

mod attributes;
mod bounds;
mod columns;
mod determinism;
mod encodings;
mod files;
mod identity;
mod lines;
mod messages;
mod missing;
mod partial;
mod renames;
mod reuse;
mod rewritten;
mod statements;
