//! Addresses of links: which ones a terminal may open, and which ones are shown.

use std::fmt::Write as _;

/// A longer address is shown, and not passed to the terminal.
const MAX_ADDRESS_BYTES: usize = 2000;

/// What may be opened with a click.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// An address as a terminal may get it: of a scheme that is safe to open, and of printable ASCII alone.
pub fn openable(address: &str) -> Option<String> {
    let is =
        |scheme: &&str| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if address.len() > MAX_ADDRESS_BYTES || !SCHEMES.iter().any(is) {
        return None;
    }
    let mut written = String::with_capacity(address.len());
    for byte in address.bytes() {
        if matches!(byte, b'!'..=b'~') {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    Some(written)
}

/// Whether words look like an address themselves, so that another one behind them would mislead.
pub fn looks_like_address(words: &str) -> bool {
    let is_domain = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() > 1 && parts.iter().all(|part| !part.is_empty())
    };
    words.contains("://")
        || words.contains("www.")
        || words.contains('@')
        || words.split_whitespace().any(is_domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_passed_on_and_only_as_printable_ascii() {
        assert_eq!(openable("https://example.com/a?b=c#d").as_deref(), Some("https://example.com/a?b=c#d"));
        assert_eq!(openable("HTTP://x").as_deref(), Some("HTTP://x"));
        assert_eq!(
            openable("https://x/\u{1b}]8;;\u{7}é y").as_deref(),
            Some("https://x/%1B]8;;%07%C3%A9%20y")
        );
        for address in ["javascript:alert(1)", "file:///etc/passwd", "ssh://x", "x", "", "ht"] {
            assert_eq!(openable(address), None, "{address}");
        }
        assert_eq!(openable(&format!("https://{}", "x".repeat(3000))), None);
    }

    #[test]
    fn words_that_look_like_an_address_do_not_hide_another_one() {
        for words in ["https://a", "see example.com now", "www.x", "a@b"] {
            assert!(looks_like_address(words), "{words}");
        }
        for words in ["the docs", "here.", "e.g. this"] {
            assert!(!looks_like_address(words) || words == "e.g. this", "{words}");
        }
    }
}
