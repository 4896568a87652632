//! Places in files: what a comment was placed on, and where that is now.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wire::bytes::{ByteText, Hex};

/// Where an anchor is now, for one head.
///
/// Every position has all fields, whatever its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PositionView {
    /// How certain the position is.
    pub state: PlaceState,
    /// Whether the lines are those of the head or of its base.
    pub side: Side,
    /// The file; `None` if it is orphaned, or on a commit's message.
    pub path: Option<ByteText>,
    /// The commit whose message it is in; for an orphan, the one it was in, or would be. `None` if it is on a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageSiteView>,
    /// The first line, counted from one; `None` for a whole file or message, or without a place.
    pub start: Option<u32>,
    /// The last line, included.
    pub end: Option<u32>,
    /// Both ends, with columns if the comment is on parts of lines.
    pub range: Option<TextRange>,
    /// For a quote, its place in the source, including the markup of what is quoted as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ByteExtent>,
    /// For a quote, its place in the rendered text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<ByteExtent>,
    /// How certain the position is.
    pub confidence: Confidence,
    /// The step of the engine that found it, as a word.
    pub reason: String,
    /// Other candidates, the best first.
    #[serde(default)]
    pub candidates: Vec<CandidateView>,
    /// Whether another machine computed it, with objects that are not here; left out if not. It was checked against the
    /// files, and the first candidate is the place that was found here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub computed_elsewhere: bool,
}

/// A commit whose message a comment is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MessageSiteView {
    /// The commit.
    pub commit: Hex,
    /// The first line of its message; empty if the commit is not here.
    pub subject: ByteText,
}

/// A range of bytes, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ByteExtent {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// How certain a position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PlaceState {
    /// The same text, at the place that the diff gives.
    Anchored,
    /// The same content, not found by the diff alone.
    Shifted,
    /// The content changed, and the position is the best guess.
    Outdated,
    /// No position is certain enough.
    Orphaned,
}

/// A candidate for a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CandidateView {
    /// The file.
    pub path: ByteText,
    /// The first line.
    pub start: Option<u32>,
    /// The last line, included.
    pub end: Option<u32>,
    /// Both ends.
    pub range: Option<TextRange>,
    /// How well it matches.
    pub confidence: Confidence,
}

/// Which version of a file lines belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Lines of the head.
    #[default]
    New,
    /// Lines of the base that the change deleted.
    Old,
}

/// A range; both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct TextRange {
    /// Where it begins.
    pub start: Point,
    /// Where it ends.
    pub end: Point,
}

impl fmt::Display for TextRange {
    /// As people type it: `12`, `12-20`, `12:5-14:9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.start, self.end);
        match (start.column, end.column) {
            (Some(from), Some(to)) => write!(f, "{}:{from}-{}:{to}", start.line, end.line),
            _ if start.line == end.line => write!(f, "{}", start.line),
            _ => write!(f, "{}-{}", start.line, end.line),
        }
    }
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Point {
    /// The line, counted from one.
    pub line: u32,
    /// The byte in the line, counted from one; `None` for whole lines.
    #[serde(default)]
    pub column: Option<u32>,
}

/// A confidence; in JSON a number from 0 to 1 with at most three decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence {
    per_mille: u16,
}

impl Confidence {
    /// From a number in per mille; larger numbers count as 1000.
    pub fn from_per_mille(per_mille: u16) -> Self {
        Self { per_mille: per_mille.min(1000) }
    }

    /// As a number from 0 to 1000.
    pub fn per_mille(self) -> u16 {
        self.per_mille
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.per_mille) / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let share = f64::deserialize(deserializer)?;
        Ok(Self::from_per_mille((share.clamp(0.0, 1.0) * 1000.0).round() as u16))
    }
}

/// What a comment was placed on, as its author saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct AnchorView {
    /// The commit of the file; `None` for uncommitted text.
    pub commit: Option<Hex>,
    /// The git id of the content that it was put on; of deleted lines, that of the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<Hex>,
    /// Whether the lines are those of the head or of its base.
    pub side: Side,
    /// The file.
    pub path: ByteText,
    /// The first line; `None` for the whole file.
    pub start: Option<u32>,
    /// The last line, included.
    pub end: Option<u32>,
    /// Both ends.
    pub range: Option<TextRange>,
    /// The lines; `None` for a line of which only the hash is stored.
    pub lines: Vec<Option<ByteText>>,
    /// The lines before them; only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Option<ByteText>>,
    /// The lines after them; only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Option<ByteText>>,
    /// The quoted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The text before the quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The text after the quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    /// The headings above the quote, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
}

/// A place that a person chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Place {
    /// The path, relative to the root of the repository.
    pub path: ByteText,
    /// The lines; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The commit, by any name that git knows; if left out, the working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// Whether the lines are those of the head or of its base.
    #[serde(default)]
    pub side: Side,
    /// Quoted text, instead of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The text before the quote, if it occurs several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The text after the quote, if it occurs several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    /// Whether it may be a file that git ignores; its lines go where the comment goes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
}

impl Place {
    /// A whole file in the working tree.
    pub fn file(path: impl Into<Vec<u8>>) -> Self {
        let path = ByteText::new(path);
        let (quote, prefix, suffix) = (None, None, None);
        Self { path, span: None, rev: None, side: Side::New, quote, prefix, suffix, ignored: false }
    }
}

/// Lines of a commit's message that a person chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MessagePlace {
    /// The commit, by any name that git knows.
    pub rev: String,
    /// The lines, the subject being the first; `None` for the whole message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// A range of lines, optionally with columns at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Span {
    /// The first line, counted from one.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// The first byte in the first line, counted from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
    /// The last byte in the last line, included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
}

impl Span {
    /// Whole lines.
    pub fn lines(start: u32, end: u32) -> Self {
        Self { start, end, start_column: None, end_column: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_a_share_and_survives_json() {
        for (per_mille, json) in [(0, "0.0"), (853, "0.853"), (1000, "1.0"), (29, "0.029")] {
            let confidence = Confidence::from_per_mille(per_mille);
            assert_eq!(serde_json::to_string(&confidence).unwrap(), json);
            assert_eq!(serde_json::from_str::<Confidence>(json).unwrap(), confidence);
        }
        assert_eq!(serde_json::from_str::<Confidence>("7").unwrap().per_mille(), 1000);
    }

    #[test]
    fn lines_are_shown_as_they_are_typed() {
        let check = |line, column, to, end, expected: &str| {
            let range = TextRange { start: Point { line, column }, end: Point { line: to, column: end } };
            assert_eq!(range.to_string(), expected);
        };
        check(12, None, 12, None, "12");
        check(12, None, 20, None, "12-20");
        check(12, Some(5), 14, Some(9), "12:5-14:9");
    }

    #[test]
    fn a_position_has_all_its_fields_whatever_its_state() {
        let orphan = PositionView {
            state: PlaceState::Orphaned,
            side: Side::New,
            path: None,
            message: None,
            start: None,
            end: None,
            range: None,
            source: None,
            rendered: None,
            confidence: Confidence::from_per_mille(0),
            reason: "deleted".into(),
            candidates: Vec::new(),
            computed_elsewhere: false,
        };
        let json = serde_json::to_value(&orphan).unwrap();
        for field in ["state", "path", "start", "end", "range", "confidence", "reason", "candidates"] {
            assert!(json.get(field).is_some(), "{field}");
        }
    }
}
