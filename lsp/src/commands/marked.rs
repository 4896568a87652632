//! Stores a marker line as a comment on the next line, and only then has the editor remove it.

use lsp_server::RequestId;
use postil_client::Session;
use postil_protocol::{Comment, Place, Span};
use serde_json::{Value, json};

use crate::asking::worker::{Finished, WorkerTask};
use crate::commands::command::FromArguments;
use crate::commands::execute::NO_REPOSITORY;
use crate::documents::document::OpenDocument;
use crate::server::{AskedEditor, Server};
use crate::texts::marker::MarkerLines;
use crate::told::told;

impl Server {
    /// Sends the marker line of a document, and the ones around it.
    pub(crate) fn send_marker(&mut self, id: &RequestId, at: FromArguments) -> Result<(), String> {
        let FromArguments { uri, line, .. } = at;
        let document =
            self.documents.get(&uri).filter(|document| !document.is_lost()).ok_or(NO_REPOSITORY)?;
        let marker = marker(document, line).ok_or("this is not a marker line, such as `// postil: why?`")?;
        let text = document.live.text();
        let is_said = |line: &u32| !text.bare(*line).trim_ascii().is_empty();
        let next = (marker.lines.end..text.len()).find(is_said);
        let next = next.ok_or("there is no line below the marker line to comment on")?;
        // The text as it will be without the marker: the comment is on what stays.
        let (start, end) = (text.offset(marker.lines.start), text.offset(marker.lines.end));
        let rest = format!("{}{}", &document.text()[..start], &document.text()[end..]);
        let seen = document.buffer_with(&rest);
        let on = next - (marker.lines.end - marker.lines.start) + 1;
        let comment = Comment {
            place: Some(Place { span: Some(Span::lines(on, on)), ..Place::file(document.relative.clone()) }),
            message: None,
            text: marker.text.clone(),
            severity: None,
            tags: Vec::new(),
            review: None,
            suggestion: None,
            draft: false,
        };
        let repository = document.repository;
        let id = id.clone();
        let work = move |session: &mut Session| -> Finished {
            let stored = session.write(comment);
            Box::new(move |server: &mut Server| {
                match stored {
                    Ok(stored) => {
                        server.tell(&format!("saved as {}", stored.thread.short));
                        server.remove_marker(&uri, &marker);
                        server.reply(id, Value::Null);
                    }
                    Err(error) => server.refuse(id, &told(&error)),
                }
                server.look_again(repository);
            })
        };
        self.repositories[repository].ask(vec![seen], WorkerTask::Write(Box::new(work)));
        Ok(())
    }

    /// Has the editor remove marker lines whose comment is stored, wherever they are now.
    fn remove_marker(&mut self, uri: &str, sent: &MarkerLines) {
        let Some(document) = self.documents.get(uri).filter(|document| !document.is_lost()) else { return };
        let lines = document.live.text().len();
        let is_it = |line: &u32| marker(document, *line).is_some_and(|found| found.text == sent.text);
        // Mostly nothing was typed meanwhile.
        let found = Some(sent.lines.start).filter(is_it).or_else(|| (0..lines).find(is_it));
        let Some(now) = found.and_then(|line| marker(document, line)) else {
            return self.tell("the marker line changed meanwhile, so it was not removed");
        };
        let at = |line: u32| json!({ "line": line, "character": 0 });
        let edit =
            json!({ "range": { "start": at(now.lines.start), "end": at(now.lines.end) }, "newText": "" });
        let document = json!({ "uri": uri, "version": document.version });
        let changes = json!([{ "textDocument": document, "edits": [edit] }]);
        let params = json!({ "label": "Remove a marker line", "edit": { "documentChanges": changes } });
        self.ask_editor(AskedEditor::Edit, "workspace/applyEdit", params);
    }
}

/// The marker lines around a line of a document.
pub(crate) fn marker(document: &OpenDocument, line: u32) -> Option<MarkerLines> {
    let text = document.live.text();
    MarkerLines::around(line, text.len(), |line| text.bare(line))
}
