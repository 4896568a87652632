//! A Markdown file as a page that words can be quoted from.
//!
//! Every run of text on the page says where it is in the rendered text, which `core` makes of the same events and maps to
//! the source. So what somebody selects is known by its place, and the source is never searched for what was read.

use std::fmt::Write as _;
use std::ops::Range;

use postil_core::edit::Text;
use postil_core::edit::markdown::{RenderError, Rendered, events, readable, render};

use super::html_writer::HtmlWriter;
use crate::escape::push_text;

/// So much text around words is sent along at first; more if they occur with it several times.
const FIRST_AROUND: usize = 32;

/// More text around words is not sent.
const MAX_AROUND: usize = 2048;

/// Words of the page that a thread is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordsMark {
    /// Where they are in the rendered text.
    pub place: Range<usize>,
    /// The short id of the thread.
    pub thread: String,
}

/// Words of the page, and the text around them that tells them from the same words elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuotedWords {
    /// The words.
    pub exact: String,
    /// The text before them.
    pub prefix: String,
    /// The text after them.
    pub suffix: String,
}

/// A file, and the page that it makes.
#[derive(Debug)]
pub(crate) struct ProsePage {
    source: String,
    rendered: Rendered,
}

impl ProsePage {
    /// Renders a file.
    pub(crate) fn new(content: &[u8]) -> Result<Self, RenderError> {
        let source = readable(content).into_owned();
        let rendered = render(&source)?;
        Ok(Self { source, rendered })
    }

    /// What tells this page from another one, as a short text.
    pub(crate) fn digest(&self) -> String {
        blake3::hash(self.rendered.text().as_bytes()).to_hex()[..16].to_owned()
    }

    /// Its HTML, with the words of threads marked, and the blocks that have one of these lines, counted from one.
    pub(crate) fn html(&self, marks: &[WordsMark], changed: &[u32]) -> String {
        let lines = Text::new(self.source.as_bytes());
        let page = ProseText { rendered: &self.rendered, lines, marks, changed, written: 0 };
        let mut writer = HtmlWriter::of_page(page, self.source.len() * 2);
        for (event, range) in events(&self.source) {
            writer.add(event, range);
        }
        writer.finish()
    }

    /// The words at a place of the rendered text; `None` if there is none, or it cuts a character in two.
    pub(crate) fn words(&self, place: Range<usize>) -> Option<QuotedWords> {
        let text = self.rendered.text();
        let exact = text.get(place.clone())?;
        let place =
            place.start + exact.len() - exact.trim_start().len()..place.start + exact.trim_end().len();
        let exact = text.get(place.clone()).filter(|exact| !exact.is_empty())?;
        let mut around = FIRST_AROUND;
        loop {
            let from = boundary(text, place.start.saturating_sub(around));
            let to = boundary(text, (place.end + around).min(text.len()));
            let is_unique = text.matches(&text[from..to]).nth(1).is_none();
            if is_unique || around >= MAX_AROUND {
                let (prefix, suffix) = (text[from..place.start].to_owned(), text[place.end..to].to_owned());
                return Some(QuotedWords { exact: exact.to_owned(), prefix, suffix });
            }
            around *= 2;
        }
    }
}

/// The beginning of the character that a byte is in.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The text of a page while its HTML is written.
#[derive(Debug)]
pub(super) struct ProseText<'page> {
    rendered: &'page Rendered,
    lines: Text,
    marks: &'page [WordsMark],
    changed: &'page [u32],
    /// What is before this was written.
    written: usize,
}

