//! What leads back from something that was written: a file of the undo journal, in JSON.
//!
//! It is stored in the git directory of one working tree, and only [`undo_journal`](super::undo_journal)
//! reads it.

use postil_protocol::{ByteText, Hex};
use serde::{Deserialize, Serialize};

/// How to undo what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UndoEntry {
    /// What was applied, in words.
    pub what: String,
    /// The files as they were.
    pub files: Vec<FileBefore>,
    /// Where HEAD was; none before the first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Hex>,
    /// What was staged of them; none if the index was left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<Vec<StagedBefore>>,
}

/// What the index had of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StagedBefore {
    /// Where the file is.
    pub path: ByteText,
    /// Its mode and content as git writes them (`100644`, and the name of the blob); none if it was not staged.
    pub entry: Option<(String, Hex)>,
}

/// A file as it was before something was applied, and what it was then made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileBefore {
    /// Where it is.
    pub path: ByteText,
    /// The bytes that were on disk; none if nothing was.
    pub before: Option<ByteText>,
    /// Whether it was a program.
    pub executable: bool,
    /// The bytes that were written, by git's name for them; none if it was deleted.
    pub after: Option<Hex>,
}

impl UndoEntry {
    /// The files that it leads back from.
    pub fn paths(&self) -> Vec<ByteText> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }
}
