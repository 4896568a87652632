//! Rust source as tokens, without comments, literals and, where asked, without its test modules.
//!
//! A scanner, not a parser: it knows just enough of the language not to be fooled by what stands in a comment or
//! in a string. Positions are bytes of the original text.

use std::ops::Range;

/// A word, a `::`, or a single other character that is not blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Where it begins.
    pub at: usize,
    /// What it says.
    pub text: &'a str,
}

/// Splits `text` into tokens; comments and literals give none.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if let Some(length) = skipped(text, at) {
            at += length;
            continue;
        }
        let end = at + token_length(&text[at..], first);
        if !first.is_whitespace() {
            tokens.push(Token { at, text: &text[at..end] });
        }
        at = end;
    }
    tokens
}

/// The string literals of a text, each from its first quote or letter to its end.
pub fn strings(text: &str) -> Vec<Token<'_>> {
    let mut strings = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        match skipped(text, at) {
            Some(length) => {
                let literal = &text[at..at + length];
                let is_comment = literal.starts_with("//") || literal.starts_with("/*");
                if !is_comment && literal.ends_with(['"', '#']) {
                    strings.push(Token { at, text: literal });
                }
                at += length;
            }
            None => at += token_length(&text[at..], first),
        }
    }
    strings
}

/// Where the modules that exist only for tests stand, from their attribute to their closing brace.
pub fn test_modules(text: &str) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        if says(&tokens[index..], &["#", "[", "cfg", "(", "test", ")", "]", "mod"])
            && let Some(end) = closing(&tokens, index + 9)
        {
            found.push(tokens[index].at..tokens[end].at + 1);
            index = end;
        }
        index += 1;
    }
    found
}

/// Whether the tokens begin with these texts.
pub fn says(tokens: &[Token<'_>], texts: &[&str]) -> bool {
    tokens.len() >= texts.len() && tokens.iter().zip(texts).all(|(token, text)| token.text == *text)
}

/// Returns the index of the token that closes the bracket at `open`; `None` when there is no bracket there.
pub fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (index > open).then_some(index);
        }
    }
    None
}

fn token_length(rest: &str, first: char) -> usize {
    if is_word(first) {
        rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    } else if rest.starts_with("::") {
        2
    } else {
        first.len_utf8()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the comment or literal that begins at `at`, if one does.
fn skipped(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted(rest, '"'));
    }
    if rest.starts_with('\'') {
        return character(rest);
    }
    let follows_word = text[..at].chars().next_back().is_some_and(is_word);
    if follows_word { None } else { prefixed(rest) }
}

/// Strings with letters in front: `b"…"`, `c"…"`, `r#"…"#` and their mixtures.
fn prefixed(rest: &str) -> Option<usize> {
    let after_letters = rest.trim_start_matches(['b', 'c', 'r']);
    let letters = rest.len() - after_letters.len();
    if letters == 0 || letters > 2 {
        return None;
    }
    if !rest[..letters].ends_with('r') {
        return match after_letters.chars().next()? {
            '"' => Some(letters + quoted(after_letters, '"')),
            '\'' => Some(letters + character(after_letters)?),
            _ => None,
        };
    }
    let content = after_letters.trim_start_matches('#');
    let hashes = after_letters.len() - content.len();
    let end = format!("\"{}", "#".repeat(hashes));
    let inside = content.strip_prefix('"')?;
    let length = inside.find(&end).map_or(inside.len(), |found| found + end.len());
    Some(letters + hashes + 1 + length)
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns `None` for a lifetime, which has no closing quote.
fn character(rest: &str) -> Option<usize> {
    let mut inside = rest.chars().skip(1);
    match (inside.next()?, inside.next()?) {
        ('\\', _) => Some(quoted(rest, '\'')),
        (c, '\'') => Some(c.len_utf8() + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = tokens(text).iter().map(|token| token.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_and_literals_give_no_tokens() {
        check("a // b\nc", &["a", "c"]);
        check("a /* b /* c */ d */ e", &["a", "e"]);
        check(r#"a("b \" c", 'd', '\'', b"e", b'f')"#, &["a", "(", ",", ",", ",", ",", ")"]);
        check(r###"a(r"b\", r#"c " d"#, br##"e"# f"##)"###, &["a", "(", ",", ",", ")"]);
        check("a(\"not closed", &["a", "("]);
    }

    #[test]
    fn words_and_paths_are_tokens() {
        check("crate::git::{A, b}", &["crate", "::", "git", "::", "{", "A", ",", "b", "}"]);
        check(
            "fn f<'a>(x: &'a str)",
            &["fn", "f", "<", "'", "a", ">", "(", "x", ":", "&", "'", "a", "str", ")"],
        );
        check("r#type cb bcr\"no prefix\"", &["r", "#", "type", "cb", "bcr"]);
    }

    #[test]
    fn a_test_module_ends_at_its_own_brace() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { '{'; }\n}\nfn c() {}\n";
        let [module] = &test_modules(text)[..] else { panic!("one module") };
        assert!(text[module.clone()].starts_with("#[cfg(test)]"));
        assert_eq!(&text[module.end..], "\nfn c() {}\n");
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_takes_nothing_away() {
        assert!(test_modules("#[cfg(test)]\nmod tests;\nfn c() { d(); }\n").is_empty());
    }
}
