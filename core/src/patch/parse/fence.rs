//! Which lines of a text are in a code fence of Markdown, as language models put them around patches.
//!
//! What is in a fence is not read here.

use std::ops::Range;

use crate::patch::placing::line::indent;

/// A code fence with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    /// The blanks before it.
    pub indent: &'a [u8],
    /// Its first line, the lines within, and its last line where it has one.
    pub lines: Range<usize>,
    /// Whether its first line says that a diff is within.
    pub is_diff: bool,
}

impl<'a> Fence<'a> {
    /// All fences of a text, in order; one that is never closed ends with the text.
    pub fn all(lines: &[&'a [u8]]) -> Vec<Self> {
        let mut fences: Vec<Self> = Vec::new();
        let mut open: Option<(u8, usize)> = None;
        for (at, line) in lines.iter().enumerate() {
            let Some((mark, count, word)) = mark(line) else { continue };
            match open {
                None => {
                    let is_diff = matches!(word, b"diff" | b"patch");
                    fences.push(Self { indent: indent(line), lines: at..lines.len(), is_diff });
                    open = Some((mark, count));
                }
                Some((begun, length)) if mark == begun && count >= length && word.is_empty() => {
                    if let Some(fence) = fences.last_mut() {
                        fence.lines.end = at + 1;
                    }
                    open = None;
                }
                Some(_) => {}
            }
        }
        fences
    }
}

/// The mark of a fence, how often it is there, and the word after it.
fn mark(line: &[u8]) -> Option<(u8, usize, &[u8])> {
    let line = line.trim_ascii();
    let mark = *line.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = line.iter().take_while(|byte| **byte == mark).count();
    let word = line[count..].trim_ascii();
    (count >= 3 && !word.contains(&b'`')).then_some((mark, count, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Range<usize>, bool)]) {
        let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        let fences = Fence::all(&lines);
        let found: Vec<_> =
            fences.iter().map(|fence| (fence.indent, fence.lines.clone(), fence.is_diff)).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(indent, lines, is_diff)| (indent.as_bytes(), lines.clone(), *is_diff))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn fences_end_with_their_own_mark_or_with_the_text() {
        check("a\n```diff\n-b\n```\nc", &[("", 1..4, true)]);
        check("   ```\nx\n   ```\n~~~ patch\n```\n~~~~", &[("   ", 0..3, false), ("", 3..6, true)]);
        check("````\n```diff\n```\n````\n```\nx", &[("", 0..4, false), ("", 4..6, false)]);
        check("say ``` so\n``\n```a`b\n", &[]);
    }
}
