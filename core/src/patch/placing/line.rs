//! How two lines are compared: byte by byte, or as a person would.

/// The line without a carriage return at its end.
pub(crate) fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The blanks that a line begins with.
pub(crate) fn indent(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    &line[..end]
}

/// Whether there is nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// The line as a person reads it: typographic quotes, dashes and blanks as the ASCII ones, each run of
/// white space as one blank, none at either end.
pub(crate) fn loose(line: &[u8]) -> Vec<u8> {
    let folded = fold(line);
    let words = folded.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ')
}

/// Typographic quotes, dashes and blanks as the ASCII ones.
pub(crate) fn fold(line: &[u8]) -> Vec<u8> {
    if line.is_ascii() {
        return line.to_vec();
    }
    let mut folded = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => folded.push(b'\''),
                '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => folded.push(b'"'),
                '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push(b'-'),
                '\u{00a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => folded.push(b' '),
                '\u{2026}' => folded.extend_from_slice(b"..."),
                '\u{200b}' | '\u{feff}' => {}
                other => folded.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        folded.extend_from_slice(chunk.invalid());
    }
    folded
}

/// Whether a line is there for the structure alone: closing brackets, or a comment of its own.
pub(crate) fn is_structural(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.iter().all(|byte| matches!(byte, b'}' | b']' | b')' | b',' | b';')) || is_comment(line)
}

/// Marks that open a comment in one language open something else in another, unless a blank follows.
fn is_comment(line: &[u8]) -> bool {
    if line.starts_with(b"//") {
        return true;
    }
    [&b"#"[..], b"--", b";", b"%"].iter().any(|mark| {
        line.strip_prefix(*mark)
            .is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b' ' || rest.starts_with(mark)))
    })
}

/// Whether a line says something about where it is: closing brackets and blanks are everywhere.
pub(crate) fn is_telling(line: &[u8]) -> bool {
    line.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_dashes_and_blanks_are_read_as_a_person_would() {
        assert_eq!(
            loose("\tsay(\u{201c}a\u{201d},  'b\u{2019}) \u{2014} c\r".as_bytes()),
            b"say(\"a\", 'b') - c"
        );
        assert_eq!(loose(b" \xff  x"), b"\xff x");
        assert_eq!(loose(b"   "), b"");
    }

    #[test]
    fn structure_is_closing_brackets_and_comments() {
        for line in ["  },", "", ")", "});", "// why", "# why", "-- why", "//x", "##", "%"] {
            assert!(is_structural(line.as_bytes()), "{line}");
        }
        for line in ["else {", "#[derive(Debug)]", "#include <x>", "--x;", "a }", "{"] {
            assert!(!is_structural(line.as_bytes()), "{line}");
        }
    }
}
