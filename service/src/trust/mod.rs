//! Whether signatures hold: asks the programs that git is configured to ask, offline, and remembers their answers.
//!
//! Nothing here signs, and nothing here asks a person anything.

mod checker;
mod claim;
mod errand;
mod memory;
mod openpgp;
mod scratch;
mod settings;
mod ssh;

pub use checker::{Checker, MAX_JUDGED};
pub use claim::{Claim, Finding, Signer};
pub use settings::{Settings, expand};
