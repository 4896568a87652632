//! Markdown events as HTML. Raw HTML becomes text or nothing, and nothing is loaded from anywhere.

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd};

use super::prose::ProseText;
use crate::escape::{push_seen, push_text};

/// Where links may lead; others are shown as text.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Writes events.
pub(super) struct HtmlWriter<'page> {
    html: String,
    /// Where the texts of a page are that words can be quoted from; a comment has none.
    page: Option<ProseText<'page>>,
    /// Of each open link, whether it leads anywhere, and what of it is shown behind it.
    links: Vec<(bool, String)>,
    /// The address of the image whose description is being read.
    image: Option<String>,
    /// Whether the cells of a table are its head.
    in_head: bool,
}

impl<'page> HtmlWriter<'page> {
    /// Of a comment.
    pub(super) fn of_comment(room: usize) -> Self {
        Self::new(None, room)
    }

    /// Of a page that words can be quoted from.
    pub(super) fn of_page(page: ProseText<'page>, room: usize) -> Self {
        Self::new(Some(page), room)
    }

    fn new(page: Option<ProseText<'page>>, room: usize) -> Self {
        let html = String::with_capacity(room);
        Self { html, page, links: Vec::new(), image: None, in_head: false }
    }

    /// What was written.
    pub(super) fn finish(self) -> String {
        self.html
    }

    /// Writes an event, which is at `range` of the source.
    pub(super) fn add(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::InlineHtml(tag) if self.page.is_some() => {
                // On a page, tags are not text; one that breaks the line does.
                if tag.to_ascii_lowercase().starts_with("<br") {
                    self.html.push_str("<br>");
                }
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.words(&text, range),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.push_str("<code>");
                self.words(&text, range);
                self.html.push_str("</code>");
            }
            Event::FootnoteReference(name) => {
                self.html.push_str("<sup>");
                self.words(&name, range);
                self.html.push_str("</sup>");
            }
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
        push_seen(&mut self.html, text);
    }

    /// Writes words of the source: on a page, as they read there.
    fn words(&mut self, text: &str, range: Range<usize>) {
        match &mut self.page {
            Some(page) => page.push(&mut self.html, range),
            None => push_seen(&mut self.html, text),
        }
    }

    /// Opens a block, and says whether it changed.
    fn open(&mut self, name: &str, range: &Range<usize>) {
        self.html.push('<');
        self.html.push_str(name);
        if self.page.as_ref().is_some_and(|page| page.is_changed(range)) {
            self.html.push_str(" class=changed");
        }
        self.html.push('>');
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.open("p", &range),
            Tag::Heading { level, .. } => self.open(self.heading(level), &range),
            Tag::BlockQuote(_) => self.html.push_str("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let is_suggestion = matches!(&kind, CodeBlockKind::Fenced(name) if &**name == "suggestion");
                if is_suggestion && self.page.is_none() {
                    self.html.push_str("<pre class=suggested>");
                } else {
                    self.open("pre", &range);
                }
                self.html.push_str("<code>");
            }
            Tag::List(Some(first)) => {
                let _ = write!(self.html, "<ol start=\"{first}\">");
            }
            Tag::List(None) => self.html.push_str("<ul>"),
            Tag::Item => self.open("li", &range),
            Tag::Table(_) => self.html.push_str("<table>"),
            Tag::TableHead => {
                self.in_head = true;
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => self.open("tr", &range),
            Tag::TableCell => self.html.push_str(if self.in_head { "<th>" } else { "<td>" }),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            Tag::Link { dest_url, title, .. } => self.link(&dest_url, &title),
            Tag::Image { dest_url, title, .. } => {
                let blank = if title.is_empty() { "" } else { " " };
                self.image = Some(format!("{dest_url}{blank}{title}"));
                self.html.push_str("<span class=image>\u{1f5bc} ");
            }
            Tag::FootnoteDefinition(name) => {
                self.html.push_str("<div class=footnote><sup>");
                self.text(&name);
                self.html.push_str("</sup>");
            }
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    /// Headings are below those of what they stand in: a file, or a thread.
    fn heading(&self, level: HeadingLevel) -> &'static str {
        match (self.page.is_some(), level) {
            (true, HeadingLevel::H1) => "h3",
            (true, HeadingLevel::H2) | (false, HeadingLevel::H1 | HeadingLevel::H2) => "h4",
            (_, HeadingLevel::H3) => "h5",
            _ => "h6",
        }
    }

    fn link(&mut self, to: &CowStr<'_>, title: &CowStr<'_>) {
        let is_good = leads_out(to);
        // A title, and an address that is no link, are seen by programs alone: a person sees them as well.
        let blank = if is_good || title.is_empty() { "" } else { " " };
        let hidden = format!("{}{blank}{title}", if is_good { "" } else { to });
        self.links.push((is_good, if self.page.is_none() { hidden } else { String::new() }));
        if is_good {
            self.html.push_str("<a rel=\"noopener noreferrer nofollow\" target=_blank href=\"");
            push_text(&mut self.html, to);
            self.html.push_str("\">");
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>"),
            TagEnd::Heading(level) => {
                let _ = write!(self.html, "</{}>", self.heading(level));
            }
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
                let Some((is_good, hidden)) = self.links.pop() else { return };
                if is_good {
                    self.html.push_str("</a>");
                }
                if !hidden.is_empty() {
                    self.html.push_str(" <span class=address>");
                    self.text(&hidden);
                    self.html.push_str("</span>");
                }
            }
            TagEnd::Image => {
                // What another host would learn of who reads is not told: the address is shown.
                let address = self.image.take().unwrap_or_default();
                self.html.push_str(" <span class=address>");
                self.text(&address);
                self.html.push_str("</span></span>");
            }
            TagEnd::FootnoteDefinition => self.html.push_str("</div>"),
            TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }
}

/// Whether a link leads to where links may lead.
pub(super) fn leads_out(to: &str) -> bool {
    let small = to.to_ascii_lowercase();
    let is_plain = !to.chars().any(|c| c.is_control() || c.is_whitespace());
    is_plain && SCHEMES.iter().any(|scheme| small.starts_with(scheme))
}
