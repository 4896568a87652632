//! Where a comment was at each commit, and why it moved.

use postil_core::anchoring::{Head, Means};
use postil_core::git::{CommitId, history};
use postil_core::protocol::{Detail, Fault, HeadName, Log, LogReply, LogStep, PositionView};
use postil_core::record::Basis;
use postil_core::review::Thread;

use super::placing::{Asked, Bases, entry, locate_all};
use super::scene::Scene;
use super::trouble::OrFault as _;
use super::view::{self, person};

/// More commits than this are not looked at.
const MAX_COMMITS: usize = 500;

impl Scene {
    /// Tells where a comment was at each commit between its own and the one that is checked out.
    ///
    /// Of commits at which it stood in the same place only the first is told.
    pub fn log(&self, log: &Log) -> Result<LogReply, Fault> {
        let thread = self.book.thread_named(&log.of)?;
        let mut steps = Vec::new();
        let mut truncated = false;
        if let (Some(head), Some(asked)) = (self.head, Asked::of(thread, &Bases::default())) {
            let mut commits = self.commits_between(asked.anchor.commit, head)?;
            truncated = commits.len() > MAX_COMMITS;
            commits.truncate(MAX_COMMITS);
            commits.reverse();
            for commit in commits {
                let step = self.step(&asked, commit)?;
                if steps.last().is_none_or(|last: &LogStep| !is_same(&last.position, &step.position)) {
                    steps.push(step);
                }
            }
        }
        if let Some(now) = self.uncommitted(thread)?
            && steps.last().is_some_and(|last: &LogStep| !is_same(&last.position, &now.position))
        {
            steps.push(now);
        }
        if let (Some(moved), Some(first)) =
            (thread.root_comment().and_then(|root| root.moves().in_force()), steps.first_mut())
        {
            first.by = Some(person(&moved.said.author));
        }
        steps.reverse();
        Ok(LogReply { thread: self.thread_view(thread, Detail::Full)?, steps, truncated })
    }

    /// The commits from that of the anchor, which is one of them, to the head; newest first.
    fn commits_between(&self, from: Option<CommitId>, head: CommitId) -> Result<Vec<CommitId>, Fault> {
        let handle = self.seat.repository().handle();
        let known = from.filter(|from| history::is_ancestor(&handle, *from, head).unwrap_or(false));
        // A comment on what was not committed, or on what was rewritten, has no way here but the last step.
        let Some(from) = known else { return Ok(vec![head]) };
        let mut commits = history::between(&handle, Some(from), head).or_fault()?.commits;
        commits.push(from);
        Ok(commits)
    }

    fn step(&self, asked: &Asked<'_>, commit: CommitId) -> Result<LogStep, Fault> {
        let handle = self.seat.repository().handle();
        let info = history::commit(&handle, commit).or_fault()?;
        let head = Head { tree: info.tree, commit: Some(commit) };
        let maps = Some(self.desk.maps.clone());
        let means = Means { threads: self.desk.options.threads, maps, stop: self.stop.clone() };
        let found = locate_all(&handle, &[*asked], head, &means)?;
        let entry = found.first().map(|position| entry(asked, position, Basis::History));
        let entry = entry.expect("one was asked for");
        let subject = handle
            .find_commit(commit.raw())
            .ok()
            .and_then(|commit| commit.message().ok().map(|message| message.summary().to_string()));
        Ok(LogStep {
            commit: Some(view::hex(commit)),
            subject: subject.unwrap_or_default(),
            time: info.time,
            position: view::position(asked.anchor, &entry),
            by: None,
        })
    }

    /// Where it is in the files on disk, where those differ from the commit.
    fn uncommitted(&self, thread: Thread<'_>) -> Result<Option<LogStep>, Fault> {
        let wait = postil_core::protocol::Freshness::Wait;
        let looked = self.look(&HeadName::WorkTree, wait, [thread].into_iter())?;
        let entry = looked.entries.get(&thread.id()).filter(|_| looked.head.uncommitted);
        Ok(thread.anchor().zip(entry).map(|(anchor, entry)| LogStep {
            commit: None,
            subject: "not committed yet".into(),
            time: 0,
            position: view::position(anchor, entry),
            by: None,
        }))
    }
}

fn is_same(one: &PositionView, other: &PositionView) -> bool {
    (one.state, &one.path, one.range, one.side) == (other.state, &other.path, other.range, other.side)
}
