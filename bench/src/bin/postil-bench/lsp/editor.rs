//! An editor that only sends and waits.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::BenchResult;

/// A language server, and the editor that talks to it.
pub struct BenchEditor {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    requests: u32,
    version: u32,
}

impl BenchEditor {
    /// Starts a server, which asks the service so many milliseconds after the last key.
    pub fn start(command: &mut Command, pause: u32) -> BenchResult<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().ok_or("no standard input")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut editor = Self { child, stdin, stdout, requests: 0, version: 0 };
        let options = json!({ "pause": pause });
        editor.ask("initialize", json!({ "capabilities": {}, "initializationOptions": options }))?;
        editor.tell("initialized", json!({}))?;
        Ok(editor)
    }

    /// The process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Opens a file.
    pub fn open(&mut self, uri: &str, text: &str) -> BenchResult<()> {
        let document = json!({ "uri": uri, "languageId": "text", "version": 0, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }))
    }

    /// Inserts text.
    pub fn insert(&mut self, uri: &str, (line, character): (u32, u32), text: &str) -> BenchResult<()> {
        let at = json!({ "line": line, "character": character });
        self.replace(uri, &json!({ "start": at, "end": at }), text)
    }

    /// Replaces text.
    pub fn replace(&mut self, uri: &str, range: &Value, text: &str) -> BenchResult<()> {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        let changes = json!([{ "range": range, "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }))
    }

    /// Waits until everything is known.
    pub fn settle(&mut self) -> BenchResult<()> {
        self.ask("postil/settle", Value::Null)
    }

    /// Waits until threads are published; nothing is looked at.
    pub fn until_published(&mut self) -> BenchResult<()> {
        while !self.read()?.windows(18).any(|window| window == b"publishDiagnostics") {}
        Ok(())
    }

    /// Asks what can be done at the first line, which is answered at once.
    pub fn ask_actions(&mut self, uri: &str) -> BenchResult<()> {
        let at = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": at, "end": at });
        let params =
            json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
        self.ask("textDocument/codeAction", params)
    }

    fn ask(&mut self, method: &str, params: impl Into<Value>) -> BenchResult<()> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params.into() }))?;
        let wanted = format!("\"id\":{id},");
        while !self.read()?.windows(wanted.len()).any(|window| window == wanted.as_bytes()) {}
        Ok(())
    }

    fn tell(&mut self, method: &str, params: impl Into<Value>) -> BenchResult<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params.into() }))
    }

    fn send(&mut self, message: &Value) -> BenchResult<()> {
        let body = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(self.stdin.flush()?)
    }

    fn read(&mut self) -> BenchResult<Vec<u8>> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err("the language server ended".into());
            }
            match line.strip_prefix("Content-Length: ") {
                Some(number) => length = number.trim().parse()?,
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.stdout.read_exact(&mut body)?;
        Ok(body)
    }
}

impl Drop for BenchEditor {
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
