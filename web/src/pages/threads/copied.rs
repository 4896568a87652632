//! Threads as Markdown text, to be given to a person or an agent: where, which lines, what was said, what is suggested.

use std::fmt::Write as _;

use postil_protocol::{ByteText, CommentView, PlaceState, Side, ThreadView};

use super::author::who_text;
use super::position_words::{reason, word};
use super::thread_card::status_word;
use crate::pages::file_key::shown;

/// What is said before several threads.
const ABOUT: &str = "# Review threads\n\nEach thread has an id. To answer one: `postil reply ID -m TEXT`. To read it with everything that \
    happened: `postil show ID`.\n\n";

/// Threads as Markdown, one after the other.
pub(crate) fn copied(threads: &[&ThreadView]) -> String {
    let mut text = if threads.len() == 1 { String::new() } else { ABOUT.to_owned() };
    for thread in threads {
        push_thread(&mut text, thread);
    }
    text
}

fn push_thread(text: &mut String, thread: &ThreadView) {
    let _ = write!(text, "## {}", place_of(thread));
    let mut facts = vec![format!("id {}", thread.short), status_word(thread.status).to_owned()];
    facts.extend(thread.severity.as_ref().map(|severity| severity.word().to_owned()));
    facts.extend(thread.tags.iter().map(|tag| format!("#{tag}")));
    if let Some((position, anchor)) = thread.position.as_ref().zip(thread.anchor.as_ref())
        && position.state != PlaceState::Anchored
    {
        facts.push(format!("{}: {}", word(position.state), reason(position, anchor)));
    }
    let _ = write!(text, "\n\n{}\n\n", facts.join(", "));
    if let Some(anchor) = &thread.anchor {
        if let Some(quote) = &anchor.quote {
            let _ = writeln!(text, "> {}\n", quote.replace('\n', "\n> "));
        } else {
            let lines: Vec<&[u8]> = anchor.lines.iter().flatten().map(ByteText::as_bytes).collect();
            push_code(text, "", &lines.join(&b'\n'));
        }
    }
    for comment in thread.comments.iter().filter(|comment| !comment.withdrawn) {
        push_comment(text, comment);
    }
}

fn push_comment(text: &mut String, comment: &CommentView) {
    let draft = if comment.draft { ", draft" } else { "" };
    let _ = writeln!(text, "**{}**{draft}:\n\n{}\n", who_text(&comment.author), comment.text.trim());
    if let Some(diff) = comment.suggestion.as_ref().and_then(|suggestion| suggestion.diff.as_ref()) {
        push_code(text, "diff", diff.as_bytes());
    }
}

/// A block of code, whatever is in it.
fn push_code(text: &mut String, language: &str, code: &[u8]) {
    let code = String::from_utf8_lossy(code);
    if code.is_empty() {
        return;
    }
    let longest = code.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let _ = writeln!(text, "{fence}{language}\n{}\n{fence}\n", code.trim_end_matches('\n'));
}

/// Where a thread is: `src/a.rs:12-14`.
fn place_of(thread: &ThreadView) -> String {
    let position = thread.position.as_ref();
    let path = position.and_then(|position| position.path.as_ref());
    match (path, &thread.anchor, &thread.message) {
        (Some(path), ..) => {
            let side =
                if position.is_some_and(|position| position.side == Side::Old) { " (removed)" } else { "" };
            match position.and_then(|position| position.range) {
                Some(range) => format!("{}:{range}{side}", shown(path)),
                None => shown(path),
            }
        }
        (None, Some(anchor), _) => format!("{} (no place any more)", super::position_words::place(anchor)),
        (None, None, Some(message)) => {
            let commit = message.commit.as_str();
            format!("message of {}", &commit[..7.min(commit.len())])
        }
        (None, None, None) => "the whole review".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::samples::thread;

    #[test]
    fn a_thread_says_where_it_is_what_it_is_on_and_what_was_said() {
        let read = |id, state, line| {
            serde_json::from_value(thread(id, state, "new", line, "let a = ```1```;")).unwrap()
        };
        let (one, lost): (ThreadView, ThreadView) =
            (read("aa", "shifted", Some(7)), read("bb", "orphaned", None));
        let text = copied(&[&one]);
        assert!(text.starts_with("## src/a.rs:7\n\nid aa, open, issue"), "{text}");
        assert!(text.contains("shifted: moved from line 2") && text.contains("**let a"), "{text}");
        let both = copied(&[&one, &lost]);
        assert!(
            both.starts_with("# Review threads") && both.contains("## src/a.rs:2 (no place any more)"),
            "{both}"
        );
    }

    #[test]
    fn code_stays_in_its_block_whatever_it_is() {
        let mut text = String::new();
        push_code(&mut text, "", b"a\n````\nb\n");
        assert_eq!(text, "`````\na\n````\nb\n`````\n\n");
    }
}