impl ProseText<'_> {
    /// Writes the text that a part of the source reads as: each run with its place, marked where threads are.
    pub(super) fn push(&mut self, html: &mut String, source: Range<usize>) {
        let Some(place) = self.rendered.map().rendered_of(&source) else { return };
        let mut at = place.start.max(self.written);
        while at < place.end {
            let mark = self.marks.iter().find(|mark| mark.place.contains(&at));
            let ends = self.marks.iter().flat_map(|mark| [mark.place.start, mark.place.end]);
            let end = ends.filter(|end| *end > at).min().unwrap_or(place.end).min(place.end);
            // A mark may be of another version of the file, and end anywhere.
            let end = boundary(self.rendered.text(), end).max(at);
            let end = if end == at { place.end } else { end };
            let Some(text) = self.rendered.text().get(at..end) else { return };
            if let Some(mark) = mark {
                html.push_str("<mark data-for=\"");
                push_text(html, &mark.thread);
                html.push_str("\">");
            }
            let _ = write!(html, "<span data-r={at}>");
            push_text(html, text);
            html.push_str(if mark.is_some() { "</span></mark>" } else { "</span>" });
            at = end;
        }
        self.written = self.written.max(place.end);
    }

    /// Whether a part of the source has one of the changed lines.
    pub(super) fn is_changed(&self, source: &Range<usize>) -> bool {
        if source.is_empty() || self.changed.is_empty() {
            return false;
        }
        let first = self.lines.line_at(source.start) + 1;
        let last = self.lines.line_at(source.end - 1) + 1;
        let from = self.changed.partition_point(|line| *line < first);
        self.changed.get(from).is_some_and(|line| *line <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = "---\ntitle: x\n---\n# The *guide*\n\nSome **plain** words, `code  span` &amp; \\*stars\\*,\nand a [link](https://x.y).\n\n\
        - one\n- two\n\n  more\n\n| a | b |\n|---|---|\n| c | d |\n\n```rust\n\nlet a = 1 < 2;\n\n```\n\n<p>raw <b>words</b></p>\n\n\
        Line<br>break <script>alert(1)</script> and a note[^1].\n\n[^1]: The note.\n\n![a picture](pic.png)\n";

    fn page(source: &str) -> ProsePage {
        ProsePage::new(source.as_bytes()).unwrap()
    }

    /// The runs of text on a page, each with its place.
    fn runs(html: &str) -> Vec<(usize, String)> {
        let spans = html.split("<span data-r=").skip(1);
        let runs = spans.map(|rest| {
            let (at, rest) = rest.split_once('>').unwrap();
            let text = rest.split("</span>").next().unwrap();
            let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
            (
                at.parse().unwrap(),
                signs.iter().fold(text.to_owned(), |text, (sign, meant)| text.replace(sign, meant)),
            )
        });
        runs.collect()
    }

    #[test]
    fn every_run_of_text_says_where_it_is_and_none_is_left_out() {
        let page = page(GUIDE);
        let text = page.rendered.text();
        let marks = [WordsMark { place: 4..14, thread: "aa".into() }];
        for marks in [&[][..], &marks] {
            let mut covered = vec![false; text.len()];
            for (at, run) in runs(&page.html(marks, &[])) {
                assert_eq!(&text[at..at + run.len()], run);
                for byte in &mut covered[at..at + run.len()] {
                    assert!(!*byte, "{run} is there once");
                    *byte = true;
                }
            }
            let left: String =
                text.bytes().zip(covered).filter(|(_, is)| !is).map(|(byte, _)| char::from(byte)).collect();
            assert!(left.chars().all(char::is_whitespace), "{left:?}");
        }
    }

    #[test]
    fn nothing_of_a_file_is_markup_and_no_address_is_followed() {
        let html = page("<img src=x onerror=alert(1)>\n\na <svg onload=x> b\n\n[x](javascript:alert(1)) ![y](https://e.x/t.png \"t\")\n\n# <script>x</script>\n").html(&[], &[]);
        for bad in ["<img", "<svg", "<script", "href=\"javascript", "src="] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
    }

    #[test]
    fn words_of_threads_are_marked_across_markup_and_blocks_that_changed_too() {
        let page = page(GUIDE);
        let at = page.rendered.text().find("plain words").unwrap();
        let html = page.html(&[WordsMark { place: at..at + 11, thread: "t<1".into() }], &[9, 16]);
        assert_eq!(html.matches("<mark data-for=\"t&lt;1\">").count(), 2, "{html}");
        assert!(html.contains("<strong><mark"), "{html}");
        assert_eq!(
            (html.matches("<li class=changed>").count(), html.matches("<tr class=changed>").count()),
            (1, 1),
            "{html}"
        );
        // A place of another version of the file is no reason to fail.
        page.html(&[WordsMark { place: at + 1..99_999, thread: "t".into() }], &[99_999]);
    }

    #[test]
    fn words_are_quoted_with_as_much_around_them_as_tells_them_apart() {
        let page = page("same words here\n\nsame words here\n\nä other");
        let text = page.rendered.text();
        let second = text.rfind("words").unwrap();
        let quoted = page.words(second..second + 6).unwrap();
        assert_eq!(quoted.exact, "words");
        assert_eq!(text.matches(&format!("{}words{}", quoted.prefix, quoted.suffix)).count(), 1);
        let umlaut = text.find('ä').unwrap();
        assert_eq!(page.words(umlaut + 1..umlaut + 4), None, "in the middle of a character");
        assert_eq!((page.words(5..5), page.words(0..999), page.words(4..5)), (None, None, None));
    }
}
