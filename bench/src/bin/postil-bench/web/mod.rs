//! `postil web` as a browser shows it: how soon code is there, how many elements it takes, how it scrolls and answers keys.
//!
//! The pages of other tools show the same diffs in the same run, where those tools are installed.

mod happening;
mod measured_page;
mod rivals;
mod run;
mod server;
mod work;

pub use run::run;
