//! Text of other people in HTML: the one function that makes it harmless.

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
}
