//! The message of the commit that is shown, as lines that can be commented on like those of a file.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DiffCommit, PlaceState, Side, ThreadView};

use super::commit_picker::{current, short};
use crate::pages::code_line::push_line;
use crate::pages::file_key::line_id;
use crate::pages::file_section::block_class;
use crate::pages::review_page::ReviewPage;
use crate::pages::shell::PageFrame;
use crate::pages::threads::{CardPlace, thread_card};
use crate::pages::when::ago;

/// Lines in a block; the style has a size for each number up to this.
const BLOCK: usize = 80;

/// The message of the commit that is shown; nothing if all commits are.
pub(crate) fn shown_message(shown: &ReviewPage<'_>, frame: &PageFrame<'_>) -> Markup {
    current(shown)
        .map_or_else(Markup::default, |(_, commit)| message_section(commit, &shown.diff.threads, frame))
}

/// A message, with those of the threads that are on it at their lines.
pub(crate) fn message_section(commit: &DiffCommit, threads: &[ThreadView], frame: &PageFrame<'_>) -> Markup {
    let threads: Vec<&ThreadView> =
        threads.iter().filter(|thread| is_on(thread, commit.commit.as_str())).collect();
    let at = |thread: &ThreadView| thread.position.as_ref().and_then(|position| position.end);
    // As long as the name of any other file.
    let key = format!("m{}", &commit.commit.as_str()[..commit.commit.as_str().len().min(9)]);
    html! {
        section.file.message id={ "f-" (key) } data-key=(key) data-path={ "message of " (short(commit)) } data-message=(commit.commit.as_str())
            aria-labelledby={ "fh-" (key) } {
            header.fh {
                button.toggle type="button" data-js data-act="fold" aria-expanded="true" aria-label="Fold the message" {}
                h2 id={ "fh-" (key) } { "Commit message" }
                span.quiet { code { (short(commit)) } " by " (commit.author.name) ", " (ago(commit.at, frame.now)) }
                span.spacer {}
                @if frame.is_writable { button.act type="button" data-js data-act="file-comment" { "Comment" } }
            }
            div.body {
                div.whole {
                    @for thread in threads.iter().filter(|thread| at(thread).is_none()) { (thread_card(thread, CardPlace::Review, frame)) }
                }
                div.code.single.w2 { (PreEscaped(lines(commit, &key, &threads, frame))) }
            }
        }
    }
}

/// The lines, in blocks, with the threads between them.
fn lines(commit: &DiffCommit, key: &str, threads: &[&ThreadView], frame: &PageFrame<'_>) -> String {
    let (mut html, mut block, mut count) = (String::new(), String::new(), 0);
    let close = |html: &mut String, block: &mut String, count: &mut usize| {
        if *count > 0 {
            let _ = write!(html, "<div class=\"{}\">{block}</div>", block_class(*count));
            block.clear();
            *count = 0;
        }
    };
    let text = commit.message.as_bytes();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    for (line, number) in text.split(|byte| *byte == b'\n').zip(1u32..) {
        let _ = write!(block, "<div id={} data-n=\"{number:>2}   \">", line_id(key, Side::New, number));
        push_line(&mut block, line);
        block.push_str("</div>");
        count += 1;
        let ends_here = |thread: &&&ThreadView| {
            thread.position.as_ref().and_then(|position| position.end) == Some(number)
        };
        let mut here = threads.iter().filter(ends_here).peekable();
        if here.peek().is_some() || count == BLOCK {
            close(&mut html, &mut block, &mut count);
        }
        for thread in here {
            html.push_str(&thread_card(thread, CardPlace::Review, frame).0);
        }
    }
    close(&mut html, &mut block, &mut count);
    html
}

/// Whether a thread is on the message of a commit, by its id or the beginning of that.
fn is_on(thread: &ThreadView, commit: &str) -> bool {
    let position = thread.position.as_ref().filter(|position| position.state != PlaceState::Orphaned);
    let site = position.and_then(|position| position.message.as_ref());
    site.is_some_and(|site| site.commit.as_str().starts_with(commit))
}
