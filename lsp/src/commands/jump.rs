//! Goes from thread to thread, over all files of a repository.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use gen_lsp_types::{Position, Range};
use lsp_server::RequestId;
use serde_json::json;

use crate::commands::command::FromArguments;
use crate::server::{AskedEditor, Server};
use crate::shown::diagnostics::line;
use crate::uri::uri_of;

/// Which way to go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Down, and to the next file.
    Forward,
    /// Up, and to the file before.
    Back,
}

impl Server {
    /// Shows the next open thread after a line, over all files of the repository.
    pub(crate) fn jump(&mut self, id: &RequestId, from: &FromArguments, way: Way) -> Result<(), String> {
        let document = self.documents.get(&from.uri).ok_or("this document is not in a repository")?;
        let repository = &self.repositories[document.repository];
        let mut places: Vec<(Vec<u8>, u32)> = Vec::new();
        for open in self.documents.values().filter(|open| open.repository == document.repository) {
            let threads = open.live.threads().iter().filter(|thread| thread.verified.is_open());
            places.extend(threads.map(|thread| (open.relative.clone(), line(thread))));
        }
        let is_open_document = |path: &[u8]| self.documents.values().any(|open| open.relative == path);
        for thread in repository.threads.iter().filter(|thread| thread.is_open()) {
            let Some(path) = thread.path().filter(|path| !is_open_document(path)) else { continue };
            let start = thread.view.position.as_ref().and_then(|position| position.start).unwrap_or(1);
            places.push((path.to_vec(), start.saturating_sub(1)));
        }
        places.sort();
        places.dedup();
        let here = (document.relative.clone(), from.line);
        let next = match way {
            Way::Forward => places.iter().find(|place| **place > here).or(places.first()),
            Way::Back => places.iter().rev().find(|place| **place < here).or(places.last()),
        };
        let (path, line) = next.ok_or("there is no open thread")?.clone();
        let file = repository.root.join(OsStr::from_bytes(&path));
        let at = Position { line, character: 0 };
        let selection = Range { start: at, end: at };
        if self.editor.shows_documents {
            let show = json!({ "uri": uri_of(&file), "takeFocus": true, "selection": selection });
            self.ask_editor(AskedEditor::Show, "window/showDocument", show);
        }
        self.reply(id.clone(), json!({ "uri": uri_of(&file), "line": line }));
        Ok(())
    }
}
