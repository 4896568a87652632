//! The two sides of a file in a diff: what each holds, by name, and its text.

use std::cell::OnceCell;

use postil_core::edit::{LineCoordinates, Text};
use postil_core::git::RepoPath;
use postil_protocol::{ByteText, DiffBlob, DiffFile, Fault, Hex};

use super::files::BaseAndHead;
use crate::files::HeadFiles;
use crate::files::head_files::FileKind;

/// A larger content is not told: as text, it would be larger than an answer may be.
const MAX_CONTENT_BYTES: usize = 4 << 20;

/// What a file is in the base and in the head.
#[derive(Debug)]
pub(super) struct DiffSides {
    old: Option<DiffBlob>,
    new: Option<DiffBlob>,
}

impl DiffSides {
    /// Looks at both; of a commit, nothing is read but its trees.
    pub fn of(
        before: Option<&RepoPath>,
        after: Option<&RepoPath>,
        old: &HeadFiles<'_>,
        new: &HeadFiles<'_>,
    ) -> Result<Self, Fault> {
        Ok(Self { old: blob_at(before, old)?, new: blob_at(after, new)? })
    }

    /// Adds what both hold; what is too large is left out.
    #[must_use]
    pub fn with_content(mut self, (old, new): &(Text, Text)) -> Self {
        for (side, text) in [(&mut self.old, old), (&mut self.new, new)] {
            if let Some(side) = side.as_mut().filter(|_| text.bytes().len() <= MAX_CONTENT_BYTES) {
                side.content = Some(ByteText::new(text.bytes()));
            }
        }
        self
    }

    /// The file without its lines.
    pub fn outline(self, (before, after): BaseAndHead) -> DiffFile {
        let named = |path: Option<RepoPath>| path.map(|path| ByteText::new(path.as_bytes()));
        DiffFile {
            before: named(before),
            after: named(after),
            binary: false,
            lines: Vec::new(),
            threads: Vec::new(),
            old: self.old,
            new: self.new,
            untracked: false,
            added: 0,
            deleted: 0,
            total: 0,
            generated: false,
            change: None,
            left: None,
        }
    }
}

/// What both sides of a file say, read when it is first wanted.
pub(super) struct SideTexts<'a> {
    paths: BaseAndHead,
    files: (&'a HeadFiles<'a>, &'a HeadFiles<'a>),
    read: OnceCell<(Text, Text)>,
}

impl<'a> SideTexts<'a> {
    /// Reads nothing yet.
    pub fn new(paths: BaseAndHead, files: (&'a HeadFiles<'a>, &'a HeadFiles<'a>)) -> Self {
        Self { paths, files, read: OnceCell::new() }
    }

    /// Where both are.
    pub fn paths(&self) -> &BaseAndHead {
        &self.paths
    }

    /// Both texts; what is missing is empty.
    pub fn both(&self) -> Result<&(Text, Text), Fault> {
        if let Some(texts) = self.read.get() {
            return Ok(texts);
        }
        let ((before, after), (old, new)) = (&self.paths, self.files);
        let texts = (text_at(before.as_ref(), old)?, text_at(after.as_ref(), new)?);
        Ok(self.read.get_or_init(|| texts))
    }

    /// The text of a line of the diff.
    pub fn line(&self, line: LineCoordinates) -> Result<&[u8], Fault> {
        let (old, new) = self.both()?;
        Ok(match line {
            LineCoordinates::Deleted { before } => old.line(before),
            LineCoordinates::Kept { after, .. } | LineCoordinates::Added { after } => new.line(after),
        })
    }
}

fn text_at(path: Option<&RepoPath>, files: &HeadFiles<'_>) -> Result<Text, Fault> {
    let Some(path) = path else { return Ok(Text::new(Vec::new())) };
    Ok(Text::new(files.read(path)?.unwrap_or_default()))
}

fn blob_at(path: Option<&RepoPath>, files: &HeadFiles<'_>) -> Result<Option<DiffBlob>, Fault> {
    let Some(path) = path else { return Ok(None) };
    Ok(files.at(path)?.file().map(|file| {
        let mode = match file.kind {
            FileKind::Plain | FileKind::LeftOut => "100644",
            FileKind::Executable => "100755",
            FileKind::Link => "120000",
        };
        DiffBlob { blob: Hex::of(file.blob.as_bytes()), mode: mode.to_owned(), content: None }
    }))
}
