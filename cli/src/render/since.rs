//! What changed in a review since a verdict.

use postil_protocol::{DiffMark, Hex, SinceChange, SinceFile, SinceLine, SinceReply};

use super::colour::Ink;
use super::screen::Screen;
use crate::failure::Failure;
use crate::sanitize;

impl Screen {
    /// What changed since a verdict: as `git range-diff` shows it, a mark for the change before the mark of the line.
    pub fn since(&mut self, reply: &SinceReply) -> Result<(), Failure> {
        let title = sanitize::line(reply.review.title.as_bytes());
        self.line(format!("review {}  {title}", self.ink(Ink::Id, &reply.review.short)))?;
        self.verdict(&reply.verdict, reply.review.tip.as_ref())?;
        let (then, now) = (short(&reply.then.head), short(&reply.now.head));
        if then == now {
            return self.line("no changes since then: the branch has not moved");
        }
        let moved = self.ink(Ink::Faint, format!("then {then}, now {now}"));
        self.line(moved)?;
        if reply.files.is_empty() {
            return self.line("no changes since then: the diff is the same");
        }
        reply.files.iter().try_for_each(|file| self.since_file(file))
    }

    fn since_file(&mut self, file: &SinceFile) -> Result<(), Failure> {
        let path = self.naming.path(&file.path);
        let head = match &file.was {
            Some(was) => format!("{path} (was {})", self.naming.path(was)),
            None => path,
        };
        self.line(self.ink(Ink::Strong, format!("--- {head}")))?;
        let Some(lines) = &file.lines else {
            return self.line("the name, mode or line endings changed, or the file is binary");
        };
        lines.iter().try_for_each(|line| self.since_line(line))
    }

    fn since_line(&mut self, line: &SinceLine) -> Result<(), Failure> {
        let (change, ink) = match line.change {
            SinceChange::Same => (' ', Ink::Faint),
            SinceChange::Gone => ('-', Ink::Deleted),
            SinceChange::Came => ('+', Ink::Added),
        };
        let mark = match line.mark {
            DiffMark::Added => '+',
            DiffMark::Deleted => '-',
            DiffMark::Kept => ' ',
        };
        let number = self.ink(Ink::Faint, format!("{:>5} ", line.line));
        let text = self.ink(ink, format!("{change}{mark}{}", sanitize::line(line.text.as_bytes())));
        self.line(format!("{number}{text}"))
    }
}

fn short(commit: &Hex) -> &str {
    &commit.as_str()[..commit.as_str().len().min(12)]
}
