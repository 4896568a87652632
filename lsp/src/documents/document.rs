//! A document that is open in the editor.

use std::path::PathBuf;

use gen_lsp_types::{Diagnostic, TextDocumentContentChangeEvent, TextDocumentContentChangePartial};
use postil_live::{Encoding, LiveDocument, PlacesMoved, TextPosition, known_offset, replace};
use postil_protocol::{Buffer, ByteText};

use crate::documents::disk_form::{DiskForm, DiskStamp, OnDiskText};
use crate::extension::told_threads::ToldThreads;
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
    pub(crate) threads: ToldThreads,
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
        if !self.is_lost
            && let [TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part)] = &*changes
        {
            return self.replace(part, encoding);
        }
        let was_lost = std::mem::replace(&mut self.is_lost, true);
        let text = (!was_lost).then(|| self.text().to_owned());
        let (text, mut marks) = changed_text(text, changes, encoding)?;
        self.is_lost = false;
        if self.live.change(text) == PlacesMoved::Something && marks == EditorMarks::Right {
            marks = EditorMarks::Outdated;
        }
        Ok(marks)
    }

    /// Replaces a part, as most keys do: nothing but what is new is looked at.
    fn replace(
        &mut self,
        part: &TextDocumentContentChangePartial,
        encoding: Encoding,
    ) -> Result<EditorMarks, Desync> {
        let (from, to) = (position(part.range.start), position(part.range.end));
        let text = self.live.text();
        self.is_lost = true;
        let start = known_offset(text, from, encoding).map_err(|_| Desync)?;
        let end = known_offset(text, to, encoding).map_err(|_| Desync)?;
        let text = text.replaced(start.min(end)..start.max(end), part.text.as_bytes());
        if text.bytes().len() > MAX_TEXT_BYTES {
            return Err(Desync);
        }
        self.is_lost = false;
        Ok(match self.live.change_to(text) {
            _ if from.line < to.line => EditorMarks::Doubtful,
            PlacesMoved::Something => EditorMarks::Outdated,
            PlacesMoved::Nothing => EditorMarks::Right,
        })
    }

    /// The editor saved it, with this text if it says so; else what is on disk is what the person sees. Fails if that was another
    /// text than was known.
    pub(crate) fn was_saved(&mut self, text: Option<String>) -> Result<(), Desync> {
        // Another program may have changed the file already: what the editor has counts.
        if let Some(text) = text.filter(|text| text.len() <= MAX_TEXT_BYTES) {
            let was_known = !self.is_lost && text == self.text();
            self.is_lost = false;
            self.live.change(text);
            if let Ok(OnDiskText::Same(stamp, form)) = OnDiskText::compared(&self.path, self.text()) {
                (self.saved, self.form) = (Some(stamp), form);
            }
            return if was_known { Ok(()) } else { Err(Desync) };
        }
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
        self.buffer_with(self.text())
    }

    /// Another text, to be laid over the file on disk.
    pub(crate) fn buffer_with(&self, text: &str) -> Buffer {
        let path = ByteText::new(self.relative.clone());
        Buffer { path, text: self.form.written(text), version: Some(i64::from(self.version)) }
    }
}

fn position(position: gen_lsp_types::Position) -> TextPosition {
    TextPosition { line: position.line, column: position.character }
}

/// A text after the changes of one notification; `None` is a text that is not known.
pub(crate) fn changed_text(
    mut text: Option<String>,
    changes: Vec<TextDocumentContentChangeEvent>,
    encoding: Encoding,
) -> Result<(String, EditorMarks), Desync> {
    let mut marks = EditorMarks::Right;
    for change in changes {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let (from, to) = (position(part.range.start), position(part.range.end));
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
    Ok((text, marks))
}
