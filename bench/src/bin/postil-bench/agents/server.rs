//! `postil` as an agent runs it, and the server that it talks to: one line out, one line in.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::BenchResult;
use crate::daemon::Commented;
use crate::laboratory::Laboratory;

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    Daemon,
    Itself,
}

/// A command of postil in a repository, in the laboratory's own home.
pub fn command(laboratory: &Laboratory, program: &Path, repo: &Commented, by: AnsweredBy) -> Command {
    let place = laboratory.place();
    let mut command = Command::new(program);
    command.current_dir(repo.folder()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", &place).env("POSTIL_RUNTIME_DIR", place.join("run"));
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_AUTHOR_NAME", "A U Thor").env("GIT_AUTHOR_EMAIL", "author@example.com");
    if by == AnsweredBy::Itself {
        command.env("POSTIL_DAEMON", "off");
    }
    command
}

/// A server that runs.
pub struct AgentServer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl AgentServer {
    /// Starts it, and introduces itself.
    pub fn start(
        laboratory: &Laboratory,
        program: &Path,
        repo: &Commented,
        by: AnsweredBy,
    ) -> BenchResult<Self> {
        let mut command = command(laboratory, program, repo, by);
        let mut child = command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("it was piped")?);
        let mut server = Self { input: child.stdin.take(), child, output, last: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        server.ask("initialize", &params)?;
        Ok(server)
    }

    /// The text of a tool's answer, which must be none of an error.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> BenchResult<String> {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let text = answer["result"]["content"][0]["text"].as_str();
        match text.filter(|_| answer["result"]["isError"] != true) {
            Some(text) => Ok(text.to_owned()),
            None => Err(format!("{tool}: {answer}").into()),
        }
    }

    /// Ends it, as clients do.
    pub fn end(mut self) -> BenchResult<()> {
        self.input = None;
        self.child.wait()?;
        Ok(())
    }

    fn ask(&mut self, method: &str, params: &Value) -> BenchResult<Value> {
        self.last += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        let input = self.input.as_mut().ok_or("the input is open")?;
        writeln!(input, "{request}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

/// The mark at the end of an answer.
pub fn mark_of(answer: &str) -> BenchResult<String> {
    let mark = answer.lines().rev().find_map(|line| line.strip_prefix("mark "));
    Ok(mark.ok_or_else(|| format!("an answer without a mark: {answer}"))?.to_owned())
}
