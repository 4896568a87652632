//! Questions to the service about the texts that are open, and what its answers change.

use std::collections::BTreeSet;
use std::time::Instant;

use postil_live::AfterAnswer;
use postil_protocol::{Buffer, Detail, Event, WarningView};
use postil_words::sanitize;
use serde_json::json;

use crate::asking::repository::AskedText;
use crate::asking::worker::{FromWorker, ListedThreads, WorkerTask};
use crate::documents::document::{MAX_TEXT_BYTES, OpenDocument, Published};
use crate::extension::told_threads::ToldThreads;
use crate::server::{AskedEditor, Server};
use crate::shown::diagnostics;
use crate::shown::thread_at::ThreadAt;
use crate::told::told;

/// So many unsaved texts go along with a question; the service would not take more.
const MAX_BUFFERS: usize = 256;

impl Server {
    /// Asks about the repositories whose time has come.
    pub(crate) fn ask_what_is_due(&mut self, now: Instant) {
        for number in 0..self.repositories.len() {
            let repository = &mut self.repositories[number];
            if repository.asked.is_some() || repository.due.is_none_or(|due| due > now) {
                continue;
            }
            repository.due = None;
            let (buffers, left_out) = self.buffers(number);
            let mut asked = Vec::new();
            for (uri, document) in &mut self.documents {
                if document.repository == number && !document.is_lost() && !left_out.contains(uri) {
                    asked.push(AskedText { uri: uri.clone(), revision: document.live.ask().0 });
                }
            }
            let repository = &mut self.repositories[number];
            repository.asked = Some(asked);
            // An extension shows whole threads.
            let detail = if self.editor.shows_threads { Detail::Comments } else { Detail::Brief };
            repository.ask(buffers, WorkerTask::Verify(detail));
        }
    }

    /// The unsaved texts of a repository, and the documents whose texts are too many or too long.
    pub(crate) fn buffers(&self, repository: usize) -> (Vec<Buffer>, BTreeSet<String>) {
        let (mut buffers, mut left_out) = (Vec::<Buffer>::new(), BTreeSet::new());
        let mut bytes = 0;
        let unsaved = self.documents.iter().filter(|(_, open)| open.repository == repository);
        for (uri, document) in unsaved.filter(|(_, open)| !open.is_lost() && open.is_unsaved()) {
            let buffer = document.buffer();
            // A file that is open under two names has one text.
            let is_known = buffers.iter().any(|known| known.path == buffer.path);
            if is_known || buffers.len() == MAX_BUFFERS || bytes + buffer.text.len() > MAX_TEXT_BYTES {
                left_out.insert(uri.clone());
                continue;
            }
            bytes += buffer.text.len();
            buffers.push(buffer);
        }
        (buffers, left_out)
    }

    /// Takes what a worker sends.
    pub(crate) fn worked(&mut self, message: FromWorker) {
        match message {
            FromWorker::Verified { repository, listed } => {
                let asked = self.repositories[repository].asked.take().unwrap_or_default();
                match listed {
                    Ok(ListedThreads { threads, warnings }) => {
                        self.repositories[repository].threads =
                            threads.into_iter().map(|view| ThreadAt { view }).collect();
                        self.warn(repository, &warnings);
                        self.verified(repository, asked);
                    }
                    // The next event or change asks again.
                    Err(error) => self.log(&told(&error)),
                }
            }
            FromWorker::Finished(finish) => finish(self),
            FromWorker::Listening { repository } => {
                self.repositories[repository].is_listening = true;
                self.look_again(repository);
            }
            FromWorker::Happened { repository, event } => self.happened(repository, &event),
        }
    }

    /// Tells the person what could not be read, once.
    fn warn(&mut self, number: usize, warnings: &[WarningView]) {
        let told: Vec<String> =
            warnings.iter().map(|warning| sanitize::line(warning.what.as_bytes())).collect();
        for what in told.iter().filter(|what| !self.repositories[number].warned.contains(what)) {
            self.complain(what);
        }
        self.repositories[number].warned = told;
    }

    /// Takes an answer to every document that the question was about.
    fn verified(&mut self, number: usize, asked: Vec<AskedText>) {
        let repository = &mut self.repositories[number];
        for AskedText { uri, revision } in asked {
            let Some(document) = self.documents.get_mut(&uri) else { continue };
            let here = repository.threads_at(&document.relative);
            if document.live.answer(revision, here) == AfterAnswer::AskAgain {
                let again = Instant::now() + self.editor.pause;
                repository.due = Some(repository.due.map_or(again, |due| due.min(again)));
            }
        }
        let of_repository = self.documents.iter().filter(|(_, document)| document.repository == number);
        let uris: Vec<String> = of_repository.map(|(uri, _)| uri.clone()).collect();
        let mut is_other = false;
        for uri in uris {
            is_other |= self.publish(&uri);
        }
        self.publish_gone(number);
        if is_other {
            self.refresh();
        }
    }

    fn happened(&mut self, number: usize, event: &Event) {
        let is_resolving = matches!(event, Event::Resolving(_));
        if self.editor.shows_threads {
            self.notify("postil/event", json!({ "resolving": is_resolving }));
        }
        // Until positions are computed, an answer would have the old ones.
        if !is_resolving {
            self.look_again(number);
        }
    }

    /// Asks at once where the threads of a repository are, whatever was answered before.
    pub(crate) fn look_again(&mut self, repository: usize) {
        for document in self.documents.values_mut().filter(|document| document.repository == repository) {
            document.live.forget_answers();
        }
        self.repositories[repository].due = Some(Instant::now());
    }

    /// Tells the editor where the threads of a document are, if that changed; says whether it did.
    pub(crate) fn publish(&mut self, uri: &str) -> bool {
        let Some(document) = self.documents.get_mut(uri).filter(|document| !document.is_lost()) else {
            return false;
        };
        let now = shown(document, &self.editor);
        // Nothing is nowhere, whatever the editor did.
        let has_none = now == Published::default() && document.published.is_empty();
        if now == document.published || has_none {
            return false;
        }
        let before = std::mem::replace(&mut document.published, now.clone());
        let version = document.version;
        self.tell_threads(uri, Some(version), &before, &now);
        true
    }

    /// Has the editor ask for lenses and hints again, if it shows any.
    fn refresh(&mut self) {
        if self.editor.refreshes_lenses {
            self.ask_editor(AskedEditor::Refresh, "workspace/codeLens/refresh", ());
        }
        if self.editor.refreshes_hints {
            self.ask_editor(AskedEditor::Refresh, "workspace/inlayHint/refresh", ());
        }
    }
}

fn shown(document: &OpenDocument, editor: &crate::capabilities::EditorAbilities) -> Published {
    if editor.shows_threads {
        Published { diagnostics: Vec::new(), threads: ToldThreads::of(document), is_doubtful: false }
    } else {
        Published {
            diagnostics: diagnostics::of_text(&document.path, &document.live, editor),
            threads: ToldThreads::default(),
            is_doubtful: false,
        }
    }
}
