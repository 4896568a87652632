//! From a command to `postil_client`, and from its errors back to words of the command line.

mod daemon;
mod session;
mod words;

pub use daemon::{connect, hint, refused};
pub use session::CommandSession;
pub use words::{find_checkout, renamed};
