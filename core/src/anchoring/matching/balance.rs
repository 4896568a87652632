//! Keeps balanced what was balanced: an end that cuts a bracket from its partner is moved to it.
//!
//! Brackets in strings and comments count like all others, which is harmless: only a region whose
//! brackets matched before is touched, and only if a near end makes them match again.

use crate::edit::{Text, tokens};

use super::token_links::Spot;

/// How many lines after the end a partner is looked for.
const MAX_LINES: u32 = 40;

/// How many lines of a block are looked at for its end.
const MAX_BLOCK_LINES: u32 = 2_000;

/// How many lines later than before a block may open.
const MAX_LATER: u32 = 3;

/// Returns the end of the new region, moved where only that makes its brackets match.
///
/// A region that was one block, from its head to the brace that closes it, still is one.
pub(crate) fn end(old: &Text, was: (Spot, Spot), new: &Text, is: (Spot, Spot)) -> Spot {
    if was.0.line < was.1.line
        && let Some((opened, closed)) = block(old, was.0)
        && closed.line == was.1.line
        && old.bare(closed.line)[closed.byte as usize..].iter().all(u8::is_ascii_whitespace)
        && let Some((opens, closes)) = block(new, is.0)
        && opens - is.0.line <= opened - was.0.line + MAX_LATER
    {
        return closes;
    }
    if depth(old, was.0, was.1) != Some(0) {
        return is.1;
    }
    match depth(new, is.0, is.1) {
        Some(open) if open > 0 => close(new, is, open).unwrap_or(is.1),
        _ => is.1,
    }
}

/// The first block of braces after a spot: the line it opens in, and the place after its end.
fn block(text: &Text, from: Spot) -> Option<(u32, Spot)> {
    let last = from.line.saturating_add(MAX_BLOCK_LINES).min(text.len().checked_sub(1)?);
    let (mut depth, mut opened) = (0, None);
    for line in from.line..=last {
        let bytes = text.bare(line);
        for at in memchr::memchr2_iter(b'{', b'}', bytes) {
            if (line, at as u32) < (from.line, from.byte) {
                continue;
            }
            depth += if bytes[at] == b'{' { 1 } else { -1 };
            let opened = *opened.get_or_insert(line);
            if depth <= 0 {
                return (depth == 0).then_some((opened, Spot { line, byte: at as u32 + 1 }));
            }
        }
    }
    None
}

/// How many brackets are left open; `None` if one is closed that was not opened inside.
fn depth(text: &Text, from: Spot, to: Spot) -> Option<i32> {
    let mut depth = 0;
    for (step, _) in brackets(text, from, to) {
        depth += step;
        if depth < 0 {
            return None;
        }
    }
    Some(depth)
}

/// The nearest place after the end where all open brackets are closed.
fn close(text: &Text, (_, end): (Spot, Spot), mut open: i32) -> Option<Spot> {
    let last = (end.line + MAX_LINES).min(text.len().saturating_sub(1));
    let to = Spot { line: last, byte: text.bare(last).len() as u32 };
    for (step, spot) in brackets(text, end, to) {
        open += step;
        if open == 0 {
            let line = text.bare(spot.line);
            // A statement's own end mark goes with its last bracket.
            let marks = line[spot.byte as usize..].iter().take_while(|byte| matches!(byte, b';' | b','));
            let ended_line = end.byte as usize >= text.bare(end.line).trim_ascii_end().len();
            let extra = if ended_line { marks.count() as u32 } else { 0 };
            return Some(Spot { line: spot.line, byte: spot.byte + extra });
        }
    }
    None
}

/// The brackets between two spots: one more or one less, and the place after each.
fn brackets(text: &Text, from: Spot, to: Spot) -> impl Iterator<Item = (i32, Spot)> + '_ {
    (from.line..=to.line).flat_map(move |line| {
        let bytes = text.bare(line);
        tokens(bytes).filter_map(move |token| {
            let inside =
                (line, token.start) >= (from.line, from.byte) && (line, token.end) <= (to.line, to.byte);
            let step = match bytes[token.start as usize] {
                b'(' | b'[' | b'{' => 1,
                b')' | b']' | b'}' => -1,
                _ => return None,
            };
            inside.then_some((step, Spot { line, byte: token.end }))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_moved_to_the_bracket_that_closes_the_region() {
        let (old, new) = (Text::new("f(a)\n"), Text::new("f(\n  a,\n  b\n);\n"));
        let was = (Spot { line: 0, byte: 0 }, Spot { line: 0, byte: 4 });
        let cut = (Spot { line: 0, byte: 0 }, Spot { line: 1, byte: 3 });
        assert_eq!(end(&old, was, &new, cut), Spot { line: 3, byte: 1 });
        let whole = (Spot { line: 0, byte: 0 }, Spot { line: 1, byte: 4 });
        assert_eq!(end(&old, was, &new, whole), Spot { line: 3, byte: 2 });
    }

    #[test]
    fn a_block_ends_where_its_own_brace_closes_it() {
        let (old, new) = (Text::new("f() {\n  a\n}\n"), Text::new("f() {\n  {a}\n}\ng() {\n}\n"));
        let spots = |line| (Spot { line: 0, byte: 0 }, Spot { line, byte: 1 });
        assert_eq!(end(&old, spots(2), &new, spots(4)), Spot { line: 2, byte: 1 }, "not behind the next one");
        assert_eq!(end(&old, spots(2), &new, spots(1)), Spot { line: 2, byte: 1 }, "not inside");
        let two = Text::new("f() {\n}\ng() {\n}\n");
        assert_eq!(end(&two, spots(3), &new, spots(4)), Spot { line: 4, byte: 1 }, "two blocks are not one");
    }

    #[test]
    fn what_was_not_balanced_is_left_alone() {
        let (old, new) = (Text::new("f(a\n"), Text::new("f(b\n)\n"));
        let spots = (Spot { line: 0, byte: 0 }, Spot { line: 0, byte: 3 });
        assert_eq!(end(&old, spots, &new, spots), spots.1);
    }
}
