//! Files of the work tree: all that belong together are written, or none, and there is a way back.
//!
//! What is to be written is decided elsewhere. HEAD, the index and branches are not touched here.

mod landing;
mod target;
mod way_back;

pub use landing::land;
pub use way_back::undo;
