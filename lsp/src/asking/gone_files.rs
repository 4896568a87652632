//! Threads at files that are gone: no document shows them, so they are told about the address that their file had.
//!
//! Editors list such diagnostics among those of all files. Whoever follows one to the file finds an empty document, which has
//! the same diagnostics, and everything that can be done with its threads.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::mem;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use gen_lsp_types::Diagnostic;
use postil_live::LiveDocument;
use postil_protocol::{PlaceState, Side};
use serde_json::json;

use crate::asking::repository::OpenRepository;
use crate::server::Server;
use crate::shown::diagnostics;
use crate::shown::thread_at::ThreadAt;
use crate::uri::uri_of;

/// So many files that are gone are told of, by their order.
const MAX_FILES: usize = 256;

impl OpenRepository {
    /// Where a file is, or was.
    pub(crate) fn file(&self, relative: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(relative))
    }

    /// Whether a thread has no file that could be opened.
    pub(crate) fn is_gone(&self, thread: &ThreadAt) -> bool {
        // Any other position was found in a file.
        let position = thread.view.position.as_ref();
        let may_be = position.is_none_or(|at| at.state == PlaceState::Orphaned || at.side == Side::Old);
        may_be && thread.path().is_some_and(|path| self.file(path).symlink_metadata().is_err())
    }
}

impl Server {
    /// Tells the editor what is at files that are gone, if that changed.
    pub(super) fn publish_gone(&mut self, number: usize) {
        if self.editor.shows_threads {
            return;
        }
        let now = self.at_gone_files(number);
        let before = mem::take(&mut self.repositories[number].gone);
        for path in before.keys() {
            // One that was opened tells of itself.
            if !now.contains_key(path) && !self.is_open(number, path) {
                self.tell_gone(number, path, &[]);
            }
        }
        for (path, diagnostics) in &now {
            if before.get(path) != Some(diagnostics) {
                self.tell_gone(number, path, diagnostics);
            }
        }
        self.repositories[number].gone = now;
    }

    /// A file that is gone is opened under this address: what the editor was told about it counts as told of the document.
    pub(crate) fn take_gone(&mut self, number: usize, relative: &[u8], uri: &str) -> Vec<Diagnostic> {
        let repository = &mut self.repositories[number];
        let Some(told) = repository.gone.remove(relative) else { return Vec::new() };
        if uri_of(&repository.file(relative)) == uri {
            return told;
        }
        self.tell_gone(number, relative, &[]);
        Vec::new()
    }

    /// What documents at these files would show if they were opened, empty.
    fn at_gone_files(&self, number: usize) -> BTreeMap<Vec<u8>, Vec<Diagnostic>> {
        let repository = &self.repositories[number];
        let is_gone = |thread: &&ThreadAt| {
            thread.path().is_some_and(|path| !self.is_open(number, path)) && repository.is_gone(thread)
        };
        let mut files: BTreeMap<&[u8], Vec<ThreadAt>> = BTreeMap::new();
        for thread in repository.threads.iter().filter(is_gone) {
            files.entry(thread.path().unwrap_or_default()).or_default().push(thread.clone());
        }
        let shown = |path: &[u8], threads: Vec<ThreadAt>| {
            let mut live = LiveDocument::open("");
            let asked = live.ask().0;
            live.answer(asked, threads);
            diagnostics::of_text(&repository.file(path), &live, &self.editor)
        };
        let files = files.into_iter().take(MAX_FILES);
        let files = files.map(|(path, threads)| (path.to_vec(), shown(path, threads)));
        files.filter(|(_, diagnostics)| !diagnostics.is_empty()).collect()
    }

    /// Whether a file of a repository is open, under any name.
    pub(crate) fn is_open(&self, number: usize, relative: &[u8]) -> bool {
        self.documents.values().any(|open| open.repository == number && open.relative == relative)
    }

    fn tell_gone(&self, number: usize, relative: &[u8], diagnostics: &[Diagnostic]) {
        let uri = uri_of(&self.repositories[number].file(relative));
        self.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": diagnostics }));
    }
}
