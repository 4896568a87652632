//! How deep the containers of a document could nest, counted before it is parsed.
//!
//! The parser looks at every open container for every line, which is quadratic when a file opens a
//! hundred thousand of them. This count never comes out lower than the nesting, and costs one pass.

/// A document that could nest deeper is refused: no page that people read comes near.
pub(super) const MAX_DEPTH: usize = 100;

/// Whether some line could open more than [`MAX_DEPTH`] containers.
pub(super) fn is_too_deep(source: &str) -> bool {
    source.split(['\n', '\r']).any(|line| possible_depth(line.as_bytes()) > MAX_DEPTH)
}

/// The containers that the markers at the start of a line open, with those that its indentation goes on.
fn possible_depth(line: &[u8]) -> usize {
    let mut markers = 0;
    let mut columns = 0;
    let mut depth = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => {
                columns += 1;
                at += 1;
            }
            b'\t' => {
                columns += 4;
                at += 1;
            }
            _ => match marker(&line[at..]) {
                Some(width) => {
                    markers += 1;
                    // A list goes on by at least two columns of indentation, a quote by its own mark.
                    depth = markers + columns / 2;
                    at += width;
                    // One blank after a marker is part of it.
                    at += usize::from(line.get(at) == Some(&b' '));
                }
                None => break,
            },
        }
    }
    depth
}

/// The width of the quote, list or footnote marker that `rest` starts with.
fn marker(rest: &[u8]) -> Option<usize> {
    let ends_marker = |at: usize| rest.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    match rest[0] {
        b'>' => Some(1),
        b'-' | b'+' | b'*' if ends_marker(1) => Some(1),
        b'0'..=b'9' => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let closed = matches!(rest.get(digits), Some(b'.' | b')'));
            (closed && ends_marker(digits + 1)).then_some(digits + 1)
        }
        b'[' if rest.get(1) == Some(&b'^') => {
            let label = rest.iter().position(|byte| *byte == b']')?;
            (rest.get(label + 1) == Some(&b':')).then_some(label + 2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_the_indentation_before_them_count() {
        let check = |line: &str, depth: usize| assert_eq!(possible_depth(line.as_bytes()), depth, "{line:?}");
        check("text - with > marks", 0);
        check("> > - 1. [^a]: x", 5);
        check(">>>", 3);
        check("      - x", 4);
        check("\t- x", 3);
        check("                         x", 0);
        check("-x", 0);
        check("2026) ", 1);
        check("**a**", 0);
    }

    #[test]
    fn a_hundred_levels_are_borne_and_more_are_not() {
        assert!(!is_too_deep(&"> ".repeat(MAX_DEPTH)));
        assert!(is_too_deep(&"> ".repeat(MAX_DEPTH + 1)));
        assert!(is_too_deep(&format!("a\r{}- b", " ".repeat(2 * MAX_DEPTH))));
        assert!(!is_too_deep(&format!("{} b", " ".repeat(2 * MAX_DEPTH))));
    }
}
