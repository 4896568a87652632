//! What each session of an agent was told last: a small file each, in the git directory, never shared.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use postil_protocol::Mark;

/// More sessions than this are not remembered; those that were not heard of for longest go first.
const MAX_SESSIONS: usize = 64;

/// A longer file is none of ours.
const MAX_FILE_BYTES: u64 = 4 << 10;

/// What a session was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldSession {
    /// Up to where; `None` if nothing was told yet.
    pub mark: Option<Mark>,
    /// How often it was made to go on since somebody spoke to it.
    pub blocks: u32,
}

/// The file of one session.
#[derive(Debug)]
pub struct SessionFile {
    folder: PathBuf,
    path: PathBuf,
}

impl SessionFile {
    /// Of a session of an agent; the names that agents give are not names of files.
    pub fn of(git_dir: &Path, agent: &str, session: &str) -> Self {
        let folder = git_dir.join("postil/agents");
        let hash: u64 = format!("{agent}\0{session}").bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let path = folder.join(format!("{agent}-{hash:016x}"));
        Self { folder, path }
    }

    /// What was told; a file that cannot be understood counts as none.
    pub fn read(&self) -> ToldSession {
        let is_ours = fs::metadata(&self.path).is_ok_and(|found| found.len() <= MAX_FILE_BYTES);
        let text = is_ours.then(|| fs::read_to_string(&self.path).ok()).flatten().unwrap_or_default();
        let mut lines = text.lines();
        let mark = lines.next().filter(|mark| !mark.is_empty()).map(Mark::from);
        let blocks = lines.next().and_then(|blocks| blocks.parse().ok()).unwrap_or(0);
        ToldSession { mark, blocks }
    }

    /// Remembers what was told.
    pub fn write(&self, told: &ToldSession) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mark = told.mark.as_ref().map(Mark::to_string).unwrap_or_default();
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        write!(file, "{mark}\n{}\n", told.blocks)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        self.sweep();
        Ok(())
    }

    /// Forgets the sessions that were not heard of for longest.
    fn sweep(&self) {
        let Ok(found) = fs::read_dir(&self.folder) else { return };
        let mut files: Vec<(SystemTime, PathBuf)> = found
            .flatten()
            .map(|file| {
                let time =
                    file.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                (time, file.path())
            })
            .filter(|(_, path)| *path != self.path)
            .collect();
        files.sort();
        let too_many = (files.len() + 1).saturating_sub(MAX_SESSIONS);
        for (_, path) in files.into_iter().take(too_many) {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_remembered_for_each_session_and_only_for_so_many() {
        let folder = tempfile::tempdir().unwrap();
        let told = |n: u32| ToldSession { mark: Some(Mark::from(format!("a.0-{n}").as_str())), blocks: n };
        let hostile = SessionFile::of(folder.path(), "claude", "../../\u{202e}\n/etc/passwd");
        assert_eq!(hostile.read(), ToldSession::default());
        hostile.write(&told(7)).unwrap();
        assert_eq!(hostile.read(), told(7));
        for n in 0..100 {
            let file = SessionFile::of(folder.path(), "claude", &n.to_string());
            file.write(&told(n)).unwrap();
            assert_eq!(file.read(), told(n));
        }
        assert_eq!(fs::read_dir(folder.path().join("postil/agents")).unwrap().count(), MAX_SESSIONS);
    }

    #[test]
    fn a_damaged_file_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::of(folder.path(), "codex", "s");
        file.write(&ToldSession::default()).unwrap();
        for bytes in [&b"\xff\xfe"[..], b"", b"\n\n\n", &vec![b'x'; 10_000]] {
            fs::write(&file.path, bytes).unwrap();
            assert_eq!(file.read(), ToldSession::default());
        }
    }
}
