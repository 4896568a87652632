//! The key of a finding that its tool gives no name: what it is about, not what is said about it.
//!
//! The rule, the file, and the commented lines with the lines of the scopes around them, all without blanks. Neither the
//! message nor a line number is a part of it: both change while the finding stays the same. The message counts only where
//! there is no rule.

use postil_core::edit::Text;
use postil_core::record::{Anchor, Line};

use crate::formats::fingerprint::fingerprint;

/// The key of a finding at this place; `None` for one on a whole file, which has no lines.
///
/// Lines that the file has several times are told apart by their neighbours.
pub(crate) fn finding_key(
    rule: Option<&str>,
    said: &str,
    anchor: &Anchor,
    text: Option<&Text>,
) -> Option<String> {
    anchor.range?;
    let lines = bare(&anchor.lines);
    let scope = bare(&anchor.scope);
    let path = anchor.path.to_string();
    let mut parts = vec![rule.unwrap_or_default(), &*path, &*scope, &*lines];
    // Without a rule, nothing else tells two findings on the same lines apart.
    if rule.is_none() {
        parts.push(said);
    }
    let around = [anchor.before.iter().rev().find_map(word_of), anchor.after.iter().find_map(word_of)];
    if text.is_some_and(|text| occurs_again(text, anchor)) {
        parts.extend(around.iter().map(|line| line.as_deref().unwrap_or_default()));
    }
    Some(fingerprint(&parts))
}

/// Lines without blanks, as one text: breaking them elsewhere changes nothing.
pub(crate) fn bare(lines: &[Line]) -> String {
    let bytes: Vec<u8> = lines.iter().flat_map(Line::without_blanks).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn word_of(line: &Line) -> Option<String> {
    Some(bare(std::slice::from_ref(line))).filter(|line| !line.is_empty())
}

/// Whether a text has the first of the commented lines more than once.
fn occurs_again(text: &Text, anchor: &Anchor) -> bool {
    let Some(first) = anchor.lines.first().map(Line::without_blanks) else { return false };
    let is_it = |line: &u32| Line::new(text.bare(*line)).without_blanks() == first;
    (0..text.len()).filter(is_it).nth(1).is_some()
}

/// How much of the words of the shorter of two texts the other one has too, in per mille.
pub(crate) fn shared_words(one: &str, other: &str) -> usize {
    let words = |text: &str| {
        let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut all: Vec<String> = all.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        all.sort();
        all.dedup();
        all
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    shared * 1000 / one.len().min(other.len()).max(1)
}

#[cfg(test)]
mod tests {
    use postil_core::anchoring::{Pointed, anchor_at};
    use postil_core::git::{BlobId, RepoPath};
    use postil_core::record::{LineSpan, Range};

    use super::*;

    /// The key of the line that `▸` marks.
    fn key(rule: &str, text: &str) -> String {
        let line = text.lines().position(|line| line.contains('▸')).unwrap() as u32 + 1;
        let content = text.replace('▸', "").into_bytes();
        let path = RepoPath::new("src/a.rs").unwrap();
        let blob = BlobId::from_bytes(&[1; 20]).unwrap();
        let range = LineSpan::from_numbers(line, line).map(Range::lines);
        let pointed = Pointed { commit: None, path: &path, blob, content: &content, range };
        let anchor = anchor_at(&pointed).unwrap();
        finding_key(Some(rule), "", &anchor, Some(&Text::new(content))).unwrap()
    }

    #[test]
    fn a_key_stays_the_same_while_lines_move_and_are_formatted() {
        let one = key("R", "fn a() {\n    ▸let x = f(1);\n}\n");
        assert_eq!(one, key("R", "// new\n\nfn a() {\n\t▸let  x=f( 1 );\n}\n"));
        assert_ne!(one, key("S", "fn a() {\n    ▸let x = f(1);\n}\n"), "another rule");
        assert_ne!(one, key("R", "fn b() {\n    ▸let x = f(1);\n}\n"), "another scope");
        assert_ne!(one, key("R", "fn a() {\n    ▸let x = f(2);\n}\n"), "another line");
    }

    #[test]
    fn equal_lines_in_one_file_have_keys_of_their_own() {
        let first = key("R", "fn a() {\n    one();\n    ▸go();\n    two();\n    go();\n    three();\n}\n");
        let second = key("R", "fn a() {\n    one();\n    go();\n    two();\n    ▸go();\n    three();\n}\n");
        assert_ne!(first, second);
    }

    #[test]
    fn words_that_two_texts_share_are_counted() {
        assert_eq!(shared_words("the sum may overflow", "overflow of the sum"), 1000);
        assert_eq!(shared_words("unused variable", "too long"), 0);
        assert_eq!(shared_words("", ""), 0);
    }
}
