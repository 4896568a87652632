//! The two folders of a user's daemon: one for the socket, which ends with the session, and one for what stays.
//!
//! Where they are follows from the environment alone, so that every client of a user looks in the same place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::SocketError;
use super::folder;

/// The longest path that a socket address holds, with its closing zero: 108 bytes on Linux, 104 elsewhere.
const ADDRESS_BYTES: usize = if cfg!(target_os = "linux") { 108 } else { 104 };

/// Where a user's daemon listens, and where it keeps what it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeDirs {
    runtime: PathBuf,
    state: PathBuf,
}

impl RuntimeDirs {
    /// The folders of this process's user.
    pub fn of_this_user() -> Result<Self, SocketError> {
        let user = rustix::process::geteuid().as_raw();
        let temporary = std::env::temp_dir();
        Self::find(|name| std::env::var_os(name), user, &temporary)
    }

    /// The folders that these variables, this user and this folder for temporary files give.
    ///
    /// `POSTIL_RUNTIME_DIR` and `POSTIL_STATE_DIR` name the folders directly. Otherwise the XDG variables do;
    /// if they are not set (in a cron job, a bare login), the runtime folder that the system made for the
    /// user is used, and as a last resort a folder of our own in the directory for temporary files.
    fn find(
        variable: impl Fn(&str) -> Option<OsString>,
        user: u32,
        temporary: &Path,
    ) -> Result<Self, SocketError> {
        let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        // The XDG standard says to ignore its own variables if they are relative; ours were set on purpose.
        let ours = |name: &'static str| match variable(name).map(PathBuf::from) {
            Some(path) if path.as_os_str().is_empty() => Ok(None),
            Some(path) if path.is_relative() => Err(SocketError::Relative { name, path }),
            path => Ok(path),
        };
        let runtime = ours("POSTIL_RUNTIME_DIR")?
            // One that is missing is the session's to make, and another program may do so with rights of its own.
            .or_else(|| Some(absolute("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir())?.join("postil")))
            .or_else(|| {
                let made_by_the_system = PathBuf::from(format!("/run/user/{user}"));
                folder::check(&made_by_the_system).is_ok().then(|| made_by_the_system.join("postil"))
            })
            .unwrap_or_else(|| temporary.join(format!("postil-{user}")));
        let state = ours("POSTIL_STATE_DIR")?
            .or_else(|| Some(absolute("XDG_STATE_HOME")?.join("postil")))
            .or_else(|| Some(absolute("HOME")?.join(".local/state/postil")))
            .ok_or(SocketError::Homeless)?;
        Ok(Self { runtime, state })
    }

    /// Folders by name, for tests.
    pub fn at(runtime: PathBuf, state: PathBuf) -> Self {
        Self { runtime, state }
    }

    /// Makes the folder of the socket, and refuses one that others could use.
    pub fn prepare_runtime(&self) -> Result<(), SocketError> {
        folder::private(&self.runtime)
    }

    /// Makes the folder of what stays, and refuses one that others could use.
    pub fn prepare_state(&self) -> Result<(), SocketError> {
        folder::private(&self.state)
    }

    /// Refuses a runtime folder that others could have put there; one that is missing is refused as well.
    pub fn check_runtime(&self) -> Result<(), SocketError> {
        folder::check(&self.runtime)
    }

    /// The socket's path, if it fits into a socket address.
    pub fn socket(&self) -> Result<PathBuf, SocketError> {
        let path = self.runtime.join("socket");
        let length = path.as_os_str().len();
        if length >= ADDRESS_BYTES {
            return Err(SocketError::TooLong { path, length, most: ADDRESS_BYTES - 1 });
        }
        Ok(path)
    }

    /// The folder of the socket.
    pub fn runtime(&self) -> &Path {
        &self.runtime
    }

    /// The folder of what stays.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Held by the daemon for as long as it lives.
    pub fn instance_lock(&self) -> PathBuf {
        self.runtime.join("daemon.lock")
    }

    /// Held by the client that starts the daemon.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// The log of a daemon that no service runs.
    pub fn log(&self) -> PathBuf {
        self.state.join("daemon.log")
    }

    /// Which repositories are attended to.
    pub fn registry(&self) -> PathBuf {
        self.state.join("repositories")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], runtime: &str, state: &str) {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let dirs = RuntimeDirs::find(variable, 4_000_000_000, Path::new("/tmp")).unwrap();
        assert_eq!(dirs, RuntimeDirs::at(runtime.into(), state.into()), "{variables:?}");
    }

    #[test]
    fn the_nearest_word_says_where_the_daemon_is() {
        let home = ("HOME", "/home/a");
        check(&[home], "/tmp/postil-4000000000", "/home/a/.local/state/postil");
        let session = tempfile::tempdir().unwrap();
        let session = session.path().to_str().unwrap();
        let desktop = ("XDG_RUNTIME_DIR", session);
        check(&[home, desktop, ("XDG_STATE_HOME", "/s")], &format!("{session}/postil"), "/s/postil");
        // One that the session did not make is not made for it.
        let missing = format!("{session}/missing");
        let elsewhere = ("XDG_RUNTIME_DIR", missing.as_str());
        check(&[home, elsewhere], "/tmp/postil-4000000000", "/home/a/.local/state/postil");
        check(&[home, desktop, ("POSTIL_RUNTIME_DIR", "/r"), ("POSTIL_STATE_DIR", "/s")], "/r", "/s");
        // A relative one would be another place in every folder.
        check(&[home, ("XDG_RUNTIME_DIR", "run")], "/tmp/postil-4000000000", "/home/a/.local/state/postil");
    }

    #[test]
    fn a_relative_folder_of_ours_is_refused_by_name() {
        for name in ["POSTIL_RUNTIME_DIR", "POSTIL_STATE_DIR"] {
            let variable = |asked: &str| Some(OsString::from(if asked == name { "here" } else { "/there" }));
            let error = RuntimeDirs::find(variable, 4_000_000_000, Path::new("/tmp")).unwrap_err();
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }

    #[test]
    fn a_user_without_a_home_is_told() {
        let error = RuntimeDirs::find(|_| None, 4_000_000_000, Path::new("/tmp")).unwrap_err();
        assert!(matches!(error, SocketError::Homeless), "{error}");
    }

    #[test]
    fn a_path_too_long_for_an_address_is_refused() {
        let dirs =
            |length: usize| RuntimeDirs::at(format!("/{}", "x".repeat(length - 1)).into(), "/s".into());
        let most = ADDRESS_BYTES - 1 - "/socket".len();
        dirs(most).socket().unwrap();
        let error = dirs(most + 1).socket().unwrap_err();
        assert!(matches!(error, SocketError::TooLong { .. }), "{error}");
    }
}
