//! What the pieces of a line of source are, for colours.

use serde::{Deserialize, Serialize};

/// A piece of a line, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyntaxView {
    /// Its first byte in the line, counted from zero.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// What it is.
    pub class: SyntaxWord,
}

/// What a piece of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SyntaxWord {
    /// A comment.
    Comment,
    /// A string, a character or a regular expression.
    String,
    /// A number, or another literal word, such as `true`.
    Number,
    /// A word of the language: a keyword, a tag, a key of data, a heading.
    Keyword,
    /// The name of what is called.
    Call,
    /// The name of a type, an attribute of a tag, or a section of data.
    Type,
    /// A line that a diff adds.
    Added,
    /// A line that a diff deletes.
    Deleted,
    /// Something that only a later version knows.
    #[serde(other)]
    Other,
}
