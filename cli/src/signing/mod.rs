//! Signs what a person writes, with the key and the programs that git signs their commits with.
//!
//! Here, in the process of the command, where a program can ask for a passphrase. Whether a signature holds is the
//! daemon crate's `trust`.

mod key;
mod openpgp;
mod signer;
mod ssh;

pub use signer::GitSigner;
