//! Comments as HTML. Raw HTML becomes text, and nothing is loaded from anywhere.

use pulldown_cmark::{Options, Parser};

use super::html_writer::HtmlWriter;
use crate::escape::push_text;

/// Longer texts are shown as they were written.
const MAX_BYTES: usize = 256 << 10;

/// The HTML of a comment.
pub(crate) fn to_html(text: &str) -> String {
    if text.len() > MAX_BYTES {
        let mut html = String::with_capacity(text.len() * 2);
        html.push_str("<pre>");
        push_text(&mut html, text);
        html.push_str("</pre>");
        return html;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = HtmlWriter::of_comment(text.len() * 2);
    for event in Parser::new_ext(text, options) {
        writer.add(event, 0..0);
    }
    writer.finish()
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
