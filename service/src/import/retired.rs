//! Which threads of a source are retired: resolved, because it no longer reports what they are about.
//!
//! That a finding is absent proves little: a reviewer that finds less than all would bury what is real. So a thread is
//! retired only if it is the source's own, no person answered it, the report covers its file, and its lines have changed
//! since it was reported last, or it was absent as often as the person who imports asks for.

use std::collections::BTreeSet;

use postil_core::git::{RepoPath, history};
use postil_core::record::{PositionEntry, StatusRecord, StatusWord};
use postil_core::review::{Comment, Membership, ReportKey, Thread, ThreadState};
use postil_protocol::{Fault, Import};

use crate::convert::fault::OrFault as _;
use crate::import::absent::AbsentCounts;
use crate::import::importing::{Importing, VANISHED, status_by_report};
use crate::import::report_finding::is_unchanged;
use crate::lists::pathspec::Pathspecs;
use crate::view::hex;

impl Importing<'_> {
    /// Resolves what these sources once reported and report no more.
    pub fn retire(&mut self, import: &Import) -> Result<(), Fault> {
        let request = self.request;
        let asked = (!import.covers.is_empty()).then(|| Pathspecs::read(&import.covers)).transpose()?;
        let named = import
            .comments
            .iter()
            .filter_map(|comment| Some((comment.source.as_str(), comment.place.as_ref()?.path.as_bytes())));
        let listed = import.covered.iter();
        let covered: BTreeSet<(&str, &[u8])> =
            named.chain(listed.map(|file| (file.source.as_str(), file.path.as_bytes()))).collect();
        let covers = |source: &str, path: &RepoPath| {
            covered.contains(&(source, path.as_bytes()))
                || asked.as_ref().is_some_and(|asked| asked.include(path))
        };
        let keys: BTreeSet<(&str, &str)> =
            import.comments.iter().map(|comment| (comment.source.as_str(), comment.id.as_str())).collect();
        let mut absent = Vec::new();
        for thread in request.notes.threads.iter().filter(|thread| thread.state() == ThreadState::Open) {
            let Some(root) = thread.root_comment() else { continue };
            let Some(ReportKey { source, name }) = ReportKey::imported(&root.said().tags) else { continue };
            let is_reported =
                self.reported.contains(&thread.id()) || keys.contains(&(source.as_str(), name.as_str()));
            let is_of_this = import.sources.contains(&source) && root.comment_anchor().is_some();
            if is_of_this && !is_reported && !is_answered(thread) {
                absent.push((thread, source));
            }
        }
        let revs: BTreeSet<Option<&str>> = import
            .comments
            .iter()
            .filter_map(|comment| comment.place.as_ref())
            .map(|place| place.rev.as_deref())
            .collect();
        // What is absent from a report about another commit says nothing about this one.
        for rev in revs.into_iter().flatten() {
            if request.work_tree.commit_named(rev).ok() != request.head {
                self.reply.absent += u32::try_from(absent.len()).unwrap_or(u32::MAX);
                return Ok(());
            }
        }
        let threads: Vec<Thread<'_>> = absent.iter().map(|(thread, _)| *thread).collect();
        let entries = self.entries_of(&threads, None)?;
        let mut counts = AbsentCounts::read(request.work_tree.repository().common_dir());
        for (thread, source) in absent {
            let entry = entries.get(&thread.id()).map(AsRef::as_ref);
            let path = entry.and_then(|entry| entry.path.as_ref()).or(thread.anchor().map(|on| &on.path));
            let is_covered = path.is_some_and(|path| covers(&source, path));
            let is_over = is_covered
                && self.is_later(thread)?
                && (has_changed(entry)
                    || import.absent.is_some_and(|times| {
                        counts.count(thread.id(), request.head.as_ref()) >= times.max(1)
                    }));
            if is_over {
                let what = status_by_report(StatusWord::Resolved, VANISHED, source);
                let over = thread.statuses().over();
                self.batch.mark(request, thread.id(), self.importer(), what, over)?;
                self.reply.retired.push(hex(thread.id()));
                counts.forget(thread.id());
            } else {
                self.reply.absent += 1;
            }
        }
        for id in &self.reported {
            counts.forget(*id);
        }
        counts.write();
        Ok(())
    }

    /// Whether what is checked out comes after the commit that a thread is on, so that its lines can have changed since.
    fn is_later(&self, thread: Thread<'_>) -> Result<bool, Fault> {
        let review = match thread.review() {
            Membership::Review(review) => self.request.notes.threads.group_of(review.id()),
            Membership::None | Membership::Unknown(_) => None,
        };
        if review.is_some_and(|group| Some(group.id()) == self.current) {
            return Ok(true);
        }
        let (Some(head), Some(commit)) = (self.request.head, thread.commit()) else { return Ok(true) };
        let handle = self.request.work_tree.repository().handle();
        let is_here = handle.has_object(commit.raw());
        Ok(is_here && (commit == head || history::is_ancestor(&handle, commit, head).or_fault()?))
    }
}

fn has_changed(entry: Option<&PositionEntry>) -> bool {
    entry.is_some_and(|entry| !is_unchanged(entry))
}

/// Whether a person said, decided or moved something: that is for people to settle.
fn is_answered(thread: Thread<'_>) -> bool {
    let by_hand = |answer: &Comment| {
        let said = answer.said();
        said.via.is_none()
            && ReportKey::imported(&said.tags).is_none()
            && answer.state() != ThreadState::Withdrawn
    };
    let decided = |status: &StatusRecord| status.via.is_none() && status.source.is_none();
    let has_words = |root: &Comment| root.words().proposals().contenders().any(|one| one.said.via.is_none());
    thread.replies().any(by_hand)
        || thread.statuses().changes().iter().any(|change| decided(&change.said))
        || thread.root_comment().is_some_and(|root| {
            has_words(root) || root.moves().changes().iter().any(|change| change.said.via.is_none())
        })
}
