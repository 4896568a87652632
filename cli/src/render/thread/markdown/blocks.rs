//! Blocks of Markdown as lines, and the words in them as pieces.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::super::code::code_block;
use super::super::styled::StyledLine;
use super::address::{looks_like_address, openable};
use super::table::table_lines;
use crate::sanitize;

/// A longer text is shown as it was written.
const MAX_BYTES: usize = 64 << 10;

/// A text with a line that begins with more marks and blanks than this is shown as it was written: the parser looks at
/// every open quote and list for every line.
const MAX_MARKS: usize = 120;

/// A rule is so wide at most.
const MAX_RULE: usize = 40;

/// How much room there is, and what the terminal can do.
#[derive(Clone, Copy, Debug)]
pub struct MarkdownLook {
    /// How many columns there are.
    pub room: usize,
    /// Whether styles are shown; if not, their marks stay.
    pub is_coloured: bool,
    /// Whether the terminal opens links, so that an address need not be shown.
    pub can_link: bool,
}

/// A text as lines; `None` if it is to be shown as it was written.
pub fn markdown(source: &str, look: MarkdownLook) -> Option<Vec<StyledLine>> {
    let marks = |line: &str| line.bytes().take_while(|byte| b" \t>-+*.)0123456789".contains(byte)).count();
    if source.len() > MAX_BYTES || source.lines().any(|line| marks(line) > MAX_MARKS) {
        return None;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(source, options);
    let definitions: Vec<Range<usize>> =
        parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    let mut page = MarkdownPage::new(source, look);
    for (event, range) in parser.into_offset_iter() {
        page.event(event, &range);
    }
    page.definitions(definitions);
    Some(page.lines)
}

/// What is being written.
struct MarkdownPage<'a> {
    source: &'a str,
    look: MarkdownLook,
    lines: Vec<StyledLine>,
    /// What begins each line: of quotes and list items, from outside in.
    margins: Vec<Margin>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The words that are not yet lines.
    words: StyledLine,
    styles: Vec<Style>,
    links: Vec<OpenLink>,
    code: Option<(String, String)>,
    table: Option<Vec<Vec<StyledLine>>>,
}

/// What begins the lines of a quote or a list item.
struct Margin {
    first: Option<String>,
    rest: String,
}

/// A link or an image whose words are being read.
struct OpenLink {
    address: String,
    title: String,
    /// What stood before it.
    before: StyledLine,
}

