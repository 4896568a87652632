//! Text of other people in HTML: what makes it harmless.

use std::fmt::Write as _;

use postil_words::unseen::Unseen;

/// Adds text, in which nothing is markup: neither between tags nor in an attribute with quotes around it.
pub(crate) fn push_text(html: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let sign = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        html.push_str(&text[from..at]);
        html.push_str(sign);
        from = at + 1;
    }
    html.push_str(&text[from..]);
}

/// Adds text in which everything can be seen: controls, and what hides or turns the direction of writing, are named.
pub(crate) fn push_seen(html: &mut String, text: &str) {
    let mut unseen = Unseen::default();
    let mut from = 0;
    for (at, found) in text.char_indices() {
        if !(unseen.hides(found) || (found.is_control() && !"\t\n".contains(found))) {
            continue;
        }
        push_text(html, &text[from..at]);
        if found == '\r' && at + 1 == text.len() {
            html.push_str("<u>\\r</u>");
        } else {
            let _ = write!(html, "<u>U+{:04X}</u>", u32::from(found));
        }
        from = at + found.len_utf8();
    }
    push_text(html, &text[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let escaped = |text: &str| {
            let mut html = String::new();
            push_text(&mut html, text);
            html
        };
        assert_eq!(escaped("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
        assert_eq!(escaped("caf\u{e9} \u{202e}"), "caf\u{e9} \u{202e}");
        assert_eq!(escaped(""), "");
    }

    #[test]
    fn everything_in_a_text_is_seen() {
        let seen = |text: &str| {
            let mut html = String::new();
            push_seen(&mut html, text);
            html
        };
        assert_eq!(
            seen("a\u{202e}<b>\u{e0041}\n\u{1b}\r"),
            "a<u>U+202E</u>&lt;b&gt;<u>U+E0041</u>\n<u>U+001B</u><u>\\r</u>"
        );
        assert_eq!(seen("ig\u{200d}nore 👩‍👩‍👧 é\t"), "ig<u>U+200D</u>nore 👩‍👩‍👧 é\t");
    }
}
