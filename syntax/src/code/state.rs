//! What a line of code leaves to the next one.

/// So deep, code inside of strings is followed; deeper, it is part of the string.
pub(super) const MAX_NESTING: usize = 8;

/// So many here-documents may begin in one line.
pub(super) const MAX_HEREDOCS: usize = 4;

/// A longer word does not end a here-document or a raw string.
pub(super) const MAX_DELIMITER: usize = 32;

/// What a line of code leaves to the next one.
#[derive(Clone, Copy, Default)]
pub(crate) struct CodeState {
    pub(super) inside: Inside,
    /// The strings that the code is in.
    pub(super) frames: [CodeFrame; MAX_NESTING],
    pub(super) depth: usize,
    pub(super) heredocs: [Heredoc; MAX_HEREDOCS],
    pub(super) waiting: usize,
    /// Whether a key of a style sheet was seen in this line.
    pub(super) after_key: bool,
}

/// What a line begins in.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Inside {
    #[default]
    Code,
    /// A block comment, by its place in the table, and how deep.
    Comment { rule: u8, depth: u32 },
    /// A string, by its place in the table, with so many `#`.
    String { rule: u8, hashes: u8 },
    /// A raw string that ends with a delimiter between `)` and `"`.
    Delimited(Delimiter),
    /// `[==[`, of so many `=`.
    LongBracket { level: u8, is_comment: bool },
}

/// A string that code is inside of.
#[derive(Clone, Copy, Default)]
pub(super) struct CodeFrame {
    pub(super) rule: u8,
    pub(super) hashes: u8,
    /// The brackets that the code opened itself.
    pub(super) brackets: u32,
}

/// A here-document.
#[derive(Clone, Copy, Default)]
pub(super) struct Heredoc {
    pub(super) word: Delimiter,
    /// Whether its end may be indented.
    pub(super) indented: bool,
}

/// A short word.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Delimiter {
    bytes: [u8; MAX_DELIMITER],
    len: u8,
}

impl Delimiter {
    /// `None` for a word that is too long.
    pub(super) fn new(word: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_DELIMITER];
        bytes.get_mut(..word.len())?.copy_from_slice(word);
        Some(Self { bytes, len: word.len() as u8 })
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}