impl<'a> MarkdownPage<'a> {
    fn new(source: &'a str, look: MarkdownLook) -> Self {
        Self {
            source,
            look,
            lines: Vec::new(),
            margins: Vec::new(),
            lists: Vec::new(),
            words: StyledLine::default(),
            styles: vec![Style::new()],
            links: Vec::new(),
            code: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>, range: &Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, self.style()),
            },
            Event::Code(code) => {
                let style = self.style();
                if self.look.is_coloured {
                    self.push(&code, style.fg_color(Some(AnsiColor::Cyan.into())));
                } else {
                    let fence = if code.contains('`') { "``" } else { "`" };
                    self.push(&format!("{fence}{code}{fence}"), style);
                }
            }
            // The words of a link stay together.
            Event::SoftBreak | Event::HardBreak if !self.links.is_empty() => {
                self.words.push(" ", self.style());
            }
            Event::SoftBreak | Event::HardBreak => self.flush(),
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html),
            Event::Rule => {
                self.begin(range.start);
                let rule = "─".repeat(self.room().min(MAX_RULE));
                self.words.push(&rule, Style::new().dimmed());
                self.flush();
            }
            Event::TaskListMarker(is_done) => {
                self.words.push(if is_done { "[x] " } else { "[ ] " }, Style::new());
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push(&text, self.style());
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin(range.start),
            Tag::Heading { level, .. } => {
                self.begin(range.start);
                let style = Style::new().bold();
                self.styles.push(if level == HeadingLevel::H1 { style.underline() } else { style });
                if !self.look.is_coloured {
                    let marks = "#".repeat(level as usize);
                    self.words.push(&format!("{marks} "), Style::new());
                }
            }
            Tag::BlockQuote(_) => {
                self.begin(range.start);
                self.margins.push(Margin { first: None, rest: "> ".to_owned() });
            }
            Tag::List(first) => {
                self.flush();
                self.begin(range.start);
                self.lists.push(first);
            }
            Tag::Item => {
                self.begin(range.start);
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number = number.saturating_add(1);
                        mark
                    }
                    _ => "- ".to_owned(),
                };
                self.margins.push(Margin { rest: " ".repeat(mark.len()), first: Some(mark) });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.begin(range.start);
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Tag::Table(_) => {
                self.begin(range.start);
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
                if matches!(tag, Tag::TableHead) {
                    self.styles.push(Style::new().bold());
                }
            }
            Tag::Emphasis => self.mark("*", Style::italic),
            Tag::Strong => self.mark("**", Style::bold),
            Tag::Strikethrough => self.mark("~~", Style::strikethrough),
            Tag::Link { link_type, dest_url, title, .. } => {
                let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
                self.open_link(format!("{scheme}{dest_url}"), &title);
            }
            Tag::Image { dest_url, title, .. } => {
                self.push("image: ", self.style().dimmed());
                self.open_link(dest_url.to_string(), &title);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                if self.margins.last().is_some_and(|margin| margin.first.is_some()) {
                    // An item without words is an item.
                    self.emit(&StyledLine::default());
                }
                self.margins.pop();
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::TableHead => drop(self.styles.pop()),
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                for line in table_lines(&rows, self.room()) {
                    self.emit(&line);
                }
            }
            TagEnd::Emphasis => self.unmark("*"),
            TagEnd::Strong => self.unmark("**"),
            TagEnd::Strikethrough => self.unmark("~~"),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    /// Adds words that somebody wrote.
    fn push(&mut self, text: &str, style: Style) {
        self.words.push(&sanitize::part(text.as_bytes()), style);
    }

    fn mark(&mut self, mark: &str, styled: fn(Style) -> Style) {
        self.styles.push(styled(self.style()));
        if !self.look.is_coloured {
            self.words.push(mark, Style::new());
        }
    }

    fn unmark(&mut self, mark: &str) {
        self.styles.pop();
        if !self.look.is_coloured {
            self.words.push(mark, Style::new());
        }
    }

    fn html(&mut self, html: &str) {
        for (at, line) in html.lines().enumerate() {
            if at > 0 {
                self.flush();
            }
            self.push(line, Style::new().dimmed());
        }
        if html.ends_with('\n') {
            self.flush();
        }
    }

    fn open_link(&mut self, address: String, title: &str) {
        let before = std::mem::take(&mut self.words);
        self.links.push(OpenLink { address, title: title.to_owned(), before });
        self.styles.push(self.style().underline());
    }

    /// Writes the words of a link, and its address unless the terminal shows it or the words are it.
    fn close_link(&mut self) {
        self.styles.pop();
        let Some(OpenLink { address, title, before }) = self.links.pop() else { return };
        let words = std::mem::replace(&mut self.words, before);
        let text = words.text();
        let is_same = text == address || address.strip_prefix("mailto:") == Some(&text);
        let target = openable(&address).filter(|_| self.look.can_link);
        let is_hidden =
            target.is_some() && title.is_empty() && !text.is_empty() && !looks_like_address(&text);
        match &target {
            Some(target) => self.words.push_linked(&text, Style::new().underline(), Some(target)),
            None => self.words.append(&words),
        }
        if (is_same && title.is_empty()) || is_hidden {
            return;
        }
        let title = if title.is_empty() { String::new() } else { format!(" \"{title}\"") };
        let between = if text.is_empty() { "" } else { " " };
        self.push(&format!("{between}({address}{title})"), Style::new().dimmed());
    }

    fn code_block(&mut self) {
        let Some((info, code)) = self.code.take() else { return };
        let is_word = info.chars().all(|c| c.is_ascii_alphanumeric() || "+#-_".contains(c));
        let is_known = is_word && postil_syntax::Language::of_fence(&info).is_some();
        if !info.is_empty() && !is_known {
            // What a fence says besides its language is not hidden.
            self.push(&info, Style::new().dimmed());
            self.words.push(":", Style::new().dimmed());
            self.flush();
        }
        self.margins.push(Margin { first: None, rest: "    ".to_owned() });
        for line in code_block(&code, &info) {
            self.emit(&line);
        }
        self.margins.pop();
    }

    /// Definitions of links are not seen on a page; here they are.
    fn definitions(&mut self, mut spans: Vec<Range<usize>>) {
        spans.sort_by_key(|span| span.start);
        for span in spans {
            self.begin(span.start);
            for line in self.source.get(span).unwrap_or_default().lines() {
                self.push(line, Style::new().dimmed());
                self.flush();
            }
        }
    }

    /// Begins a block; a blank line before it stays one.
    fn begin(&mut self, at: usize) {
        self.flush();
        let before = self.source.get(..at).unwrap_or_default();
        let mut lines = before.rsplit('\n');
        lines.next();
        let is_blank = |line: &str| line.trim_start_matches(['>', ' ', '\t']).trim().is_empty();
        let is_first = self.margins.last().is_some_and(|margin| margin.first.is_some());
        let was_blank = self.lines.last().is_none_or(|line| is_blank(&line.text()));
        if lines.next().is_some_and(is_blank) && !is_first && !was_blank {
            self.emit(&StyledLine::default());
        }
    }

    fn room(&self) -> usize {
        let margins: usize = self.margins.iter().map(|margin| margin.rest.len()).sum();
        self.look.room.saturating_sub(margins).max(10)
    }

    /// Makes lines of the words.
    fn flush(&mut self) {
        if self.words.is_empty() || self.table.is_some() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        for line in words.wrap(self.room()) {
            self.emit(&line);
        }
    }

    fn emit(&mut self, line: &StyledLine) {
        let mut written = StyledLine::default();
        for margin in &mut self.margins {
            let text = margin.first.take().unwrap_or_else(|| margin.rest.clone());
            let style = if text.starts_with('>') { Style::new().dimmed() } else { Style::new() };
            written.push(&text, style);
        }
        written.append(line);
        self.lines.push(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: MarkdownLook = MarkdownLook { room: 30, is_coloured: false, can_link: false };

    fn shown(source: &str, look: MarkdownLook) -> Vec<String> {
        let lines = markdown(source, look).expect("it is short");
        lines.iter().map(|line| line.written(look.is_coloured).trim_end().to_owned()).collect()
    }

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        assert_eq!(shown(source, PLAIN), expected, "{source}");
    }

    #[test]
    fn blocks_are_lines_and_blank_lines_between_them_stay() {
        check("one\ntwo\n\nthree", &["one", "two", "", "three"]);
        check("why:\n- a\n- b\n\nend", &["why:", "- a", "- b", "", "end"]);
        check("1. a\n2. b\n   - c\n   - d", &["1. a", "2. b", "   - c", "   - d"]);
        check("- a\n\n  more\n\n- b", &["- a", "", "  more", "", "- b"]);
        check("- [x] done\n- [ ] open", &["- [x] done", "- [ ] open"]);
        check("> quoted\n> text\n\nanswer", &["> quoted", "> text", "", "answer"]);
        check("> - a\n>\n> b", &["> - a", ">", "> b"]);
        check("# Title\n\ntext\n\n## Two", &["# Title", "", "text", "", "## Two"]);
        check("a\n\n```rust\nfn f() {\n}\n```\nb", &["a", "", "    fn f() {", "    }", "b"]);
        check("```suggestion\nx\n```", &["suggestion:", "    x"]);
        check("-\n- a", &["-", "- a"]);
        check("a\n\n---\n\nb", &["a", "", &"─".repeat(30), "", "b"]);
        check("", &[]);
    }

    #[test]
    fn words_are_wrapped_at_the_width_and_code_is_not() {
        check(
            "- a long item that does not fit into one line",
            &["- a long item that does not", "  fit into one line"],
        );
        check(
            "> > deep quotes are wrapped as well, inside",
            &["> > deep quotes are wrapped as", "> > well, inside"],
        );
        check("漢字漢字漢字漢字 漢字漢字漢字漢字", &["漢字漢字漢字漢字", "漢字漢字漢字漢字"]);
        let code = "    x = a_very_long_line_of_code(that, does, not, fit)";
        check(code, &[code]);
    }

    #[test]
    fn without_colours_the_marks_stay() {
        check("*a* **b** ~~c~~ `d` ``e`f``", &["*a* **b** ~~c~~ `d` ``e`f``"]);
        let coloured = MarkdownLook { is_coloured: true, ..PLAIN };
        assert_eq!(shown("*a* **b** `d`", coloured), ["\x1b[3ma\x1b[0m \x1b[1mb\x1b[0m \x1b[36md\x1b[0m"]);
        assert_eq!(shown("# T", coloured), ["\x1b[1m\x1b[4mT\x1b[0m"]);
        assert_eq!(shown("```rust\nlet\n```", coloured), ["    \x1b[35mlet\x1b[0m"]);
    }

    #[test]
    fn an_address_is_shown_unless_the_terminal_opens_it() {
        let wide = MarkdownLook { room: 200, ..PLAIN };
        let linking = MarkdownLook { room: 200, is_coloured: true, can_link: true };
        let link = "[docs](https://example.com/x)";
        assert_eq!(shown(link, wide), ["docs (https://example.com/x)"]);
        assert_eq!(
            shown(link, linking),
            ["\x1b]8;;https://example.com/x\x1b\\\x1b[4mdocs\x1b[0m\x1b]8;;\x1b\\"]
        );
        let text = |source: &str| markdown(source, linking).expect("it is short")[0].text();
        assert_eq!(text("[good.com](https://evil.com)"), "good.com (https://evil.com)");
        assert_eq!(text("[](https://evil.com)"), "(https://evil.com)");
        assert_eq!(text("[x](javascript:alert) [y](/a)"), "x (javascript:alert) y (/a)");
        assert!(!shown("[x](javascript:alert)", linking)[0].contains("\x1b]8"));
        assert_eq!(text("<https://example.com>"), "https://example.com");
        assert_eq!(text("<me@example.com>"), "me@example.com");
        assert_eq!(text("![alt](https://x/y.png)"), "image: alt");
        assert_eq!(text("[two\nlines](https://x)"), "two lines");
    }

    #[test]
    fn nothing_is_hidden() {
        check("a <!-- hidden --> b", &["a <!-- hidden --> b"]);
        check("<!-- one\ntwo -->\n\ntext", &["<!-- one", "two -->", "", "text"]);
        check("<b onclick=x>hi</b>", &["<b onclick=x>hi</b>"]);
        check("[a](https://x \"title\")", &["a (https://x \"title\")"]);
        check("a\n\n[x]: https://y \"secret\"", &["a", "", "[x]: https://y \"secret\""]);
        check("```rust and more\nx\n```", &["rust and more:", "    x"]);
    }

    #[test]
    fn nothing_reaches_the_terminal_that_would_do_something() {
        let linking = MarkdownLook { room: 80, is_coloured: true, can_link: true };
        for hostile in [
            "&#27;[31m &#x9b; &#x202e;",
            "`\u{1b}[2J`",
            "[\u{1b}]0;x\u{7}](https://x/\u{1b}\\)",
            "[a](<https://x/&#27;]8;;&#7;>)",
            "```\n\u{1b}c\r\n```",
            "```\u{1b}[1m\nx\n```",
            "<i \u{1b}[5m>",
            "[x]: https://y/ \"\u{9b}5m\"",
            "| \u{1b}[7m | b |\n|---|---|\n| \u{202e} | d |",
        ] {
            for line in markdown(hostile, linking).expect("it is short") {
                let text = line.text();
                assert!(!text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{hostile:?}: {text:?}");
                let written = line.written(true);
                let ours = written.replace("\x1b]8;;\x1b\\", "").replace("\x1b\\", "");
                let sequences = ours.split('\u{1b}').skip(1);
                for sequence in sequences {
                    let is_style =
                        sequence.starts_with('[') && sequence[1..].find('m').is_some_and(|end| end < 6);
                    assert!(is_style || sequence.starts_with("]8;;https://x/"), "{hostile:?}: {written:?}");
                }
            }
        }
    }

    #[test]
    fn tables_are_columns_if_they_fit() {
        check("| a | b |\n|---|--:|\n| 漢字 | d |\n| e | |", &["a     b", "────  ─", "漢字  d", "e"]);
        check(
            "| a | b |\n|---|---|\n| words that need more room | than there is |",
            &["a | b", "words that need more room |", "than there is"],
        );
    }

    #[test]
    fn what_is_nested_too_deeply_or_too_long_is_shown_as_it_was_written() {
        assert!(markdown(&">".repeat(1000), PLAIN).is_none());
        assert!(markdown(&"x".repeat(MAX_BYTES + 1), PLAIN).is_none());
        assert!(markdown(&"> ".repeat(50), PLAIN).is_some());
    }
}
