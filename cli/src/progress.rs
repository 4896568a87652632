//! A line on the terminal that says what takes so long, and is gone when it is done.
//!
//! It goes to standard error, if that is a terminal; results never pass through here. A crate for progress
//! bars would replace ten of these thirty lines.

use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// An operation that takes less time shows no progress.
const HALF_A_SECOND: Duration = Duration::from_millis(500);

/// Between two looks at how far it is.
const BETWEEN: Duration = Duration::from_millis(100);

/// Takes what was written on the line away.
const ERASE: &str = "\r\u{1b}[K";

/// Whether a progress line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On the terminal.
    Shown,
    /// There is no terminal, or `--quiet` was given.
    Hidden,
}

impl Progress {
    /// Shows progress on a terminal that can erase a line, unless the command is quiet.
    pub fn new(is_quiet: bool) -> Self {
        let term = std::env::var_os("TERM");
        let can_erase = term.is_some_and(|term| term != "dumb");
        if !is_quiet && can_erase && io::stderr().is_terminal() { Self::Shown } else { Self::Hidden }
    }

    /// Does something that may take long.
    pub fn during<T>(self, what: &str, work: impl FnOnce() -> T) -> T {
        if self == Self::Hidden {
            return work();
        }
        thread::scope(|scope| {
            let (running, ended) = mpsc::channel::<()>();
            scope.spawn(move || print_progress(what, &ended, &mut io::stderr()));
            let done = work();
            // Also after a panic: the line is erased before anything else is printed.
            drop(running);
            done
        })
    }

    /// Does something in which another program may ask a question on the terminal.
    ///
    /// It is printed once, at the start, so that prompts stay readable.
    pub fn before_questions<T>(self, what: &str, work: impl FnOnce() -> T) -> T {
        if self == Self::Hidden {
            return work();
        }
        // Who cannot read it misses no result.
        let _ = write!(io::stderr(), "{what}…");
        let done = work();
        let _ = write!(io::stderr(), "{ERASE}");
        done
    }
}

/// Prints the line after half a second, until the other end of the channel is dropped.
fn print_progress(what: &str, ended: &Receiver<()>, out: &mut impl Write) {
    let began = Instant::now();
    let mut patience = HALF_A_SECOND;
    let mut is_told = false;
    while ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        let line = format!("{ERASE}{what}… {} s", began.elapsed().as_secs());
        // One write each, so that it mixes with nothing; who cannot read it misses no result.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        is_told = true;
        patience = BETWEEN;
    }
    if is_told {
        let _ = out.write_all(ERASE.as_bytes()).and_then(|()| out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_soon_is_not_told() {
        let (running, ended) = mpsc::channel();
        drop(running);
        let mut out = Vec::new();
        print_progress("importing", &ended, &mut out);
        assert_eq!(out, b"");
    }

    /// A terminal that ends the work after the first line.
    struct Ends(Vec<u8>, Option<mpsc::Sender<()>>);

    impl Write for Ends {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = None;
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_takes_long_is_told_and_taken_away_again() {
        let (running, ended) = mpsc::channel();
        let mut out = Ends(Vec::new(), Some(running));
        print_progress("exporting", &ended, &mut out);
        assert_eq!(String::from_utf8_lossy(&out.0), "\r\u{1b}[Kexporting… 0 s\r\u{1b}[K");
    }
}
