//! Lines that somebody wrote to comment on the next one: `// postil: why?`, in any editor that has a text.
//!
//! Pure: lines go in, a comment comes out. Any sign of comments will do, so that no list of languages is needed.

use std::ops::Range;

/// What makes a line a marker, behind the sign that begins a comment.
const WORD: &str = "postil:";

/// What may end such a line, in languages whose comments have an end.
const ENDS: [&str; 9] = ["*/", "-->", "*)", "-}", "#}", "%}", "]]", "|#", "%>"];

/// More lines in a row are not one comment.
const MAX_LINES: u32 = 200;

/// MarkerLines lines that follow each other, which are one comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkerLines {
    /// The lines, counted from zero.
    pub(crate) lines: Range<u32>,
    /// What they say.
    pub(crate) text: String,
}

impl MarkerLines {
    /// The marker lines around a line; `None` if it is not one, or if they say nothing.
    pub(crate) fn around<'text>(at: u32, lines: u32, bare: impl Fn(u32) -> &'text [u8]) -> Option<Self> {
        let said = |line: u32| said(str::from_utf8(bare(line)).ok()?);
        let is_near = |line: &u32| line.abs_diff(at) < MAX_LINES;
        (at < lines).then(|| said(at))??;
        let start =
            (0..at).rev().filter(is_near).take_while(|line| said(*line).is_some()).last().unwrap_or(at);
        let end =
            (at + 1..lines).filter(is_near).take_while(|line| said(*line).is_some()).last().unwrap_or(at) + 1;
        let words: Vec<&str> = (start..end).filter_map(said).collect();
        let text = words.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(Self { lines: start..end, text })
    }
}

/// What a marker line says; `None` for any other line.
fn said(line: &str) -> Option<&str> {
    let line = line.trim();
    // A sign of a comment has no letters and no digits; quotes begin a text in most languages, and a comment in Vim's.
    let begin = line.find(|c: char| c.is_alphanumeric())?;
    let sign = &line[..begin];
    let is_sign =
        sign.len() <= 8 && !sign.contains(['(', ')', '=', '[', ']', ',']) || sign.trim_end() == "(*";
    let said = line[begin..].strip_prefix(WORD).filter(|_| is_sign)?.trim();
    Some(ENDS.iter().find_map(|end| said.strip_suffix(end)).unwrap_or(said).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_known_behind_every_sign_of_comments() {
        for line in [
            "// postil: why?",
            "    /// postil: why?",
            "# postil: why?",
            "#postil:why?",
            "-- postil: why?",
            ";; postil: why?",
            "% postil: why?",
            "\" postil: why?",
            "/* postil: why? */",
            "<!-- postil: why? -->",
            "(* postil: why? *)",
            "{- postil: why? -}",
            "{# postil: why? #}",
            "* postil: why?",
            "postil: why?",
        ] {
            assert_eq!(said(line), Some("why?"), "{line}");
        }
        for line in
            ["let s = \"postil: why?\";", "f(postil: 1)", "// see postil: why?", "postil", "", "//", "   "]
        {
            assert_eq!(said(line), None, "{line}");
        }
    }

    #[test]
    fn markers_that_follow_each_other_are_one_comment() {
        let text = ["fn a() {", "  // postil: why", "  // postil: two lines?", "  b();", "// postil:", "}"];
        let found = |at: u32| MarkerLines::around(at, 6, |line| text[line as usize].as_bytes());
        let both = MarkerLines { lines: 1..3, text: "why\ntwo lines?".into() };
        assert_eq!(found(1), Some(both.clone()));
        assert_eq!(found(2), Some(both));
        assert_eq!([found(0), found(3), found(4), found(5)], [None, None, None, None]);
        assert_eq!(MarkerLines::around(9, 6, |_| b""), None);
        assert_eq!(MarkerLines::around(0, 1, |_| b"// postil: \xff"), None);
    }
}
