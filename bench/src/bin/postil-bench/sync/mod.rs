//! Exchanging reviews: against the bare git commands that it cannot do without, and the bytes that it must send.

mod apart;
mod idle;
mod run;
mod transfer;

pub use run::run;
