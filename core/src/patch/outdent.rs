//! Takes away the indentation of a patch that stands in a list or in an indented block of Markdown.

use super::search_replace::is_mark;

/// Takes the indentation of the first mark of a patch from the lines that have it, where no mark stands without.
pub(super) fn outdent(lines: &mut [&[u8]]) {
    if lines.iter().any(|line| begins(line)) {
        return;
    }
    let Some(first) = lines.iter().position(|line| begins(line.trim_ascii_start())) else { return };
    let indent = lines[first].len() - lines[first].trim_ascii_start().len();
    let (prefix, rest) = lines[first].split_at(indent);
    // Names stand above the first mark, and blanks below may have been cut off.
    let above = lines[..first].iter().rev().take_while(|line| is_below(line, prefix)).count();
    let block =
        first - above..first + lines[first..].iter().take_while(|line| is_below(line, prefix)).count();
    let is_changed = |line: &&[u8]| matches!(line.first(), Some(b'+' | b'-'));
    let outside = lines[..block.start].iter().chain(&lines[block.end..]);
    // Lines with marks that are not indented are a patch without headers, of which one line looks like a header.
    if is_mark(rest, b'<') || !outside.copied().any(|line| is_changed(&line)) {
        for line in &mut lines[block] {
            *line = line.strip_prefix(prefix).unwrap_or_default();
        }
    }
}

fn is_below(line: &[u8], prefix: &[u8]) -> bool {
    line.starts_with(prefix) || line.trim_ascii().is_empty()
}

/// Whether a line can only be one of a patch.
fn begins(line: &[u8]) -> bool {
    let marks: [&[u8]; 4] = [b"diff --git ", b"@@", b"*** Begin Patch", b"*** Update File:"];
    marks.iter().any(|mark| line.starts_with(mark)) || is_mark(line, b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        outdent(&mut lines);
        assert_eq!(String::from_utf8(lines.join(&b'\n')).unwrap(), expected);
    }

    #[test]
    fn a_patch_in_a_list_stands_at_the_margin_afterwards() {
        let plain = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n\n-b\n+c";
        let indented = plain.replace('\n', "\n   ").replace("\n   \n", "\n\n");
        check(
            &format!("1. so:\n   ```diff\n   {indented}\n   ```\nbye"),
            &format!("1. so:\n```diff\n{plain}\n```\nbye"),
        );
        check("    f.rs\n    <<<<<<< SEARCH\n    a", "f.rs\n<<<<<<< SEARCH\na");
    }

    #[test]
    fn lines_that_only_look_like_a_header_are_left_alone() {
        for text in [" a\n @@ x\n-b\n+c", "@@ -1 +1 @@\n   @@ x\n-b\n+c", " a\n-b\n+c", "no patch"] {
            check(text, text);
        }
    }
}
