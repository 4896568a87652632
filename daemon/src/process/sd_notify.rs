//! What the daemon reports to a service manager: that it is ready, that it lives, that it ends (`sd_notify(3)`).
//!
//! Without one, nothing is said and nothing fails.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of the service manager that started this process, if there is one.
#[derive(Debug)]
pub(crate) struct SdNotify {
    line: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl SdNotify {
    /// The one that the environment names; an invalid name counts as none.
    pub(crate) fn of_this_process() -> Self {
        Self::find(|name| std::env::var_os(name), std::process::id())
    }

    fn find(variable: impl Fn(&str) -> Option<OsString>, pid: u32) -> Self {
        let line = variable("NOTIFY_SOCKET").and_then(|name| match open(&name) {
            Ok(line) => Some(line),
            Err(error) => {
                tracing::warn!(%error, "could not open NOTIFY_SOCKET");
                None
            }
        });
        let number = |name: &str| variable(name)?.to_str()?.parse::<u64>().ok();
        let for_another = number("WATCHDOG_PID").is_some_and(|meant| meant != u64::from(pid));
        let watchdog = number("WATCHDOG_USEC").filter(|micros| *micros > 0 && !for_another);
        Self { line, watchdog: watchdog.map(Duration::from_micros) }
    }

    /// How often [`SdNotify::alive`] is to be said: twice in the time after which silence counts as death.
    pub(crate) fn pulse(&self) -> Option<Duration> {
        self.line.as_ref()?;
        self.watchdog.map(|limit| limit / 2)
    }

    /// Clients can be served.
    pub(crate) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// The configuration is being read again; [`SdNotify::ready`] follows.
    pub(crate) fn reloading(&self) {
        self.send("RELOADING=1");
    }

    /// No new clients are served.
    pub(crate) fn stopping(&self) {
        self.send("STOPPING=1");
    }

    /// The daemon answers.
    pub(crate) fn alive(&self) {
        self.send("WATCHDOG=1");
    }

    fn send(&self, words: &str) {
        let Some((socket, address)) = &self.line else { return };
        if let Err(error) = socket.send_to_addr(words.as_bytes(), address) {
            tracing::warn!(%error, "could not notify the service manager");
        }
    }
}

fn open(name: &OsStr) -> io::Result<(UnixDatagram, SocketAddr)> {
    let socket = UnixDatagram::unbound()?;
    // A manager that does not read must not stop the daemon.
    socket.set_nonblocking(true)?;
    Ok((socket, address(name)?))
}

fn address(name: &OsStr) -> io::Result<SocketAddr> {
    #[cfg(target_os = "linux")]
    if let Some(name) = name.as_bytes().strip_prefix(b"@") {
        use std::os::linux::net::SocketAddrExt as _;
        return SocketAddr::from_abstract_name(name);
    }
    SocketAddr::from_pathname(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(manager: &UnixDatagram) -> String {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    }

    #[test]
    fn a_manager_hears_that_the_daemon_is_ready_and_lives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = UnixDatagram::bind(&path).unwrap();
        let variable = |name: &str| match name {
            "NOTIFY_SOCKET" => Some(path.clone().into_os_string()),
            "WATCHDOG_USEC" => Some("4000000".into()),
            "WATCHDOG_PID" => Some("42".into()),
            _ => None,
        };
        let sd_notify = SdNotify::find(variable, 42);
        assert_eq!(sd_notify.pulse(), Some(Duration::from_secs(2)));
        sd_notify.ready("serving");
        assert_eq!(received(&manager), "READY=1\nSTATUS=serving");
        sd_notify.alive();
        assert_eq!(received(&manager), "WATCHDOG=1");
        assert_eq!(SdNotify::find(variable, 43).pulse(), None);
    }

    #[test]
    fn nobody_is_told_where_nobody_supervises() {
        let alone = SdNotify::find(|_| None, 42);
        assert_eq!(alone.pulse(), None);
        alone.ready("serving");
        let gone = SdNotify::find(|name| (name == "NOTIFY_SOCKET").then(|| "/nowhere/notify".into()), 42);
        gone.stopping();
    }
}
