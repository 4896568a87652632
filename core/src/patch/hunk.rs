//! One hunk: lines that stay, go and come, and where its author said they are.
//!
//! Where they really are is found in `ladder`.

/// What becomes of a line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It stays.
    Context,
    /// It goes.
    Remove,
    /// It comes.
    Add,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HunkLine {
    /// What becomes of it.
    pub role: Role,
    /// Its bytes, without the newline but with a carriage return that is before it.
    pub text: Vec<u8>,
    /// Whether a newline ends it; the last line of a file may have none.
    pub newline: bool,
}

/// What a header says of the place of a hunk; people and machines get it wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stated {
    /// The first old line, counted from one.
    pub old_start: usize,
    /// How many old lines there are.
    pub old_lines: usize,
    /// The first new line, counted from one.
    pub new_start: usize,
    /// How many new lines there are.
    pub new_lines: usize,
}

impl Stated {
    /// The first old line, counted from zero; for no lines, the one that they would be.
    pub(super) fn first_line(self) -> usize {
        if self.old_lines == 0 { self.old_start } else { self.old_start.saturating_sub(1) }
    }
}

/// How it is known whether a hunk ends where the file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// It was said.
    Said,
    /// Its context, as programs write it: only the end of the file cuts it off.
    Context,
    /// Not known: its author took any amount of context.
    Unknown,
}

/// Lines that stay, go and come together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PatchHunk {
    /// Where it is meant to be; `None` if the patch does not say.
    pub stated: Option<Stated>,
    /// Lines that are somewhere above it, outermost first.
    pub headings: Vec<Vec<u8>>,
    /// Its lines, in order.
    pub lines: Vec<HunkLine>,
    /// How it is known whether it ends where the file ends.
    pub end: End,
    /// The line of the patch it begins at, counted from one.
    pub patch_line: usize,
}

impl PatchHunk {
    /// Swaps what goes and what comes.
    pub fn reverse(&mut self) {
        if let Some(stated) = &mut self.stated {
            std::mem::swap(&mut stated.old_start, &mut stated.new_start);
            std::mem::swap(&mut stated.old_lines, &mut stated.new_lines);
        }
        for line in &mut self.lines {
            line.role = match line.role {
                Role::Context => Role::Context,
                Role::Remove => Role::Add,
                Role::Add => Role::Remove,
            };
        }
        for run in self.lines.chunk_by_mut(|a, b| a.role != Role::Context && b.role != Role::Context) {
            run.sort_by_key(|line| line.role == Role::Add);
        }
    }

    /// The lines that are in the file before.
    pub fn old(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.role != Role::Add)
    }

    /// How many lines of context are before the first change, and after the last one.
    pub(super) fn context(&self) -> (usize, usize) {
        let is_context = |line: &&HunkLine| line.role == Role::Context;
        let leading = self.lines.iter().take_while(is_context).count();
        (leading, self.lines.iter().rev().take_while(is_context).count())
    }

    /// Whether it changes anything.
    pub(super) fn is_change(&self) -> bool {
        self.lines.iter().any(|line| line.role != Role::Context)
    }

    /// Context that is shorter after the change than before it was cut off by the end of the file.
    ///
    /// A hunk without a header does not count its context either: only no context at all says so.
    pub(super) fn is_pinned_to_end(&self) -> bool {
        let (leading, trailing) = self.context();
        match self.end {
            End::Said => true,
            End::Context => {
                self.is_change() && trailing < leading && (self.stated.is_some() || trailing == 0)
            }
            End::Unknown => false,
        }
    }
}
