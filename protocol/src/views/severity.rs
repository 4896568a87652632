//! Severities of comments: an open list of words.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! severities {
    ($($name:ident $word:literal $meaning:literal;)*) => {
        /// The severity of a comment.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum SeverityView {
            $(#[doc = concat!($meaning, ".")] $name,)*
            /// A severity of a later version, or of another program.
            Other(String),
        }

        impl SeverityView {
            /// All known severities, in the order in which they are shown.
            pub const KNOWN: &[Self] = &[$(Self::$name),*];

            /// Its word.
            pub fn word(&self) -> &str {
                match self {
                    $(Self::$name => $word,)*
                    Self::Other(word) => word,
                }
            }

            /// Its meaning, for people; `None` if it is not known.
            pub fn meaning(&self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some($meaning),)*
                    Self::Other(_) => None,
                }
            }
        }

        impl From<String> for SeverityView {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($word => Self::$name,)*
                    _ => Self::Other(word),
                }
            }
        }
    };
}

severities! {
    Note     "note"     "For information";
    Nit      "nit"      "A matter of taste";
    Issue    "issue"    "Should be fixed";
    Blocker  "blocker"  "Must be fixed before merging";
    Praise   "praise"   "Well done";
    Question "question" "Needs an answer";
}

impl Serialize for SeverityView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for SeverityView {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_survives_json_also_one_of_a_later_version() {
        let later = SeverityView::Other("x-later".into());
        for severity in SeverityView::KNOWN.iter().chain([&later]) {
            let json = serde_json::to_string(severity).unwrap();
            assert_eq!(json, format!("{:?}", severity.word()));
            assert_eq!(serde_json::from_str::<SeverityView>(&json).unwrap(), *severity);
        }
    }
}
