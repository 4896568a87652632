//! The one server of a repository: a second `postil web` gets a fresh link from the first instead of starting another.
//!
//! The server holds a lock on a private file for as long as it lives, and writes into it how it is reached. Who can read
//! the file is the same person. What a process that ended left there is not believed, since nothing holds the lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use postil_protocol::RepositoryName;
use postil_socket::RuntimeDirs;

use crate::error::WebError;
use crate::secret::Secret;

/// How long a server that runs may take to give a link.
const ANSWER: Duration = Duration::from_secs(5);

/// A link is not longer.
const MAX_LINK_BYTES: u64 = 4096;

/// The claim of this process to be the server of a repository; it ends with the process.
#[derive(Debug)]
pub(crate) struct ServerClaim {
    file: File,
    path: PathBuf,
}

/// A link to a page that another process serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FreshLink {
    /// The one-time address.
    pub address: String,
    /// The process.
    pub pid: u32,
}

/// Whether this process is the server of a repository.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// It is.
    Here(ServerClaim),
    /// Another one is.
    Elsewhere(Running),
}

/// A server that runs, as its file says.
#[derive(Debug)]
pub(crate) struct Running {
    pid: u32,
    port: u16,
    key: Secret,
}

/// Becomes the server of a repository, unless another process is.
pub(crate) fn claim(dirs: &RuntimeDirs, repository: &RepositoryName) -> Result<Claimed, WebError> {
    dirs.prepare_runtime()?;
    let path = file_of(dirs.runtime(), repository);
    let failed = |source| WebError::PrivateFile { path: path.clone(), source };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Claimed::Here(ServerClaim { file, path })),
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            (&mut file).take(MAX_LINK_BYTES).read_to_string(&mut text).map_err(failed)?;
            Running::read(&text).map(Claimed::Elsewhere).ok_or(WebError::NoAnswer { pid: 0 })
        }
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

impl ServerClaim {
    /// Says how the server is reached.
    pub(crate) fn tell(&mut self, port: u16, key: &Secret) -> Result<(), WebError> {
        let text = format!("{} {port} {}\n", std::process::id(), key.reveal());
        let written = self.file.set_len(0).and_then(|()| self.file.rewind());
        written
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|source| WebError::PrivateFile { path: self.path.clone(), source })
    }
}

impl Drop for ServerClaim {
    fn drop(&mut self) {
        // One that cannot be removed is not locked either.
        let _ = fs::remove_file(&self.path);
    }
}

impl Running {
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (pid, port, key) = (words.next()?, words.next()?, words.next()?);
        Some(Self { pid: pid.parse().ok()?, port: port.parse().ok()?, key: Secret::kept(key)? })
    }

    /// The port that it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Asks it for a link that leads to a page.
    pub(crate) fn ask(&self, leads_to: &str) -> Result<FreshLink, WebError> {
        let silent = || WebError::NoAnswer { pid: self.pid };
        let address = self.exchange(leads_to).map_err(|_| silent())?;
        let address = address.strip_prefix("HTTP/1.1 200 ").and_then(|rest| rest.split_once("\r\n\r\n"));
        let address =
            address.map(|(_, body)| body.trim()).filter(|body| body.starts_with("http://127.0.0.1:"));
        Ok(FreshLink { address: address.ok_or_else(silent)?.to_owned(), pid: self.pid })
    }

    fn exchange(&self, leads_to: &str) -> std::io::Result<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let mut stream = TcpStream::connect_timeout(&address, ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        let body = serde_json::Value::from(leads_to).to_string();
        write!(
            stream,
            "POST /link HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.key.reveal(),
            body.len(),
        )?;
        let mut answer = String::new();
        stream.take(MAX_LINK_BYTES).read_to_string(&mut answer)?;
        Ok(answer)
    }
}

/// The file of a repository: the same for all who name it in the same way.
fn file_of(folder: &Path, repository: &RepositoryName) -> PathBuf {
    let mut name = blake3::Hasher::new();
    name.update(repository.git_dir.as_bytes());
    if let Some(work_tree) = &repository.work_tree {
        name.update(&[0]).update(work_tree.as_bytes());
    }
    folder.join(format!("web-{}", &name.finalize().to_hex()[..24]))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn dirs(root: &Path) -> RuntimeDirs {
        RuntimeDirs::at(root.join("run"), root.join("state"))
    }

    fn repository(name: &str) -> RepositoryName {
        RepositoryName { git_dir: name.into(), work_tree: None }
    }

    #[test]
    fn one_process_serves_a_repository_and_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(root.path());
        let Claimed::Here(mut claim_of_a) = claim(&dirs, &repository("/a/.git")).unwrap() else { panic!() };
        claim_of_a.tell(4321, &Secret::new().unwrap()).unwrap();
        let path = claim_of_a.path.clone();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let Claimed::Elsewhere(running) = claim(&dirs, &repository("/a/.git")).unwrap() else { panic!() };
        assert_eq!((running.pid, running.port), (std::process::id(), 4321));
        assert!(matches!(claim(&dirs, &repository("/b/.git")).unwrap(), Claimed::Here(_)));
        drop(claim_of_a);
        assert!(!path.exists());
        assert!(matches!(claim(&dirs, &repository("/a/.git")).unwrap(), Claimed::Here(_)));
    }

    #[test]
    fn what_a_server_that_was_killed_left_is_not_believed() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(root.path());
        dirs.prepare_runtime().unwrap();
        let path = file_of(dirs.runtime(), &repository("/a/.git"));
        fs::write(&path, format!("1 4321 {}\n", Secret::new().unwrap().reveal())).unwrap();
        assert!(matches!(claim(&dirs, &repository("/a/.git")).unwrap(), Claimed::Here(_)));
    }

    #[test]
    fn a_server_that_does_not_answer_is_told_by_its_process() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(root.path());
        let Claimed::Here(mut held) = claim(&dirs, &repository("/a/.git")).unwrap() else { panic!() };
        held.tell(1, &Secret::new().unwrap()).unwrap();
        let Claimed::Elsewhere(running) = claim(&dirs, &repository("/a/.git")).unwrap() else { panic!() };
        let error = running.ask("").unwrap_err();
        assert!(matches!(error, WebError::NoAnswer { pid } if pid == std::process::id()), "{error}");
    }
}
