//! Files of the work tree: all that belong together are written, or none, and there is a way back.
//!
//! What is to be written is decided elsewhere. HEAD and branches are not touched here, and of the index only what is
//! put back.

mod index;
mod landing;
mod target;
mod way_back;

pub use index::{git, no_git};
pub use landing::{Staging, land};
pub use way_back::{is_last, skip, undo};
