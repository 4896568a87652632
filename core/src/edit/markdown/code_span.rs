//! Where the characters of a code span are in its source.
//!
//! The parser gives the span as one string: line ends became spaces, the marks of the quotes and
//! lists around it are gone, and in a table `\|` became `|`. This walks both in step again.

use std::ops::Range;

/// A run of a span's text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SpanRun {
    /// Source bytes that are in the text as they are.
    Verbatim(Range<usize>),
    /// Source bytes that became one character.
    Became(&'static str, Range<usize>),
}

/// Returns the runs of `text`, whose span with its backticks is `source[range]`.
///
/// `None` if the two do not agree; the span can then only be mapped as a whole.
pub(super) fn runs(source: &str, range: Range<usize>, text: &str) -> Option<Vec<SpanRun>> {
    let span = source.get(range.clone())?;
    let fence = span.len() - span.trim_start_matches('`').len();
    let inner = range.start + fence..range.end.checked_sub(fence)?;
    walk(source, inner.clone(), text).or_else(|| {
        // One blank, or line end, on each side is for backticks at the edges and is not text.
        let stripped = stripped(source.get(inner.clone())?)?;
        walk(source, inner.start + stripped.start..inner.start + stripped.end, text)
    })
}

fn stripped(inner: &str) -> Option<Range<usize>> {
    let start = line_end(inner).or_else(|| inner.starts_with(' ').then_some(1))?;
    let last = if inner.ends_with("\r\n") { 2 } else { 1 };
    let ends = inner.ends_with([' ', '\n', '\r']);
    (ends && start + last <= inner.len()).then(|| start..inner.len() - last)
}

fn walk(source: &str, inner: Range<usize>, text: &str) -> Option<Vec<SpanRun>> {
    let mut runs = Vec::new();
    let mut at = inner.start;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let ahead = source.get(at..inner.end)?;
        if let Some(width) = line_end(ahead) {
            (next == ' ').then_some(())?;
            runs.push(SpanRun::Became(" ", at..at + width));
            at += width;
            rest = &rest[1..];
            at += container_marks(&source[at..inner.end], rest)?;
        } else if next == '|' && ahead.starts_with("\\|") {
            runs.push(SpanRun::Became("|", at..at + 2));
            at += 2;
            rest = &rest[1..];
        } else {
            ahead.starts_with(next).then_some(())?;
            let end = at + next.len_utf8();
            match runs.last_mut() {
                Some(SpanRun::Verbatim(last)) if last.end == at => last.end = end,
                _ => runs.push(SpanRun::Verbatim(at..end)),
            }
            at = end;
            rest = &rest[next.len_utf8()..];
        }
    }
    (at == inner.end).then_some(runs)
}

/// How much of a line's start belongs to the containers: what the text lacks of the marks there.
fn container_marks(line: &str, text: &str) -> Option<usize> {
    let marks = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '>']).len();
    marks(line).checked_sub(marks(text))
}

fn line_end(text: &str) -> Option<usize> {
    if text.starts_with("\r\n") { Some(2) } else { text.starts_with(['\n', '\r']).then_some(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_of_a_span_is_found_in_its_source() {
        let check = |source: &str, text: &str| {
            let runs = runs(source, 0..source.len(), text).expect("the text is the span's");
            let read = runs.iter().map(|run| match run {
                SpanRun::Verbatim(range) => &source[range.clone()],
                SpanRun::Became(text, _) => text,
            });
            assert_eq!(read.collect::<String>(), text, "{source:?}");
        };
        check("`a`", "a");
        check("`` `a` ``", "`a`");
        check("`a\n> b`", "a b");
        check("`a\n> > b`", "a > b");
        check("`a\r\n   b c`", "a b c");
        check("`a\\|b`", "a|b");
        check("`\na\n`", "a");
        check("`  `", "  ");
    }

    #[test]
    fn a_text_of_another_span_is_refused() {
        assert_eq!(runs("`ab`", 0..4, "ac"), None);
        assert_eq!(runs("`ab`", 0..4, "abc"), None);
        assert_eq!(runs("`ab`", 0..4, "a"), None);
    }
}
