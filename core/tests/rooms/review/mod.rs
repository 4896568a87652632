//! Reviews and their branches, and which threads are seen from where.

mod cut_off;
mod following;
mod merged;
mod noticing;
mod opening;
mod patches;
mod since;
mod very_many;
mod visible_threads;
