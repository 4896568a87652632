//! Whether a comment brings along lines that git does not have.
//!
//! The lines of an anchor and those around them are part of the comment, and travel with it. The rest of the file stays
//! here until git publishes it.

use postil_core::edit::Text;
use postil_core::record::{Anchor, AnchorSide, Line};
use postil_protocol::{Fault, HeadName};

use crate::files::{HeadFiles, read_blob};
use crate::request::Request;

/// Whether the lines that travel with an anchor are not all committed, one after the other, in its file.
///
/// Deleted lines are committed, also where their deletion is not. A file that is commented on as a whole shares none.
pub(crate) fn shares_uncommitted_lines(request: &Request, anchor: &Anchor) -> Result<bool, Fault> {
    if anchor.commit.is_some() || anchor.side != AnchorSide::New {
        return Ok(false);
    }
    if anchor.quote.is_some() {
        // The words around a quote can come from further away than the lines around it.
        return Ok(true);
    }
    let lines: Vec<&Line> = [&anchor.before, &anchor.lines, &anchor.after].into_iter().flatten().collect();
    if lines.is_empty() {
        return Ok(false);
    }
    let files = HeadFiles::of(request, &HeadName::Head)?;
    let Some(committed) = files.committed(&anchor.path)?.filter(|entry| entry.mode.is_blob()) else {
        return Ok(true);
    };
    Ok(!has_lines(&Text::new(read_blob(&request.handle, committed.id.raw().into())?), &lines))
}

/// Whether a text has these lines one after the other.
fn has_lines(text: &Text, lines: &[&Line]) -> bool {
    let Some(last) = (text.len() as usize).checked_sub(lines.len()) else { return false };
    let is_at = |start: usize| {
        let numbers = u32::try_from(start).unwrap_or(u32::MAX)..;
        numbers.zip(lines).all(|(number, line)| line.is(text.line(number)))
    };
    (0..=last).any(is_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_committed_if_they_follow_each_other_there() {
        let check = |committed: &str, lines: &[&str], expected: bool| {
            let lines: Vec<Line> = lines.iter().map(|line| Line::new(line.as_bytes())).collect();
            let found = has_lines(&Text::new(committed), &lines.iter().collect::<Vec<_>>());
            assert_eq!(found, expected, "{committed:?} {lines:?}");
        };
        check("a\nb\nc\n", &["a", "b", "c"], true);
        check("a\nb\nc\n", &["b", "c"], true);
        check("a\nb\nc", &["c"], true);
        check("a\nb\nc\n", &["a", "c"], false);
        check("a\n", &["a", "b"], false);
        check("a\nb\r\n", &["b"], false);
        check("", &["a"], false);
    }
}
