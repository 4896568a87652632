//! Comments on added, kept and deleted lines, while real git rewrites the change that they are on.
//!
//! What one comparison finds is tested with the engine; here it is what people do to branches.

mod bases;
mod batch;
pub mod change;
mod files;
mod rewrites;
mod rules;
mod weight;
