//! Structure read from indentation, for every language alike.

use std::ops::Range;

use crate::edit::Text;

/// Lines above that are looked at for a scope; a longer block is scoped by nothing.
const MAX_SCOPE_LINES: u32 = 2_000;

/// Deeper nesting is cut at the outside.
const MAX_SCOPE_DEPTH: usize = 16;

/// The lines of a body that count as evidence.
const MAX_BODY_LINES: u32 = 60;

/// The nearest line above that is indented less; `None` at the outermost level.
pub(crate) fn parent(text: &Text, line: u32) -> Option<u32> {
    let mut indent = text.indent(line).or_else(|| text.indent(next_filled(text, line)?))?;
    if indent == 0 {
        return None;
    }
    for above in (line.saturating_sub(MAX_SCOPE_LINES)..line).rev() {
        match text.indent(above) {
            Some(width) if width < indent => {
                // A bracket alone on its line only continues the line that opened the block.
                if crate::edit::tokens(text.bare(above)).any(|t| t.kind != crate::edit::TokenKind::Mark) {
                    return Some(above);
                }
                indent = width + 1;
            }
            _ => {}
        }
    }
    None
}

/// The chain of less-indented lines above, outermost first.
pub(crate) fn scope(text: &Text, line: u32) -> Vec<u32> {
    let mut chain: Vec<u32> = std::iter::successors(parent(text, line), |above| parent(text, *above))
        .take(MAX_SCOPE_DEPTH)
        .collect();
    chain.reverse();
    chain
}

/// The more-indented lines right below that `line` opens; empty if it opens none.
pub(crate) fn body(text: &Text, line: u32) -> Range<u32> {
    let Some(indent) = text.indent(line) else { return line + 1..line + 1 };
    let mut end = line + 1;
    let mut at = line + 1;
    while at < text.len() && at - line <= MAX_BODY_LINES {
        match text.indent(at) {
            None => {}
            Some(width) if width > indent => end = at + 1,
            // The opening bracket may be on a line of its own.
            Some(width) if width == indent && end == line + 1 && text.bare(at).trim_ascii() == b"{" => {}
            Some(_) => break,
        }
        at += 1;
    }
    line + 1..end
}

fn next_filled(text: &Text, line: u32) -> Option<u32> {
    (line..text.len().min(line + MAX_BODY_LINES)).find(|line| text.indent(*line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "class A {\n  void b() {\n    if (c)\n    {\n      d();\n    }\n\n    e();\n  }\n}\n";

    #[test]
    fn the_scope_is_the_chain_of_less_indented_lines() {
        let text = Text::new(CODE);
        assert_eq!(scope(&text, 4), [0, 1, 2]);
        assert_eq!(scope(&text, 7), [0, 1]);
        assert_eq!(scope(&text, 0), Vec::<u32>::new());
    }

    #[test]
    fn a_body_is_what_is_indented_more() {
        let text = Text::new(CODE);
        assert_eq!(body(&text, 1), 2..8);
        assert_eq!(body(&text, 2), 3..5);
        assert!(body(&text, 7).is_empty());
    }
}
