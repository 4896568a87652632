//! The anchoring engine against real objects: what must be true of positions, rule by rule.

mod bounds;
mod determinism;
mod files;
mod identity;
mod lines;
mod missing;
mod world;
