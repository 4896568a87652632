//! A diff with threads at their lines.

use std::fmt::Write as _;

use postil_protocol::{DiffFile, DiffLine, DiffMark, DiffReply, PlaceState, ThreadView};

use super::colour::Ink;
use super::position_words;
use super::screen::Screen;
use super::site::CommentedOn;
use super::thread::LINES_IN_LIST;
use crate::failure::Failure;
use crate::sanitize;

/// Where a thread is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ThreadPlace {
    /// At the head of its file or of everything, with the name of its place.
    Head,
    /// Below its last line.
    Line,
}

impl Screen {
    /// A diff with threads at their lines.
    pub fn diff(&mut self, reply: &DiffReply) -> Result<(), Failure> {
        for thread in &reply.threads {
            self.inline(thread, ThreadPlace::Head)?;
        }
        for file in &reply.files {
            self.file(file)?;
        }
        if reply.files.is_empty() && reply.threads.is_empty() {
            self.print_message("nothing to show");
        }
        Ok(())
    }

    fn file(&mut self, file: &DiffFile) -> Result<(), Failure> {
        let head = match (&file.before, &file.after) {
            (Some(before), Some(after)) if before == after => self.naming.path(after),
            (Some(before), Some(after)) => {
                format!("{} (was {})", self.naming.path(after), self.naming.path(before))
            }
            (None, Some(after)) => format!("{} (new)", self.naming.path(after)),
            (Some(before), None) => format!("{} (deleted)", self.naming.path(before)),
            (None, None) => String::new(),
        };
        self.line(self.ink(Ink::Strong, format!("--- {head}")))?;
        for thread in &file.threads {
            self.inline(thread, ThreadPlace::Head)?;
        }
        if file.binary {
            return self.line("binary content");
        }
        let mut last: Option<u32> = None;
        for line in &file.lines {
            if last.is_none_or(|last| last + 1 != line.offset) {
                let at = line.after.or(line.before).unwrap_or_default();
                self.line(self.ink(Ink::Place, format!("@@ line {at}")))?;
            }
            last = Some(line.offset);
            self.diff_line(line)?;
        }
        Ok(())
    }

    fn diff_line(&mut self, line: &DiffLine) -> Result<(), Failure> {
        let (mark, ink) = match line.mark {
            DiffMark::Kept => (' ', None),
            DiffMark::Added => ('+', Some(Ink::Added)),
            DiffMark::Deleted => ('-', Some(Ink::Deleted)),
        };
        let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let text = format!("{mark}{}", sanitize::line(line.text.as_bytes()));
        let text = ink.map_or_else(|| text.clone(), |ink| self.ink(ink, &text));
        let numbers = format!("{:>5} {:>5} ", number(line.before), number(line.after));
        self.line(format!("{}{text}", self.ink(Ink::Faint, numbers)))?;
        line.threads.iter().try_for_each(|thread| self.inline(thread, ThreadPlace::Line))
    }

    /// A thread between the lines of a diff.
    fn inline(&mut self, thread: &ThreadView, at: ThreadPlace) -> Result<(), Failure> {
        const EDGE: &str = "            | ";
        const INDENT: &str = "            |   ";
        let mut head = format!("{EDGE}{}", self.ink(Ink::Id, &thread.short));
        let lost = thread.position.as_ref().filter(|position| position.state == PlaceState::Orphaned);
        match thread.position.as_ref().and_then(|position| position.range).filter(|_| at == ThreadPlace::Line)
        {
            None if at == ThreadPlace::Line && lost.is_some() => {
                // It is at the first place to consider, and not said to be there.
                let stood = lost.map(position_words::first_candidate).unwrap_or_default();
                let _ = write!(head, " {}", self.ink(Ink::Doubt, stood));
            }
            None => {
                let place = self.place_of(thread);
                let _ = write!(head, " {}", self.ink(Ink::Place, place));
            }
            // A thread is shown below its last line, and may begin further above.
            Some(range) if range.start != range.end || range.start.column.is_some() => {
                let _ = write!(head, " {}", self.ink(Ink::Place, format!("lines {range}")));
            }
            Some(_) => {}
        }
        head.push_str(&self.flags(thread));
        let on = CommentedOn::of(thread);
        if let (Some(position), Some(on)) = (&thread.position, on)
            && let Some(said) = position_words::position(&self.naming, position, on)
        {
            let ink = position_words::ink(position.state);
            match self.width() {
                // On a terminal it may take several lines, which are its own then.
                Some(width) => {
                    for part in sanitize::wrap(&said, width.saturating_sub(INDENT.len())) {
                        let _ = write!(head, "\n{INDENT}{}", self.ink(ink, part));
                    }
                }
                None => {
                    let _ = write!(head, "  {}", self.ink(ink, said));
                }
            }
        }
        self.line(head)?;
        if let (Some(position), Some(on)) = (&thread.position, on) {
            self.was(position, on, EDGE, LINES_IN_LIST)?;
        }
        for comment in &thread.comments {
            let name = super::person::name(&comment.author);
            let before = format!("{EDGE}{}: ", self.ink(Ink::Person, &name));
            let taken = EDGE.len() + sanitize::width(&name) + 2;
            self.text_behind((before, taken), &comment.text, INDENT)?;
        }
        Ok(())
    }
}
