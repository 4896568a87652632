//! Finds commented lines again: takes anchors and a head, and gives positions.
//!
//! Pure and deterministic: the same objects give the same positions on every machine, in any
//! order and on any number of threads. Nothing here writes, and nothing looks at a clock. Which
//! threads a head sees and where positions are kept is not this room's business.

pub mod prose;
