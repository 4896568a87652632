//! What changed in a review since a verdict, or since it was looked at.

use postil_protocol::{DiffMark, Hex, SinceChange, SinceFile, SinceHunkView, SinceLine, SinceReply};

use super::colour::Ink;
use super::screen::Screen;
use crate::failure::Failure;
use crate::sanitize;

/// What a line begins with that is not part of a diff.
const REMARK: &str = "# ";

/// What the two marks mean.
const EXPLAINED: &str = "# rewritten since: the first mark is then (-) or now (+), the second is the diff";

impl Screen {
    /// Which review and verdict or look it is about, in lines that no reader takes for a part of a diff; returns whether
    /// there is anything more to show.
    pub fn since_head(&mut self, reply: &SinceReply) -> Result<bool, Failure> {
        self.set_margin(REMARK);
        let title = sanitize::line(reply.review.title.as_bytes());
        self.line(format!("review {}  {title}", self.ink(Ink::Id, &reply.review.short)))?;
        match &reply.verdict {
            Some(verdict) => self.verdict(verdict, reply.review.tip.as_ref())?,
            None => self.line("since you looked at it last")?,
        }
        let (then, now) = (short(&reply.then.head), short(&reply.now.head));
        let is_more = if then == now {
            self.line("no changes since then: the branch has not moved")?;
            false
        } else {
            let moved = self.ink(Ink::Faint, format!("then {then}, now {now}"));
            self.line(moved)?;
            if reply.files.is_empty() {
                self.line("no changes since then: the diff is the same")?;
            }
            !reply.files.is_empty()
        };
        self.set_margin("");
        Ok(is_more)
    }

    /// How the diff of a branch changed that was rewritten: as `git range-diff` shows it, a mark for the change before
    /// the mark of the line.
    pub fn since(&mut self, reply: &SinceReply) -> Result<(), Failure> {
        self.line(self.ink(Ink::Faint, EXPLAINED))?;
        reply.files.iter().try_for_each(|file| self.since_file(file))
    }

    fn since_file(&mut self, file: &SinceFile) -> Result<(), Failure> {
        let path = self.naming.path(&file.path);
        let head = match &file.was {
            Some(was) => format!("{} => {path}", self.naming.path(was)),
            None => path,
        };
        self.line(self.ink(Ink::Strong, format!(" ## {head} ##")))?;
        if file.lines.is_none() {
            return self
                .line(format!("{REMARK}the name, mode or line endings changed, or the file is binary"));
        }
        file.hunks.iter().try_for_each(|hunk| self.since_hunk(hunk))
    }

    fn since_hunk(&mut self, hunk: &SinceHunkView) -> Result<(), Failure> {
        let SinceHunkView { before, before_count, after, after_count, function, lines } = hunk;
        let numbers = format!("@@ -{before},{before_count} +{after},{after_count} @@");
        let mut head = self.ink(Ink::Place, numbers);
        if let Some(function) = function {
            head.push(' ');
            sanitize::push_line(&mut head, function.as_bytes());
        }
        self.line(head)?;
        lines.iter().try_for_each(|line| self.since_line(line))
    }

    fn since_line(&mut self, line: &SinceLine) -> Result<(), Failure> {
        let mark = match line.mark {
            DiffMark::Added => '+',
            DiffMark::Deleted => '-',
            DiffMark::Kept => ' ',
        };
        let text = sanitize::line(line.text.as_bytes());
        let (change, ink) = match line.change {
            SinceChange::Same => return self.line(format!(" {mark}{text}").trim_end()),
            SinceChange::Gone => ('-', Ink::Deleted),
            SinceChange::Came => ('+', Ink::Added),
        };
        self.line(self.ink(ink, format!("{change}{mark}{text}")))
    }
}

fn short(commit: &Hex) -> &str {
    &commit.as_str()[..commit.as_str().len().min(12)]
}
