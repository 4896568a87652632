//! Everything that a client of postil needs, whatever it shows: which repository, who asks, and who answers.
//!
//! A client opens a [`Session`] and asks. Whether the daemon answers or the service in this process is the session's
//! business, and so is what happens when the daemon is restarted. No words of any client are here: an error says what
//! failed, and each client says what to do next. Nothing is leaked, so that a session can be used for days.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[cfg(feature = "async")]
mod async_connection;
#[cfg(feature = "async")]
mod async_session;
#[cfg(feature = "async")]
mod async_subscription;
mod caller;
mod checkout;
mod daemon;
mod error;
mod git_parameters;
mod identity;
mod in_process;
mod own_acts;
mod patch_text;
mod polling;
mod repository_args;
mod retry;
mod revision;
mod session;
mod session_start;
mod signing;
mod subscription;
mod via;

#[cfg(feature = "async")]
pub use async_session::AsyncSession;
#[cfg(feature = "async")]
pub use async_subscription::AsyncSubscription;
pub use checkout::{Checkout, Located, relative};
pub use daemon::{ClientProgram, DaemonProgram, DaemonSetting, IfNotRunning, VERSION};
pub use error::SessionError;
pub use identity::{Identity, now};
pub use own_acts::OwnActs;
pub use patch_text::{PatchTextError, patch_texts};
/// What a person allows their agents, as their own configuration says.
pub use postil_service::trust::AgentLevel;
pub use repository_args::{RepositoryArgs, git_dir_around};
pub use session::{Observer, Session};
pub use subscription::{SubscribeTo, Subscription};
pub use via::{AGENT_MARKS, DeclaredVia, NAMING_MARKS, VIA_VARIABLE};
