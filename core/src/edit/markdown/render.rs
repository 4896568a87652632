//! Turns Markdown into the text of its page.
//!
//! Follows the parser's events; which bytes a text came from is kept by `write`.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::code_span::{self, SpanRun};
use super::html::{HtmlPart, InlineTag, Scan};
use super::map::SourceMap;
use super::outline::{Outline, OutlineWriter};
use super::write::{ElementStart, Gap, Writer};
use super::{depth, front_matter};

/// A larger document is refused: its page is not read by people, and its lines can still be commented on.
pub const MAX_MARKDOWN_BYTES: usize = 1 << 20;

/// How many raw tags of one block may be open at once; further ones get no element of their own.
const MAX_OPEN_TAGS: usize = 64;

/// Why a document has no rendered text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// It is larger than [`MAX_MARKDOWN_BYTES`].
    #[error("the Markdown document is too large to render: {bytes} bytes")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Its quotes and lists could nest so deep that parsing would take quadratic time.
    #[error("the quotes and lists in the Markdown document are nested too deeply to render")]
    TooDeep,
}

/// A document as it reads on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    text: String,
    map: SourceMap,
    outline: Outline,
}

impl Rendered {
    /// The text; what is between blocks is described in the opening of the module.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The map back to the source.
    pub fn map(&self) -> &SourceMap {
        &self.map
    }

    /// The headings.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }
}

/// Reads bytes as text of the same length, so that offsets stay true.
///
/// Every byte that is not UTF-8 becomes U+001A, the substitute character.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    Cow::Owned(text)
}

/// Renders CommonMark with GitHub's tables, task lists, strikethrough, footnotes and alerts.
///
/// Any text is Markdown: only size and nesting are refused. Takes time linear in the source.
pub fn render(source: &str) -> Result<Rendered, RenderError> {
    if source.len() > MAX_MARKDOWN_BYTES {
        return Err(RenderError::TooLarge { bytes: source.len() });
    }
    if depth::is_too_deep(source) {
        return Err(RenderError::TooDeep);
    }
    let mut walk = RenderWalk::new(source);
    for (event, range) in events(source) {
        walk.event(event, range);
    }
    Ok(walk.finish())
}

/// What the parser finds in a document, each with its place in the source; [`render`] follows the same events.
///
/// Nothing is refused here: whoever writes a page of them renders the document first.
pub fn events(source: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    let base = front_matter::end(source);
    Parser::new_ext(&source[base..], options)
        .into_offset_iter()
        .map(move |(event, range)| (event, base + range.start..base + range.end))
}

/// What kind of leaf the walk is in, where that changes what text means.
enum Leaf {
    Prose,
    Code(ElementStart),
    Html(Scan),
}

/// An inline element that is still open.
struct OpenInline {
    opened: ElementStart,
    /// What may follow the parser's own end of the element and still be one of its marks.
    tail: &'static str,
}

/// A raw HTML tag that is still open.
struct RawTag {
    name: String,
    opened: ElementStart,
    source_start: usize,
}

struct RenderWalk<'source> {
    source: &'source str,
    writer: Writer<'source>,
    outline: OutlineWriter,
    leaf: Leaf,
    /// How many quotes, list items and footnotes are open.
    containers: usize,
    elements: Vec<OpenInline>,
    heading: Option<ElementStart>,
    /// Those of the block that is being read.
    tags: Vec<RawTag>,
}

impl<'source> RenderWalk<'source> {
    fn new(source: &'source str) -> Self {
        Self {
            source,
            writer: Writer::new(source),
            outline: OutlineWriter::default(),
            leaf: Leaf::Prose,
            containers: 0,
            elements: Vec::new(),
            heading: None,
            tags: Vec::new(),
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) => self.code_span(&text, range),
            Event::SoftBreak => self.writer.whole(" ", range),
            Event::HardBreak => self.writer.whole("\n", range),
            Event::Html(html) => self.html(&html, range),
            Event::InlineHtml(tag) => self.inline_html(&tag, range),
            Event::FootnoteReference(label) => self.writer.whole(&label, range),
            Event::Rule => self.writer.gap(Gap::Block),
            Event::TaskListMarker(_) => {}
            // Not asked for in the options; as text it would at least be found.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.writer.whole(&text, range),
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let opened = self.writer.opened();
        match tag {
            Tag::Link { link_type, .. } | Tag::Image { link_type, .. } => {
                // The parser ends `[text][]` after the first bracket.
                let tail = if *link_type == LinkType::Collapsed { "[]" } else { "" };
                self.elements.push(OpenInline { opened, tail });
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.elements.push(OpenInline { opened, tail: "" });
                return;
            }
            Tag::BlockQuote(_) | Tag::Item | Tag::FootnoteDefinition(_) => self.containers += 1,
            Tag::CodeBlock(_) => self.leaf = Leaf::Code(opened),
            Tag::HtmlBlock => self.leaf = Leaf::Html(Scan::default()),
            Tag::Heading { .. } => self.heading = Some(opened),
            _ => {}
        }
        self.tags.clear();
        self.writer.gap(if *tag == Tag::TableCell { Gap::Cell } else { Gap::Block });
    }

