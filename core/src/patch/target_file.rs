//! A file as it is, as far as a patch can tell it from what it makes.

use super::file_patch::FileMode;

/// A file that a patch is laid against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// What it holds.
    pub text: Vec<u8>,
    /// Its mode, where that is known.
    pub mode: Option<FileMode>,
}

impl From<Vec<u8>> for TargetFile {
    fn from(text: Vec<u8>) -> Self {
        Self { text, mode: None }
    }
}
