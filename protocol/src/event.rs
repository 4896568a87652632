//! Events: notifications to those who subscribed.

use serde::{Deserialize, Serialize};

use super::bytes::{ByteText, Hex};
use super::change::SuggestionState;
use super::place::PositionView;

/// Something happened in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A head moved, and positions are being computed; old ones are served meanwhile.
    Resolving(Resolving),
    /// Positions are computed.
    Resolved(Resolved),
    /// Somebody said or did something: the notes moved.
    Changed(Changed),
    /// The repository is gone, and the subscription with it.
    Ended(Ended),
}

/// A head moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Resolving {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// Where the head was.
    pub from: Option<Hex>,
    /// Where it is.
    pub to: Option<Hex>,
}

/// Positions are computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Resolved {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// The head they are for.
    pub head: Option<Hex>,
    /// The threads that are elsewhere, or in another state, than before.
    pub moved: Vec<Moved>,
    /// The threads whose suggestions fare otherwise than before, wherever they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fates: Vec<Fated>,
}

/// A thread whose suggestion fares otherwise now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Fated {
    /// The thread.
    pub thread: Hex,
    /// What had become of its newest suggestion; `None` where it was not seen.
    pub from: Option<SuggestionState>,
    /// What has become of it; `None` where it is not seen any more.
    pub to: Option<SuggestionState>,
}

/// A thread that is elsewhere now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Moved {
    /// The thread.
    pub thread: Hex,
    /// Where it was; `None` where it was not seen.
    pub from: Option<PositionView>,
    /// Where it is; `None` where it is not seen any more.
    pub to: Option<PositionView>,
}

/// The notes moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Changed {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// Where the notes are now.
    pub notes: Option<Hex>,
    /// The threads that are new or of which something was said.
    pub threads: Vec<Hex>,
    /// The reviews that are new or of which something was said.
    pub reviews: Vec<Hex>,
    /// What happened to each of them, in their order; several things where more happened at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub happened: Vec<Happened>,
}

/// The repository is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Ended {
    /// The subscription that ended.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
}

/// Something that happened to a thread or a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Happened {
    /// The thread or the review.
    pub of: Hex,
    /// What happened to it.
    pub what: What,
}

/// What happened to a thread or a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// A thread was begun.
    Commented,
    /// A thread was answered.
    Replied,
    /// The words of its first comment, or of a review, are others.
    Edited,
    /// A thread was put elsewhere by hand; a review goes on under another branch.
    Moved,
    /// A thread was resolved.
    Resolved,
    /// A thread or a review was opened again.
    Reopened,
    /// A thread was taken back.
    Withdrawn,
    /// A draft was shared.
    Published,
    /// A thread came into view with another head.
    Seen,
    /// A thread went out of view, or was purged.
    Gone,
    /// A review was begun.
    Started,
    /// Somebody judged a review.
    Judged,
    /// A review was closed.
    Closed,
    /// A review was merged.
    Merged,
    /// Something else; also what a later version tells.
    #[serde(other)]
    Changed,
}

impl Event {
    /// The method of its notification.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Resolving(_) => "resolving",
            Self::Resolved(_) => "resolved",
            Self::Changed(_) => "changed",
            Self::Ended(_) => "ended",
        }
    }

    /// Reads an event; `None` for one of a later version.
    pub fn from_parts(method: &str, params: &str) -> Result<Option<Self>, serde_json::Error> {
        Ok(Some(match method {
            "resolving" => Self::Resolving(serde_json::from_str(params)?),
            "resolved" => Self::Resolved(serde_json::from_str(params)?),
            "changed" => Self::Changed(serde_json::from_str(params)?),
            "ended" => Self::Ended(serde_json::from_str(params)?),
            _ => return Ok(None),
        }))
    }
}

impl Serialize for Event {
    /// As a whole notification.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Notification<'a, P> {
            jsonrpc: super::message::Version,
            method: &'static str,
            params: &'a P,
        }
        let jsonrpc = super::message::Version;
        let method = self.method();
        match self {
            Self::Resolving(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Resolved(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Changed(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Ended(params) => Notification { jsonrpc, method, params }.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Incoming;
    use super::*;

    #[test]
    fn an_event_is_a_notification_that_a_client_reads_back() {
        let event = Event::Resolving(Resolving {
            subscription: 2,
            git_dir: "/home/ann/a/.git".into(),
            from: None,
            to: Some(Hex::new("ab12").unwrap()),
        });
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            r#"{"jsonrpc":"2.0","method":"resolving","params":{"subscription":2,"git_dir":"/home/ann/a/.git","from":null,"to":"ab12"}}"#
        );
        match Incoming::parse(json.as_bytes()).unwrap() {
            Incoming::Event(read) => assert_eq!(read, event),
            other => panic!("{other:?}"),
        }
        let later = br#"{"jsonrpc":"2.0","method":"dreaming","params":{}}"#;
        assert!(matches!(Incoming::parse(later).unwrap(), Incoming::Unknown(_)));
    }
}
