//! Where the Markdown of a file begins: after a byte order mark and after front matter.
//!
//! The parser's own option takes such blocks anywhere in a document; they count at its start only.

/// The offset of the first byte that is Markdown.
pub(super) fn end(source: &str) -> usize {
    let marked = source.len() - source.trim_start_matches('\u{feff}').len();
    let mut lines = source[marked..].split_inclusive('\n');
    let Some(first) = lines.next() else { return marked };
    let closes: &[&str] = match first.trim_end() {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        _ => return marked,
    };
    let mut at = marked + first.len();
    for (number, line) in lines.enumerate() {
        let blank_start = number == 0 && line.trim().is_empty();
        if blank_start {
            // A rule and an empty line: pages begin like this more often than empty front matter does.
            return marked;
        }
        at += line.len();
        if closes.contains(&line.trim_end()) {
            return at;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_counts_at_the_start_and_only_when_it_ends() {
        let check = |source: &str, body: &str| assert_eq!(&source[end(source)..], body, "{source:?}");
        check("---\ntitle: x\n---\nbody\n", "body\n");
        check("---\r\ntitle: x\r\n...\r\nbody", "body");
        check("+++\ntitle = 1\n+++\nbody", "body");
        check("\u{feff}---\na: 1\n---\n# b", "# b");
        check("\u{feff}# b", "# b");
        check("---\ntitle: x\n", "---\ntitle: x\n");
        check("---\n\ntext\n\n---\n", "---\n\ntext\n\n---\n");
        check("a\n---\nb: 1\n---\n", "a\n---\nb: 1\n---\n");
        check("+++\na\n---\n", "+++\na\n---\n");
        check("", "");
    }
}
