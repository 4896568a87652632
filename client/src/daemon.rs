//! The way from a client to the daemon of its user, and whether it is to be taken.
//!
//! Where the socket is and who starts a daemon is in `postil_socket`; what is sent over it is in the protocol.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use postil_protocol::{Client, Hello, ViaView, Welcome};
use postil_socket::{ConnectError, PendingConnect, RuntimeDirs, SocketError, Start};

use crate::checkout::Checkout;
use crate::error::SessionError;
use crate::via::DeclaredVia;

/// The version of this program: an older daemon makes room for it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The program that is a client, as it names itself to the daemon.
#[derive(Clone, Debug)]
pub struct ClientProgram {
    name: String,
    daemon: DaemonProgram,
    dirs: Option<RuntimeDirs>,
    via: Option<DeclaredVia>,
}

/// What a client starts as a daemon if none runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaemonProgram {
    /// The program that runs, which is `postil` itself.
    ThisProgram,
    /// The `postil` at this path.
    At(PathBuf),
    /// Nothing: a daemon is used if one runs.
    None,
}

/// Whether a daemon is started if none runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfNotRunning {
    /// It is, detached.
    Start,
    /// It is not.
    Leave,
}

/// Whether a repository's requests go to the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaemonSetting {
    /// They do, if there is one.
    On,
    /// They are answered in this process.
    Off,
}

impl DaemonSetting {
    /// What `POSTIL_DAEMON` says, which goes before all settings.
    pub fn in_environment() -> Option<Self> {
        let word = std::env::var("POSTIL_DAEMON").ok().filter(|word| !word.is_empty());
        word.map(|word| Self::of(Some(&word)))
    }

    /// What `POSTIL_DAEMON` says, otherwise `postil.daemon`; on unless one of them says no.
    pub fn of_checkout(checkout: &Checkout) -> Self {
        Self::in_environment().unwrap_or_else(|| Self::of(checkout.setting("postil.daemon").as_deref()))
    }

    fn of(word: Option<&str>) -> Self {
        let no = ["off", "no", "false", "never", "0"];
        match word {
            Some(word) if no.iter().any(|no| word.eq_ignore_ascii_case(no)) => Self::Off,
            _ => Self::On,
        }
    }
}

impl ClientProgram {
    /// A program of this name, which the daemon's log shows, and what it starts as a daemon if none runs.
    pub fn new(name: impl Into<String>, daemon: DaemonProgram) -> Self {
        Self { name: name.into(), daemon, dirs: None, via: None }
    }

    /// Looks for the daemon in these folders, and not in those of this process's user.
    #[must_use]
    pub fn at(self, dirs: RuntimeDirs) -> Self {
        Self { dirs: Some(dirs), ..self }
    }

    /// Declares who acts, whatever the environment says.
    #[must_use]
    pub fn acting_via(self, via: DeclaredVia) -> Self {
        Self { via: Some(via), ..self }
    }

    /// The program that acts, as it or the environment declares it, if it is not a person by hand.
    pub fn declared(&self) -> Option<ViaView> {
        DeclaredVia::of_reader(&self.declaration())
    }

    /// Who acts, or a declaration that is not understood.
    pub(crate) fn declaration(&self) -> Result<DeclaredVia, String> {
        let declared = self.via.clone().map_or_else(DeclaredVia::in_environment, Ok);
        declared.map_err(|error| match error {
            SessionError::InvalidVia { text } => text,
            other => other.to_string(),
        })
    }

    /// Connects to the daemon of this user.
    pub fn connect(&self, missing: IfNotRunning) -> Result<(Client, Welcome), ConnectError> {
        self.finish(self.begin(), missing)
    }

    /// Sends `hello` to the daemon of this user, which answers while this process does other things.
    pub(crate) fn begin(&self) -> Result<PendingConnect, SocketError> {
        let hello = Hello::new(&self.name, VERSION);
        let dirs = self.dirs.clone().map_or_else(RuntimeDirs::of_this_user, Ok);
        dirs.map(|dirs| PendingConnect::begin(dirs, hello))
    }

    /// Waits for the welcome.
    pub(crate) fn finish(
        &self,
        begun: Result<PendingConnect, SocketError>,
        missing: IfNotRunning,
    ) -> Result<(Client, Welcome), ConnectError> {
        let pending = begun?;
        let started = |error: std::io::Error| ConnectError::NotStarted(error.to_string());
        match (missing, &self.daemon) {
            (IfNotRunning::Leave, _) | (_, DaemonProgram::None) => pending.finish(Start::Never),
            (IfNotRunning::Start, DaemonProgram::At(program)) => pending.finish(Start::With(program)),
            (IfNotRunning::Start, DaemonProgram::ThisProgram) => {
                let program = std::env::current_exe().map(still_there).map_err(started)?;
                pending.finish(Start::With(&program))
            }
        }
    }
}

/// Where a program that was replaced since it was started is now: Linux calls the file that it had deleted.
fn still_there(program: PathBuf) -> PathBuf {
    let name = program.as_os_str().as_bytes().strip_suffix(b" (deleted)");
    let replaced = name.map(|name| PathBuf::from(OsStr::from_bytes(name)));
    replaced.filter(|path| !program.exists() && path.exists()).unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_replaced_is_found_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (program, deleted) = (folder.path().join("postil"), folder.path().join("postil (deleted)"));
        assert_eq!(still_there(deleted.clone()), deleted);
        std::fs::write(&program, "").unwrap();
        assert_eq!(still_there(deleted.clone()), program);
        assert_eq!(still_there(program.clone()), program);
        std::fs::write(&deleted, "").unwrap();
        assert_eq!(still_there(deleted.clone()), deleted);
    }

    #[test]
    fn a_daemon_is_used_unless_a_setting_says_no() {
        assert_eq!(DaemonSetting::of(None), DaemonSetting::On);
        assert_eq!(DaemonSetting::of(Some("on")), DaemonSetting::On);
        assert_eq!(DaemonSetting::of(Some("Off")), DaemonSetting::Off);
        assert_eq!(DaemonSetting::of(Some("false")), DaemonSetting::Off);
    }
}
