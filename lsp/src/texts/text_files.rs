//! What happens to the files that somebody writes texts in: opened, saved, closed, stored.

use std::path::Path;
use std::time::Instant;

use gen_lsp_types::TextDocumentContentChangeEvent;
use lsp_server::RequestId;
use postil_client::{Session, SessionError};
use postil_protocol::{Buffer, Comment, Edit, ReplyTo};
use serde_json::json;

use crate::asking::worker::{Finished, WorkerTask};
use crate::documents::document::changed_text;
use crate::server::{AskedEditor, Server};
use crate::texts::entry::{Entry, EntryLook, EntryProgress, EntryPurpose, WrittenText};
use crate::told::told;
use crate::uri::uri_of;

/// So many characters of an id are shown if nothing shorter is known.
const SHORT_ID: usize = 8;

/// So many texts that were sent are looked at, for editors that do not say when they close a file; the oldest are forgotten.
const MAX_LOOKED_AT: usize = 10;

/// What was stored.
struct StoredText {
    id: String,
    short: String,
}

impl Server {
    /// Opens a file in the editor, whose text is sent when it is saved.
    pub(crate) fn open_entry(
        &mut self,
        id: &RequestId,
        repository: usize,
        purpose: EntryPurpose,
        about: &str,
    ) -> Result<(), String> {
        if !self.editor.opens_files() {
            return Err(
                "this editor cannot open a file for the text; use `postil comment` or `postil reply`".into(),
            );
        }
        let git_dir = self.repositories[repository].git_dir.clone();
        let entry = Entry::create(repository, &git_dir, purpose, about)
            .map_err(|error| format!("could not make a file for the text: {error}"))?;
        let uri = uri_of(&entry.file);
        let is_looked_at =
            |entry: &&Entry| !entry.is_followed && matches!(entry.progress, EntryProgress::Sent { .. });
        if self.entries.iter().filter(is_looked_at).count() >= MAX_LOOKED_AT
            && let Some(oldest) = self.entries.iter().find(is_looked_at).map(|entry| entry.file.clone())
        {
            self.forget_text(&oldest);
        }
        self.entries.push(entry);
        if !self.editor.shows_texts {
            self.ask_editor(
                AskedEditor::Show,
                "window/showDocument",
                json!({ "uri": uri, "takeFocus": true }),
            );
        }
        self.reply(id.clone(), json!({ "uri": uri }));
        Ok(())
    }

