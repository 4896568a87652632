//! Settings that `git -c NAME=VALUE` gives to the programs it runs, in `GIT_CONFIG_PARAMETERS`.
//!
//! Each is quoted for a shell: `'name=value'` in the past, `'name'='value'` or `'name'=` since git 2.31, with a space
//! between them.

/// The variable.
const NAME: &str = "GIT_CONFIG_PARAMETERS";

/// The settings of this process, as they were given to `-c`.
pub fn parameters() -> Vec<String> {
    std::env::var(NAME).ok().and_then(|text| parse(&text)).unwrap_or_default()
}

/// `None` for what git would not have written.
fn parse(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (mut word, behind) = quoted(rest)?;
        rest = behind;
        if let Some(value) = rest.strip_prefix('=') {
            word.push('=');
            rest = value;
            if rest.starts_with('\'') {
                let (value, behind) = quoted(rest)?;
                word.push_str(&value);
                rest = behind;
            }
        }
        found.push(word);
        rest = rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))?.trim_start();
    }
    Some(found)
}

/// One word in quotes, and what follows it: a quote or an exclamation mark inside is written as `'\''` or `'\!'`.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    loop {
        let (inside, behind) = rest.strip_prefix('\'')?.split_once('\'')?;
        word.push_str(inside);
        rest = behind;
        let Some(escaped) = rest.strip_prefix('\\').filter(|rest| rest.starts_with(['\'', '!'])) else {
            return Some((word, rest));
        };
        word.push_str(&escaped[..1]);
        rest = &escaped[1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_git_quotes_them() {
        let read = |text: &str| parse(text).map(|words| words.join("|"));
        assert_eq!(read("'user.name=Zoe'").as_deref(), Some("user.name=Zoe"));
        assert_eq!(read("'user.name'='Zoe B'").as_deref(), Some("user.name=Zoe B"));
        assert_eq!(read("'a.b'='1' 'c.d'='2'").as_deref(), Some("a.b=1|c.d=2"));
        assert_eq!(read("'core.bare' 'a.b'=").as_deref(), Some("core.bare|a.b="));
        assert_eq!(read("'user.name'='O'\\''Hara'\\!''").as_deref(), Some("user.name=O'Hara!"));
        assert_eq!(read("").as_deref(), Some(""));
        for bad in ["user.name=Zoe", "'open", "'a'b", "'a'='b", "'a'\\x"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
