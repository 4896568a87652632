//! Who may do what, and whether signatures hold: asks the programs that git is configured to ask, offline, and remembers their answers.
//!
//! Nothing here signs, and nothing here asks a person anything.

mod check_environment;
mod checker;
mod claim;
mod finding_cache;
mod openpgp;
pub(crate) mod pace;
pub(crate) mod rules;
mod settings;
mod ssh;
mod temporary_files;

pub use checker::{Checker, MAX_JUDGED};
pub use claim::{Claim, Finding, KeyOwner};
pub use rules::{AgentLevel, AgentReads};
pub use settings::{Settings, expand};
