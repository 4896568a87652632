//! Signals, as messages: what a person or a service manager wants of the whole process.

use std::io;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio::sync::mpsc;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalRequest {
    /// Finish and end.
    Stop,
    /// Read the configuration again.
    Reload,
}

/// Hears SIGTERM, SIGINT and SIGHUP, until the process ends.
pub(crate) fn listen() -> io::Result<mpsc::UnboundedReceiver<SignalRequest>> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let request = if signal == SIGHUP { SignalRequest::Reload } else { SignalRequest::Stop };
            if sender.send(request).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}
