//! What an editor says about its documents: opened, changed, saved, closed, renamed.

use std::path::Path;
use std::time::Instant;

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams,
};
use postil_live::LiveDocument;
use serde_json::json;

use crate::asking::repository::{FoundRepository, OpenRepository};
use crate::documents::document::{EditorMarks, MAX_TEXT_BYTES, OpenDocument, Published};
use crate::server::Server;
use crate::shown::thread_at::ThreadAt;
use crate::uri::path_of;

/// So many closed documents are remembered.
const MAX_CLOSED: usize = 8;

impl Server {
    pub(crate) fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let uri = document.uri.0;
        let Some(path) = path_of(&uri).filter(|_| document.text.len() <= MAX_TEXT_BYTES) else { return };
        if self.text_opened(&path, &document.text) {
            return;
        }
        let Some(repository) = self.repository_of(&path) else { return };
        let Some(relative) = self.repositories[repository].relative(&path) else { return };
        // An editor that reloads a file closes and opens it: that is one change of the same document.
        let known = self.documents.remove(&uri).map(|open| open.live).or_else(|| self.take_closed(&uri));
        let mut live = match known {
            Some(mut live) => {
                live.change(document.text);
                live
            }
            None => LiveDocument::open(document.text),
        };
        let told = self.take_gone(repository, &relative, &uri);
        if !told.is_empty() {
            // What is known of a file that was gone counts until more is known.
            let threads = self.repositories[repository].threads_at(&relative);
            let asked = live.ask().0;
            live.answer(asked, threads);
        }
        let mut opened = OpenDocument::open(path, document.version, repository, relative, live);
        opened.published.diagnostics = told;
        self.documents.insert(uri.clone(), opened);
        self.repositories[repository].due = Some(Instant::now());
        self.publish(&uri);
    }

    pub(crate) fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.text_document_identifier.uri.0;
        let encoding = self.editor.encoding;
        let Some(document) = self.documents.get_mut(&uri) else {
            if let Some(path) = path_of(&uri) {
                self.text_changed(&path, params.content_changes);
            }
            return;
        };
        let was_lost = document.is_lost();
        let changed = document.change(params.text_document.version, params.content_changes, encoding);
        let Ok(marks) = changed else {
            if !was_lost {
                self.log(&format!(
                    "a change of {uri} does not fit its text; it is read again when it is saved"
                ));
            }
            return;
        };
        if marks == EditorMarks::Doubtful {
            document.published.is_doubtful = true;
        }
        let repository = document.repository;
        self.repositories[repository].due = Some(Instant::now() + self.editor.pause);
        if marks != EditorMarks::Right {
            self.publish(&uri);
        }
    }

    pub(crate) fn saved(&mut self, params: DidSaveTextDocumentParams) {
        let uri = params.text_document.uri.0;
        if path_of(&uri).is_some_and(|path| self.text_saved(&path)) {
            return;
        }
        let Some(document) = self.documents.get_mut(&uri) else { return };
        // Every editor has lost a change once.
        let was_known = document.was_saved(params.text);
        let repository = document.repository;
        if was_known.is_err() {
            self.log(&format!("{uri} had another text than the editor sent; it was read again"));
        }
        self.repositories[repository].due = Some(Instant::now());
        self.publish(&uri);
    }

    pub(crate) fn closed(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri.0;
        if path_of(&uri).is_some_and(|path| self.text_closed(&path)) {
            return;
        }
        let Some(document) = self.documents.remove(&uri) else { return };
        if !document.published.is_empty() {
            self.tell_threads(&uri, None, &document.published, &Published::default());
        }
        self.closed.truncate(MAX_CLOSED - 1);
        self.closed.insert(0, (uri, document.live));
        // Its unsaved text does not count any more.
        self.repositories[document.repository].due = Some(Instant::now());
    }

    /// Files were renamed, made or deleted by the editor: threads may be elsewhere.
    pub(crate) fn files_changed(&mut self) {
        for nth in 0..self.repositories.len() {
            self.look_again(nth);
        }
    }

    /// Tells the editor what to show in a document.
    pub(crate) fn tell_threads(
        &self,
        uri: &str,
        version: Option<i32>,
        before: &Published,
        shown: &Published,
    ) {
        if self.editor.shows_threads {
            self.tell_extension(uri, version, &before.threads, &shown.threads);
        } else {
            // Without the version of the text: some editors drop what is about an earlier one, and it may still be so. What a
            // change moves is told after it anyway.
            let params = json!({ "uri": uri, "diagnostics": shown.diagnostics });
            self.notify("textDocument/publishDiagnostics", params);
        }
    }

    /// A document that was closed a moment ago.
    fn take_closed(&mut self, uri: &str) -> Option<LiveDocument<ThreadAt>> {
        let nth = self.closed.iter().position(|(closed, _)| closed == uri)?;
        Some(self.closed.remove(nth).1)
    }

    /// The repository around a file, opened if it was not yet.
    pub(crate) fn repository_of(&mut self, file: &Path) -> Option<usize> {
        let found = FoundRepository::around(file)?;
        if let Some(nth) = self.repositories.iter().position(|known| known.root == found.root) {
            return Some(nth);
        }
        let number = self.repositories.len();
        let opened =
            OpenRepository::open(number, found, &self.program, self.to_loop.clone(), self.give_back)?;
        self.repositories.push(opened);
        self.tell_left_behind(number);
        Some(number)
    }
}
