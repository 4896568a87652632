//! Messages of JSON-RPC 2.0: what a line asks for, and the lines that answer it.

use serde_json::{Map, Value, json};

/// The line is not JSON.
pub(crate) const PARSE: i64 = -32700;
/// The JSON is not a request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub(crate) const UNKNOWN_METHOD: i64 = -32601;
/// The parameters are invalid.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The revision of the protocol that a request names is not spoken here.
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

/// What a line is.
#[derive(Debug, PartialEq)]
pub(crate) enum McpMessage {
    /// It wants an answer.
    Request(McpRequest),
    /// It wants none.
    Notification {
        /// What happened.
        method: String,
        /// The rest.
        params: Map<String, Value>,
    },
    /// An answer to a request, of which this server makes none.
    Stray,
    /// It is not understood.
    Malformed(McpError),
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct McpRequest {
    /// What its answer names: a string or a number.
    pub id: Value,
    /// What is asked for.
    pub method: String,
    /// The rest.
    pub params: Map<String, Value>,
}

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct McpError {
    /// What it is about, if that is known.
    pub id: Value,
    /// The number of its kind.
    pub code: i64,
    /// What failed, and what to do.
    pub message: String,
    /// Details.
    pub data: Option<Value>,
}

impl McpError {
    /// An error without details.
    pub fn new(id: &Value, code: i64, message: impl Into<String>) -> Self {
        Self { id: id.clone(), code, message: message.into(), data: None }
    }

    /// The line that says so.
    pub fn line(&self) -> String {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string()
    }
}

/// The line that answers a request.
pub(crate) fn result_line(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// The line that tells something which nobody asked for.
pub(crate) fn notification_line(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

impl McpMessage {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Self {
        let malformed = |id: &Value, code: i64, what: String| Self::Malformed(McpError::new(id, code, what));
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => {
                return malformed(&Value::Null, PARSE, format!("not JSON: {error}; send one message a line"));
            }
        };
        let Value::Object(mut message) = value else {
            let what = "not a message: send one JSON object a line, and no batches";
            return malformed(&Value::Null, INVALID_REQUEST, what.to_owned());
        };
        let id = message.remove("id");
        let told = id.clone().filter(is_id).unwrap_or_default();
        let invalid = |what: &str| malformed(&told, INVALID_REQUEST, what.to_owned());
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return invalid("not a message: `jsonrpc` must be \"2.0\"");
        }
        let method = match message.remove("method") {
            Some(Value::String(method)) => method,
            None if message.contains_key("result") || message.contains_key("error") => return Self::Stray,
            _ => return invalid("not a request: `method` must be a string"),
        };
        let params = match message.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return malformed(&told, INVALID_PARAMS, "`params` must be an object".to_owned()),
        };
        match id {
            None => Self::Notification { method, params },
            Some(id) if is_id(&id) => Self::Request(McpRequest { id, method, params }),
            Some(_) => invalid("not a request: `id` must be a string or a number"),
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_message_is_answered_with_what_is_wrong() {
        let check = |line: &str, code: i64, id: &Value, says: &str| match McpMessage::read(line.as_bytes()) {
            McpMessage::Malformed(error) => {
                assert_eq!((error.code, &error.id), (code, id), "{line}");
                assert!(error.message.contains(says), "{line}: {}", error.message);
            }
            other => panic!("{line}: {other:?}"),
        };
        let none = &Value::Null;
        check("{", PARSE, none, "not JSON");
        check("\u{1}", PARSE, none, "not JSON");
        check(&"[".repeat(100_000), PARSE, none, "recursion");
        check("[]", INVALID_REQUEST, none, "no batches");
        check("7", INVALID_REQUEST, none, "one JSON object");
        check(r#"{"id":1,"method":"ping"}"#, INVALID_REQUEST, &json!(1), "jsonrpc");
        check(r#"{"jsonrpc":"2.0","id":1}"#, INVALID_REQUEST, &json!(1), "`method`");
        check(r#"{"jsonrpc":"2.0","id":1,"method":2}"#, INVALID_REQUEST, &json!(1), "`method`");
        check(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST, none, "`id`");
        check(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, INVALID_REQUEST, none, "`id`");
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}"#,
            INVALID_PARAMS,
            &json!("a"),
            "params",
        );
    }

    #[test]
    fn a_request_a_notification_and_an_answer_are_told_apart() {
        let request = McpMessage::read(br#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#);
        let (id, method, params) = (json!("x"), "ping".to_owned(), Map::new());
        assert_eq!(request, McpMessage::Request(McpRequest { id, method, params }));
        let told = McpMessage::read(br#"{"jsonrpc":"2.0","method":"a/b","params":{"c":1}}"#);
        assert!(
            matches!(told, McpMessage::Notification { method, params } if method == "a/b" && params["c"] == 1)
        );
        assert_eq!(McpMessage::read(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), McpMessage::Stray);
    }
}
