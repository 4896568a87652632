//! `postil lsp` as a process, with an editor that a test plays: messages over its standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Far longer than anything here takes, also on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A language server that runs.
pub struct LanguageServer {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Every message, or what is not one.
    messages: Receiver<Result<Value, String>>,
    requests: u32,
    /// What was told and asked and not yet taken, oldest first.
    pub heard: Vec<Value>,
}

impl LanguageServer {
    /// Starts it, and says hello as an editor that opens documents.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("standard output was asked for"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = Self { child, stdin, messages, requests: 0, heard: Vec::new() };
        let abilities = json!({ "window": { "showDocument": { "support": true } } });
        let hello = json!({ "processId": null, "rootUri": null, "capabilities": abilities });
        server.ask("initialize", hello).expect("it says hello");
        server.tell("initialized", json!({}));
        server
    }

    /// Sends a notification.
    pub fn tell(&mut self, method: &str, params: impl Into<Value>) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params.into() }));
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: impl Into<Value>) -> Result<Value, String> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params.into() }));
        let answer = self.until(|message| message["id"] == id && message.get("method").is_none());
        match answer["error"]["message"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Runs a command.
    #[track_caller]
    pub fn command(&mut self, name: &str, argument: &Value) -> Result<Value, String> {
        self.ask("workspace/executeCommand", json!({ "command": name, "arguments": [argument] }))
    }

    /// Waits for a message, which is taken.
    #[track_caller]
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(nth) = self.heard.iter().position(&wanted) {
                return self.heard.remove(nth);
            }
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Ok(message)) => self.hear(message),
                Ok(Err(words)) => panic!("this is no message: {words:?}"),
                Err(why) => panic!("it never comes ({why}), only {:#?}", self.heard),
            }
        }
    }

    /// Waits until a document shows this, as `LINE: message` for each diagnostic.
    #[track_caller]
    pub fn until_shown(&mut self, uri: &str, expected: &[&str]) {
        self.until(|message| {
            let shown = message["params"]["diagnostics"].as_array();
            let shown = shown.filter(|_| message["params"]["uri"] == uri).map(|shown| {
                let one = |one: &Value| {
                    format!(
                        "{}: {}",
                        one["range"]["start"]["line"],
                        one["message"].as_str().unwrap_or_default()
                    )
                };
                shown.iter().map(one).collect::<Vec<_>>()
            });
            shown.is_some_and(|shown| shown == expected)
        });
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Inserts text at the beginning of a line.
    pub fn insert(&mut self, uri: &str, version: u32, line: u32, text: &str) {
        let at = json!({ "line": line, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": text });
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.tell("textDocument/didChange", params);
    }

    /// The process dies at once, as in a crash.
    pub fn kill(mut self) {
        self.child.kill().expect("a process that was not waited for can be killed");
        self.child.wait().expect("it is gone");
    }

    /// The editor dies: it says nothing any more, and the server ends by itself.
    pub fn leave(mut self) {
        drop(self.stdin.take());
        let ended = self.child.wait().expect("it can be waited for");
        assert!(ended.success(), "{ended}");
    }

    /// Says goodbye, and expects it to end well.
    #[track_caller]
    pub fn end(mut self) {
        self.ask("shutdown", Value::Null).expect("it says goodbye");
        self.tell("exit", Value::Null);
        drop(self.stdin.take());
        let ended = self.child.wait().expect("it can be waited for");
        assert!(ended.success(), "{ended}");
        // Nothing but messages was printed, until the very end.
        while let Ok(last) = self.messages.recv_timeout(PATIENCE) {
            last.expect("only messages are printed");
        }
    }

    fn hear(&mut self, message: Value) {
        if message.get("id").is_some() && message.get("method").is_some() {
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "success": true, "applied": true } });
            self.send(&answer);
        }
        self.heard.push(message);
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let stdin = self.stdin.as_mut().expect("it is open until the end");
        write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
        stdin.flush().expect("it reads");
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of a file.
pub fn uri(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// Reads one message; `None` at the end, and what it was if it is no message.
fn read(from: &mut BufReader<impl std::io::Read>) -> Option<Result<Value, String>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match (line.trim_end(), line.strip_prefix("Content-Length: ")) {
            ("", _) => break,
            (_, Some(number)) => length = number.trim().parse::<usize>().ok(),
            (other, None) => return Some(Err(other.to_owned())),
        }
    }
    let mut body = vec![0; length?];
    from.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).map_err(|error| error.to_string()))
}
