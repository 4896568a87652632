//! An editor that a test makes up, with a repository of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use postil_client::{ClientProgram, DaemonProgram, DeclaredVia, RepositoryArgs, Session};
use postil_protocol::{Comment, Place, Span, Suggest};
use postil_socket::RuntimeDirs;
use postil_testkit::Sandbox;
use serde_json::{Value, json};

/// So long an editor waits for a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// A repository with one file.
pub struct Project {
    sandbox: Sandbox,
}

impl Project {
    /// Makes one whose person is known and does not sign.
    pub fn new() -> Self {
        let project = Self { sandbox: Sandbox::new() };
        project.sandbox.init("repository", &[]);
        for (name, value) in [
            ("user.name", "Ann"),
            ("user.email", "ann@example.com"),
            ("postil.sign", "false"),
            ("postil.daemon", "off"),
        ] {
            project.git(&["config", name, value]);
        }
        project.sandbox.at("repository").commit("a.rs", &lines().concat());
        project
    }

    /// Where the repository is.
    pub fn folder(&self) -> PathBuf {
        self.sandbox.path().join("repository")
    }

    /// The address of a file.
    pub fn uri(&self, file: &str) -> String {
        format!("file://{}", self.folder().join(file).display())
    }

    /// Runs git.
    pub fn git(&self, words: &[&str]) -> String {
        self.sandbox.at("repository").git(words)
    }

    /// Writes a file.
    pub fn write(&self, file: &str, text: &str) {
        self.sandbox.at("repository").write(file, text);
    }

    /// Loses what was said on the commit that is checked out.
    pub fn lose_notes(&self) {
        let repo = self.sandbox.at("repository");
        let note = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
        repo.forget_kept();
        let file = repo.dir.join(".git/objects").join(&note[..2]).join(&note[2..]);
        std::fs::remove_file(file).expect("a new note is an object by itself");
    }

    fn program(&self) -> ClientProgram {
        let dirs = RuntimeDirs::at(self.sandbox.path().join("run"), self.sandbox.path().join("state"));
        ClientProgram::new("test", DaemonProgram::None).at(dirs).acting_via(DeclaredVia::Person)
    }

    /// A session beside the editor's, as a terminal would have.
    pub fn session(&self) -> Session {
        let args = RepositoryArgs { directory: self.folder(), ..RepositoryArgs::default() };
        Session::open(&args, self.program(), Box::new(())).expect("the repository is there")
    }

    /// Comments on a line, counted from one; returns the id of the thread.
    pub fn comment(&self, line: u32, text: &str) -> String {
        self.comment_with(line, text, None)
    }

    /// Comments on several lines, counted from one.
    pub fn comment_on(&self, first: u32, last: u32, text: &str) -> String {
        let place = Place { span: Some(Span::lines(first, last)), ..Place::file("a.rs") };
        self.write_comment(place, text, None)
    }

    /// Comments on a line, with text to replace it.
    pub fn comment_with(&self, line: u32, text: &str, replacement: Option<&str>) -> String {
        let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.rs") };
        self.write_comment(place, text, replacement)
    }

    /// Comments on a part of a line, by its first and last column in bytes, counted from one.
    pub fn comment_part(&self, line: u32, (first, last): (u32, u32), text: &str) -> String {
        let mut span = Span::lines(line, line);
        (span.start_column, span.end_column) = (Some(first), Some(last));
        self.write_comment(Place { span: Some(span), ..Place::file("a.rs") }, text, None)
    }

    fn write_comment(&self, place: Place, text: &str, replacement: Option<&str>) -> String {
        let written = self.session().write(Comment {
            place: Some(place),
            message: None,
            text: text.to_owned(),
            severity: None,
            tags: Vec::new(),
            review: None,
            suggestion: replacement.map(|text| Suggest::Replacement(text.into())),
            draft: false,
        });
        written.expect("a comment can be written").id.to_string()
    }
}

/// Forty lines that differ, each with its end.
pub fn lines() -> Vec<String> {
    (1..=40).map(|line| format!("    let value_{line} = compute({line}, {});\n", line * 7)).collect()
}

/// An editor and the server that it talks to.
pub struct Editor {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    requests: i32,
    version: i32,
    /// What was published last, by address.
    published: BTreeMap<String, Value>,
    /// Everything that documents showed, oldest first.
    pub history: Vec<(String, Vec<String>)>,
    /// What the server asked the editor to do.
    pub asked: Vec<(String, Value)>,
    /// The names of these requests, oldest first.
    pub ids: Vec<RequestId>,
    /// What it answers to requests; `None` if it never does.
    pub answer: Option<Value>,
}

impl Editor {
    /// Starts a server for an editor that counts in units of UTF-16 and opens documents.
    pub fn start(project: &Project) -> Self {
        Self::start_with(
            project,
            &json!({
                "processId": null, "rootUri": null,
                "capabilities": { "window": { "showDocument": { "support": true } } },
            }),
        )
    }

    /// Starts a server for an editor that says this about itself.
    pub fn start_with(project: &Project, initialize: &Value) -> Self {
        let (connection, other_end) = Connection::memory();
        let program = project.program();
        let server = thread::spawn(move || {
            postil_lsp::serve(&other_end, program, || {}).expect("the server goes on");
        });
        let mut editor = Self {
            connection,
            server: Some(server),
            requests: 0,
            version: 0,
            published: BTreeMap::new(),
            history: Vec::new(),
            asked: Vec::new(),
            ids: Vec::new(),
            answer: Some(json!({ "success": true, "applied": true })),
        };
        editor.request("initialize", initialize.clone()).expect("the server starts");
        editor.notify("initialized", json!({}));
        editor
    }