    fn end(&mut self, tag: TagEnd, mut range: Range<usize>) {
        match tag {
            TagEnd::Link
            | TagEnd::Image
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => {
                if let Some(OpenInline { opened, tail }) = self.elements.pop() {
                    if self.source[range.end..].starts_with(tail) {
                        range.end += tail.len();
                    }
                    self.writer.element(opened, range);
                }
                return;
            }
            TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.containers = self.containers.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                if let Leaf::Code(opened) = self.leaf {
                    self.writer.trim_newlines(opened);
                }
                self.leaf = Leaf::Prose;
            }
            TagEnd::HtmlBlock => self.leaf = Leaf::Prose,
            TagEnd::Heading(level) => self.end_heading(level as u8, range.start),
            TagEnd::TableCell => return,
            _ => {}
        }
        self.writer.gap(Gap::Block);
    }

    fn end_heading(&mut self, level: u8, source_start: usize) {
        if let Some(opened) = self.heading.take()
            && self.containers == 0
        {
            let rendered = self.writer.start_of(opened);
            self.outline.heading(level, self.writer.since(opened), rendered, source_start);
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let begins = match self.leaf {
            Leaf::Code(opened) => self.writer.since(opened).is_empty(),
            _ => false,
        };
        // Blank lines at the start of a code block are no text of the page.
        let blank = if begins { text.len() - text.trim_start_matches('\n').len() } else { 0 };
        let start = (range.start + blank).min(range.end);
        self.writer.parsed(&text[blank..], start..range.end);
    }

    fn code_span(&mut self, text: &str, range: Range<usize>) {
        let opened = self.writer.opened();
        match code_span::runs(self.source, range.clone(), text) {
            Some(runs) => {
                for run in runs {
                    match run {
                        SpanRun::Verbatim(range) => self.writer.verbatim(range),
                        SpanRun::Became(text, range) => self.writer.whole(text, range),
                    }
                }
            }
            None => self.writer.whole(text, range.clone()),
        }
        self.writer.element(opened, range);
    }

    fn html(&mut self, html: &str, range: Range<usize>) {
        let Leaf::Html(scan) = &mut self.leaf else { return };
        if self.source.get(range.clone()) != Some(html) {
            // A tab that was cut in two by a container: white space that is not in the source.
            return self.writer.gap(Gap::Space);
        }
        for part in scan.line(html) {
            match part {
                HtmlPart::Text(text) => {
                    self.writer.verbatim(range.start + text.start..range.start + text.end);
                }
                HtmlPart::Entity(meant, text) => {
                    let source = range.start + text.start..range.start + text.end;
                    self.writer.whole(meant.encode_utf8(&mut [0; 4]), source);
                }
                HtmlPart::Space => self.writer.gap(Gap::Space),
                HtmlPart::Break => self.writer.gap(Gap::Block),
            }
        }
    }

    fn inline_html(&mut self, tag: &str, range: Range<usize>) {
        match InlineTag::read(tag) {
            InlineTag::LineBreak => self.writer.whole("\n", range),
            InlineTag::Open(name) if self.tags.len() < MAX_OPEN_TAGS => {
                let opened = self.writer.opened();
                self.tags.push(RawTag { name, opened, source_start: range.start });
            }
            InlineTag::Close(name) => {
                if let Some(at) = self.tags.iter().rposition(|tag| tag.name == name) {
                    let open = self.tags.swap_remove(at);
                    self.tags.truncate(at);
                    self.writer.element(open.opened, open.source_start..range.end);
                }
            }
            InlineTag::Open(_) | InlineTag::Other => {}
        }
    }

    fn finish(self) -> Rendered {
        let (text, map) = self.writer.finish();
        let outline = self.outline.finish(text.len(), self.source.len());
        Rendered { text, map, outline }
    }
}
