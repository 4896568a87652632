//! From a command to the service: which repository, who asks, and over what.
//!
//! What is asked is the commands' business. The service is the same one whether it runs in the daemon or here.

mod daemon;
mod folder;
mod identity;
mod parameters;
mod session;

pub use daemon::{Missing, VERSION, Wanted, connect, hint, refused};
pub use folder::{Folder, Located, Whereabouts, relative};
pub use identity::{Identity, now};
pub use session::Session;
