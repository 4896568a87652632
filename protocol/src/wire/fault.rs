//! Errors that cross the socket: stable numbers and names.
//!
//! A client uses the number or the name; the message is for people and may change.

use serde::{Deserialize, Serialize};

use super::bytes::ByteText;
use crate::views::advice::Advice;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $word:literal;)*) => {
        /// What kind of error it was.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(into = "i32", from = "i32")]
        pub enum FaultCode {
            $($(#[$doc])* $name,)*
            /// An error of a later version.
            Other(i32),
        }

        impl FaultCode {
            /// All that have a name, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The number.
            pub fn number(self) -> i32 {
                match self {
                    $(Self::$name => $number,)*
                    Self::Other(number) => number,
                }
            }

            /// The name; it is next to the number, as `data.name`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                    Self::Other(_) => "other",
                }
            }
        }

        impl From<FaultCode> for i32 {
            fn from(code: FaultCode) -> Self {
                code.number()
            }
        }

        impl From<i32> for FaultCode {
            fn from(number: i32) -> Self {
                match number {
                    $($number => Self::$name,)*
                    _ => Self::Other(number),
                }
            }
        }
    };
}

codes! {
    /// The line is not JSON.
    Parse = -32700, "parse";
    /// The JSON is not a request.
    InvalidRequest = -32600, "invalid-request";
    /// There is no such method.
    UnknownMethod = -32601, "unknown-method";
    /// The parameters are invalid.
    InvalidParams = -32602, "invalid-params";
    /// A bug in the service.
    Internal = -32603, "internal";
    /// There is no comment or review with this id.
    NotFound = 1, "not-found";
    /// Several ids begin like this.
    Ambiguous = 2, "ambiguous";
    /// There is no repository, or it cannot be used.
    NoRepository = 3, "no-repository";
    /// There is no such file, line, commit or branch.
    NoSuchPlace = 4, "no-such-place";
    /// Only another person may do it.
    NotYours = 5, "not-yours";
    /// Another person's change or lock is in the way; trying again may help.
    Conflict = 6, "conflict";
    /// Writing failed; nothing was saved.
    WriteFailed = 7, "write-failed";
    /// Something that is needed is missing or damaged.
    Damaged = 8, "damaged";
    /// The message or its content is too large.
    TooLarge = 9, "too-large";
    /// The client cancelled the request.
    Cancelled = 10, "cancelled";
    /// Too many connections, subscriptions or requests at once.
    Busy = 11, "busy";
    /// The client and the service have different protocol versions.
    Version = 12, "version";
    /// The thread that a cursor names is gone.
    StaleCursor = 13, "stale-cursor";
    /// It is not possible in the current state.
    Refused = 14, "refused";
    /// The service is stopping.
    Stopping = 15, "stopping";
    /// Signing failed; only a process that signs returns this.
    NotSigned = 16, "not-signed";
    /// It could do harm, such as to other people's words, secrets or files outside of the repository.
    Unsafe = 17, "unsafe";
}

impl FaultCode {
    /// The advice for errors without their own.
    pub fn usual_advice(self) -> Option<Advice> {
        Some(match self {
            Self::NotFound => Advice::ListThreads,
            Self::Ambiguous => Advice::GiveMoreDigits,
            Self::NoSuchPlace => Advice::NameWhatExists,
            Self::NotYours => Advice::ResolveInstead,
            Self::Conflict => Advice::TryAgain,
            Self::NotSigned => Advice::SignOrTurnOff,
            Self::WriteFailed => Advice::MakeRoom,
            Self::Damaged => Advice::CheckRepository,
            _ => return None,
        })
    }
}

/// An error of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of error it was.
    pub code: FaultCode,
    /// What failed, for people: lowercase, without a full stop.
    pub message: Box<str>,
    /// Details.
    #[serde(default)]
    pub data: FaultData,
}

/// Details of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultData {
    /// The name of the code.
    #[serde(default)]
    pub name: Box<str>,
    /// The exact error, as a stable word, if the code covers several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Box<str>>,
    /// Why, and why that; the nearest cause first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What may have been meant: ids with the same prefix, similar names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The file that the message names, relative to the root of the repository, which may not be the current
    /// directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Box<ByteText>>,
    /// What to do next; each client words it for its users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Box<Advice>>,
}

impl Fault {
    /// An error without causes.
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        let data = FaultData { name: code.name().into(), ..FaultData::default() };
        Self { code, message: message.into().into(), data }
    }

    /// Adds an error and all its causes.
    #[must_use]
    pub fn because(mut self, cause: &dyn std::error::Error) -> Self {
        let mut cause = Some(cause);
        while let Some(error) = cause {
            self.data.causes.push(error.to_string());
            cause = error.source();
        }
        self
    }

    /// Adds the exact error, as a stable word.
    #[must_use]
    pub fn reason(mut self, word: &str) -> Self {
        self.data.reason = Some(word.into());
        self
    }

    /// Adds the file that the message names.
    #[must_use]
    pub fn about(mut self, path: &[u8]) -> Self {
        self.data.path = Some(Box::new(ByteText::new(path)));
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn advise(mut self, advice: Advice) -> Self {
        self.data.advice = Some(Box::new(advice));
        self
    }

    /// Its own advice, otherwise the one for its code.
    pub fn advice(&self) -> Option<Advice> {
        self.data.advice.as_deref().cloned().or_else(|| self.code.usual_advice())
    }

    /// Adds what may have been meant.
    #[must_use]
    pub fn perhaps(mut self, candidates: impl IntoIterator<Item = String>) -> Self {
        self.data.candidates.extend(candidates);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_one_number_and_one_name_each() {
        let mut seen = std::collections::BTreeSet::new();
        for code in FaultCode::ALL {
            assert!(
                seen.insert(code.name().to_owned()) && seen.insert(code.number().to_string()),
                "{code:?}"
            );
            assert_eq!(FaultCode::from(code.number()), *code);
        }
        assert_eq!(FaultCode::from(77), FaultCode::Other(77));
    }

    #[test]
    fn a_fault_survives_json_and_its_causes_come_in_order() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] std::io::Error);
        let fault = Fault::new(FaultCode::NotFound, "no comment abc")
            .because(&Outer(std::io::Error::other("inner")))
            .perhaps(["abd".to_owned()]);
        let json = serde_json::to_string(&fault).unwrap();
        assert_eq!(
            json,
            r#"{"code":1,"message":"no comment abc","data":{"name":"not-found","causes":["outer","inner"],"candidates":["abd"]}}"#
        );
        assert_eq!(serde_json::from_str::<Fault>(&json).unwrap(), fault);
    }
}
