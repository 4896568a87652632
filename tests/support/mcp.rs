//! A client of `postil mcp` that a test makes up: one line out, one line in.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::postil::POSTIL;
use super::world::{Checkout, words};

/// A server that runs, and its client.
pub struct McpServer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl McpServer {
    /// Starts `postil mcp` with more words, without a daemon.
    pub fn start(checkout: &Checkout<'_>, line: &str) -> Self {
        let mut command = checkout.command(POSTIL);
        command.args(words(line)).env("POSTIL_DAEMON", "off");
        Self::run(&mut command)
    }

    /// Starts a command that is a server.
    pub fn run(command: &mut std::process::Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("postil can be started");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        Self { child, input, output, last: 0 }
    }

    /// Introduces itself, as clients up to revision 2025-11-25 do.
    pub fn introduce(&mut self, name: &str) {
        let client = json!({ "name": name, "version": "1.0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let welcome = self.ask("initialize", &params);
        assert_eq!(welcome["result"]["protocolVersion"], "2025-11-25");
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{line}").expect("the server reads");
    }

    /// The next line, which must be JSON.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server writes");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Asks, and returns the answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.send(&request.to_string());
        let answer = self.next();
        assert_eq!(answer["id"], self.last, "{answer}");
        answer
    }

    /// Calls a tool; returns its text, and whether it is an error.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, answer["result"]["isError"] == true)
    }

    /// The same of a call that succeeds.
    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: &Value) -> String {
        let (text, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// Closes the input, and waits for the end; returns the exit code.
    pub fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("a child can be waited for").code()
    }
}

/// The mark that an answer ends with.
#[track_caller]
pub fn mark_of(answer: &str) -> String {
    let last = answer.lines().last().unwrap_or_default();
    last.strip_prefix("mark ").unwrap_or_else(|| panic!("{answer}")).to_owned()
}
