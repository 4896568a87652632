//! JSON-RPC 2.0: requests, responses and notifications.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::fault::{Fault, FaultCode};
use crate::daemon::event::Event;

/// Connects a response to its request: a number or a string, chosen by the client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MessageId {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

/// A received request; its parameters are parsed once the method is known.
///
/// Without an id it is a notification: it is processed, and there is no response.
#[derive(Debug, Deserialize)]
pub struct RpcRequest<'a> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: JsonRpcVersion,
    /// The id for the response.
    #[serde(default)]
    pub id: Option<MessageId>,
    /// The name of the method.
    pub method: String,
    /// The parameters.
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
}

impl<'a> RpcRequest<'a> {
    /// Reads a line as a request.
    ///
    /// The error distinguishes invalid JSON from an invalid request.
    pub fn parse(line: &'a [u8]) -> Result<Self, Fault> {
        serde_json::from_slice(line).map_err(|error| {
            let code = if error.is_data() { FaultCode::InvalidRequest } else { FaultCode::Parse };
            Fault::new(code, "invalid request").because(&error)
        })
    }

    /// The parameters as JSON text; `{}` if there are none.
    pub fn params(&self) -> &'a str {
        self.params.map_or("{}", RawValue::get)
    }
}

/// A request to send.
#[derive(Debug, Serialize)]
pub struct Outgoing<'a, P> {
    jsonrpc: JsonRpcVersion,
    /// The id for the response.
    id: &'a MessageId,
    method: &'a str,
    params: &'a P,
}

impl<'a, P: Serialize> Outgoing<'a, P> {
    /// Makes a request.
    pub fn new(id: &'a MessageId, method: &'a str, params: &'a P) -> Self {
        Self { jsonrpc: JsonRpcVersion, id, method, params }
    }
}

/// A response to send.
#[derive(Debug, Serialize)]
pub struct RpcResponse<R> {
    jsonrpc: JsonRpcVersion,
    /// The id of the request; `None` if it could not be read.
    id: Option<MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Fault>,
}

impl<R: Serialize> RpcResponse<R> {
    /// Makes the response to a request.
    pub fn new(id: Option<MessageId>, outcome: Result<R, Fault>) -> Self {
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(fault) => (None, Some(fault)),
        };
        Self { jsonrpc: JsonRpcVersion, id, result, error }
    }
}

/// The text before and after the result, for a result that is already JSON text and need not be copied.
pub fn around_result(id: &MessageId) -> Result<(String, &'static str), serde_json::Error> {
    let id = serde_json::to_string(id)?;
    Ok((format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":"), "}"))
}

/// A message that a client receives.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// The answer to a request.
    Response {
        /// The id of the request; `None` if the service could not read it.
        id: Option<MessageId>,
        /// The result as JSON text, or the error.
        outcome: Result<&'a str, Fault>,
    },
    /// An event.
    Event(Event),
    /// A notification of a later version, to be ignored.
    Unknown(String),
}

#[derive(Deserialize)]
struct Received<'a> {
    #[serde(default)]
    id: Option<MessageId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Fault>,
}

impl<'a> Incoming<'a> {
    /// Reads a line that the service sent.
    pub fn parse(line: &'a [u8]) -> Result<Self, serde_json::Error> {
        let received: Received<'a> = serde_json::from_slice(line)?;
        if let Some(method) = received.method {
            let params = received.params.map_or("{}", RawValue::get);
            return Ok(Event::from_parts(&method, params)?.map_or(Self::Unknown(method), Self::Event));
        }
        let outcome = match received.error {
            Some(fault) => Err(fault),
            // A result of `null` is read as none.
            None => Ok(received.result.map_or("null", RawValue::get)),
        };
        Ok(Self::Response { id: received.id, outcome })
    }
}

/// A line, for a client that waits for an answer.
#[derive(Debug)]
pub(crate) enum AwaitedLine<T> {
    /// The answer.
    Answer(Result<T, Fault>),
    /// An event that came in between.
    Event(Event),
    /// The answer to a request that was given up, or a notification of a later version.
    Other,
}

