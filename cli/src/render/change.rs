//! Changes to files: what is suggested, what would be written, and conflicts.

use std::fmt::Write as _;

use postil_protocol::{
    AskedSuggestion, ByteText, CommentView, ConflictView, PlanReply, PlannedFile, SuggestionState,
    WrittenReply,
};

use super::colour::Ink;
use super::screen::Screen;
use crate::failure::Failure;
use crate::sanitize;

/// Of each side of a conflict, so many lines are shown.
const MAX_SIDE: usize = 20;

/// So many digits of a new commit are shown.
const SHORT_COMMIT: usize = 10;

impl Screen {
    /// What would be written, as a diff.
    pub fn planned(&mut self, reply: &PlanReply) -> Result<(), Failure> {
        reply.files.iter().try_for_each(|file| self.unified(&file.diff, ""))
    }

    /// What was written.
    pub fn applied(&mut self, reply: &PlanReply) -> Result<(), Failure> {
        for file in &reply.files {
            let line = self.file_line(file);
            self.line(line)?;
        }
        match &reply.commit {
            Some(commit) => {
                let short = commit.as_str().get(..SHORT_COMMIT).unwrap_or(commit.as_str());
                self.line(format!("committed {}", self.ink(Ink::Id, short)))
            }
            None => Ok(()),
        }
    }

    /// Suggestions that were left out, each with its conflicts.
    pub fn left_out(
        &mut self,
        suggestions: &[AskedSuggestion],
        conflicts: &[ConflictView],
    ) -> Result<(), Failure> {
        for said in suggestions {
            let words = format!("{}: {}", said.author.name, said.subject);
            self.line(format!(
                "left out {} {}",
                self.ink(Ink::Id, &said.short),
                sanitize::line(words.as_bytes())
            ))?;
            if said.state == SuggestionState::Pending {
                self.line("  the files it was made for are not in this repository")?;
            }
            let of = |conflict: &&ConflictView| conflict.suggestion.as_ref() == Some(&said.short);
            let own: Vec<ConflictView> = conflicts
                .iter()
                .filter(of)
                .map(|conflict| ConflictView { suggestion: None, ..conflict.clone() })
                .collect();
            self.conflicts(&own, "  ")?;
        }
        Ok(())
    }

    fn file_line(&self, file: &PlannedFile) -> String {
        let name = |path: &ByteText| self.ink(Ink::Place, self.naming.path(path));
        let mut line = match (&file.from, &file.to) {
            (Some(from), Some(to)) if from == to => format!("changed {}", name(to)),
            (Some(from), Some(to)) => format!("renamed {} to {}", name(from), name(to)),
            (None, Some(to)) => format!("created {}", name(to)),
            (Some(from), None) => format!("deleted {}", name(from)),
            (None, None) => String::new(),
        };
        let tolerance: Vec<&str> =
            file.stages.iter().map(String::as_str).filter(|stage| *stage != "strict").collect();
        if !tolerance.is_empty() {
            let _ = write!(line, " ({})", tolerance.join(", "));
        }
        if file.conflicted {
            line.push_str(&self.ink(Ink::Bad, "  contains conflict markers"));
        }
        line
    }

    /// Conflicts: the expected lines, and the lines that are there.
    pub fn conflicts(&mut self, conflicts: &[ConflictView], indent: &str) -> Result<(), Failure> {
        for conflict in conflicts {
            let place = match (&conflict.path, conflict.line) {
                (Some(path), Some(line)) => format!("{}:{line}", self.naming.path(path)),
                (Some(path), None) => self.naming.path(path),
                (None, _) => "(unnamed file)".to_owned(),
            };
            let hunk = conflict.hunk.map(|hunk| format!("hunk {hunk}: ")).unwrap_or_default();
            let of = conflict.suggestion.as_ref().map(|short| format!("  {}", self.ink(Ink::Id, short)));
            let why = sanitize::line(conflict.why.as_bytes());
            self.line(format!(
                "{indent}{}{}  {hunk}{}",
                self.ink(Ink::Place, place),
                of.unwrap_or_default(),
                self.ink(Ink::Bad, why)
            ))?;
            self.side(indent, "expected", &conflict.expected)?;
            self.side(indent, "   found", &conflict.actual)?;
        }
        Ok(())
    }

    fn side(&mut self, indent: &str, word: &str, lines: &[ByteText]) -> Result<(), Failure> {
        for line in lines.iter().take(MAX_SIDE) {
            let line = sanitize::line(line.as_bytes());
            self.line(format!("{indent}  {} {line}", self.ink(Ink::Faint, format!("{word} |"))))?;
        }
        if lines.len() > MAX_SIDE {
            let rest = format!("{word} | … {} more", lines.len() - MAX_SIDE);
            self.line(format!("{indent}  {}", self.ink(Ink::Faint, rest)))?;
        }
        Ok(())
    }

    /// What a comment suggests, and what has become of it.
    pub fn suggestion(&mut self, comment: &CommentView) -> Result<(), Failure> {
        let Some(suggestion) = &comment.suggestion else { return Ok(()) };
        let (ink, word) = fate(suggestion.state);
        self.line(format!("    {}", self.ink(ink, word)))?;
        self.conflicts(&suggestion.conflicts, "    ")?;
        match &suggestion.diff {
            Some(diff) => self.unified(diff, "    "),
            None => Ok(()),
        }
    }

    /// The change that was stored with a comment that was just written.
    pub fn stored_change(&mut self, reply: &WrittenReply) -> Result<(), Failure> {
        let comment = reply.thread.comments.iter().find(|comment| comment.id == reply.id);
        match comment.and_then(|comment| comment.suggestion.as_ref()?.diff.as_ref()) {
            Some(diff) => self.unified(diff, "    "),
            None => Ok(()),
        }
    }

    fn unified(&mut self, diff: &ByteText, indent: &str) -> Result<(), Failure> {
        let bytes = diff.as_bytes();
        for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n') {
            let ink = match line.first() {
                Some(b'+') if !line.starts_with(b"+++ ") => Some(Ink::Added),
                Some(b'-') if !line.starts_with(b"--- ") => Some(Ink::Deleted),
                Some(b'@') => Some(Ink::Place),
                Some(b' ' | b'\\') | None => None,
                Some(_) => Some(Ink::Strong),
            };
            let shown = sanitize::line(line);
            let shown = ink.map_or_else(|| shown.clone(), |ink| self.ink(ink, &shown));
            self.line(format!("{indent}{shown}").trim_end_matches(' '))?;
        }
        Ok(())
    }
}

/// What has become of a suggestion, in words.
pub fn fate(state: SuggestionState) -> (Ink, &'static str) {
    match state {
        SuggestionState::Applies => (Ink::Strong, "suggestion applies"),
        SuggestionState::Done => (Ink::Good, "suggestion already applied"),
        SuggestionState::Conflict => (Ink::Doubt, "suggestion conflicts"),
        SuggestionState::Pending => (Ink::Faint, "suggestion cannot be checked here"),
    }
}

/// The same for a column of a table, where there is little room.
pub fn short_fate(state: SuggestionState) -> (Ink, &'static str) {
    match state {
        SuggestionState::Applies => (Ink::Strong, "(suggestion)"),
        SuggestionState::Done => (Ink::Good, "(applied)"),
        SuggestionState::Conflict => (Ink::Doubt, "(conflicts)"),
        SuggestionState::Pending => (Ink::Faint, "(suggestion)"),
    }
}
