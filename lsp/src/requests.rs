//! What an editor asks about a document: hovers, actions, lenses, hints, and commands.

use gen_lsp_types::{CodeActionParams, CodeLensParams, ExecuteCommandParams, HoverParams, InlayHintParams};
use lsp_server::RequestId;
use postil_client::Session;
use postil_protocol::Show;
use serde_json::{Value, json};

use crate::asking::worker::{Finished, WorkerTask};
use crate::commands::command::EditorCommand;
use crate::server::Server;
use crate::shown::hover::Markup;
use crate::shown::{actions, diagnostics, hover, lenses};

/// So many threads of a line are shown in a hover.
const MAX_HOVERED: usize = 20;

impl Server {
    pub(crate) fn hover(&mut self, id: RequestId, params: HoverParams) {
        let at = params.text_document_position_params;
        let Some(document) = self.documents.get(&at.text_document.uri.0) else {
            return self.reply(id, Value::Null);
        };
        let (line, repository) = (at.position.line, document.repository);
        let here = document.live.threads().iter().filter(|thread| diagnostics::covers(thread, line));
        let ids: Vec<String> = here.take(MAX_HOVERED).map(|one| one.verified.view.id.to_string()).collect();
        if ids.is_empty() {
            return self.reply(id, Value::Null);
        }
        let markup = if self.editor.shows_markdown { Markup::Markdown } else { Markup::Plain };
        let work = move |session: &mut Session| -> Finished {
            let threads = ids
                .into_iter()
                .filter_map(|of| session.ask(Show { of, ..Show::default() }).ok().map(|reply| reply.thread));
            let shown: Vec<String> = threads.map(|thread| hover::thread(&thread, markup)).collect();
            let (kind, between) = match markup {
                Markup::Markdown => ("markdown", "\n\n---\n\n"),
                Markup::Plain => ("plaintext", "\n\n"),
            };
            let value = json!({ "contents": { "kind": kind, "value": shown.join(between) } });
            Box::new(move |server| server.reply(id, value))
        };
        let (buffers, _) = self.buffers(repository);
        self.repositories[repository].ask(buffers, WorkerTask::Read(Box::new(work)));
    }

    pub(crate) fn actions(&mut self, id: RequestId, params: CodeActionParams) {
        let CodeActionParams { text_document, range, context, .. } = params;
        let uri = text_document.uri.0;
        let found =
            self.documents.get(&uri).map(|document| actions::at(document, &uri, &range, &self.editor));
        let mut found = found.unwrap_or_default();
        if let Some(only) = &context.only {
            found.retain(|action| actions::is_wanted(action, only));
        }
        self.reply(id, found);
    }

    pub(crate) fn lenses(&mut self, id: RequestId, params: CodeLensParams) {
        let uri = params.text_document.uri.0;
        let document = self.documents.get(&uri).filter(|_| self.editor.wants_lenses);
        self.reply(
            id,
            document.map(|document| lenses::above_lines(document, &self.editor)).unwrap_or_default(),
        );
    }

    pub(crate) fn hints(&mut self, id: RequestId, params: InlayHintParams) {
        let InlayHintParams { text_document, range, .. } = params;
        let document = self.documents.get(&text_document.uri.0).filter(|_| self.editor.wants_hints);
        let lines = range.start.line..=range.end.line;
        let found = document.map(|document| lenses::behind_lines(document, &lines, &self.editor));
        self.reply(id, found.unwrap_or_default());
    }

    pub(crate) fn command(&mut self, id: RequestId, params: ExecuteCommandParams) {
        match EditorCommand::read(&params.command, params.arguments) {
            Ok(command) => self.execute(id, command),
            Err(why) => self.refuse(id, &why),
        }
    }
}
