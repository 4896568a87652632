//! Many comments at once, each done or refused by itself.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::request::Target;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::severity::SeverityView;
use crate::wire::bytes::{ByteText, Hex};

/// Maximum number of comments in one request.
pub const MAX_BATCH: usize = 100;

/// Writes comments and replies, as one notes commit. Each is written or refused by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentBatch {
    /// The comments, at most [`MAX_BATCH`].
    pub items: Vec<BatchItem>,
    /// Whether to save them as drafts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// One of many comments, as a program gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchItem {
    /// The file, relative to the root of the repository; if left out, the whole review, or the thread of `reply_to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// The lines; if left out, the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<BatchLines>,
    /// The text, in Markdown.
    #[serde(default)]
    pub text: String,
    /// The comment that it replies to, instead of a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Target>,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Text that is to replace the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<ByteText>,
    /// A name of its author's choice: a second comment of the same author with it is not written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The first of the lines, as the author read it. If it is elsewhere once, that place is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Lines of a file: in JSON `12`, `"12"`, `"12-14"` or `[12, 14]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLines {
    /// The first line, counted from one.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
}

impl fmt::Display for BatchLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            write!(f, "{}", self.start)
        } else {
            write!(f, "{}-{}", self.start, self.end)
        }
    }
}

impl Serialize for BatchLines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BatchLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Line(u32),
            Words(String),
            Both([u32; 2]),
        }
        let invalid = || de::Error::custom("invalid `lines`: they are 12, \"12-14\" or [12, 14]");
        let (start, end) = match Given::deserialize(deserializer).map_err(|_| invalid())? {
            Given::Line(line) => (line, line),
            Given::Both([start, end]) => (start, end),
            Given::Words(words) => {
                let (start, end) = words.split_once('-').unwrap_or((&words, &words));
                let number = |word: &str| word.trim().parse().map_err(|_| invalid());
                (number(start)?, number(end)?)
            }
        };
        Ok(Self { start, end })
    }
}

/// What became of many comments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CommentBatchReply {
    /// Those that were written, or were there already.
    pub done: Vec<BatchDone>,
    /// Those that were not written, and why.
    pub refused: Vec<BatchRefused>,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// A comment that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BatchDone {
    /// Its place in the request, counted from zero.
    pub index: u32,
    /// The short id.
    pub id: String,
    /// The file that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// The lines that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The lines that were given, if `code` is on others, which were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
    /// Whether its key was there already, so that no comment was added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// Whether the comment that has its key got its words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

/// A comment that was not written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BatchRefused {
    /// Its place in the request, counted from zero.
    pub index: u32,
    /// The kind of error, as a stable word; docs/protocol.md lists them.
    pub code: String,
    /// Why, as text.
    pub reason: String,
    /// The nearest place that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<BatchPlace>,
}

/// A place that may have been meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BatchPlace {
    /// The file.
    pub path: ByteText,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ByteText>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_the_forms_that_programs_write() {
        let read = |json: &str| serde_json::from_str::<BatchLines>(json).map(|lines| lines.to_string());
        for (json, lines) in [("12", "12"), ("\"12\"", "12"), ("\"12-14\"", "12-14"), ("[12,14]", "12-14")] {
            assert_eq!(read(json).unwrap(), lines);
        }
        for wrong in ["-1", "\"x\"", "\"1-2-3\"", "[1]", "{}", "1.5"] {
            assert!(read(wrong).unwrap_err().to_string().contains("invalid `lines`"), "{wrong}");
        }
    }
}
