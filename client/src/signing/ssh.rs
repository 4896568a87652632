//! Signs with `ssh-keygen -Y sign`, or what is configured in its place.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use postil_core::git::Repository;
use postil_service::NotSigned;
use postil_service::process::child::{self, ChildLimit, Failed};
use postil_service::trust::Settings;

use super::key::SshKey;
use super::signer::gist;

/// So many records are signed by one process, which asks for the passphrase once.
const AT_ONCE: usize = 256;

/// Signs each hash.
pub(super) fn sign(
    repo: &Repository,
    settings: &Settings,
    hashes: &[[u8; 32]],
) -> Result<Vec<Vec<u8>>, NotSigned> {
    let key = SshKey::find(repo, &settings.folder)?;
    let unwritable =
        |error: io::Error| NotSigned(format!("could not write a file for the signing program: {error}"));
    let exchange = SigningFolder::new(repo.common_dir()).map_err(unwritable)?;
    let mut options: Vec<OsString> = ["-Y", "sign", "-n", "postil", "-f"].map(OsString::from).into();
    match &key {
        SshKey::File(file) => options.push(file.clone().into_os_string()),
        SshKey::Literal(words) => {
            options.push(exchange.write("key", words.as_bytes()).map_err(unwritable)?.into_os_string());
            options.push("-U".into());
        }
    }
    // Another program is started as git starts it: with one file.
    let is_openssh = Path::new(&settings.ssh).file_name().is_some_and(|name| name == "ssh-keygen");
    let mut signatures = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(if is_openssh { AT_ONCE } else { 1 }) {
        let mut files = Vec::new();
        for hash in hashes {
            let name = format!("{}", signatures.len() + files.len());
            files.push(exchange.write(&name, hash).map_err(unwritable)?);
        }
        let mut command = Command::new(&settings.ssh);
        command.args(&options).args(&files).current_dir(&settings.folder);
        let ended = child::run(&mut command, ChildLimit::Any).map_err(|failed| {
            let why = match failed {
                Failed::Start(error) => error.to_string(),
                Failed::TimedOut | Failed::Killed => "timed out".to_owned(),
            };
            NotSigned(format!("could not start {}: {why}", Path::new(&settings.ssh).display()))
        })?;
        if !ended.status.success() {
            let program = Path::new(&settings.ssh).display().to_string();
            return Err(NotSigned(format!("{program}: {}", gist(&ended.stderr))));
        }
        for file in files {
            let signature = fs::read(file.with_added_extension("sig")).map_err(|error| {
                NotSigned(format!("{} wrote no signature: {error}", Path::new(&settings.ssh).display()))
            })?;
            // Some programs end lines as on Windows.
            signatures.push(signature.into_iter().filter(|byte| *byte != b'\r').collect());
        }
    }
    Ok(signatures)
}

/// A folder for what a program reads and writes, gone when it is done.
struct SigningFolder(PathBuf);

impl SigningFolder {
    fn new(common_dir: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        // A process that signs several things at once has a folder for each.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("signing-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = common_dir.join("postil").join(name);
        // What is here under this name is of a process that had the same number and is gone.
        let _ = fs::remove_dir_all(&folder);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }

    fn write(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        use std::os::unix::fs::OpenOptionsExt as _;
        let path = self.0.join(name);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        io::Write::write_all(&mut file, content)?;
        Ok(path)
    }
}

impl Drop for SigningFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_sign_at_once_do_not_take_each_others_files_away() {
        let root = tempfile::tempdir().unwrap();
        let first = SigningFolder::new(root.path()).unwrap();
        let file = first.write("0", b"first").unwrap();
        let second = SigningFolder::new(root.path()).unwrap();
        second.write("0", b"second").unwrap();
        drop(second);
        assert_eq!(fs::read(&file).unwrap(), b"first");
        drop(first);
        assert!(!file.exists());
    }
}
