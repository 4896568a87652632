//! What is asked of the daemon itself, not of the service: the connection, its subscriptions, its life.

use serde::{Deserialize, Serialize};

use super::hello::{Hello, Welcome};
use crate::method::{Method, read};
use crate::methods::request::{RepositoryName, Target};
use crate::views::mark::Mark;
use crate::wire::bytes::ByteText;
use crate::wire::fault::Fault;
use crate::wire::message::MessageId;

/// Asks for events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscribe {
    /// Of this repository.
    pub repository: RepositoryName,
    /// Of all of it, or of a part.
    #[serde(default)]
    pub topic: Topic,
    /// Whether files on disk count too; they are watched then.
    #[serde(default)]
    pub work_tree: bool,
    /// What is known already: what happened since is sent first. Without one, only what happens from now on.
    #[serde(default)]
    pub since: Option<Mark>,
}

/// What part of a repository events are wanted of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// All of it.
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
    /// Its number, which its events have.
    pub subscription: u64,
    /// What its events begin after.
    pub mark: Mark,
}

/// Wants no more events of a subscription.
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

/// Asks how the daemon is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {}

/// How the daemon is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonStatusReply {
    /// Its process.
    pub pid: u32,
    /// The version of the program.
    pub version: String,
    /// The version of the protocol.
    pub protocol: u32,
    /// For how long it has run, in seconds.
    pub uptime: u64,
    /// Its socket.
    pub socket: ByteText,
    /// How many clients are connected.
    pub connections: u32,
    /// How many subscriptions there are.
    pub subscriptions: u32,
    /// The memory that it uses, in bytes; `None` if that is not known.
    pub memory: Option<u64>,
    /// What it attends to.
    pub repositories: Vec<DaemonRepository>,
}

/// A repository that the daemon attends to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DaemonRepository {
    /// Its git directory, that of all its working trees.
    pub git_dir: ByteText,
    /// Whether it is watched by events or by looking now and then.
    pub watched: bool,
    /// How many threads it has, if that is in memory.
    pub threads: Option<u32>,
    /// What is wrong with it.
    pub trouble: Option<String>,
}

/// Ends the daemon once all that was acknowledged is done.
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
