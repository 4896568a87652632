//! The demo: a story in scenes, on a stage that vanishes.
//!
//! A scene is one function. It tells what it does, does it with real commands, and checks each claim it makes: a
//! demo that plays to its end is a test that passed. Nothing here is used by any other command.

mod branch_scenes;
mod listed_comments;
mod play;
mod process;
mod scenes;
mod stage;
mod work_scenes;

pub use play::play;
