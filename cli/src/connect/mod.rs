//! From a command to `postil_client`, and from its errors back to words of the command line.

mod daemon;
mod session;
mod session_errors;

pub use daemon::{connect, hint, refused};
pub use session::{Acting, CommandSession};
pub use session_errors::{find_checkout, renamed, session_failed};