    /// Opens a document with a text.
    pub fn open(&mut self, uri: &str, text: &str) {
        self.version = 1;
        self.notify(
            "textDocument/didOpen",
            json!({
                "textDocument": { "uri": uri, "languageId": "rust", "version": 1, "text": text },
            }),
        );
    }

    /// Replaces a part of a document, as an editor does at a key.
    pub fn replace(&mut self, uri: &str, from: (u32, u32), to: (u32, u32), text: &str) {
        let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        self.change(
            uri,
            json!([{ "range": { "start": position(from), "end": position(to) }, "text": text }]),
        );
    }

    /// Replaces the whole text.
    pub fn replace_all(&mut self, uri: &str, text: &str) {
        self.change(uri, json!([{ "text": text }]));
    }

    /// Sends changes.
    pub fn change(&mut self, uri: &str, changes: impl Into<Value>) {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes.into() }),
        );
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let message = Notification { method: method.to_owned(), params };
        self.connection.sender.send(message.into()).expect("the server reads");
    }

    /// Sends a request, and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.requests += 1;
        let id = self.requests;
        let request = Request::new(id.into(), method.to_owned(), params);
        self.connection.sender.send(request.into()).expect("the server reads");
        loop {
            if let Heard::Answer(response) = self.receive(Instant::now() + PATIENCE).expect("an answer comes")
                && response.id == id.into()
            {
                return response.response_result.map_err(|error| error.message);
            }
        }
    }

    /// Runs a command of the server.
    pub fn command(&mut self, name: &str, argument: impl Into<Value>) -> Result<Value, String> {
        self.request("workspace/executeCommand", json!({ "command": name, "arguments": [argument.into()] }))
    }

    /// Runs a command, and changes a document before the answer comes.
    pub fn command_and_change(&mut self, name: &str, argument: &Value, uri: &str, changes: Value) {
        self.requests += 1;
        let params = json!({ "command": name, "arguments": [argument] });
        let request = Request::new(self.requests.into(), "workspace/executeCommand".to_owned(), params);
        self.connection.sender.send(request.into()).expect("the server reads");
        self.change(uri, changes);
    }

    /// Saves a document.
    pub fn save(&mut self, uri: &str) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Answers a request of the server, however late.
    pub fn answer_to(&mut self, id: RequestId, answer: Value) {
        self.connection.sender.send(Response::new_ok(id, answer).into()).expect("the server reads");
    }

    /// Goes away without a word, as an editor that died: the server ends by itself.
    pub fn leave(mut self) {
        let server = self.server.take().expect("there is a server");
        drop(self);
        server.join().expect("the server ended well");
    }

    /// Waits until everything is known about all texts.
    pub fn settle(&mut self) {
        self.request("postil/settle", Value::Null).expect("it settles");
    }

    /// The diagnostics of a document, as they were sent.
    pub fn diagnostics(&self, uri: &str) -> Vec<Value> {
        self.published.get(uri).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// Waits until a document shows this: `10: ann: text` for each diagnostic.
    pub fn until(&mut self, uri: &str, expected: &[&str]) {
        let deadline = Instant::now() + PATIENCE;
        while self.shown(uri) != expected {
            let shown = self.shown(uri);
            self.receive(deadline).unwrap_or_else(|| panic!("{uri} shows {shown:?} instead of {expected:?}"));
        }
    }

    /// Waits until the server asked for something.
    pub fn until_asked(&mut self, method: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(nth) = self.asked.iter().position(|(asked, _)| asked == method) {
                return self.asked.remove(nth).1;
            }
            self.receive(deadline).unwrap_or_else(|| panic!("{method} never comes"));
        }
    }

    /// What a document shows now.
    pub fn shown(&self, uri: &str) -> Vec<String> {
        let diagnostics = self.published.get(uri).and_then(Value::as_array).cloned().unwrap_or_default();
        let shown = diagnostics.iter().map(|one| {
            format!("{}: {}", one["range"]["start"]["line"], one["message"].as_str().unwrap_or_default())
        });
        shown.collect()
    }

    /// Takes the next message.
    fn receive(&mut self, deadline: Instant) -> Option<Heard> {
        match self.connection.receiver.recv_deadline(deadline).ok()? {
            Message::Response(response) => return Some(Heard::Answer(response)),
            Message::Request(request) => {
                self.ids.push(request.id.clone());
                if let Some(answer) = &self.answer {
                    let answer = Response::new_ok(request.id, answer);
                    self.connection.sender.send(answer.into()).expect("the server reads");
                }
                self.asked.push((request.method, request.params));
            }
            Message::Notification(notification)
                if notification.method == "textDocument/publishDiagnostics" =>
            {
                let uri = notification.params["uri"].as_str().unwrap_or_default().to_owned();
                // Helix drops what is about an earlier text than its own.
                if notification.params.get("version").is_some_and(|version| *version != self.version) {
                    return Some(Heard::Other);
                }
                self.published.insert(uri.clone(), notification.params["diagnostics"].clone());
                let shown = self.shown(&uri);
                self.history.push((uri, shown));
            }
            Message::Notification(notification) => {
                self.asked.push((notification.method, notification.params));
            }
        }
        Some(Heard::Other)
    }
}

/// What a message was.
enum Heard {
    Answer(Response),
    Other,
}

impl Drop for Editor {
    fn drop(&mut self) {
        if thread::panicking() || self.server.is_none() {
            return;
        }
        self.request("shutdown", Value::Null).expect("the server says goodbye");
        self.notify("exit", Value::Null);
        self.server.take().expect("there is a server").join().expect("the server ended well");
    }
}