/// Reads a line that the service sent; `seed` reads its result while the line is read, if it is the answer to `pending`.
pub(crate) fn read_awaited<'de, S: DeserializeSeed<'de>>(
    line: &'de [u8],
    pending: &MessageId,
    seed: S,
) -> Result<AwaitedLine<S::Value>, serde_json::Error> {
    // Checked at once, which costs much less than string by string.
    let line = str::from_utf8(line).map_err(serde::de::Error::custom)?;
    let mut text = serde_json::Deserializer::from_str(line);
    let mut parts = MessageParts {
        pending,
        seed: Some(seed),
        id: None,
        method: None,
        params: None,
        result: None,
        answer: None,
        error: None,
    };
    serde::Deserializer::deserialize_map(&mut text, &mut parts)?;
    text.end()?;
    let MessageParts { seed, id, method, params, result, answer, error, .. } = parts;
    if let Some(method) = method {
        let event = Event::from_parts(&method, params.map_or("{}", RawValue::get))?;
        return Ok(event.map_or(AwaitedLine::Other, AwaitedLine::Event));
    }
    match (error, seed) {
        // An error without an id is about an invalid line, which can only be ours.
        (Some(fault), _) if id.as_ref().is_none_or(|id| id == pending) => Ok(AwaitedLine::Answer(Err(fault))),
        (None, Some(seed)) if id.as_ref() == Some(pending) => {
            // The id came after the result. A result of `null` is read as none.
            let mut text = serde_json::Deserializer::from_str(result.map_or("null", RawValue::get));
            Ok(AwaitedLine::Answer(Ok(seed.deserialize(&mut text)?)))
        }
        _ => Ok(answer.map_or(AwaitedLine::Other, |answer| AwaitedLine::Answer(Ok(answer)))),
    }
}

/// The parts of a line, as far as they were read.
struct MessageParts<'p, 'de, S: DeserializeSeed<'de>> {
    pending: &'p MessageId,
    seed: Option<S>,
    id: Option<MessageId>,
    method: Option<String>,
    params: Option<&'de RawValue>,
    result: Option<&'de RawValue>,
    answer: Option<S::Value>,
    error: Option<Fault>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum MessagePart {
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Unknown,
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for &mut MessageParts<'_, 'de, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message of JSON-RPC")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(part) = map.next_key::<MessagePart>()? {
            match part {
                MessagePart::Id => self.id = map.next_value()?,
                MessagePart::Method => self.method = map.next_value()?,
                MessagePart::Params => self.params = map.next_value()?,
                MessagePart::Error => self.error = map.next_value()?,
                MessagePart::Unknown => _ = map.next_value::<IgnoredAny>()?,
                MessagePart::Result => {
                    let is_awaited = self.id.as_ref() == Some(self.pending);
                    match self.seed.take_if(|_| is_awaited) {
                        Some(seed) => self.answer = Some(map.next_value_seed(seed)?),
                        None => self.result = map.next_value()?,
                    }
                }
            }
        }
        Ok(())
    }
}

/// The version field of every JSON-RPC 2.0 message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonRpcVersion;

impl Serialize for JsonRpcVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("2.0")
    }
}

impl<'de> Deserialize<'de> for JsonRpcVersion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "2.0" => Ok(Self),
            other => Err(serde::de::Error::custom(format!("jsonrpc is {other:?}, not \"2.0\""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_and_what_is_no_request_are_told_apart() {
        let code = |line: &str| RpcRequest::parse(line.as_bytes()).unwrap_err().code;
        assert_eq!(code("{"), FaultCode::Parse);
        assert_eq!(code("[]"), FaultCode::InvalidRequest);
        assert_eq!(code(r#"{"jsonrpc":"1.0","method":"list"}"#), FaultCode::InvalidRequest);
        assert_eq!(code(r#"{"jsonrpc":"2.0"}"#), FaultCode::InvalidRequest);
    }

    #[test]
    fn a_request_without_parameters_has_an_empty_object_of_them() {
        let line = br#"{"jsonrpc":"2.0","id":"a","method":"daemon.status"}"#;
        let request = RpcRequest::parse(line).unwrap();
        assert_eq!((request.id.clone(), request.params()), (Some(MessageId::Text("a".into())), "{}"));
    }

    #[test]
    fn a_result_in_its_frame_is_a_response() {
        for id in [MessageId::Number(3), MessageId::Text("a \"b\"".into())] {
            let (before, behind) = around_result(&id).unwrap();
            let whole = serde_json::to_string(&RpcResponse::new(Some(id), Ok([7]))).unwrap();
            assert_eq!(format!("{before}[7]{behind}"), whole);
        }
    }

    #[test]
    fn a_response_has_a_result_or_an_error() {
        let ok = RpcResponse::new(Some(MessageId::Number(3)), Ok(7));
        assert_eq!(serde_json::to_string(&ok).unwrap(), r#"{"jsonrpc":"2.0","id":3,"result":7}"#);
        let failed = RpcResponse::<u8>::new(None, Err(Fault::new(FaultCode::Parse, "no")));
        let json = serde_json::to_string(&failed).unwrap();
        assert!(json.starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700"#), "{json}");
        match Incoming::parse(json.as_bytes()).unwrap() {
            Incoming::Response { id: None, outcome: Err(fault) } => assert_eq!(fault.code, FaultCode::Parse),
            other => panic!("{other:?}"),
        }
    }
}
