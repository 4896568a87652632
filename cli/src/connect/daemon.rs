//! The daemon, as commands connect to it, and what it means to a person that they cannot.

use postil_client::{ClientProgram, DaemonProgram, IfNotRunning};
use postil_protocol::{Client, ClientError, FaultCode, Welcome};
use postil_socket::{ConnectError, SocketError};

use crate::failure::{Failure, FailureKind};

/// This program, which is its own daemon.
pub fn this_program() -> ClientProgram {
    ClientProgram::new("postil", DaemonProgram::ThisProgram)
}

/// Connects to the daemon of this user.
pub fn connect(missing: IfNotRunning) -> Result<(Client, Welcome), ConnectError> {
    this_program().connect(missing)
}

/// What it means to a person that there is no connection.
pub fn refused(error: ConnectError) -> Failure {
    let hint = match &error {
        ConnectError::Socket(error) => hint(error),
        ConnectError::NotRunning => "start it with `postil daemon start`",
        ConnectError::NotStarted(_) => "run `postil daemon run` to see why",
        ConnectError::NoAnswer(_) => {
            "stop it with `postil daemon stop`, or kill the process that `postil daemon status` shows"
        }
        ConnectError::Refused(ClientError::Fault(fault)) if fault.code == FaultCode::Busy => {
            "close its clients, such as `postil watch` and editors"
        }
        ConnectError::Refused(_) => "run `postil daemon restart`",
    };
    Failure::new(FailureKind::Unavailable, "could not connect to the daemon").because(error).hint(hint)
}

/// What a person can do about folders that the daemon cannot use.
pub fn hint(error: &SocketError) -> &'static str {
    match error {
        SocketError::TooLong { .. } => {
            "set POSTIL_RUNTIME_DIR to a directory with a shorter path, or turn the daemon off with `git config --global postil.daemon off`"
        }
        SocketError::Open { .. } => "if you trust its contents, run `chmod 700` on it",
        SocketError::Foreign { .. } | SocketError::ForeignListener { .. } | SocketError::NoFolder { .. } => {
            "remove it, or set POSTIL_RUNTIME_DIR to a directory that only you can access"
        }
        SocketError::Relative { .. } => "use an absolute path",
        SocketError::Homeless => "set HOME or XDG_STATE_HOME",
        SocketError::Taken { .. } => "see `postil daemon status`",
        SocketError::Folder { .. }
        | SocketError::UnknownListener { .. }
        | SocketError::Listen { .. }
        | SocketError::Passed(_) => {
            "set POSTIL_RUNTIME_DIR to a writable directory, or turn the daemon off with `git config --global postil.daemon off`"
        }
    }
}
