//! What of raw HTML is text, as far as a reader of Markdown needs it.
//!
//! Not an HTML parser: tags, comments, scripts and styles are skipped, a few entities are read.

use std::ops::Range;

/// Something that an HTML block holds, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HtmlPart {
    /// Words as they are.
    Text(Range<usize>),
    /// An entity and the character it means.
    Entity(char, Range<usize>),
    /// White space, however much.
    Space,
    /// A tag that starts a new line on the page.
    Break,
}

/// Where a scan stopped at the end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scan {
    /// Between tags.
    #[default]
    Text,
    /// In a tag, or in an attribute's value between such quotes.
    Tag(Option<u8>, Content),
    /// In a comment.
    Comment,
    /// In a script or style, which ends with this tag only.
    Raw(&'static str),
}

/// What follows a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text and tags.
    Html,
    /// What no reader sees, up to this closing tag.
    Raw(&'static str),
}

/// Tags that do not start a new line.
const INLINE: [&str; 27] = [
    "a", "abbr", "b", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark",
    "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
];

impl Scan {
    /// Reads one line of an HTML block; ranges count from the line's start.
    pub(super) fn line(&mut self, line: &str) -> Vec<HtmlPart> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < line.len() {
            at += match *self {
                Self::Text => self.text(line, at, &mut parts),
                Self::Tag(quote, content) => self.tag(&line[at..], quote, content),
                Self::Comment => self.skip_to(&line[at..], "-->", 3, Self::Text),
                Self::Raw(close) => {
                    self.skip_to(&line[at..], close, close.len(), Self::Tag(None, Content::Html))
                }
            };
        }
        parts
    }

    fn text(&mut self, line: &str, at: usize, parts: &mut Vec<HtmlPart>) -> usize {
        let rest = &line[at..];
        let stop = rest.find(|c: char| c == '<' || c == '&' || c.is_whitespace()).unwrap_or(rest.len());
        if stop > 0 {
            parts.push(HtmlPart::Text(at..at + stop));
            return stop;
        }
        if let Some(comment) = rest.strip_prefix("<!--") {
            *self = Self::Comment;
            return rest.len() - comment.len();
        }
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            parts.push(HtmlPart::Space);
            return blank;
        }
        if let Some((meant, width)) = entity(rest) {
            parts.push(HtmlPart::Entity(meant, at..at + width));
            return width;
        }
        if is_tag(rest) {
            let name = name(rest);
            if !INLINE.contains(&name.as_str()) {
                parts.push(HtmlPart::Break);
            }
            let content = match name.as_str() {
                "script" if !rest.starts_with("</") => Content::Raw("</script"),
                "style" if !rest.starts_with("</") => Content::Raw("</style"),
                _ => Content::Html,
            };
            *self = Self::Tag(None, content);
            return 1;
        }
        parts.push(HtmlPart::Text(at..at + 1));
        1
    }

    fn tag(&mut self, rest: &str, quote: Option<u8>, content: Content) -> usize {
        let bytes = rest.as_bytes();
        let stop = match quote {
            Some(quote) => bytes.iter().position(|byte| *byte == quote),
            None => bytes.iter().position(|byte| matches!(byte, b'>' | b'"' | b'\'')),
        };
        let Some(stop) = stop else { return rest.len() };
        *self = match (quote, bytes[stop], content) {
            (None, b'>', Content::Html) => Self::Text,
            (None, b'>', Content::Raw(close)) => Self::Raw(close),
            (None, quote, content) => Self::Tag(Some(quote), content),
            (Some(_), _, content) => Self::Tag(None, content),
        };
        stop + 1
    }

    fn skip_to(&mut self, rest: &str, end: &str, width: usize, then: Self) -> usize {
        let found =
            rest.as_bytes().windows(end.len()).position(|bytes| bytes.eq_ignore_ascii_case(end.as_bytes()));
        match found {
            Some(stop) => {
                *self = then;
                stop + width
            }
            None => rest.len(),
        }
    }
}

/// One inline tag, as the parser cuts it out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InlineTag {
    /// An opening tag of this name.
    Open(String),
    /// A closing tag of this name.
    Close(String),
    /// A line break.
    LineBreak,
    /// A comment, a declaration, or a tag that holds nothing.
    Other,
}

impl InlineTag {
    pub(super) fn read(tag: &str) -> Self {
        let name = name(tag);
        if name == "br" {
            Self::LineBreak
        } else if name.is_empty() || tag.ends_with("/>") {
            Self::Other
        } else if tag.starts_with("</") {
            Self::Close(name)
        } else {
            Self::Open(name)
        }
    }
}

fn is_tag(rest: &str) -> bool {
    let opens = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?');
    rest.starts_with('<') && rest.as_bytes().get(1).is_some_and(opens)
}

/// The name of the tag that `tag` starts with, in small letters.
fn name(tag: &str) -> String {
    let inner = tag.trim_start_matches(['<', '/']);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    inner[..end].to_ascii_lowercase()
}

/// The entity that `rest` starts with, and its width.
fn entity(rest: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let body = rest.strip_prefix('&')?;
    let end = body.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let meant = match &body[..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        numeric => {
            let number = numeric.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|meant| *meant != '\0')?
        }
    };
    Some((meant, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> String {
        let mut scan = Scan::default();
        let mut text = String::new();
        for line in lines {
            for part in scan.line(line) {
                match part {
                    HtmlPart::Text(range) => text.push_str(&line[range]),
                    HtmlPart::Entity(meant, _) => text.push(meant),
                    HtmlPart::Space => text.push(' '),
                    HtmlPart::Break => text.push('|'),
                }
            }
        }
        text
    }

    #[test]
    fn only_what_stands_between_tags_is_text() {
        let check = |lines: &[&str], text: &str| assert_eq!(read(lines), text, "{lines:?}");
        check(&["<b>a</b> c"], "a c");
        check(&["<td>a</td><td>b</td>"], "|a||b|");
        check(&["<a title='x > y'>z</a>"], "z");
        check(&["<a\n", "href=\"", ">\">z"], "z");
        check(&["<!-- a\n", "b -->c"], "c");
        check(&["<SCRIPT>a\n", "b</Script>c"], "|c");
        check(&["1 < 2 &amp; &#65;&#x42;&bad; &"], "1 < 2 & AB&bad; &");
        check(&["<!DOCTYPE x><?pi?>y"], "||y");
        check(&["<", "<<a"], "<<");
    }

    #[test]
    fn inline_tags_are_told_apart() {
        assert_eq!(InlineTag::read("<kbd class=x>"), InlineTag::Open("kbd".into()));
        assert_eq!(InlineTag::read("</KBD >"), InlineTag::Close("kbd".into()));
        assert_eq!(InlineTag::read("<br/>"), InlineTag::LineBreak);
        assert_eq!(InlineTag::read("<img src=x/>"), InlineTag::Other);
        assert_eq!(InlineTag::read("<!-- a -->"), InlineTag::Other);
    }
}
