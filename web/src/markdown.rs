//! Comments as HTML: Markdown events, written by us. Raw HTML becomes text, and nothing is loaded from anywhere.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::escape::push_text;

/// Longer texts are shown as they were written.
const MAX_BYTES: usize = 256 << 10;

/// Where links may lead; others are shown as text.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// The HTML of a comment.
pub(crate) fn to_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() * 2);
    if text.len() > MAX_BYTES {
        html.push_str("<pre>");
        push_text(&mut html, text);
        html.push_str("</pre>");
        return html;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = HtmlWriter { html, links: Vec::new(), image: None, in_head: false };
    for event in Parser::new_ext(text, options) {
        writer.add(event);
    }
    writer.html
}

/// Writes events.
struct HtmlWriter {
    html: String,
    /// Whether each of the open links leads anywhere.
    links: Vec<bool>,
    /// The address of the image whose description is being read.
    image: Option<String>,
    /// Whether the cells of a table are its head.
    in_head: bool,
}

impl HtmlWriter {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.push_str("<code>");
                self.text(&text);
                self.html.push_str("</code>");
            }
            Event::FootnoteReference(name) => self.text(&name),
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::TaskListMarker(done) => {
                self.html.push_str(if done {
                    "<span class=task>\u{2611}</span> "
                } else {
                    "<span class=task>\u{2610}</span> "
                });
            }
        }
    }

    fn text(&mut self, text: &str) {
        push_text(&mut self.html, text);
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            // A comment is below the headings of the page.
            Tag::Heading { level, .. } => self.html.push_str(heading(level).0),
            Tag::BlockQuote(_) => self.html.push_str("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let is_suggestion = matches!(&kind, CodeBlockKind::Fenced(name) if &**name == "suggestion");
                self.html.push_str(if is_suggestion { "<pre class=suggested><code>" } else { "<pre><code>" });
            }
            Tag::List(Some(first)) => {
                let _ = write!(self.html, "<ol start=\"{first}\">");
            }
            Tag::List(None) => self.html.push_str("<ul>"),
            Tag::Item => self.html.push_str("<li>"),
            Tag::Table(_) => self.html.push_str("<table>"),
            Tag::TableHead => {
                self.in_head = true;
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => self.html.push_str("<tr>"),
            Tag::TableCell => self.html.push_str(if self.in_head { "<th>" } else { "<td>" }),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.image = Some(dest_url.to_string());
                self.html.push_str("<span class=image>\u{1f5bc} ");
            }
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn link(&mut self, to: &CowStr<'_>) {
        let is_good = leads_out(to);
        self.links.push(is_good);
        if is_good {
            self.html.push_str("<a rel=\"noopener noreferrer nofollow\" target=_blank href=\"");
            self.text(to);
            self.html.push_str("\">");
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>"),
            TagEnd::Heading(level) => self.html.push_str(heading(level).1),
            TagEnd::BlockQuote(_) => self.html.push_str("</blockquote>"),
            TagEnd::CodeBlock => self.html.push_str("</code></pre>"),
            TagEnd::List(true) => self.html.push_str("</ol>"),
            TagEnd::List(false) => self.html.push_str("</ul>"),
            TagEnd::Item => self.html.push_str("</li>"),
            TagEnd::Table => self.html.push_str("</tbody></table>"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.html.push_str("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.html.push_str("</tr>"),
            TagEnd::TableCell => self.html.push_str(if self.in_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.html.push_str("</em>"),
            TagEnd::Strong => self.html.push_str("</strong>"),
            TagEnd::Strikethrough => self.html.push_str("</del>"),
            TagEnd::Link => {
                if self.links.pop() == Some(true) {
                    self.html.push_str("</a>");
                }
            }
            TagEnd::Image => {
                // What another host would learn of who reads is not told: the address is shown.
                let address = self.image.take().unwrap_or_default();
                self.html.push_str(" <span class=address>");
                self.text(&address);
                self.html.push_str("</span></span>");
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }
}

fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => ("<h4>", "</h4>"),
        HeadingLevel::H3 => ("<h5>", "</h5>"),
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => ("<h6>", "</h6>"),
    }
}

/// Whether a link leads to where links may lead.
fn leads_out(to: &str) -> bool {
    let small = to.to_ascii_lowercase();
    let is_plain = !to.chars().any(|c| c.is_control() || c.is_whitespace());
    is_plain && SCHEMES.iter().any(|scheme| small.starts_with(scheme))
}

#[cfg(test)]
mod tests {
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
