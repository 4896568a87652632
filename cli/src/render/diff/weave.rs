//! Prints git's diff with threads between its lines.

use std::io::BufRead;

use postil_protocol::ThreadView;

use super::diff_colours::DiffColours;
use super::git_output::{DiffSection, GitDiffReader, GitLine, HunkForm};
use super::placed_threads::{PlacedThreads, ThreadsToPlace};
use super::section_paths::PathPrefixes;
use super::thread_notes::ThreadSpot;
use crate::failure::{Failure, FailureKind};
use crate::render::Screen;

/// Where threads are in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadPlacement {
    /// Below their lines, for people. GNU patch reads that as well, but not `git apply`.
    Lines,
    /// After what git printed about their file, where every reader of diffs expects other text.
    Files,
    /// Nowhere.
    Left,
}

/// What git prints.
#[derive(Debug)]
pub struct GitDiffText<R> {
    /// Where it comes from.
    pub output: R,
    /// How it prints lines of hunks.
    pub form: HunkForm,
    /// How it names files.
    pub prefixes: PathPrefixes,
    /// The colours that a terminal obeys; none if the bytes are for a program.
    pub colours: Option<DiffColours>,
}

impl Screen {
    /// A diff with threads; returns whether there was anything.
    pub fn woven(
        &mut self,
        diff: GitDiffText<impl BufRead>,
        mut threads: ThreadsToPlace,
        placement: ThreadPlacement,
    ) -> Result<bool, Failure> {
        let mut is_something = false;
        if placement != ThreadPlacement::Left {
            let whole = threads.take_whole();
            is_something |= !whole.is_empty();
            self.thread_notes(&whole, ThreadSpot::Away)?;
        }
        let mut reader = GitDiffReader::new(diff.output, diff.form);
        let unread = |error| Failure::new(FailureKind::Unavailable, "could not read the diff").because(error);
        while let Some(section) = reader.section().map_err(unread)? {
            is_something = true;
            let mut placed = PlacedThreads::default();
            if placement != ThreadPlacement::Left {
                placed = threads.take(&diff.prefixes.paths(&section), &section);
            }
            self.section(&section, placed, placement, diff.colours.as_ref())?;
        }
        let outside = if placement == ThreadPlacement::Left { Vec::new() } else { threads.left() };
        if outside.is_empty() {
            return Ok(is_something);
        }
        self.outside_notes(&outside)?;
        Ok(true)
    }

    fn section(
        &mut self,
        section: &DiffSection,
        mut placed: PlacedThreads,
        placement: ThreadPlacement,
        colours: Option<&DiffColours>,
    ) -> Result<(), Failure> {
        let mut ends = true;
        // What is below a line is also below what says that the line has no end.
        let mut due: Vec<ThreadView> = Vec::new();
        let mut in_file = Vec::new();
        let count = section.lines().len();
        for (at, (line, _)) in section.lines().enumerate() {
            match colours {
                Some(colours) => self.bytes(&colours.harmless(line))?,
                None => self.bytes(line)?,
            }
            ends = line.ends_with(b"\n");
            due.extend(placed.below.remove(&at).unwrap_or_default());
            if at + 1 < count && section.what(at + 1) == GitLine::Incomplete {
                continue;
            }
            let in_hunk = placed.after_hunk.remove(&at).unwrap_or_default();
            if placement == ThreadPlacement::Lines {
                self.thread_notes(&std::mem::take(&mut due), ThreadSpot::Line)?;
                self.thread_notes(&in_hunk, ThreadSpot::Away)?;
            } else {
                in_file.append(&mut due);
                in_file.extend(in_hunk);
            }
        }
        if placed.rest.is_empty() && in_file.is_empty() {
            return Ok(());
        }
        if !ends {
            self.bytes(b"\n")?;
        }
        self.thread_notes(&placed.rest, ThreadSpot::Away)?;
        self.thread_notes(&in_file, ThreadSpot::Away)
    }
}
