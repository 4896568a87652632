//! Stories of the review page in a real browser, against the real binary and the real git; one file each.
//!
//! `tests/browser/install` installs the browser; without one, each story is skipped and counted.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the scenarios use the rest")]
mod support;

mod accessible;
mod at_once;
mod bounded;
mod chromium;
mod commits;
mod company;
mod forwarded;
mod hostile;
mod lasting;
mod later;
mod laying_out;
mod living;
mod opened;
mod prose;
mod reading;
mod selecting;
mod since;
mod suggesting;
mod tending;
mod viewing;
mod writing;
