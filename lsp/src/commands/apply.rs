//! Suggestions become edits of the editor, so that its undo takes them back.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use lsp_server::RequestId;
use postil_client::Session;
use postil_live::{Encoding, TextPosition, text_position};
use postil_protocol::{Apply, OnConflict, PlanReply, Strictness, SuggestionState};
use serde_json::{Value, json};

use crate::asking::worker::{Finished, WorkerTask};
use crate::server::{AskedEditor, Server};
use crate::told::told;
use crate::uri::uri_of;

impl Server {
    /// Has the edits of a suggestion made by the editor.
    pub(crate) fn apply(&mut self, id: &RequestId, thread: &str) -> Result<(), String> {
        let repository = self.repository_with(thread)?;
        let (buffers, _) = self.buffers(repository);
        let here = self.documents.iter().filter(|(_, document)| document.repository == repository);
        let planned_on: BTreeMap<String, i32> =
            here.map(|(uri, document)| (uri.clone(), document.version)).collect();
        let (id, comments) = (id.clone(), vec![thread.to_owned()]);
        let work = move |session: &mut Session| -> Finished {
            let plan = session.ask(Apply {
                comments,
                all: false,
                strictness: Strictness::Strict,
                on_conflict: OnConflict::Refuse,
            });
            Box::new(move |server: &mut Server| match plan {
                Ok(plan) => server.edit(id, repository, &plan, &planned_on),
                Err(error) => server.refuse(id, &told(&error)),
            })
        };
        self.repositories[repository].ask(buffers, WorkerTask::Read(Box::new(work)));
        Ok(())
    }

    fn edit(
        &mut self,
        id: RequestId,
        repository: usize,
        plan: &PlanReply,
        planned_on: &BTreeMap<String, i32>,
    ) {
        if plan.state == SuggestionState::Done {
            return self.refuse(id, "the suggestion is applied already");
        }
        if let Some(conflict) = plan.conflicts.first() {
            return self.refuse(id, &format!("the suggestion does not apply: {}", conflict.why));
        }
        let root = self.repositories[repository].root.clone();
        let mut changes = Vec::new();
        for file in &plan.files {
            // Whole files come and go by the command line, which can undo that.
            let (Some(from), Some(to), Some(content)) = (&file.from, &file.to, &file.content) else {
                return self.refuse(id, "the suggestion creates or deletes a file; use `postil apply`");
            };
            let Some(content) = content.as_str().filter(|_| from == to) else {
                return self.refuse(id, "the suggestion renames a file or is not text; use `postil apply`");
            };
            let path = root.join(OsStr::from_bytes(from.as_bytes()));
            let open = self.documents.iter().find(|(_, document)| {
                document.repository == repository && document.relative == from.as_bytes()
            });
            let (uri, version, text) = match open {
                Some((uri, document)) if planned_on.get(uri) != Some(&document.version) => {
                    return self.refuse(id, "the text changed meanwhile; apply the suggestion again");
                }
                Some((uri, document)) => (uri.clone(), Some(document.version), document.text().to_owned()),
                None => match std::fs::read_to_string(&path) {
                    Ok(text) => (uri_of(&path), None, text),
                    Err(error) => {
                        return self.refuse(id, &format!("could not read {}: {error}", path.display()));
                    }
                },
            };
            let edits = edits(&text, content, self.editor.encoding);
            changes.push(json!({ "textDocument": { "uri": uri, "version": version }, "edits": edits }));
        }
        let edit = json!({ "label": "Apply a suggestion", "edit": { "documentChanges": changes } });
        self.ask_editor(AskedEditor::Edit, "workspace/applyEdit", edit);
        self.reply(id, Value::Null);
    }
}

/// The smallest edit from one text to another: what is between their equal beginning and their equal end.
fn edits(from: &str, to: &str, encoding: Encoding) -> Vec<Value> {
    if from == to {
        return Vec::new();
    }
    let mut head = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
    while !from.is_char_boundary(head) || !to.is_char_boundary(head) {
        head -= 1;
    }
    let (rest_from, rest_to) = (&from[head..], &to[head..]);
    let mut tail = rest_from.bytes().rev().zip(rest_to.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !rest_from.is_char_boundary(rest_from.len() - tail)
        || !rest_to.is_char_boundary(rest_to.len() - tail)
    {
        tail -= 1;
    }
    let position = |offset: usize| {
        let TextPosition { line, column } = text_position(from, offset, encoding);
        json!({ "line": line, "character": column })
    };
    let range = json!({ "start": position(head), "end": position(from.len() - tail) });
    vec![json!({ "range": range, "newText": rest_to[..rest_to.len() - tail] })]
}
