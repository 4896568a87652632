//! Diffs: the first byte of a line says what it is.

use crate::class::SyntaxClass;
use crate::spans::Spans;

/// What lines before the first hunk of a file begin with.
const HEADERS: [&str; 16] = [
    "diff ",
    "index ",
    "--- ",
    "+++ ",
    "new file ",
    "deleted file ",
    "old mode ",
    "new mode ",
    "similarity ",
    "dissimilarity ",
    "rename ",
    "copy ",
    "Binary files ",
    "GIT binary ",
    "Index: ",
    "====",
];

/// Reads a line of a diff.
pub(crate) fn line(line: &[u8], spans: &mut Spans<'_>) {
    let class = if HEADERS.iter().any(|header| line.starts_with(header.as_bytes())) {
        SyntaxClass::Keyword
    } else if line.starts_with(b"@@") {
        SyntaxClass::Type
    } else {
        match line.first() {
            Some(b'+' | b'>') => SyntaxClass::Added,
            Some(b'-' | b'<') => SyntaxClass::Deleted,
            Some(b'#' | b'\\') => SyntaxClass::Comment,
            _ => return,
        }
    };
    spans.push(0, line.len(), class);
}
