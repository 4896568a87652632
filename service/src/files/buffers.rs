//! Texts that an editor has not saved, sent along with a request.
//!
//! They are not stored: the next request sends its own.

use std::collections::BTreeMap;

use postil_core::git::RepoPath;
use postil_protocol::{Buffer, BufferVersion, ByteText, Fault, FaultCode};

use super::disk::is_trackable;

/// So many buffers may come with a request; more are refused.
pub(crate) const MAX_BUFFERS: usize = 256;

/// So many bytes all buffers of a request may have together; more are refused.
pub(crate) const MAX_BUFFER_BYTES: usize = 8 << 20;

/// The unsaved texts of one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers(BTreeMap<RepoPath, Unsaved>);

#[derive(Clone, Debug)]
struct Unsaved {
    text: Box<str>,
    version: Option<i64>,
}

impl Buffers {
    /// Checks what a client sent.
    pub fn of(sent: &[Buffer]) -> Result<Self, Fault> {
        if sent.len() > MAX_BUFFERS
            || sent.iter().map(|sent| sent.text.len()).sum::<usize>() > MAX_BUFFER_BYTES
        {
            let message = format!("at most {MAX_BUFFERS} buffers and {MAX_BUFFER_BYTES} bytes may be sent");
            return Err(Fault::new(FaultCode::TooLarge, message));
        }
        let mut buffers = BTreeMap::new();
        for Buffer { path, text, version } in sent {
            let invalid = |what: &str| {
                let path = String::from_utf8_lossy(path.as_bytes());
                Fault::new(FaultCode::InvalidParams, format!("the buffer {path:?} {what}"))
            };
            let path = RepoPath::new(path.as_bytes()).filter(is_trackable);
            let path = path.ok_or_else(|| invalid("is not at the path of a file in the repository"))?;
            let unsaved = Unsaved { text: text.as_str().into(), version: *version };
            if buffers.insert(path, unsaved).is_some() {
                return Err(invalid("was sent twice"));
            }
        }
        Ok(Self(buffers))
    }

    /// The unsaved text at a path.
    pub fn text(&self, path: &RepoPath) -> Option<&str> {
        self.0.get(path).map(|unsaved| &*unsaved.text)
    }

    /// The paths that have one.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.0.keys()
    }

    /// Which text of which file was looked at, for the answer.
    pub fn versions(&self) -> Vec<BufferVersion> {
        let version = |(path, unsaved): (&RepoPath, &Unsaved)| BufferVersion {
            path: ByteText::new(path.as_bytes()),
            version: unsaved.version,
        };
        self.0.iter().map(version).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(path: &str, text: &str) -> Buffer {
        Buffer { path: path.into(), text: text.into(), version: Some(3) }
    }

    #[test]
    fn what_is_not_a_file_of_the_repository_is_refused() {
        for bad in ["../x", ".git/config", "a/../../b", "", "/etc/passwd"] {
            let fault = Buffers::of(&[buffer(bad, "")]).unwrap_err();
            assert_eq!(fault.code, FaultCode::InvalidParams, "{bad}");
        }
        assert!(Buffers::of(&[buffer("a", "1"), buffer("a", "2")]).is_err(), "one path has one text");
        let buffers = Buffers::of(&[buffer("a", "1"), buffer("b/c", "2")]).unwrap();
        assert_eq!(buffers.text(&RepoPath::new("b/c").unwrap()), Some("2"));
    }

    #[test]
    fn more_than_fits_is_refused() {
        let large = "x".repeat(MAX_BUFFER_BYTES + 1);
        assert_eq!(Buffers::of(&[buffer("a", &large)]).unwrap_err().code, FaultCode::TooLarge);
        let many: Vec<Buffer> = (0..=MAX_BUFFERS).map(|n| buffer(&format!("f{n}"), "")).collect();
        assert_eq!(Buffers::of(&many).unwrap_err().code, FaultCode::TooLarge);
    }
}
