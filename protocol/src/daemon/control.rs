//! Requests to the daemon itself, not to the service: the connection, its subscriptions, stopping.

use serde::{Deserialize, Serialize};

use super::hello::{Hello, Welcome};
use crate::method::{Method, read};
use crate::methods::request::{RepositoryName, Target};
use crate::views::mark::Mark;
use crate::views::via::ViaView;
use crate::wire::bytes::ByteText;
use crate::wire::fault::Fault;
use crate::wire::message::MessageId;

/// Subscribes to events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribe {
    /// The repository.
    pub repository: RepositoryName,
    /// The whole repository, or a part of it.
    #[serde(default)]
    pub topic: Topic,
    /// Whether to watch files on disk too.
    #[serde(default)]
    pub work_tree: bool,
    /// The mark to continue from: what happened since is sent first. Without one, only later events are sent.
    #[serde(default)]
    pub since: Option<Mark>,
    /// The program that asks, if it is not a person by hand; what agents get may be less (`postil.agentsRead`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<ViaView>,
}

/// Which part of a repository a subscription is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// The whole repository.
    #[default]
    Repository,
    /// The threads of one review.
    Review(Target),
    /// The threads that were or are in one file.
    File(ByteText),
}

/// A subscription was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribed {
    /// Its number, which is in each of its events.
    pub subscription: u64,
    /// The mark that its events continue from.
    pub mark: Mark,
}

/// Ends a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    /// Its number.
    pub subscription: u64,
}

/// Cancels a request: it is answered with `cancelled`, or as usual if it is done already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The id of the request, on the same connection.
    pub id: MessageId,
}

/// Asks for the status of the daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {}

/// The status of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonStatusReply {
    /// Its process id.
    pub pid: u32,
    /// The version of the program.
    pub version: String,
    /// The version of the protocol.
    pub protocol: u32,
    /// How long it has been running, in seconds.
    pub uptime: u64,
    /// Its socket.
    pub socket: ByteText,
    /// How many clients are connected.
    pub connections: u32,
    /// How many subscriptions there are.
    pub subscriptions: u32,
    /// The memory that it uses, in bytes; `None` if that is not known.
    pub memory: Option<u64>,
    /// The repositories that it watches.
    pub repositories: Vec<DaemonRepository>,
}

/// A repository that the daemon watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonRepository {
    /// Its git directory, shared by all its working trees.
    pub git_dir: ByteText,
    /// Whether file events work; otherwise it is polled.
    pub watched: bool,
    /// The number of its threads, if they are in memory.
    pub threads: Option<u32>,
    /// The last problem with it.
    pub trouble: Option<String>,
}

/// Stops the daemon after all accepted requests are done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStop {}

macro_rules! controls {
    ($($name:literal $call:ident($params:ty) -> $answer:ty;)*) => {
        /// A request to the daemon itself.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(clippy::large_enum_variant, reason = "a request is made once and never stored")]
        pub enum Control {
            $(#[doc = concat!("`", $name, "`")] $call($params),)*
        }

        /// An answer of the daemon itself.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum ControlReply {
            $(#[doc = concat!("Of `", $name, "`.")] $call($answer),)*
        }

        $(impl Method for $params {
            const NAME: &'static str = $name;
            type Answer = $answer;
        })*

        impl Control {
            /// The names of all methods.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Reads the parameters of a method; `None` if the daemon has no such method.
            pub fn from_parts(method: &str, params: &str) -> Option<Result<Self, Fault>> {
                match method {
                    $($name => Some(read(params).map(Self::$call)),)*
                    _ => None,
                }
            }
        }
    };
}

controls! {
    "hello" Hello(Hello) -> Welcome;
    "subscribe" Subscribe(Subscribe) -> Subscribed;
    "unsubscribe" Unsubscribe(Unsubscribe) -> ();
    "cancel" Cancel(Cancel) -> ();
    "daemon.status" DaemonStatus(DaemonStatus) -> DaemonStatusReply;
    "daemon.stop" DaemonStop(DaemonStop) -> ();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_is_to_the_whole_repository_unless_it_says_otherwise() {
        let read = |params: &str| match Control::from_parts("subscribe", params).unwrap().unwrap() {
            Control::Subscribe(subscribe) => subscribe.topic,
            other => panic!("{other:?}"),
        };
        assert_eq!(read(r#"{"repository":{"git_dir":"/r"}}"#), Topic::Repository);
        assert_eq!(read(r#"{"repository":{"git_dir":"/r"},"topic":"repository"}"#), Topic::Repository);
        let file = read(r#"{"repository":{"git_dir":"/r"},"topic":{"file":"a.rs"}}"#);
        assert_eq!(file, Topic::File("a.rs".into()));
    }

    #[test]
    fn no_method_is_both_the_daemons_and_the_services() {
        let of_service = |name| crate::Call::METHODS.iter().any(|method| method.name == name);
        assert!(Control::NAMES.iter().all(|name| !of_service(*name)));
    }
}
