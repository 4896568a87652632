//! The review page: a client of postil that a browser shows, on this machine and for this person alone.
//!
//! The server renders; scripts only fetch what it rendered anew. It asks the service through `postil-client` like every
//! other client, and knows nothing of records or of git. What keeps other people, other pages and rebound names out is
//! in `door`; nothing is answered that did not pass it.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod address;
mod assets;
mod browser;
mod door;
mod error;
mod escape;
mod instance;
mod lines;
mod live;
mod looks;
mod markdown;
mod pages;
mod routes;
mod run;
mod secret;
mod serving;
mod shown_view;
mod typed;
mod viewed;

pub use browser::open_in_browser;
pub use error::WebError;
pub use run::{Started, WebSettings, export, serve};
pub use shown_view::ShownView;
