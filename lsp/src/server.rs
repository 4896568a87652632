//! The loop that everything goes through: messages of the editor, answers of the service, and pauses.
//!
//! One thread owns all documents. Work that waits goes to a repository's worker, whose answer comes back as one more
//! message, so that nothing here needs a lock. What a message means is in `documents`, `requests`,
//! `asking` and `commands`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use crossbeam_channel::{Sender, after, never, select, unbounded};
use gen_lsp_types::InitializeParams;
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use postil_client::{ClientProgram, VERSION};
use postil_live::LiveDocument;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::asking::repository::OpenRepository;
use crate::asking::worker::FromWorker;
use crate::capabilities::{EditorAbilities, offered};
use crate::documents::document::OpenDocument;
use crate::shown::thread_at::ThreadAt;
use crate::texts::entry::Entry;

/// So many requests may wait for an answer of the editor; the oldest are forgotten.
const MAX_WAITING: usize = 64;

/// Why the conversation with an editor ended too early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The editor does not speak the protocol.
    #[error("the editor broke the protocol")]
    Protocol(#[from] ProtocolError),
    /// What the editor says about itself cannot be read.
    #[error("the editor's first message is invalid")]
    Initialize(#[from] serde_json::Error),
    /// Standard input or output failed.
    #[error("could not read from the editor or write to it")]
    Stream(#[from] std::io::Error),
}

/// Serves an editor over standard input and output, until it says goodbye or is gone.
///
/// `give_back` is called when the service was asked nothing for a while: its answers are large, and what they took is free then.
pub fn run(program: ClientProgram, give_back: fn()) -> Result<(), ServeError> {
    let (connection, threads) = Connection::stdio();
    serve(&connection, program, give_back)?;
    drop(connection);
    threads.join()?;
    Ok(())
}

/// Serves an editor over any connection, as [`run`] does.
pub fn serve(connection: &Connection, program: ClientProgram, give_back: fn()) -> Result<(), ServeError> {
    let (id, params) = match connection.initialize_start() {
        Ok(first) => first,
        // It said nothing at all.
        Err(error) if error.channel_is_disconnected() => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let params: InitializeParams = serde_json::from_value(params)?;
    let editor = EditorAbilities::of(&params);
    let answer = json!({
        "capabilities": offered(&editor),
        "serverInfo": { "name": "postil", "version": VERSION },
    });
    connection.initialize_finish(id, answer)?;
    let (to_loop, from_workers) = unbounded();
    let mut server = Server {
        editor_channel: connection.sender.clone(),
        editor,
        program,
        give_back,
        documents: BTreeMap::new(),
        repositories: Vec::new(),
        entries: Vec::new(),
        closed: Vec::new(),
        to_loop,
        requests: 0,
        waiting: BTreeMap::new(),
        settling: Vec::new(),
    };
    loop {
        let pause =
            server.next_due().map_or_else(never, |due| after(due.saturating_duration_since(Instant::now())));
        select! {
            recv(connection.receiver) -> message => match message {
                Ok(Message::Request(request)) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    server.request(request);
                }
                Ok(Message::Notification(notification)) => {
                    // An editor that ends without a word before.
                    if notification.method == "exit" {
                        return Ok(());
                    }
                    server.notification(notification);
                }
                Ok(Message::Response(response)) => server.answered(&response),
                Err(_) => return Ok(()),
            },
            recv(from_workers) -> message => {
                if let Ok(message) = message {
                    server.worked(message);
                }
            }
            recv(pause) -> _ => {}
        }
        let now = Instant::now();
        server.ask_what_is_due(now);
        server.look_at_texts(now);
        server.tell_if_settled();
    }
}

/// Everything that is known about one editor.
pub(crate) struct Server {
    editor_channel: Sender<Message>,
    pub(crate) editor: EditorAbilities,
    pub(crate) program: ClientProgram,
    /// Gives memory that is free back to the system.
    pub(crate) give_back: fn(),
    /// By their addresses.
    pub(crate) documents: BTreeMap<String, OpenDocument>,
    pub(crate) repositories: Vec<OpenRepository>,
    pub(crate) entries: Vec<Entry>,
    /// The last documents that were closed, newest first: some editors reload a file by closing and opening it.
    pub(crate) closed: Vec<(String, LiveDocument<ThreadAt>)>,
    pub(crate) to_loop: Sender<FromWorker>,
    /// Counts the requests to the editor.
    requests: i32,
    /// What the editor has not answered yet, by the number of the request.
    waiting: BTreeMap<i32, AskedEditor>,
    /// Requests that are answered when everything is known about all texts.
    settling: Vec<RequestId>,
}

/// What an editor was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AskedEditor {
    /// Show a document.
    Show,
    /// Make an edit.
    Edit,
    /// Say whether to open a text that was not sent.
    OpenText(PathBuf),
    /// Say where a thread belongs.
    MoveThread {
        /// The thread.
        thread: String,
        /// The places, as they were offered.
        places: Vec<String>,
    },
    /// Look at hints or lenses again, which matters to nobody.
    Refresh,
}

impl Server {
    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => self.read(params, Self::opened),
            "textDocument/didChange" => self.read(params, Self::changed),
            "textDocument/didSave" => self.read(params, Self::saved),
            "textDocument/didClose" => self.read(params, Self::closed),
            "workspace/didRenameFiles" | "workspace/didCreateFiles" | "workspace/didDeleteFiles" => {
                self.files_changed();
            }
            // What is not known may be left out.
            _ => {}
        }
    }

    fn read<P: DeserializeOwned>(&mut self, params: Value, take: impl FnOnce(&mut Self, P)) {
        if let Ok(params) = serde_json::from_value(params) {
            take(self, params);
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        match method.as_str() {
            "textDocument/hover" => self.answer(id, params, Self::hover),
            "textDocument/codeAction" => self.answer(id, params, Self::actions),
            "textDocument/codeLens" => self.answer(id, params, Self::lenses),
            "textDocument/inlayHint" => self.answer(id, params, Self::hints),
            "workspace/executeCommand" => self.answer(id, params, Self::command),
            "postil/ask" => self.answer(id, params, Self::ask_service),
            // Answered when everything is known about all texts: for tests, and for extensions that show progress.
            "postil/settle" if self.settling.len() < MAX_WAITING => self.settling.push(id),
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                self.send(Response::new_err(id, code, format!("no such method: {method}")).into());
            }
        }
    }

    fn answer<P: DeserializeOwned>(
        &mut self,
        id: RequestId,
        params: Value,
        take: impl FnOnce(&mut Self, RequestId, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => take(self, id, params),
            Err(error) => self.refuse(id, &format!("invalid parameters: {error}")),
        }
    }

    /// Takes the answer of the editor to a request.
    fn answered(&mut self, response: &Response) {
        let Some(asked) = self.waiting.iter().find(|(id, _)| RequestId::from(**id) == response.id) else {
            return;
        };
        let (number, asked) = (*asked.0, asked.1.clone());
        self.waiting.remove(&number);
        let said = |name: &str, result: &Value| result.get(name).and_then(Value::as_bool) != Some(false);
        let is_done = |name: &str| response.response_result.as_ref().is_ok_and(|result| said(name, result));
        match asked {
            AskedEditor::Show if !is_done("success") => self.complain("the editor did not open the file"),
            AskedEditor::Edit if !is_done("applied") => {
                self.complain("the editor did not make the change; the text may have changed meanwhile");
            }
            AskedEditor::OpenText(file) => {
                if let Ok(answer) = &response.response_result {
                    self.open_left_behind(&file, answer);
                }
            }
            AskedEditor::MoveThread { thread, places } => {
                if let Ok(answer) = &response.response_result {
                    self.move_to_chosen(thread, &places, answer);
                }
            }
            AskedEditor::Show | AskedEditor::Edit | AskedEditor::Refresh => {}
        }
    }

    /// When something is to be done without a message.
    fn next_due(&self) -> Option<Instant> {
        let idle = self.repositories.iter().filter(|repository| repository.asked.is_none());
        let questions = idle.filter_map(|repository| repository.due);
        questions.chain(self.entries.iter().filter_map(Entry::due)).min()
    }

    /// Answers who waits until everything is known, if it is.
    fn tell_if_settled(&mut self) {
        let is_busy = |repository: &OpenRepository| {
            repository.asked.is_some() || repository.due.is_some() || !repository.is_listening
        };
        if !self.repositories.iter().any(is_busy) {
            for id in std::mem::take(&mut self.settling) {
                self.reply(id, Value::Null);
            }
        }
    }

    /// Shows an error to the person.
    pub(crate) fn complain(&self, what: &str) {
        self.notify("window/showMessage", json!({ "type": 1, "message": what }));
    }

    /// Tells the person that something was done.
    pub(crate) fn tell(&self, what: &str) {
        self.notify("window/showMessage", json!({ "type": 3, "message": what }));
    }

    /// Writes a warning into the editor's log.
    pub(crate) fn log(&self, what: &str) {
        self.notify("window/logMessage", json!({ "type": 2, "message": what }));
    }

    pub(crate) fn notify<P: Serialize>(&self, method: &str, params: P) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// Asks the editor for something.
    pub(crate) fn ask_editor<P: Serialize>(&mut self, asked: AskedEditor, method: &str, params: P) {
        self.requests += 1;
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.pop_first();
        }
        self.waiting.insert(self.requests, asked);
        self.send(Request::new(self.requests.into(), method.to_owned(), params).into());
    }

    pub(crate) fn reply<R: Serialize>(&self, id: RequestId, result: R) {
        self.send(Response::new_ok(id, result).into());
    }

    pub(crate) fn refuse(&self, id: RequestId, why: &str) {
        if self.editor.hides_failures {
            self.complain(why);
        }
        self.send(Response::new_err(id, ErrorCode::RequestFailed as i32, why.to_owned()).into());
    }

    fn send(&self, message: Message) {
        // An editor that is gone ends the loop at its next turn.
        let _ = self.editor_channel.send(message);
    }
}
