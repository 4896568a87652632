//! Events: notifications to subscribers.

use serde::{Deserialize, Serialize};

use crate::methods::changes::{ChangeView, PlacedView};
use crate::views::mark::Mark;
use crate::views::review::ReviewView;
use crate::views::thread::ThreadView;
use crate::wire::bytes::{ByteText, Hex};

/// Something happened in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A head moved, and positions are being computed; until then, answers have the old ones.
    Resolving(Resolving),
    /// Positions were computed.
    Placed(PlacedEvent),
    /// A thread or review changed.
    Changed(Changed),
    /// The state of the client cannot be updated: it must list the threads again.
    Reset(ResetEvent),
    /// The repository no longer exists, and the subscription has ended.
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
    /// The commit that the head is at now.
    pub to: Option<Hex>,
}

/// Positions were computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlacedEvent {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// The mark to continue from.
    pub mark: Mark,
    /// The head that the positions are for.
    pub head: Option<Hex>,
    /// The threads whose position changed.
    pub placed: Vec<PlacedView>,
}

/// A thread or review changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Changed {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// The mark to continue from.
    pub mark: Mark,
    /// What people wrote and changed, oldest first.
    pub changes: Vec<ChangeView>,
    /// The threads that changed, as they are now.
    pub threads: Vec<ThreadView>,
    /// The reviews that changed, as they are now.
    pub reviews: Vec<ReviewView>,
    /// The threads and reviews that no longer exist or are no longer visible.
    pub gone: Vec<Hex>,
}

/// The client must list the threads again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ResetEvent {
    /// The subscription that this is for.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
    /// The mark to continue from.
    pub mark: Mark,
}

/// The repository no longer exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Ended {
    /// The subscription that ended.
    pub subscription: u64,
    /// The git directory of the repository.
    pub git_dir: ByteText,
}

impl Event {
    /// The method of its notification.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Resolving(_) => "resolving",
            Self::Placed(_) => "placed",
            Self::Changed(_) => "changed",
            Self::Reset(_) => "reset",
            Self::Ended(_) => "ended",
        }
    }

    /// The number of the subscription that it is for.
    pub fn subscription(&self) -> u64 {
        match self {
            Self::Resolving(event) => event.subscription,
            Self::Placed(event) => event.subscription,
            Self::Changed(event) => event.subscription,
            Self::Reset(event) => event.subscription,
            Self::Ended(event) => event.subscription,
        }
    }

    /// The mark to continue from.
    pub fn mark(&self) -> Option<&Mark> {
        match self {
            Self::Placed(event) => Some(&event.mark),
            Self::Changed(event) => Some(&event.mark),
            Self::Reset(event) => Some(&event.mark),
            Self::Resolving(_) | Self::Ended(_) => None,
        }
    }

    /// Reads an event; `None` for one of a later version.
    pub fn from_parts(method: &str, params: &str) -> Result<Option<Self>, serde_json::Error> {
        Ok(Some(match method {
            "resolving" => Self::Resolving(serde_json::from_str(params)?),
            "placed" => Self::Placed(serde_json::from_str(params)?),
            "changed" => Self::Changed(serde_json::from_str(params)?),
            "reset" => Self::Reset(serde_json::from_str(params)?),
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
            jsonrpc: crate::wire::message::JsonRpcVersion,
            method: &'static str,
            params: &'a P,
        }
        let jsonrpc = crate::wire::message::JsonRpcVersion;
        let method = self.method();
        match self {
            Self::Resolving(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Placed(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Changed(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Reset(params) => Notification { jsonrpc, method, params }.serialize(serializer),
            Self::Ended(params) => Notification { jsonrpc, method, params }.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Incoming;

    #[test]
    fn an_event_is_a_notification_that_a_client_reads_back() {
        let event = Event::Resolving(Resolving {
            subscription: 2,
            git_dir: "/home/ann/a/.git".into(),
            to: Some(Hex::new("ab12").unwrap()),
        });
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            r#"{"jsonrpc":"2.0","method":"resolving","params":{"subscription":2,"git_dir":"/home/ann/a/.git","to":"ab12"}}"#
        );
        match Incoming::parse(json.as_bytes()).unwrap() {
            Incoming::Event(read) => assert_eq!(read, event),
            other => panic!("{other:?}"),
        }
        let later = br#"{"jsonrpc":"2.0","method":"dreaming","params":{}}"#;
        assert!(matches!(Incoming::parse(later).unwrap(), Incoming::Unknown(_)));
    }
}
