//! Signs what a person writes, with the key and the programs that git signs their commits with.
//!
//! Here, in the process of the client, where a program can ask for a passphrase. Whether a signature is valid is the
//! service's `trust`.

mod key;
mod openpgp;
mod signer;
mod ssh;

pub use signer::GitSigner;
