//! Takes away the indentation of patches that are in a list or in indented blocks of Markdown.

use std::ops::Range;

use super::fence::Fence;
use super::search_replace::is_mark;
use crate::patch::placing::line::indent;

/// Takes the indentation from every patch that is indented, where none is at the margin but in a code fence.
pub(crate) fn outdent(lines: &mut [&[u8]]) {
    let fences = Fence::all(lines);
    let mut fence_of: Vec<Option<&Fence<'_>>> = vec![None; lines.len()];
    for fence in &fences {
        fence_of[fence.lines.clone()].fill(Some(fence));
    }
    let is_fenced = |at: usize| fence_of[at].is_some_and(|fence| fence.indent.is_empty());
    let mut margin = lines.iter().enumerate().filter(|(_, line)| begins(line)).peekable();
    let is_alone = margin.peek().is_none();
    if margin.any(|(at, _)| !is_fenced(at)) {
        return;
    }
    let mut blocks: Vec<(Range<usize>, &[u8])> = Vec::new();
    let mut from = 0;
    while let Some(first) =
        (from..lines.len()).find(|at| !is_fenced(*at) && begins(lines[*at].trim_ascii_start()))
    {
        let prefix = indent(lines[first]);
        // Names are above the first mark, and blanks below may have been cut off.
        let above = lines[from..first].iter().rev().take_while(|line| is_below(line, prefix)).count();
        let below = lines[first..].iter().take_while(|line| is_below(line, prefix)).count();
        from = first + below;
        // Beside a patch at the margin, only what has a fence of its own is one more.
        if is_alone || fence_of[first].is_some_and(|fence| fence.indent == prefix) {
            blocks.push((first - above..from, prefix));
        }
    }
    let mut is_within = vec![false; lines.len()];
    for (block, _) in &blocks {
        is_within[block.clone()].fill(true);
    }
    let is_sure = |at: usize| fence_of[at].is_some() || is_mark(lines[at].trim_ascii_start(), b'<');
    let is_changed = |at: usize| matches!(lines[at].first(), Some(b'+' | b'-'));
    // Lines with marks that are not indented are a patch without headers, of which one line looks like a header.
    let outside = (0..lines.len()).any(|at| !is_within[at] && is_changed(at));
    if outside && !(0..lines.len()).any(|at| is_within[at] && is_sure(at)) {
        return;
    }
    for (block, prefix) in blocks {
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
    fn every_patch_of_a_list_stands_at_the_margin_afterwards() {
        let (one, two) = ("```diff\n@@ -1 +1 @@\n-a\n+b\n```", "```diff\n@@ -5 +5 @@\n-c\n+d\n```");
        let indented = |text: &str| format!("  {}", text.replace('\n', "\n  "));
        let plain = format!("- so:\n{one}\n- and so:\n{two}\nbye");
        check(&format!("- so:\n{}\n- and so:\n{}\nbye", indented(one), indented(two)), &plain);
        check(&format!("- so:\n{one}\n- and so:\n{}\nbye", indented(two)), &plain);
        check("  @@ -1 +1 @@\n  -a\n\nand\n\t@@ -5 +5 @@\n\t-b", "@@ -1 +1 @@\n-a\n\nand\n@@ -5 +5 @@\n-b");
    }

    #[test]
    fn lines_that_only_look_like_a_header_are_left_alone() {
        for text in [
            " a\n @@ x\n-b\n+c",
            "@@ -1 +1 @@\n   @@ x\n-b\n+c",
            " a\n-b\n+c",
            "no patch",
            "@@ -1,3 +1,4 @@\n ```diff\n @@ -1 +1 @@\n-b\n+c\n ```",
        ] {
            check(text, text);
        }
    }
}
