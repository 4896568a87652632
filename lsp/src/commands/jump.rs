//! Goes from thread to thread, over all files of a repository.

use gen_lsp_types::{Position, Range};
use lsp_server::RequestId;
use postil_protocol::{PlaceState, Side};
use serde_json::json;

use crate::commands::command::FromArguments;
use crate::commands::execute::NO_REPOSITORY;
use crate::extension::bodies::with_bodies;
use crate::server::{AskedEditor, Server};
use crate::shown::diagnostics::line;
use crate::shown::thread_at::ThreadAt;
use crate::uri::uri_of;

/// Which way to go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Down, and to the next file.
    Forward,
    /// Up, and to the file before.
    Back,
}

/// Where a thread is, in the order in which one goes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct JumpStop {
    path: Vec<u8>,
    line: u32,
    /// The thread, if an extension shows it in another document than this file.
    elsewhere: Option<String>,
}

impl Server {
    /// Shows the next open thread after a line, over all files of the repository.
    pub(crate) fn jump(&mut self, id: &RequestId, from: &FromArguments, way: Way) -> Result<(), String> {
        let number = match &from.thread {
            Some(thread) => self.repository_with(thread)?,
            None => self.documents.get(&from.uri).ok_or(NO_REPOSITORY)?.repository,
        };
        let repository = &self.repositories[number];
        let mut stops: Vec<JumpStop> = Vec::new();
        for open in self.documents.values().filter(|open| open.repository == number) {
            let threads = open.live.threads().iter().filter(|thread| thread.verified.is_open());
            stops.extend(threads.map(|thread| self.stop(&open.relative, line(thread), &thread.verified)));
        }
        for thread in repository.threads.iter().filter(|thread| thread.is_open()) {
            let Some(path) = thread.path().filter(|path| !self.is_open(number, path)) else { continue };
            stops.push(self.stop(path, told_line(thread), thread));
        }
        stops.sort();
        stops.dedup();
        let known = stops.iter().find(|stop| from.thread.is_some() && stop.elsewhere == from.thread).cloned();
        let document = self.documents.get(&from.uri);
        let here = known.or_else(|| {
            document.map(|open| JumpStop { path: open.relative.clone(), line: from.line, elsewhere: None })
        });
        let next = match (way, &here) {
            (Way::Forward, Some(here)) => stops.iter().find(|stop| *stop > here).or(stops.first()),
            (Way::Back, Some(here)) => stops.iter().rev().find(|stop| *stop < here).or(stops.last()),
            (Way::Forward, None) => stops.first(),
            (Way::Back, None) => stops.last(),
        };
        let JumpStop { path, line, elsewhere } = next.ok_or("there is no open thread")?.clone();
        let file = uri_of(&repository.file(&path));
        if let Some(thread) = elsewhere {
            let found = repository.threads.iter().find(|known| known.view.id.as_str() == thread);
            let thread = found.map(|found| with_bodies(json!(&*found.view)));
            let root = uri_of(&repository.root);
            self.reply(id.clone(), json!({ "uri": file, "line": line, "root": root, "thread": thread }));
            return Ok(());
        }
        let at = Position { line, character: 0 };
        let selection = Range { start: at, end: at };
        if self.editor.shows_documents {
            let show = json!({ "uri": file, "takeFocus": true, "selection": selection });
            self.ask_editor(AskedEditor::Show, "window/showDocument", show);
        }
        self.reply(id.clone(), json!({ "uri": file, "line": line }));
        Ok(())
    }

    fn stop(&self, path: &[u8], line: u32, thread: &ThreadAt) -> JumpStop {
        let position = thread.view.position.as_ref();
        let is_in_file = position.is_none_or(|at| at.state != PlaceState::Orphaned && at.side != Side::Old);
        let elsewhere = (self.editor.shows_threads && !is_in_file).then(|| thread.view.id.to_string());
        // Its file has no line for it, whether it is open or not.
        let line = if elsewhere.is_some() { told_line(thread) } else { line };
        JumpStop { path: path.to_vec(), line, elsewhere }
    }
}

/// The line of a thread as the service tells it, counted from zero.
fn told_line(thread: &ThreadAt) -> u32 {
    let start = thread.view.position.as_ref().and_then(|position| position.start);
    start.unwrap_or(1).saturating_sub(1)
}
