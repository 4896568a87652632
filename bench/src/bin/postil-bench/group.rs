//! A thousand records in one group, against `git fast-import` writing the same notes.

use std::io::Write as _;

use postil_core::git::CommitId;
use postil_core::record::Record;

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory, NOTES, write};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

const GROUP: usize = 1_000;

/// Writes one group a round, into a store of nothing and into one that holds much already.
pub struct Group<'a> {
    laboratory: &'a Laboratory,
    cases: Vec<GroupCase>,
}

struct GroupCase {
    held: usize,
    repo: Bare,
    notes: Vec<(CommitId, Record)>,
    /// The same for `git fast-import`.
    stream: Vec<u8>,
    ours: Samples,
    git: Samples,
}

impl<'a> Group<'a> {
    pub fn new(laboratory: &'a Laboratory) -> BenchResult<Self> {
        let mut cases = Vec::new();
        for held in [0, 10_000] {
            let mut comments = Comments::new(7 + held as u64)?;
            let (repo, commits) = laboratory.repository(&format!("group-{held}"), held + GROUP)?;
            let (new, noted) = commits.split_at(GROUP);
            if held > 0 {
                repo.fill(comments.on_each(noted, Shape::Short)?)?;
            }
            let notes = comments.on_each(new, Shape::Full)?;
            let stream = stream(&notes, held > 0)?;
            cases.push(GroupCase {
                held,
                repo,
                notes,
                stream,
                ours: Samples::default(),
                git: Samples::default(),
            });
        }
        Ok(Self { laboratory, cases })
    }
}

impl Measurement for Group<'_> {
    fn round(&mut self) -> BenchResult<()> {
        for case in &mut self.cases {
            let for_us = self.laboratory.copy(&case.repo)?;
            let notes = case.notes.clone();
            let ((), timing) = timed(|| write(&for_us.open()?, notes))?;
            case.ours.push(timing);
            let for_git = self.laboratory.copy(&case.repo)?;
            case.git.push(for_git.import(&case.stream, "notes")?);
            // Git cuts notes trees into directories in two ways, this and that of `git notes`: only the notes agree.
            let list = ["notes", "--ref=reviews", "list"];
            if for_us.git(&list)? != for_git.git(&list)? {
                return Err("postil and git fast-import wrote different notes".into());
            }
        }
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let mut lines = Vec::new();
        for case in &self.cases {
            let (ours, git) = (case.ours.median(), case.git.median());
            lines.push(BenchRow::time(format!("git fast-import of {GROUP} notes into {}", case.held), git));
            let what = format!("add {GROUP} records in one group to {} notes, durable", case.held);
            lines.push(BenchRow::ratio(what, ours, times(ours, git), "x of git").aim(Goal::AtMost(1.0)));
        }
        lines
    }
}

/// The notes as `git fast-import` wants them.
fn stream(notes: &[(CommitId, Record)], goes_on: bool) -> BenchResult<Vec<u8>> {
    let message = "Comment on a change";
    let mut stream = Vec::new();
    writeln!(stream, "commit {NOTES}\ncommitter A U Thor <author@example.com> 1800000000 +0000")?;
    writeln!(stream, "data {}\n{message}", message.len())?;
    if goes_on {
        writeln!(stream, "from {NOTES}^0")?;
    }
    for (commit, record) in notes {
        writeln!(stream, "N inline {commit}\ndata {}", record.as_bytes().len())?;
        stream.extend_from_slice(record.as_bytes());
        stream.push(b'\n');
    }
    Ok(stream)
}
