//! Places as a person would type them: `src/a.rs:12-20`, relative to where they are, quoted as git quotes.

use std::fmt::Write as _;

use postil_client::{Checkout, relative};
use postil_protocol::{
    AnchorView, ByteText, CandidateView, Doubt, MessageView, PositionView, TextRange, ThreadView,
};

/// How files are named for this person; from the root and as they are, unless something else is known.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    prefix: Vec<u8>,
    quotes_all: bool,
}

/// A file, and perhaps lines of it.
#[derive(Clone, Copy, Debug)]
pub struct ShownSite<'a> {
    /// The file.
    pub path: &'a ByteText,
    /// The lines; `None` for the whole file.
    pub range: Option<TextRange>,
}

impl Naming {
    /// From where the person is, with quotes as `core.quotePath` says.
    pub fn new(checkout: &Checkout) -> Self {
        let quotes_all = checkout.switch("core.quotePath").unwrap_or(true);
        Self { prefix: checkout.prefix().to_vec(), quotes_all }
    }

    /// A file's name.
    pub fn path(&self, path: &ByteText) -> String {
        let mut name = String::new();
        self.push_path(&mut name, path);
        name
    }

    /// Adds a file's name to what is shown.
    pub fn push_path(&self, shown: &mut String, path: &ByteText) {
        if self.prefix.is_empty() {
            return push_quoted(shown, path.as_bytes(), self.quotes_all);
        }
        push_quoted(shown, &relative(&self.prefix, path.as_bytes()), self.quotes_all);
    }

    /// A file with its lines.
    pub fn site(&self, site: ShownSite<'_>) -> String {
        let mut name = self.path(site.path);
        if let Some(range) = site.range {
            let _ = write!(name, ":{range}");
        }
        name
    }
}

/// What a comment was put on.
#[derive(Clone, Copy, Debug)]
pub enum CommentedOn<'a> {
    /// A file, or lines of it.
    File(&'a AnchorView),
    /// A commit's message, or lines of it.
    Message(&'a MessageView),
}

impl<'a> CommentedOn<'a> {
    /// What one of the two is; `None` for the whole review.
    pub fn either(anchor: Option<&'a AnchorView>, message: Option<&'a MessageView>) -> Option<Self> {
        anchor.map(Self::File).or(message.map(Self::Message))
    }

    /// What a thread was put on.
    pub fn of(thread: &'a ThreadView) -> Option<Self> {
        Self::either(thread.anchor.as_ref(), thread.message.as_ref())
    }

    /// What a thread of a list was put on whose place is doubtful.
    pub fn of_doubt(doubt: &'a Doubt) -> Option<Self> {
        Self::either(doubt.anchor.as_ref(), doubt.message.as_ref())
    }

    /// The quoted words.
    pub fn quote(self) -> Option<&'a str> {
        match self {
            Self::File(anchor) => anchor.quote.as_deref(),
            Self::Message(_) => None,
        }
    }

    /// The lines, as they were.
    pub fn lines(self) -> &'a [Option<ByteText>] {
        match self {
            Self::File(anchor) => &anchor.lines,
            Self::Message(on) => &on.lines,
        }
    }
}

impl<'a> ShownSite<'a> {
    /// Where something is now; `None` for an orphan.
    pub fn now(position: &'a PositionView) -> Option<Self> {
        Some(Self { path: position.path.as_ref()?, range: position.range })
    }

    /// Where something was put.
    pub fn then(anchor: &'a AnchorView) -> Self {
        Self { path: &anchor.path, range: anchor.range }
    }

    /// Where something could be.
    pub fn perhaps(candidate: &'a CandidateView) -> Self {
        Self { path: &candidate.path, range: candidate.range }
    }
}

/// Adds a path as git quotes it; `all` bytes beyond ASCII too, or those alone that are not UTF-8.
fn push_quoted(shown: &mut String, path: &[u8], all: bool) {
    let is_plain = |byte: u8| !(byte < b' ' || byte == 0x7f || byte == b'"' || byte == b'\\');
    let is_harmless = |text: &str| crate::sanitize::line(text.as_bytes()) == text;
    if let Ok(text) = str::from_utf8(path)
        && path.iter().all(|byte| is_plain(*byte))
        && (text.is_ascii() || (!all && is_harmless(text)))
    {
        return shown.push_str(text);
    }
    shown.push('"');
    for byte in path {
        match byte {
            b'"' => shown.push_str("\\\""),
            b'\\' => shown.push_str("\\\\"),
            b'\n' => shown.push_str("\\n"),
            b'\t' => shown.push_str("\\t"),
            byte if is_plain(*byte) && byte.is_ascii() => shown.push(char::from(*byte)),
            byte => {
                let _ = write!(shown, "\\{byte:03o}");
            }
        }
    }
    shown.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_as_git_quotes_them() {
        let quoted = |path: &[u8], all| {
            let mut name = String::new();
            push_quoted(&mut name, path, all);
            name
        };
        assert_eq!(quoted(b"src/a b.rs", true), "src/a b.rs");
        assert_eq!(quoted("é.rs".as_bytes(), true), "\"\\303\\251.rs\"");
        assert_eq!(quoted("é.rs".as_bytes(), false), "é.rs");
        assert_eq!(quoted(b"caf\xe9", false), "\"caf\\351\"");
        assert_eq!(quoted(b"a\n\"b\\\x1b", false), "\"a\\n\\\"b\\\\\\033\"");
        assert_eq!(quoted("a\u{202e}b".as_bytes(), false), "\"a\\342\\200\\256b\"");
    }
}
