//! The loop: reads messages until the input ends, and answers each.

use std::io::{self, BufRead};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::era::{self, Envelope, Era};
use super::lines::{MAX_LINE_BYTES, StreamLine, next_line};
use super::message::{
    INVALID_PARAMS, INVALID_REQUEST, McpError, McpMessage, McpRequest, UNKNOWN_METHOD, result_line,
};
use super::outlet::Outlet;
use super::toolbox::{McpClient, ToolCall, Toolbox};

/// Serves one client until its input ends, or it no longer reads.
pub(crate) fn serve(input: &mut impl BufRead, outlet: &Outlet, toolbox: &Arc<dyn Toolbox>) -> io::Result<()> {
    let mut server = McpLoop {
        toolbox: toolbox.clone(),
        calls: Calls::new(toolbox.clone(), outlet.clone()),
        client: None,
    };
    let ended = loop {
        let line = match next_line(input) {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        let answer = match line {
            StreamLine::Whole(line) => server.take(McpMessage::read(&line)),
            StreamLine::TooLong => {
                let what = format!("the message is longer than {MAX_LINE_BYTES} bytes; send less at once");
                Some(McpError::new(&Value::Null, INVALID_REQUEST, what).line())
            }
        };
        if let Some(line) = answer {
            outlet.send(line);
        }
        if outlet.is_closed() {
            break Ok(());
        }
    };
    server.calls.end();
    ended
}

struct McpLoop {
    toolbox: Arc<dyn Toolbox>,
    calls: Calls,
    /// Who introduced themselves.
    client: Option<McpClient>,
}

impl McpLoop {
    /// The line that answers a message; `None` if there is none, or not yet.
    fn take(&mut self, message: McpMessage) -> Option<String> {
        match message {
            McpMessage::Request(request) => match self.answer(&request) {
                Ok(result) => result.map(|result| result_line(&request.id, &result)),
                Err(error) => Some(error.line()),
            },
            McpMessage::Notification { method, params } => {
                if let ("notifications/cancelled", Some(id)) = (method.as_str(), params.get("requestId")) {
                    self.calls.cancel(id);
                }
                None
            }
            McpMessage::Stray => None,
            McpMessage::Malformed(error) => Some(error.line()),
        }
    }

    /// The result of a request; `None` if it comes later.
    fn answer(&mut self, request: &McpRequest) -> Result<Option<Value>, McpError> {
        let instructions = self.toolbox.instructions();
        match request.method.as_str() {
            "initialize" => {
                let (client, result) = era::welcome(request, instructions)?;
                self.client = Some(client);
                return Ok(Some(result));
            }
            // A client may ask before it introduces itself. Later revisions have no such method.
            "ping" if !request.params.contains_key("_meta") => return Ok(Some(json!({}))),
            _ => {}
        }
        let envelope = Envelope::of(request, self.client.as_ref())?;
        match (request.method.as_str(), envelope.era) {
            ("ping", Era::Handshake) => Ok(Some(json!({}))),
            ("server/discover", Era::Modern) => Ok(Some(era::discovered(&envelope, instructions))),
            ("tools/list", _) => self.list(request, &envelope).map(Some),
            ("tools/call", _) => self.call(request, envelope).map(|()| None),
            (method, _) => {
                let what = format!("no method {method:?}; this server has tools/list and tools/call");
                Err(McpError::new(&request.id, UNKNOWN_METHOD, what))
            }
        }
    }

    fn list(&self, request: &McpRequest, envelope: &Envelope) -> Result<Value, McpError> {
        // All tools fit into one answer, so that no cursor is ever given.
        if request.params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(McpError::new(
                &request.id,
                INVALID_PARAMS,
                "no such `cursor`: the list has one page",
            ));
        }
        Ok(envelope.list("tools", &self.toolbox.offered()))
    }

    fn call(&mut self, request: &McpRequest, envelope: Envelope) -> Result<(), McpError> {
        let invalid = |what: String| Err(McpError::new(&request.id, INVALID_PARAMS, what));
        let Some(name) = request.params.get("name").and_then(Value::as_str) else {
            return invalid("`name` must be the name of a tool".to_owned());
        };
        let arguments = match request.params.get("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return invalid("`arguments` must be an object".to_owned()),
        };
        let Some(pace) = self.toolbox.pace(name) else {
            let tools = self.toolbox.offered();
            let tools: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
            return invalid(format!("no tool {name:?}; there are: {}", tools.join(", ")));
        };
        let call = ToolCall { name: name.to_owned(), arguments, client: envelope.client.clone() };
        self.calls.begin(request.id.clone(), call, envelope, pace);
        Ok(())
    }
}
