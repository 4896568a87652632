//! Signatures, judged by the real programs: who is believed, and who is not.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

#[path = "../../../tests/support/skip.rs"]
mod skip;

mod openpgp;
mod people;
mod ssh;
