//! What a piece of a line is.

/// What a piece of a line is: six classes for code, and two that only diffs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxClass {
    /// A comment.
    Comment,
    /// A string, a character, a regular expression, or a text that is quoted otherwise.
    String,
    /// A number, or another literal word, such as `true`.
    Number,
    /// A word of the language: a keyword, a tag, a key of data, a heading.
    Keyword,
    /// The name of what is called, or of a target.
    Call,
    /// The name of a type, an attribute of a tag, or a section of data.
    Type,
    /// A line that a diff adds.
    Added,
    /// A line that a diff deletes.
    Deleted,
}

impl SyntaxClass {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Comment,
        Self::String,
        Self::Number,
        Self::Keyword,
        Self::Call,
        Self::Type,
        Self::Added,
        Self::Deleted,
    ];

    /// Its name, as programs read it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::String => "string",
            Self::Number => "number",
            Self::Keyword => "keyword",
            Self::Call => "call",
            Self::Type => "type",
            Self::Added => "added",
            Self::Deleted => "deleted",
        }
    }
}
