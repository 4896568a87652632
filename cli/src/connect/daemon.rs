//! The way from a command to the daemon of its user, and whether it is to be taken.
//!
//! Where the socket is and who starts a daemon is told in `postil_socket`; what is said over it is the
//! protocol's business.

use postil_protocol::{Client, ClientError, FaultCode, Hello, Welcome};
use postil_socket::{ConnectError, PendingConnect, RuntimeDirs, SocketError, Start};

use super::folder::Folder;
use crate::failure::{Failure, Kind};

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether a daemon is started where none runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is, detached.
    Start,
    /// It is not.
    Leave,
}

/// Whether a repository's commands go to the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// They do, where there is a way.
    Yes,
    /// They run the service themselves.
    No,
}

impl Wanted {
    /// What `POSTIL_DAEMON` says, which goes before all settings.
    pub fn in_environment() -> Option<Self> {
        let said = std::env::var("POSTIL_DAEMON").ok().filter(|word| !word.is_empty());
        said.map(|said| Self::of(Some(&said)))
    }

    /// What `POSTIL_DAEMON` says, else `postil.daemon`; a daemon is wanted unless one of them says no.
    pub fn in_folder(folder: &Folder) -> Self {
        Self::in_environment().unwrap_or_else(|| Self::of(folder.setting("postil.daemon").as_deref()))
    }

    fn of(word: Option<&str>) -> Self {
        let no = ["off", "no", "false", "never", "0"];
        match word {
            Some(word) if no.iter().any(|no| word.eq_ignore_ascii_case(no)) => Self::No,
            _ => Self::Yes,
        }
    }
}

/// Connects to the daemon of this user.
pub fn connect(missing: Missing) -> Result<(Client, Welcome), ConnectError> {
    Knock::now().answered(missing)
}

/// A hello to the daemon of this user, which it answers while this process does other things.
#[derive(Debug)]
pub struct Knock(Result<PendingConnect, SocketError>);

impl Knock {
    /// Says hello, if a daemon runs.
    pub fn now() -> Self {
        Self(RuntimeDirs::of_this_user().map(|dirs| PendingConnect::begin(dirs, hello())))
    }

    /// Waits to be let in.
    pub fn answered(self, missing: Missing) -> Result<(Client, Welcome), ConnectError> {
        let pending = self.0?;
        match missing {
            Missing::Leave => pending.finish(Start::Never),
            Missing::Start => {
                let program =
                    std::env::current_exe().map_err(|error| ConnectError::NotStarted(error.to_string()))?;
                pending.finish(Start::With(&program))
            }
        }
    }
}

fn hello() -> Hello {
    Hello::new("postil", VERSION)
}

/// What it means to a person that there is no connection.
pub fn refused(error: ConnectError) -> Failure {
    let hint = match &error {
        ConnectError::Socket(error) => hint(error),
        ConnectError::NotRunning => "start it with `postil daemon start`",
        ConnectError::NotStarted(_) => "run `postil daemon run` to see why",
        ConnectError::NoAnswer(_) => {
            "end it with `postil daemon stop`, or kill the process that `postil daemon status` names"
        }
        ConnectError::Refused(ClientError::Fault(fault)) if fault.code == FaultCode::Busy => {
            "end what holds on to it, such as `postil watch` and editors"
        }
        ConnectError::Refused(_) => "run `postil daemon restart`",
    };
    Failure::new(Kind::Unavailable, "there is no connection to the daemon").because(error).hint(hint)
}

/// What a person can do about folders that the daemon cannot use.
pub fn hint(error: &SocketError) -> &'static str {
    match error {
        SocketError::TooLong { .. } => {
            "set POSTIL_RUNTIME_DIR to a folder with a short path, or turn the daemon off with `git config --global postil.daemon off`"
        }
        SocketError::Open { .. } => "run `chmod 700` on it, if you know that nobody else put anything there",
        SocketError::Foreign { .. } | SocketError::NoFolder { .. } => {
            "remove it, or set POSTIL_RUNTIME_DIR to a folder that is yours alone"
        }
        SocketError::Relative { .. } => "give a path that begins with a slash",
        SocketError::Homeless => "set HOME or XDG_STATE_HOME",
        SocketError::Taken { .. } => "look at it with `postil daemon status`",
        SocketError::Folder { .. } | SocketError::Listen { .. } | SocketError::Passed(_) => {
            "set POSTIL_RUNTIME_DIR to a folder that can be written, or turn the daemon off with `git config --global postil.daemon off`"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_is_wanted_unless_somebody_says_no() {
        assert_eq!(Wanted::of(None), Wanted::Yes);
        assert_eq!(Wanted::of(Some("on")), Wanted::Yes);
        assert_eq!(Wanted::of(Some("Off")), Wanted::No);
        assert_eq!(Wanted::of(Some("false")), Wanted::No);
    }
}
