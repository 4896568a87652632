//! A few lines of code beside a comment: what it was put on, what is suggested, what stands there now.

use maud::{Markup, PreEscaped, html};
use postil_core::edit::{Grain, TextEdit};

use super::code_line::push_line;

/// What a line of a snippet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SnippetMark {
    /// Around what it is about.
    Context,
    /// What it is about.
    Subject,
    /// It comes.
    Added,
    /// It goes.
    Deleted,
    /// Says where the lines below are.
    Place,
}

/// Lines of code, each with what it is.
#[derive(Debug, Default)]
pub(crate) struct Snippet {
    html: String,
}

impl Snippet {
    /// Adds a line; `None` for one that is only kept as a hash.
    pub(crate) fn line(&mut self, mark: SnippetMark, text: Option<&[u8]>) {
        let (class, sign) = match mark {
            SnippetMark::Context => ("k", ""),
            SnippetMark::Subject => ("w", ""),
            SnippetMark::Added => ("a", "+"),
            SnippetMark::Deleted => ("d", "\u{2212}"),
            SnippetMark::Place => ("h", ""),
        };
        self.html.push_str("<div class=");
        self.html.push_str(class);
        self.html.push('>');
        if !sign.is_empty() {
            self.html.push_str("<i>");
            self.html.push_str(sign);
            self.html.push_str("</i>");
        }
        match text {
            Some(text) => push_line(&mut self.html, text),
            None => self.html.push_str("<em>not kept</em>"),
        }
        self.html.push_str("</div>");
    }

    /// The lines of a unified diff, without the names of its files.
    pub(crate) fn unified(diff: &[u8]) -> Self {
        let mut snippet = Self::default();
        let mut is_head = true;
        for line in diff.split(|byte| *byte == b'\n') {
            match line.split_first() {
                Some((b'@', _)) => {
                    is_head = false;
                    snippet.line(SnippetMark::Place, Some(line));
                }
                _ if line.starts_with(b"diff --git ") => is_head = true,
                _ if is_head => {}
                Some((b'+', text)) => snippet.line(SnippetMark::Added, Some(text)),
                Some((b'-', text)) => snippet.line(SnippetMark::Deleted, Some(text)),
                Some((b' ', text)) => snippet.line(SnippetMark::Context, Some(text)),
                // The end of the diff, or a line that says that there is no newline.
                _ => {}
            }
        }
        snippet
    }

    /// What leads from some lines to others.
    pub(crate) fn between(old: &[u8], new: &[u8]) -> Self {
        let mut snippet = Self::default();
        let mut at = 0;
        for change in TextEdit::from_diff(old, new, Grain::Line).replacements() {
            snippet.lines(SnippetMark::Context, &old[at..change.start()]);
            snippet.lines(SnippetMark::Deleted, &old[change.range()]);
            snippet.lines(SnippetMark::Added, change.text());
            at = change.end();
        }
        snippet.lines(SnippetMark::Context, &old[at..]);
        snippet
    }

    /// Adds whole lines.
    pub(crate) fn lines(&mut self, mark: SnippetMark, text: &[u8]) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if !text.is_empty() {
            for line in text.split(|byte| *byte == b'\n') {
                self.line(mark, Some(line));
            }
        }
    }

    /// As HTML.
    pub(crate) fn markup(self) -> Markup {
        html! { div.snippet { (PreEscaped(self.html)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_shown_by_its_lines_and_nothing_in_it_is_markup() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-<b>\n+--c\n\\ No newline\n";
        let html = Snippet::unified(diff).markup().into_string();
        assert_eq!(
            html,
            "<div class=\"snippet\"><div class=h>@@ -1,2 +1,2 @@</div><div class=k>a</div>\
             <div class=d><i>\u{2212}</i>&lt;b&gt;</div><div class=a><i>+</i>--c</div></div>"
        );
    }

    #[test]
    fn what_was_typed_is_compared_with_what_is_there() {
        let html = Snippet::between(b"a\nb\nc\n", b"a\nx\ny\nc\n").html;
        assert_eq!(
            html,
            "<div class=k>a</div><div class=d><i>\u{2212}</i>b</div><div class=a><i>+</i>x</div>\
             <div class=a><i>+</i>y</div><div class=k>c</div>"
        );
        assert_eq!(Snippet::between(b"a\n", b"").html, "<div class=d><i>\u{2212}</i>a</div>");
    }
}
