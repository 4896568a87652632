//! A thread between the lines of a diff, in lines that begin with `#`.
//!
//! No reader of diffs takes such a line for a part of a diff, whatever a comment says: editors show it as a remark,
//! GNU patch passes over it even in a hunk, and `git apply` between files.

use std::fmt::Write as _;

use postil_protocol::{PlaceState, PositionView, ThreadView};

use crate::failure::Failure;
use crate::render::colour::Ink;
use crate::render::screen::Screen;
use crate::render::site::CommentedOn;
use crate::render::thread::LINES_IN_LIST;
use crate::render::{person, position_words};
use crate::sanitize;

/// Where a thread is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadSpot {
    /// Below its last line.
    Line,
    /// Away from its line, which is named and quoted.
    Away,
}

/// What every line begins with.
const EDGE: &str = "# ";

/// What the lines below the first one begin with.
const INDENT: &str = "#   ";

/// What further lines of a comment begin with.
const TEXT_INDENT: &str = "#     ";

/// So many threads outside of the files of a diff are shown; more are counted.
const MOST_OUTSIDE: usize = 20;

impl Screen {
    pub(super) fn thread_notes(&mut self, threads: &[ThreadView], spot: ThreadSpot) -> Result<(), Failure> {
        threads.iter().try_for_each(|thread| self.thread_note(thread, spot))
    }

    /// Threads whose lines are in no file of the diff.
    pub(super) fn outside_notes(&mut self, threads: &[ThreadView]) -> Result<(), Failure> {
        let count = position_words::count(threads.len().try_into().unwrap_or(u32::MAX), "thread", "threads");
        let heading = format!("{EDGE}{count} in files that this diff does not show");
        if threads.len() > MOST_OUTSIDE {
            return self.line(self.ink(Ink::Faint, format!("{heading}; see `postil list`")));
        }
        self.line(self.ink(Ink::Faint, heading))?;
        self.thread_notes(threads, ThreadSpot::Away)
    }

    fn thread_note(&mut self, thread: &ThreadView, spot: ThreadSpot) -> Result<(), Failure> {
        // In some languages, and in a pager that leaves out marks, a line of code begins with the same sign.
        let mut head = self.ink(Ink::Id, format!("{EDGE}{}", thread.short));
        let position = thread.position.as_ref();
        match (spot, position) {
            (ThreadSpot::Line, Some(position)) => self.push_lines(&mut head, position),
            _ => {
                let place = self.place_of(thread);
                let _ = write!(head, "  {}", self.ink(Ink::Place, place));
            }
        }
        head.push_str(&self.flags(thread));
        self.line(head)?;
        if let (Some(position), Some(on)) = (position, CommentedOn::of(thread)) {
            if let Some(said) = position_words::position(&self.naming, position, on) {
                let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(INDENT.len()));
                for part in sanitize::wrap(&said, room) {
                    self.line(format!("{INDENT}{}", self.ink(position_words::ink(position.state), part)))?;
                }
            }
            self.was(position, on, INDENT, LINES_IN_LIST)?;
        }
        if spot == ThreadSpot::Away {
            self.quoted(thread)?;
        }
        for comment in &thread.comments {
            let name = person::name(&comment.author);
            let before = format!("{INDENT}{}: ", self.ink(Ink::Person, &name));
            let taken = INDENT.len() + sanitize::width(&name) + 2;
            self.text_behind((before, taken), &comment.text, TEXT_INDENT)?;
        }
        Ok(())
    }

    /// Which lines a thread is about, if that is not the line above it alone.
    fn push_lines(&self, head: &mut String, position: &PositionView) {
        if position.state == PlaceState::Orphaned {
            // It is at the first place to consider, and not said to be there.
            let words = position_words::first_candidate(position);
            let _ = write!(head, "  {}", self.ink(Ink::Doubt, words));
        } else if let Some(range) = position.range
            && (range.start != range.end || range.start.column.is_some())
        {
            let _ = write!(head, "  {}", self.ink(Ink::Place, format!("lines {range}")));
        }
    }

    /// What a thread is about, if that still says what it said.
    fn quoted(&mut self, thread: &ThreadView) -> Result<(), Failure> {
        let is_same =
            |position: &PositionView| matches!(position.state, PlaceState::Anchored | PlaceState::Shifted);
        let anchor = thread.anchor.as_ref().filter(|_| thread.position.as_ref().is_some_and(is_same));
        if let Some(quote) = anchor.and_then(|anchor| anchor.quote.as_ref()) {
            let quote = sanitize::line(quote.replace('\n', " ").as_bytes());
            return self.line(format!("{INDENT}{}", self.ink(Ink::Faint, format!("> \"{quote}\""))));
        }
        let lines = match (&thread.message, anchor) {
            (Some(message), _) => &message.lines[..],
            (None, Some(anchor)) => &anchor.lines[..],
            (None, None) => &[],
        };
        let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(INDENT.len()).max(20));
        for line in lines.iter().take(LINES_IN_LIST) {
            let text = line.as_ref().map_or_else(
                || "(line too long to store)".to_owned(),
                |line| sanitize::line(line.as_bytes()),
            );
            let quoted = sanitize::fit(&format!("> {text}"), room);
            self.line(format!("{INDENT}{}", self.ink(Ink::Faint, quoted.trim_end())))?;
        }
        if lines.len() > LINES_IN_LIST {
            let rest = format!("> … {} more", lines.len() - LINES_IN_LIST);
            self.line(format!("{INDENT}{}", self.ink(Ink::Faint, rest)))?;
        }
        Ok(())
    }
}
