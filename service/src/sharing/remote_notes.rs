//! How the notes here differ from those of the remotes, as of the last fetch or push. Nothing is fetched for that.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use postil_core::git::CommitId;
use postil_core::notes::Store;
use postil_core::sync::Remote;
use postil_protocol::RemoteNotes;

/// So many remotes are told about; whoever has more does not read them all.
const MAX_REMOTES: usize = 8;

/// So many comparisons are kept: a prompt asks for the same again and again.
const MAX_KEPT: usize = 2 * MAX_REMOTES;

/// Comparisons of notes that were made already.
#[derive(Debug, Default)]
pub(crate) struct ComparedNotes(Mutex<VecDeque<ComparedTips>>);

#[derive(Clone, Copy, Debug)]
struct ComparedTips {
    there: Option<CommitId>,
    here: Option<CommitId>,
    unsent: u32,
    unmerged: u32,
}

impl ComparedNotes {
    /// The configured remotes; one that nothing is known of only if it is the default one.
    ///
    /// What cannot be compared, because its commits are not here, is left out.
    pub fn of_remotes(&self, store: &Store, here: Option<CommitId>) -> Vec<RemoteNotes> {
        let repo = store.repository();
        let usual = Remote::usual_configured(repo).ok();
        let remotes = Remote::configured(repo);
        let remotes = remotes.iter().take(MAX_REMOTES).filter_map(|name| Remote::named(name).ok());
        let told = remotes.filter_map(|remote| {
            let there = store.tracked(remote.tracking()).ok()?;
            if there.is_none() && usual.as_ref() != Some(&remote) {
                return None;
            }
            let compared = self.compare(store, there, here)?;
            let (name, known) = (remote.shown().to_owned(), there.is_some());
            Some(RemoteNotes { name, known, unsent: compared.unsent, unmerged: compared.unmerged })
        });
        told.collect()
    }

    fn compare(
        &self,
        store: &Store,
        there: Option<CommitId>,
        here: Option<CommitId>,
    ) -> Option<ComparedTips> {
        if there == here {
            return Some(ComparedTips { there, here, unsent: 0, unmerged: 0 });
        }
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&ComparedTips| known.there == there && known.here == here;
        if let Some(known) = lock().iter().find(is_same) {
            return Some(*known);
        }
        let count = |records: usize| u32::try_from(records).unwrap_or(u32::MAX);
        let (unsent, unmerged) = (store.added(there, here).ok()?, store.added(here, there).ok()?);
        let compared =
            ComparedTips { there, here, unsent: count(unsent.len()), unmerged: count(unmerged.len()) };
        let mut known = lock();
        if known.len() >= MAX_KEPT {
            known.pop_front();
        }
        known.push_back(compared);
        Some(compared)
    }
}
