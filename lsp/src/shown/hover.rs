//! A whole thread, for a hover: in Markdown, or as plain text for editors that do not render it.
//!
//! What other people wrote is shown as they wrote it, with what could mislead made visible: it is never a link that runs
//! something, never an image that is loaded, and never HTML.

use std::fmt::Write as _;

use postil_protocol::{
    AnchorView, CommentView, PlaceState, PositionView, ProposalStatus, ProposalView, ThreadStatus, ThreadView,
};

use crate::shown::shown_text::shown_text;

/// What an editor renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// Markdown.
    Markdown,
    /// Nothing but text.
    Plain,
}

/// A thread, with all its comments.
pub(crate) fn thread(thread: &ThreadView, markup: Markup) -> String {
    let mut shown = String::new();
    let severity = thread.severity.as_ref().map(|severity| format!(" · {}", name(severity.word(), markup)));
    let status = match thread.status {
        ThreadStatus::Open => "open",
        ThreadStatus::Resolved => "resolved",
        ThreadStatus::Withdrawn => "withdrawn",
    };
    let draft = if thread.draft { " · draft" } else { "" };
    let short = strong(&thread.short, markup);
    let _ = writeln!(shown, "{short} · {status}{}{draft}", severity.unwrap_or_default());
    if let (Some(position), Some(anchor)) = (&thread.position, &thread.anchor) {
        place(&mut shown, position, anchor, markup);
    }
    for one in &thread.comments {
        comment(&mut shown, one, markup);
    }
    for one in thread.proposals.iter().filter(|one| one.state == ProposalStatus::Pending) {
        proposal(&mut shown, one, markup);
    }
    shown
}

/// How certain the position is, and what the comment was put on if that is not what is there.
fn place(shown: &mut String, position: &PositionView, anchor: &AnchorView, markup: Markup) {
    let share = position.confidence.per_mille() / 10;
    let reason = name(&position.reason, markup);
    let state = match position.state {
        PlaceState::Anchored => return,
        PlaceState::Shifted => format!("shifted ({share} %, {reason})"),
        PlaceState::Outdated => format!("outdated ({share} %, {reason})"),
        PlaceState::Orphaned => format!("orphaned ({reason})"),
    };
    let _ = writeln!(shown, "\n{state}");
    if position.state == PlaceState::Shifted || anchor.lines.is_empty() {
        return;
    }
    let _ = writeln!(shown, "\nIt was put on:\n");
    for line in &anchor.lines {
        let line = line.as_ref().map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned());
        // Indented, so that nothing in it can end the block.
        let _ = writeln!(shown, "    {}", shown_text(&line.unwrap_or_else(|| "(not stored)".to_owned())));
    }
}

/// What somebody proposes for a thread, which the editor's actions accept or decline.
fn proposal(shown: &mut String, proposal: &ProposalView, markup: Markup) {
    let rule = if markup == Markup::Markdown { "\n---\n" } else { "" };
    let says = proposed(proposal);
    let draft = if proposal.draft { " (draft)" } else { "" };
    let _ = writeln!(
        shown,
        "{rule}\n{}{draft}: {}\n",
        strong(&proposal.author.name, markup),
        name(&says, markup)
    );
    shown.push_str(&match markup {
        Markup::Plain => proposal.text.lines().map(|line| shown_text(line) + "\n").collect(),
        Markup::Markdown => harmless(&proposal.text),
    });
}

/// What is proposed, in a few words.
pub(crate) fn proposed(proposal: &ProposalView) -> String {
    let short = |commit: &str| commit[..commit.len().min(7)].to_owned();
    match (&proposal.done, &proposal.place, &proposal.message) {
        (Some(commit), ..) if proposal.obsolete => {
            format!("no longer fits the code at {}", short(commit.as_str()))
        }
        (Some(_), ..) if proposal.uncommitted => "done, not committed yet".to_owned(),
        (Some(commit), ..) => format!("done at {}", short(commit.as_str())),
        (None, Some(place), _) => {
            let path = String::from_utf8_lossy(place.path.as_bytes());
            let lines = place.range.map(|range| format!(":{range}")).unwrap_or_default();
            format!("belongs to {path}{lines}")
        }
        (None, None, Some(message)) => {
            format!("belongs to the message of {}", short(message.commit.as_str()))
        }
        (None, None, None) => "something that this version does not know".to_owned(),
    }
}

fn comment(shown: &mut String, comment: &CommentView, markup: Markup) {
    let draft = if comment.draft { " (draft)" } else { "" };
    let rule = if markup == Markup::Markdown { "\n---\n" } else { "" };
    let _ = writeln!(shown, "{rule}\n{}{draft}\n", strong(&comment.author.name, markup));
    if comment.withdrawn {
        let _ = writeln!(shown, "withdrawn");
        return;
    }
    match markup {
        Markup::Plain => {
            for line in comment.text.lines() {
                let _ = writeln!(shown, "{}", shown_text(line));
            }
        }
        Markup::Markdown => shown.push_str(&harmless(&comment.text)),
    }
}

