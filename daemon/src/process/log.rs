//! Where the daemon's log goes: to the one who started it, or to a file of bounded size.
//!
//! What is logged is decided where it happens; never a comment's text.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::Mutex;

use tracing::Level;

/// A log file that has grown to this is put aside, and the one that was aside before it goes.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// Where the log goes.
#[derive(Debug)]
pub(crate) enum LogTarget {
    /// To standard error: a terminal, or a service manager's journal.
    Stderr,
    /// To this file.
    File(PathBuf),
}

impl LogTarget {
    /// Begins to log, for the rest of the process.
    ///
    /// A process that logs already goes on as it does.
    pub(crate) fn begin(self) -> io::Result<()> {
        let builder = tracing_subscriber::fmt().with_max_level(level()).with_ansi(false).with_target(false);
        // Another one in force is the caller's own, which is as good.
        let _ = match self {
            // A journal writes down the time itself.
            Self::Stderr if std::env::var_os("JOURNAL_STREAM").is_some() => {
                builder.without_time().with_writer(io::stderr).try_init()
            }
            Self::Stderr => builder.with_writer(io::stderr).try_init(),
            Self::File(path) => builder.with_writer(Mutex::new(LogFile::open(path)?)).try_init(),
        };
        Ok(())
    }
}

fn level() -> Level {
    let asked = std::env::var("POSTIL_LOG").ok();
    asked.and_then(|word| word.parse().ok()).unwrap_or(Level::INFO)
}

/// A file that is put aside when it has grown.
#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl LogFile {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
        let length = file.metadata()?.len();
        Ok(Self { path, file, length })
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.length > MAX_LOG_BYTES {
            fs::rename(&self.path, self.path.with_extension("log.old"))?;
            *self = Self::open(self.path.clone())?;
        }
        let written = self.file.write(line)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_has_grown_is_put_aside_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        let mut log = LogFile::open(path.clone()).unwrap();
        let line = vec![b'x'; 1 << 16];
        for _ in 0..200 {
            log.write_all(&line).unwrap();
        }
        let lengths: Vec<u64> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(lengths.len(), 2);
        assert!(lengths.iter().all(|length| *length <= MAX_LOG_BYTES + (1 << 16)), "{lengths:?}");
        drop(log);
        let mut again = LogFile::open(path.clone()).unwrap();
        let before = fs::metadata(&path).unwrap().len();
        again.write_all(b"more").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), before + 4);
    }
}
