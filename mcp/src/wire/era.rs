//! The two ways in which clients speak: with a handshake, or with everything in each request.
//!
//! Up to revision 2025-11-25, a client introduces itself once with `initialize`. From 2026-07-28 on, each request names the
//! revision, the client and what it can do in `_meta`, and nothing is remembered. One process answers both.

use serde_json::{Map, Value, json};

use super::message::{INVALID_PARAMS, INVALID_REQUEST, McpError, McpRequest, UNSUPPORTED_VERSION};
use super::toolbox::McpClient;

/// The revisions with a handshake, the newest first.
const HANDSHAKE_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The revisions without one.
const MODERN_VERSIONS: [&str; 1] = ["2026-07-28"];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// How long a client may keep a list of tools, in milliseconds: a person may allow agents to write meanwhile.
const LIST_TTL_MS: u64 = 60_000;

/// How a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// It introduced itself.
    Handshake,
    /// It says everything with each request.
    Modern,
}

/// What a request says besides its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Envelope {
    /// How the client speaks.
    pub era: Era,
    /// Who it is.
    pub client: McpClient,
    /// What progress is to be told as; `None` if it is not wanted.
    pub progress: Option<Value>,
}

impl Envelope {
    /// Reads it; `introduced` is who sent `initialize`, if somebody did.
    pub fn of(request: &McpRequest, introduced: Option<&McpClient>) -> Result<Self, McpError> {
        let meta = match request.params.get("_meta") {
            None | Some(Value::Null) => None,
            Some(Value::Object(meta)) => Some(meta),
            Some(_) => return Err(McpError::new(&request.id, INVALID_PARAMS, "`_meta` must be an object")),
        };
        let progress = meta.and_then(|meta| meta.get("progressToken"));
        let progress = progress.filter(|token| token.is_string() || token.is_number()).cloned();
        if let Some((meta, version)) = meta.and_then(|meta| Some((meta, meta.get(VERSION_KEY)?))) {
            let client = modern_client(request, meta, version)?;
            return Ok(Self { era: Era::Modern, client, progress });
        }
        match introduced {
            Some(client) => Ok(Self { era: Era::Handshake, client: client.clone(), progress }),
            None => {
                let what =
                    format!("send `initialize` first, or name the revision in `_meta` as {VERSION_KEY}");
                Err(McpError::new(&request.id, INVALID_REQUEST, what))
            }
        }
    }

    /// A result in the form of this era.
    pub fn complete(&self, mut result: Value) -> Value {
        if self.era == Era::Modern {
            result["resultType"] = json!("complete");
        }
        result
    }

    /// A list, in the form of this era.
    pub fn list(&self, name: &str, items: &[Value]) -> Value {
        let mut result = json!({ name: items });
        if self.era == Era::Modern {
            result["ttlMs"] = json!(LIST_TTL_MS);
            result["cacheScope"] = json!("private");
        }
        self.complete(result)
    }
}

/// Who sent a request that names its revision; fails if that is not spoken here.
fn modern_client(
    request: &McpRequest,
    meta: &Map<String, Value>,
    version: &Value,
) -> Result<McpClient, McpError> {
    let invalid = |what: String| McpError::new(&request.id, INVALID_PARAMS, what);
    let version = version.as_str().ok_or_else(|| invalid(format!("`{VERSION_KEY}` must be a string")))?;
    if !MODERN_VERSIONS.contains(&version) {
        let what = format!("this server speaks {} in `_meta`, not {version:?}", MODERN_VERSIONS.join(", "));
        let data = Some(json!({ "supported": MODERN_VERSIONS, "requested": version }));
        return Err(McpError { data, ..McpError::new(&request.id, UNSUPPORTED_VERSION, what) });
    }
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(invalid(format!("`{CAPABILITIES_KEY}` must be an object, which may be empty")));
    }
    match meta.get(CLIENT_KEY) {
        None | Some(Value::Null) => Ok(McpClient::default()),
        Some(Value::Object(client)) => Ok(McpClient::named(client)),
        Some(_) => Err(invalid(format!("`{CLIENT_KEY}` must be an object"))),
    }
}

impl McpClient {
    /// Reads how a client names itself.
    pub fn named(client: &Map<String, Value>) -> Self {
        let text = |key: &str| client.get(key).and_then(Value::as_str).map(str::to_owned);
        Self { name: text("name"), version: text("version") }
    }
}

/// Answers `initialize`: the revision that the client names if it has a handshake, else the newest that has one.
pub(crate) fn welcome(request: &McpRequest, instructions: &str) -> Result<(McpClient, Value), McpError> {
    let wanted = request.params.get("protocolVersion").and_then(Value::as_str);
    let Some(wanted) = wanted else {
        return Err(McpError::new(&request.id, INVALID_PARAMS, "`protocolVersion` must be a string"));
    };
    let version = HANDSHAKE_VERSIONS.iter().find(|known| **known == wanted).unwrap_or(&HANDSHAKE_VERSIONS[0]);
    let client = request.params.get("clientInfo").and_then(Value::as_object);
    let client = client.map(McpClient::named).unwrap_or_default();
    let result = json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": server(),
        "instructions": instructions,
    });
    Ok((client, result))
}

/// Answers `server/discover`.
pub(crate) fn discovered(envelope: &Envelope, instructions: &str) -> Value {
    envelope.complete(json!({
        "supportedVersions": MODERN_VERSIONS,
        "capabilities": { "tools": {} },
        "instructions": instructions,
        "ttlMs": LIST_TTL_MS,
        "cacheScope": "private",
        "_meta": { SERVER_KEY: server() },
    }))
}

fn server() -> Value {
    json!({ "name": "postil", "title": "postil", "version": env!("CARGO_PKG_VERSION") })
}