/// The text of a comment in Markdown that is safe to render. Nothing has a meaning in code, so what is code here must be
/// code for every renderer: a fence of its own at the beginning of a line, which nothing in it can close. Indented code would
/// be an ordinary paragraph after a list.
pub(crate) fn harmless(text: &str) -> String {
    let mut shown = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((marks, info)) = opened_fence(line) else {
            let _ = writeln!(shown, "{}", defused(&shown_text(line)));
            continue;
        };
        let is_language = info.chars().all(|c| c.is_ascii_alphanumeric() || "+#_-".contains(c));
        // Anything but a language is for programs alone: a person sees it as well.
        let first = (!is_language).then_some(line);
        let inside = lines.by_ref().take_while(|line| !closes(line, marks));
        let code: Vec<String> = first.into_iter().chain(inside).map(shown_text).collect();
        let fence = "`".repeat(code.iter().map(|line| longest_run(line)).max().unwrap_or(0).max(2) + 1);
        let _ = writeln!(shown, "\n{fence}{}", if is_language { info } else { "" });
        for line in &code {
            let _ = writeln!(shown, "{line}");
        }
        let _ = writeln!(shown, "{fence}");
    }
    shown
}

/// The marks of a fence that a line opens, and what it says of the code.
fn opened_fence(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start();
    let mark = bare.chars().next().filter(|mark| "`~".contains(*mark))?;
    let info = bare.trim_start_matches(mark);
    let marks = &bare[..bare.len() - info.len()];
    (marks.len() >= 3 && !info.contains('`')).then_some((marks, info.trim()))
}

/// Whether a line ends the code of a fence.
fn closes(line: &str, marks: &str) -> bool {
    let bare = line.trim();
    bare.len() >= marks.len() && bare.starts_with(marks) && bare.chars().all(|mark| marks.starts_with(mark))
}

/// How many backticks stand in a row.
fn longest_run(line: &str) -> usize {
    line.split(|mark| mark != '`').map(str::len).max().unwrap_or(0)
}

/// Markdown in which nothing is loaded, hidden or run: no images, no raw HTML, and links to the web and to mail alone.
fn defused(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let marks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let before = &rest[..at];
        let is_escaped = (before.len() - before.trim_end_matches('\\').len()) % 2 == 1;
        let inside = &rest[at + marks..];
        let end = inside.match_indices('`').map(|(end, _)| end).find(|end| {
            let run = inside[*end..].len() - inside[*end..].trim_start_matches('`').len();
            run == marks && !inside[..*end].ends_with('`')
        });
        shown.push_str(&defused_words(&rest[..at]));
        match end.filter(|_| !is_escaped) {
            // In a code span nothing has a meaning.
            Some(end) => {
                shown.push_str(&rest[at..at + marks + end + marks]);
                rest = &inside[end + marks..];
            }
            None => {
                // Its own backslash already escapes the first one.
                let escaped = "\\`".repeat(marks);
                shown.push_str(if is_escaped { &escaped[1..] } else { &escaped });
                rest = inside;
            }
        }
    }
    shown.push_str(&defused_words(rest));
    shown
}

fn defused_words(words: &str) -> String {
    let words = words.replace("![", "!\\[").replace('<', "&lt;").replace("]:", "]\\:");
    let mut parts = words.split("](");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // One with a title is no link: the title would be hidden.
        let to = part.split(')').next().unwrap_or_default();
        let is_link = ["http://", "https://", "mailto:"].iter().any(|scheme| to.starts_with(scheme))
            && !to.contains(char::is_whitespace);
        shown.push_str(if is_link { "](" } else { "]\\(" });
        shown.push_str(part);
    }
    shown
}

/// A name or a word of others, which is no Markdown.
fn name(words: &str, markup: Markup) -> String {
    let words = shown_text(words);
    if markup == Markup::Plain {
        return words;
    }
    let mut shown = String::new();
    for character in words.chars() {
        if character.is_ascii_punctuation() {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

/// The same, standing out.
fn strong(words: &str, markup: Markup) -> String {
    match markup {
        Markup::Markdown => format!("**{}**", name(words, markup)),
        Markup::Plain => name(words, markup),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_as_it_is_and_everything_else_is_defused() {
        for (line, expected) in [
            ("why `Vec<T>` and not <b>?", "why `Vec<T>` and not &lt;b>?"),
            ("![x](http://a/x.png)", "!\\[x](http://a/x.png)"),
            ("[run](command:evil) [see](https://a)", "[run]\\(command:evil) [see](https://a)"),
            ("[a](https://a \"obey\")", "[a]\\(https://a \"obey\")"),
            ("[a]: javascript:x", "[a]\\: javascript:x"),
            ("an open ` <b>", "an open \\` &lt;b>"),
            ("``a ` <b>`` <i>", "``a ` <b>`` &lt;i>"),
            ("\\`<b>`", "\\`&lt;b>\\`"),
            ("\\\\`<b>`", "\\\\`<b>`"),
        ] {
            assert_eq!(defused(line), expected);
        }
    }

    #[test]
    fn a_fence_stays_code_whatever_is_in_it_and_before_it() {
        for (text, expected) in [
            (
                "see:\n```rust\nlet v: Vec<T>;\n~~~\n```\n<b>",
                "see:\n\n```rust\nlet v: Vec<T>;\n~~~\n```\n&lt;b>\n",
            ),
            // One that is not closed ends with the comment.
            ("~~~~\n<i>\n~~~", "\n```\n<i>\n~~~\n```\n"),
            // After a list, indented code would be a paragraph, in which an image is loaded.
            ("- a\n\n```\n![x](http://a/x.png)\n```", "- a\n\n\n```\n![x](http://a/x.png)\n```\n"),
            ("~~~\n```\n````\n<b>\n~~~", "\n`````\n```\n````\n<b>\n`````\n"),
            ("```rust ignore\nx\n```", "\n````\n```rust ignore\nx\n````\n"),
            ("```<b>\nx\n```", "\n````\n```<b>\nx\n````\n"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
