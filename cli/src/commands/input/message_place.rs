//! Lines of a commit's message as people type them: `REV`, `REV:3`, `REV:3-5`.

use postil_protocol::MessagePlace;

use super::location::span;
use crate::failure::{Failure, FailureKind};

/// Reads a commit and lines of its message; what follows the last colon counts as lines only if it looks like some, as
/// git has colons in the names of commits as well.
pub fn message_place(word: &str) -> Result<MessagePlace, Failure> {
    let is_of_lines = |byte: u8| byte.is_ascii_digit() || byte == b':' || byte == b'-';
    let tail = word.bytes().rev().take_while(|byte| is_of_lines(*byte)).count();
    // `HEAD-1:2` would be a name with a dash, so the lines begin after the first colon of the tail.
    let split = word.as_bytes()[word.len() - tail..].iter().position(|byte| *byte == b':');
    let (rev, lines) = match split.map(|at| word.len() - tail + at) {
        Some(at) => (&word[..at], Some(&word[at + 1..])),
        None => (word, None),
    };
    let wrong = |what: String| {
        Failure::new(FailureKind::Usage, what)
            .hint("name a commit and lines of its message, such as `HEAD~2:3`; the text of the comment is `-m TEXT`")
    };
    if rev.is_empty() {
        return Err(wrong("no commit given".into()));
    }
    let span = lines
        .map(|lines| span(lines.as_bytes()).ok_or_else(|| wrong(format!("invalid lines: {lines:?}"))))
        .transpose()?;
    Ok(MessagePlace { rev: rev.to_owned(), span })
}

#[cfg(test)]
mod tests {
    use super::*;
    use postil_protocol::Span;

    #[test]
    fn a_commit_and_its_lines_are_read_as_they_are_typed() {
        let check = |word: &str, rev: &str, span: Option<Span>| {
            let place = message_place(word).unwrap();
            assert_eq!((place.rev.as_str(), place.span), (rev, span), "{word}");
        };
        check("HEAD", "HEAD", None);
        check("HEAD~2:3", "HEAD~2", Some(Span::lines(3, 3)));
        check("v1-2:3-5", "v1-2", Some(Span::lines(3, 5)));
        let words = Span { start: 1, end: 1, start_column: Some(5), end_column: Some(9) };
        check("main@{1}:1:5-1:9", "main@{1}", Some(words));
        check(":/fix the build", ":/fix the build", None);
        check("2024-01-02", "2024-01-02", None);
        for bad in ["", ":3", "HEAD:0", "HEAD:3-1", "HEAD:", "HEAD:1-"] {
            assert!(message_place(bad).is_err(), "{bad}");
        }
    }
}
