//! The handshake: the first request of every connection.

use serde::{Deserialize, Serialize};

/// The version of the protocol; raised when an old client could misunderstand a new service, or the other way round.
///
/// New methods, new optional fields and new words in open lists do not raise it.
pub const PROTOCOL_VERSION: u32 = 2;

/// The [`reason`](crate::FaultData::reason) of a service that refuses a newer client and ends, so that the client can start
/// its own.
pub const MAKES_ROOM: &str = "makes-room";

/// The first request of a client; the method is `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol version of the client.
    pub protocol: u32,
    /// The name of the client, for the log.
    #[serde(default)]
    pub client: String,
    /// Its own version.
    #[serde(default)]
    pub version: String,
}

/// What the service answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol version of the service.
    pub protocol: u32,
    /// The version of the program.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Optional features of the service.
    pub capabilities: Vec<Capability>,
}

/// An optional feature of a service; unknown ones are to be ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Capability {
    /// It sends events to subscribers.
    Subscriptions,
    /// Requests can be cancelled.
    Cancellation,
    /// It computes positions for uncommitted files.
    WorkTree,
    /// A feature of a later version.
    Other(String),
}

impl From<String> for Capability {
    fn from(word: String) -> Self {
        match word.as_str() {
            "subscriptions" => Self::Subscriptions,
            "cancellation" => Self::Cancellation,
            "work-tree" => Self::WorkTree,
            _ => Self::Other(word),
        }
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> Self {
        match capability {
            Capability::Subscriptions => "subscriptions".into(),
            Capability::Cancellation => "cancellation".into(),
            Capability::WorkTree => "work-tree".into(),
            Capability::Other(word) => word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_later_version_is_no_reason_to_give_up() {
        let json = r#"{"protocol":1,"version":"0.1.0","pid":7,"capabilities":["cancellation","telepathy"],"mood":"fine"}"#;
        let welcome: Welcome = serde_json::from_str(json).unwrap();
        let expected = [Capability::Cancellation, Capability::Other("telepathy".into())];
        assert_eq!(welcome.capabilities, expected);
    }
}
