//! Comments as HTML. Raw HTML becomes text, and nothing is loaded from anywhere.

use std::collections::HashSet;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::html_writer::HtmlWriter;
use crate::escape::push_seen;

/// Longer texts are shown as they were written.
const MAX_BYTES: usize = 256 << 10;

/// The HTML of a comment.
pub(crate) fn to_html(text: &str) -> String {
    if text.len() > MAX_BYTES {
        return as_written(text);
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = HtmlWriter::of_comment(text.len() * 2);
    let mut seen = Vec::new();
    for event in Parser::new_ext(text, options) {
        seen.extend(words_of(&event));
        writer.add(event, 0..0);
    }
    if hides_words(text, &seen) { as_written(text) } else { writer.finish() }
}

/// Nothing but the text.
fn as_written(text: &str) -> String {
    let mut html = String::with_capacity(text.len() * 2);
    html.push_str("<pre>");
    push_seen(&mut html, text);
    html.push_str("</pre>");
    html
}

/// What of an event is seen on the page.
fn words_of(event: &Event<'_>) -> Vec<String> {
    match event {
        Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) | Event::Code(text) => {
            vec![text.to_string()]
        }
        Event::Start(Tag::Link { dest_url, title, id, .. } | Tag::Image { dest_url, title, id, .. }) => {
            vec![dest_url.to_string(), title.to_string(), id.to_string()]
        }
        // A language is a word; whatever follows is for programs alone.
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
            info.split_whitespace().next().map(str::to_owned).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the page lacks words that programs read: definitions that nothing refers to, cells that a table has no room for.
fn hides_words(text: &str, seen: &[String]) -> bool {
    // These stand for one sign each.
    let text = ["&lt;", "&gt;", "&amp;", "&quot;"]
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    let seen: HashSet<&str> = seen.iter().flat_map(|text| words(text)).collect();
    words(&text).any(|word| !seen.contains(word))
}

/// The words of a text that have a letter.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() > 1 && word.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::super::html_writer::leads_out;
    use super::*;

    #[test]
    fn markdown_becomes_html() {
        let check = |text: &str, html: &str| assert_eq!(to_html(text), html, "{text}");
        check("a *b* **c** `d`", "<p>a <em>b</em> <strong>c</strong> <code>d</code></p>");
        check("- a\n- b", "<ul><li>a</li><li>b</li></ul>");
        check("# a", "<h4>a</h4>");
        check("```rust\nlet a = 1 < 2;\n```", "<pre><code>let a = 1 &lt; 2;\n</code></pre>");
        check(
            "|a|\n|-|\n|b|",
            "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
        );
        let link = "<p><a rel=\"noopener noreferrer nofollow\" target=_blank href=\"https://x.y/?a=1&amp;b\">x</a></p>";
        check("[x](https://x.y/?a=1&b)", link);
    }

    /// All tags are those that we write, and none does anything.
    fn is_harmless(html: &str) -> bool {
        let known = [
            "p",
            "a",
            "pre",
            "code",
            "span",
            "ul",
            "ol",
            "li",
            "em",
            "strong",
            "del",
            "h4",
            "h5",
            "h6",
            "br",
            "hr",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "blockquote",
        ];
        let tags = html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default());
        tags.into_iter().all(|tag| {
            let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
            let out = "a rel=\"noopener noreferrer nofollow\" target=_blank href=\"";
            let leads_out = tag.strip_prefix(out).is_some_and(|to| leads_out(to.trim_end_matches('"')));
            known.contains(&name)
                && (leads_out || !tag.contains("href"))
                && !tag.contains(" on")
                && !tag.contains("src=")
        })
    }

    #[test]
    fn nothing_that_programs_read_is_hidden_from_people() {
        let check = |text: &str, word: &str| {
            let html = to_html(text);
            assert!(html.contains(word), "{html}");
        };
        check("[docs](https://x.y \"obey me\")", "</a> <span class=address>obey me</span>");
        check("![alt](https://x.y/z \"obey me\")", "https://x.y/z obey me");
        check("![obey](https://x.y)", "obey");
        check("[x](data:text/html,obey)", "<span class=address>data:text/html,obey</span>");
        check("a\n\n[//]: # (obey me)", "[//]: # (obey me)");
        check("a\n\n[x]: https://x.y \"obey me\"", "obey me");
        check("```rust obey me\nx\n```", "obey me");
        check("|a|\n|-|\n|b|obey|", "obey");
        check("ig\u{200d}nore \u{202e}", "ig<u>U+200D</u>nore <u>U+202E</u>");
        check("&#73;gnore", "Ignore");
        // What hides nothing is rendered.
        check("*a* `b` [c][d]\n\n[d]: https://x.y", "<em>a</em>");
        check("1. one\n2. two &lt; three\n- [x] four", "<ol start=\"1\"><li>one</li>");
    }

    #[test]
    fn every_attack_of_the_corpus_is_text() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile/texts");
        let mut seen = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&text);
            for line in text.lines().chain([&*text]) {
                assert!(is_harmless(&to_html(line)), "{line}");
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen} texts");
    }

    #[test]
    fn nothing_that_somebody_writes_is_markup_or_leads_astray() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <b onclick=\"x\">c</b>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html,<script>1</script>)",
            "[x](vbscript:x)",
            "[x](//evil.example/)",
            "[x](/do/comment)",
            "<javascript:alert(1)>",
            "![x](https://evil.example/track.png)",
            "![x](x\" onerror=\"alert(1))",
            "[x](https://a\" onmouseover=\"alert(1))",
            "```\"><script>alert(1)</script>\nx\n```",
            "<!-- --><svg onload=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
        ] {
            assert!(is_harmless(&to_html(hostile)), "{hostile}");
        }
    }
}
