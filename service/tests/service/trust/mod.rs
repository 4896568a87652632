//! Signatures, judged by the real programs: who is believed, and who is not.

mod openpgp;
mod people;
mod ssh;