    /// The editor opened a file. Says whether it is for a text: one of this process, or one that was left behind.
    pub(crate) fn text_opened(&mut self, file: &Path, text: &str) -> bool {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.file == file) {
            entry.is_followed = true;
            entry.in_editor = Some(text.to_owned());
            return true;
        }
        // The repository of a file in a git directory is known if any of its documents was opened.
        let around = |nth: &usize| file.starts_with(&self.repositories[*nth].git_dir);
        let Some(nth) = (0..self.repositories.len()).find(around) else { return false };
        let found = Entry::left_behind(nth, &self.repositories[nth].git_dir, file);
        let Some(mut entry) = found else { return false };
        entry.is_followed = true;
        entry.in_editor = Some(text.to_owned());
        self.entries.push(entry);
        true
    }

    /// The editor changed a file. If it is for a text, what was typed is kept.
    pub(crate) fn text_changed(&mut self, file: &Path, changes: Vec<TextDocumentContentChangeEvent>) {
        let encoding = self.editor.encoding;
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.file == file) else { return };
        entry.in_editor = changed_text(entry.in_editor.take(), changes, encoding).ok().map(|(text, _)| text);
        // Once it is sent, the editor's own copy is one that nobody waits for.
        if entry.progress == EntryProgress::Written
            && let Err(error) = entry.keep_typed()
        {
            self.log(&format!("could not keep what is typed: {error}"));
        }
    }

    /// The editor saved a file. Says whether it is for a text.
    pub(crate) fn text_saved(&mut self, file: &Path) -> bool {
        let is_text = self.entries.iter().any(|entry| entry.file == file) || self.text_opened(file, "");
        if is_text {
            self.send_text(file);
        }
        is_text
    }

    /// The editor closed a file. Says whether it is for a text, which is not changed any more.
    pub(crate) fn text_closed(&mut self, file: &Path) -> bool {
        let Some(nth) = self.entries.iter().position(|entry| entry.file == file) else { return false };
        match &mut self.entries[nth].progress {
            // It may have been saved without a word about it.
            EntryProgress::Written => {
                self.send_text(file);
                if let Some(entry) = self.entries.iter_mut().find(|entry| entry.file == file)
                    && let EntryProgress::Sending { is_closed } = &mut entry.progress
                {
                    *is_closed = true;
                } else {
                    self.forget_text(file);
                }
            }
            EntryProgress::Sending { is_closed } => *is_closed = true,
            EntryProgress::Sent { .. } => self.forget_text(file),
        }
        true
    }

    /// Looks at the files that the editor says nothing about.
    pub(crate) fn look_at_texts(&mut self, now: Instant) {
        let due = self.entries.iter_mut().filter(|entry| entry.due().is_some_and(|due| due <= now));
        let looks: Vec<_> = due.map(|entry| (entry.file.clone(), entry.look(now))).collect();
        for (file, look) in looks {
            match look {
                EntryLook::Same => {}
                EntryLook::Saved => self.send_text(&file),
                EntryLook::Gone => self.forget_text(&file),
            }
        }
    }

    /// Removes a file without a text, or whose text is stored; a text that is not stored stays on disk.
    fn forget_text(&mut self, file: &Path) {
        let Some(nth) = self.entries.iter().position(|entry| entry.file == file) else { return };
        let mut entry = self.entries.remove(nth);
        // Who closes it without saving does not want it.
        entry.drop_typed();
        let is_stored = matches!(entry.progress, EntryProgress::Sent { .. });
        if is_stored || entry.text().is_ok_and(|text| text.is_none()) {
            entry.remove();
        }
    }

    /// Stores what was saved: once as a comment, and later as a change of it.
    fn send_text(&mut self, file: &Path) {
        let Some(nth) = self.entries.iter().position(|entry| entry.file == file) else { return };
        let written = match self.entries[nth].text() {
            Ok(Some(written)) => written,
            // An empty text is taken for a change of mind once its file is closed.
            Ok(None) => return,
            Err(error) => return self.complain(&format!("could not read the text: {error}")),
        };
        let entry = &mut self.entries[nth];
        let sent = match &entry.progress {
            EntryProgress::Written => None,
            EntryProgress::Sending { .. } => return,
            EntryProgress::Sent { text, .. } if *text == written.text => {
                entry.remove();
                return;
            }
            EntryProgress::Sent { id, .. } => Some(id.clone()),
        };
        entry.progress = EntryProgress::Sending { is_closed: false };
        let (repository, purpose) = (entry.repository, entry.purpose.clone());
        let buffers = match &purpose {
            // What the person saw, whatever was typed since.
            EntryPurpose::Comment { seen, .. } => vec![seen.clone()],
            EntryPurpose::Reply { .. } => Vec::<Buffer>::new(),
        };
        let (file, text) = (file.to_owned(), written.text.clone());
        let work = move |session: &mut Session| -> Finished {
            let stored = store(session, sent.clone(), purpose, written);
            Box::new(move |server: &mut Server| server.text_stored(&file, text, sent, stored))
        };
        self.repositories[repository].ask(buffers, WorkerTask::Write(Box::new(work)));
    }

    fn text_stored(
        &mut self,
        file: &Path,
        text: String,
        earlier: Option<String>,
        stored: Result<StoredText, SessionError>,
    ) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.file == file) else { return };
        let is_closed = entry.progress == EntryProgress::Sending { is_closed: true };
        let repository = entry.repository;
        match stored {
            Ok(StoredText { id, short }) => {
                // Saved again meanwhile: that text is sent as well.
                let is_same = entry.text().map_or(true, |now| now.is_none_or(|now| now.text == text));
                entry.progress = EntryProgress::Sent { id, text };
                if is_same {
                    entry.remove();
                }
                self.tell(&format!("saved as {short}"));
                if self.editor.shows_texts {
                    self.notify("postil/sent", json!({ "uri": uri_of(file), "thread": short }));
                }
                if !is_same {
                    self.send_text(file);
                } else if is_closed {
                    self.forget_text(file);
                }
                self.look_again(repository);
            }
            Err(error) => {
                entry.progress = match earlier {
                    Some(id) => EntryProgress::Sent { id, text: String::new() },
                    None => EntryProgress::Written,
                };
                self.complain(&format!("{}; your text is in {}", told(&error), file.display()));
                if is_closed {
                    // The file stays; who opens and saves it sends it.
                    self.entries.retain(|entry| entry.file != file);
                }
            }
        }
    }
}

fn store(
    session: &mut Session,
    earlier: Option<String>,
    purpose: EntryPurpose,
    written: WrittenText,
) -> Result<StoredText, SessionError> {
    let WrittenText { text, severity, draft } = written;
    let reply = match (earlier, purpose) {
        (Some(of), _) => {
            session.write(Edit { of: of.clone(), text })?;
            let short = of.chars().take(SHORT_ID).collect();
            return Ok(StoredText { id: of, short });
        }
        (None, EntryPurpose::Comment { place, .. }) => session.write(Comment {
            place: Some(place),
            message: None,
            text,
            severity,
            tags: Vec::new(),
            review: None,
            suggestion: None,
            draft,
        })?,
        (None, EntryPurpose::Reply { thread }) => {
            session.write(ReplyTo { to: thread, text, suggestion: None, draft, resolve: false })?
        }
    };
    Ok(StoredText { id: reply.id.to_string(), short: reply.thread.short })
}
