//! Reviews travel between clones through real remotes, with the real git.

mod convergence;
mod cut_off;
mod drafts;
mod exchanges;
mod files;
mod hostile;
mod http;
mod refusals;
mod ssh;
mod team;
mod transports;
