//! Our side of a text with conflict markers, as an unfinished merge leaves it in the work tree.
//!
//! What the other side brought is blotted out: a line of ours has a twin there that is no duplicate.

use crate::edit::Text;

/// Returns `text` with everything but our side unrecognisable, line for line.
///
/// `None` if there is no whole conflict in it.
pub(super) fn ours(text: &Text) -> Option<Text> {
    let mut bytes = Vec::with_capacity(text.bytes().len());
    let mut side = Side::None;
    let mut conflicts = 0;
    for line in 0..text.len() {
        let content = text.line(line);
        let (next, is_ours) = match side {
            Side::None if content.starts_with(b"<<<<<<< ") => (Side::Ours, false),
            Side::None => (Side::None, true),
            Side::Ours if content.starts_with(b"||||||| ") => (Side::Base, false),
            Side::Ours | Side::Base if content.trim_ascii_end() == b"=======" => (Side::Theirs, false),
            Side::Ours => (Side::Ours, true),
            Side::Base => (Side::Base, false),
            Side::Theirs if content.starts_with(b">>>>>>> ") => {
                conflicts += 1;
                (Side::None, false)
            }
            Side::Theirs => (Side::Theirs, false),
        };
        if is_ours {
            bytes.extend_from_slice(content);
        } else {
            // Unlike any line of code, and unlike each other.
            bytes.extend_from_slice(format!("\u{1}{line}\u{1}").as_bytes());
        }
        bytes.push(b'\n');
        side = next;
    }
    (conflicts > 0 && side == Side::None).then(|| Text::new(bytes))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    None,
    Ours,
    Base,
    Theirs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_side_is_left_of_a_conflict() {
        let text = Text::new("a\n<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nb\nc\n>>>>>>> other\nd\n");
        let ours = ours(&text).unwrap();
        let left: Vec<_> = (0..ours.len()).filter(|line| ours.line(*line).len() == 1).collect();
        assert_eq!(left, [0, 2, 9]);
    }

    #[test]
    fn a_marker_alone_is_no_conflict() {
        assert!(ours(&Text::new("<<<<<<< HEAD\na\n")).is_none());
        assert!(ours(&Text::new("a\n=======\nb\n")).is_none());
    }
}
