//! A document that is open in the editor.

use std::path::PathBuf;

use gen_lsp_types::{Diagnostic, TextDocumentContentChangeEvent};
use postil_live::{Encoding, LiveDocument, PlacesMoved, TextPosition, replace};
use postil_protocol::{Buffer, ByteText};
use serde_json::Value;

use crate::documents::disk_form::{DiskForm, DiskStamp, OnDiskText};
use crate::shown::thread_at::ThreadAt;

/// A longer text is not followed: the service would not take it.
pub(crate) const MAX_TEXT_BYTES: usize = 8 << 20;

/// A document that is open in the editor, in a repository.
pub(crate) struct OpenDocument {
    /// Where it is saved.
    pub(crate) path: PathBuf,
    /// The editor's number of the present text.
    pub(crate) version: i32,
    /// The number of its repository.
    pub(crate) repository: usize,
    /// Its path from the root of the repository.
    pub(crate) relative: Vec<u8>,
    /// Its text and threads.
    pub(crate) live: LiveDocument<ThreadAt>,
    /// What the editor was told last.
    pub(crate) published: Published,
    /// The file on disk, as it was when it had this very text.
    saved: Option<DiskStamp>,
    /// What the file has that the editor does not send.
    form: DiskForm,
    /// Whether the editor has another text than this one, so that nothing can be said about it.
    is_lost: bool,
}

/// What an editor was told about a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Published {
    /// One for each line that has threads.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Its threads, for an editor that shows them itself.
    pub(crate) threads: Vec<Value>,
    /// Whether the editor may show it elsewhere by now, so that it has to be told again.
    pub(crate) is_doubtful: bool,
}

impl Published {
    /// Whether nothing is shown.
    pub(crate) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty() && self.threads.is_empty()
    }
}

/// A change that does not fit the text: the editor and this program have different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Desync;

/// Whether what an editor shows moved along with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditorMarks {
    /// It did, and nothing else is to be shown.
    Right,
    /// It did, or not: something else is to be shown anyway.
    Outdated,
    /// Lines were replaced: the marks of some editors are elsewhere now, even if the text is the same.
    Doubtful,
}

impl OpenDocument {
    /// A document that was just opened, or opened again.
    pub(crate) fn open(
        path: PathBuf,
        version: i32,
        repository: usize,
        relative: Vec<u8>,
        live: LiveDocument<ThreadAt>,
    ) -> Self {
        let mut opened = Self {
            path,
            version,
            repository,
            relative,
            live,
            published: Published::default(),
            saved: None,
            form: DiskForm::default(),
            is_lost: false,
        };
        if let Ok(OnDiskText::Same(stamp, form)) = OnDiskText::compared(&opened.path, opened.text()) {
            (opened.saved, opened.form) = (Some(stamp), form);
        }
        opened
    }

    /// Its text.
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(self.live.text().bytes()).unwrap_or_default()
    }

    /// Whether the editor has another text than this one.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Takes the changes of one notification, in order; all or none. Says whether the editor's own marks may have moved.
    ///
    /// After one that does not fit, only a whole text is taken, of the editor or of the file that it saved.
    pub(crate) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Result<EditorMarks, Desync> {
        self.version = version;
        self.saved = None;
        let mut marks = EditorMarks::Right;
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        let mut text = (!was_lost).then(|| self.text().to_owned());
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let at = |position: gen_lsp_types::Position| TextPosition {
                        line: position.line,
                        column: position.character,
                    };
                    let (from, to) = (at(part.range.start), at(part.range.end));
                    if from.line < to.line {
                        marks = EditorMarks::Doubtful;
                    }
                    let text = text.as_mut().ok_or(Desync)?;
                    replace(text, from, to, encoding, &part.text).map_err(|_| Desync)?;
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    text = Some(whole.text);
                    marks = EditorMarks::Doubtful;
                }
            }
        }
        let text = text.filter(|text| text.len() <= MAX_TEXT_BYTES).ok_or(Desync)?;
        self.is_lost = false;
        if self.live.change(text) == PlacesMoved::Something && marks == EditorMarks::Right {
            marks = EditorMarks::Outdated;
        }
        Ok(marks)
    }

    /// The editor saved it: what is on disk is what the person sees. Says whether that was another text than was known.
    pub(crate) fn was_saved(&mut self) -> Result<(), Desync> {
        match OnDiskText::compared(&self.path, self.text()) {
            Ok(OnDiskText::Same(stamp, form)) => {
                (self.saved, self.form) = (Some(stamp), form);
                self.is_lost = false;
                Ok(())
            }
            Ok(OnDiskText::Other(text)) if text.len() <= MAX_TEXT_BYTES => {
                self.saved = DiskStamp::of(&self.path);
                self.form = DiskForm::default();
                self.is_lost = false;
                self.live.change(text);
                Err(Desync)
            }
            // It is not UTF-8, or gone again: the text of the editor counts.
            Ok(OnDiskText::Other(_)) | Err(_) => Ok(()),
        }
    }

    /// Whether its text goes along with a question: the file on disk has another one, or may have.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.saved.is_none_or(|saved| DiskStamp::of(&self.path) != Some(saved))
    }

    /// The text, to be laid over the file on disk.
    pub(crate) fn buffer(&self) -> Buffer {
        let path = ByteText::new(self.relative.clone());
        Buffer { path, text: self.form.written(self.text()), version: Some(i64::from(self.version)) }
    }
}
