//! Many new records on each side, against `git notes merge` of as many lines of text.

use std::fmt::Write as _;

use postil_core::git::CommitId;

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed, timed_child};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory, NOTES, by, write};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

/// Notes that both sides begin with.
const SHARED: usize = 10_000;

/// Records that each side adds: one half to notes of its own, the other to notes that both change.
const APART: usize = 10_000;

const THEIRS: &str = "refs/notes/theirs";
const TEXT: &str = "refs/notes/text";
const THEIR_TEXT: &str = "refs/notes/their-text";

/// Merges the same two stores, and the same two sets of text notes, in every round.
pub struct Apart<'a> {
    laboratory: &'a Laboratory,
    repo: Bare,
    theirs: CommitId,
    ours: Samples,
    git: Samples,
}

impl<'a> Apart<'a> {
    pub fn new(laboratory: &'a Laboratory) -> BenchResult<Self> {
        let mut comments = Comments::new(23)?;
        let (repo, commits) = laboratory.repository("apart", SHARED + APART)?;
        let (own, shared) = commits.split_at(APART);
        repo.fill(comments.on_each(shared, Shape::Short)?)?;
        let base = repo.tip(NOTES)?;
        let mut tips = Vec::new();
        let mut stream = text(TEXT, None, shared.iter().map(|commit| (*commit, "shared".to_owned())))?;
        for (side, own) in own.chunks(APART / 2).enumerate() {
            repo.reset(base)?;
            let both: Vec<CommitId> =
                own.iter().zip(shared).flat_map(|(own, shared)| [*own, *shared]).collect();
            write(&repo.open()?, comments.on_each(&both, Shape::Short)?)?;
            tips.push(repo.tip(NOTES)?);
            let lines = own.iter().map(|commit| (*commit, format!("side {side}")));
            let both = shared[..APART / 2].iter().map(|commit| (*commit, format!("shared\nside {side}")));
            // The base is where the first side began.
            let (name, from) = if side == 0 { (THEIR_TEXT, TEXT) } else { ("refs/notes/ours", TEXT) };
            stream += &text(name, Some(from), lines.chain(both))?;
        }
        repo.import(stream.as_bytes(), "text")?;
        repo.git(&["update-ref", TEXT, "refs/notes/ours"])?;
        let [ours, theirs] = tips[..] else { return Err("there are two sides".into()) };
        repo.reset(ours)?;
        repo.git(&["update-ref", THEIRS, &theirs.to_string()])?;
        repo.collect_garbage()?;
        Ok(Self { laboratory, repo, theirs, ours: Samples::default(), git: Samples::default() })
    }
}

/// A commit of text notes, in the words of `git fast-import`, with the fanout that git would write.
fn text(
    name: &str,
    from: Option<&str>,
    notes: impl Iterator<Item = (CommitId, String)>,
) -> BenchResult<String> {
    let mut stream = format!("commit {name}\ncommitter A U Thor <author@example.com> 1 +0000\ndata 0\n");
    if let Some(from) = from {
        writeln!(stream, "from {from}")?;
    }
    for (commit, note) in notes {
        // Each with words of its own, so that both sides say something new.
        let note = format!("{note} of {commit}\n");
        writeln!(stream, "N inline {commit}\ndata {}\n{note}", note.len())?;
    }
    Ok(stream)
}

impl Measurement for Apart<'_> {
    fn round(&mut self) -> BenchResult<()> {
        let for_us = self.laboratory.copy(&self.repo)?;
        let (_, timing) = timed(|| Ok(for_us.open()?.merge(self.theirs, &by())?))?;
        self.ours.push(timing);
        let for_git = self.laboratory.copy(&self.repo)?;
        let merge = ["notes", "--ref=text", "merge", "-q", "-s", "cat_sort_uniq", THEIR_TEXT];
        self.git.push(timed_child(&mut for_git.command(&merge))?);
        let count = |repo: &Bare| Ok::<_, Box<dyn std::error::Error>>(repo.open()?.read()?.records().count());
        let (ours, expected) = (count(&for_us)?, SHARED + 2 * APART);
        if ours != expected {
            return Err(format!("postil merged to {ours} records instead of {expected}").into());
        }
        let listed = for_git.git(&["notes", "--ref=text", "list"])?.lines().count();
        if listed != SHARED + APART {
            return Err(format!("git merged to {listed} notes").into());
        }
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let (ours, git) = (self.ours.median(), self.git.median());
        let what = format!("merge 2 x {APART} new records in stores of {SHARED} notes, durable");
        vec![
            BenchRow::time("git notes merge -s cat_sort_uniq of as many lines of text", git),
            BenchRow::ratio(what, ours, times(ours, git), "x of git").aim(Goal::AtMost(1.0)),
        ]
    }
}
