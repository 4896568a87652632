//! Errors in one line, as an editor shows them.

use std::error::Error;
use std::fmt::Write as _;

/// An error with its causes.
pub(crate) fn told(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let _ = write!(told, ": {source}");
        cause = source.source();
    }
    told
}
