//! The demo: a story in scenes, on a stage that vanishes.
//!
//! A scene is one function. It explains what it does, does it with real commands, and checks the result: if
//! the demo plays to its end, all checks passed. No other command uses this module.

mod branch_scenes;
mod listed_comments;
mod play;
mod process;
mod scenes;
mod stage;
mod work_scenes;

pub use play::play;
