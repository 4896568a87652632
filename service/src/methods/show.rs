//! Shows one thread, with the lines where it is.

use crate::files::HeadFiles;
use crate::lists::unread::ReadState;
use crate::notes::kept_purged::perhaps_purged;
use crate::pointing::message::message_of;
use crate::positions::in_head::positions_of;
use crate::request::{Request, seen_from};
use crate::reviews::follow_up::known_of;
use crate::suggestions::status::add_fates;
use crate::view;
use crate::view::current_lines::content_at;
use crate::view::passages::add_passages;
use crate::view::signatures::{add_signatures, signed_review};
use crate::view::syntax::syntax;
use crate::view::timeline::timeline;
use postil_core::edit::Text;
use postil_core::record::{PositionEntry, PositionState, Range};
use postil_core::review::{Membership, Thread};
use postil_protocol::{ByteText, Detail, Fault, Freshness, Mark, Show, ShowReply, SyntaxView};

/// How many lines are shown around where a comment is.
pub(crate) const LINES_AROUND: u32 = 3;

/// How many lines are shown of a message that is commented on as a whole.
const LINES_OF_MESSAGE: u32 = 20;

/// Shows one thread.
pub fn show(request: &Request, show: &Show) -> Result<ShowReply, Fault> {
    let named = request.notes.thread_named(&show.of);
    let thread = named.map_err(|fault| perhaps_purged(request, &show.of, fault))?;
    let why = seen_from(request, &show.head)?.threads.get(&thread.id()).copied();
    let files = HeadFiles::of(request, &show.head)?;
    let looked = positions_of(request, &files, Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    let review = match thread.review() {
        Membership::Review(review) => request.notes.threads.group_of(review.id()),
        Membership::None | Membership::Unknown(_) => None,
    };
    let mut shown = view::thread(&request.notes, thread, entry, why, Detail::Full);
    add_fates(request, &files, std::slice::from_mut(&mut shown), &looked.entries, Detail::Full)?;
    add_signatures(request, &request.notes, std::slice::from_mut(&mut shown));
    add_passages(&files, std::slice::from_mut(&mut shown), &looked.entries)?;
    let (lines, syntax) = match entry {
        Some(entry) => lines_around(request, &files, thread, entry, show.syntax)?,
        None => (Vec::new(), Vec::new()),
    };
    Ok(ShowReply {
        mark: Mark::default(),
        thread: shown,
        named: request.notes.comment_named(&show.of).ok().map(|comment| view::hex(comment.id())),
        unread: ReadState::of(request).is_unread(thread),
        timeline: timeline(request, thread, files.commit()),
        review: review.map(|group| signed_review(request, group, known_of(request, group), None)),
        lines,
        syntax,
        head: looked.head,
        warnings: Vec::new(),
    })
}

/// Lines with their numbers, and the syntax of each if it was asked for.
type ShownLines = (Vec<(u32, ByteText)>, Vec<Vec<SyntaxView>>);

/// The lines where a comment is, with those around them; of an orphan, those of the first place to consider.
fn lines_around(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    entry: &PositionEntry,
    with_syntax: bool,
) -> Result<ShownLines, Fault> {
    if let Some(site) = &entry.message {
        if entry.state == PositionState::Orphaned {
            return Ok(ShownLines::default());
        }
        let text = Text::new(message_of(request, site.commit)?);
        let numbered = |number: u32| (number, ByteText::new(text.line(number - 1)));
        let lines = match entry.range {
            Some(range) => around(&text, range),
            None => (1..=text.len().min(LINES_OF_MESSAGE)).map(numbered).collect(),
        };
        return Ok((lines, Vec::new()));
    }
    let place = match (&entry.path, entry.candidates.first()) {
        (Some(path), _) => entry.range.map(|range| (path, range)),
        (None, Some(stood)) => Some((&stood.path, stood.range)),
        (None, None) => None,
    };
    let Some((path, range)) = place else { return Ok(ShownLines::default()) };
    let content = content_at(request, files, thread, path)?;
    let Some(content) = content else { return Ok(ShownLines::default()) };
    let text = Text::new(content);
    let lines = around(&text, range);
    let numbers =
        lines.first().map_or(1, |(number, _)| *number)..=lines.last().map_or(0, |(number, _)| *number);
    let syntax = if with_syntax { syntax(path, text.bytes(), numbers) } else { Vec::new() };
    Ok((lines, syntax))
}

fn around(text: &Text, range: Range) -> Vec<(u32, ByteText)> {
    let first = range.span().first().saturating_sub(LINES_AROUND).max(1);
    let last = range.span().last().saturating_add(LINES_AROUND);
    let numbers = first..=last.min(text.len());
    numbers.map(|number| (number, ByteText::new(text.line(number - 1)))).collect()
}
