//! One exchange with one remote: fetch, merge, send, and again when others were faster.

use super::news::News;
use super::{Fetched, Pushed, Remote, SyncError, Transport};
use crate::notes::{Checked, Committer, Store};

/// So often somebody else may be faster before we give up.
///
/// With twenty senders at once, in three runs, the last one was through after 9, 9 and 11 tries.
pub const MAX_TRIES: usize = 24;

/// Which way records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Theirs come, ours go.
    Both,
    /// Theirs come.
    FetchOnly,
    /// Ours go, if they have nothing that we lack.
    PushOnly,
    /// Nothing changes but what we know of them.
    DryRun,
}

/// What an exchange did, or in a dry run would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// What came.
    pub came: News,
    /// What went.
    pub went: News,
    /// How the sending ended.
    pub sent: Sent,
    /// How often it was tried.
    pub tries: usize,
    /// What purges from there took away here; it is kept aside for a while.
    pub purged: usize,
    /// What the check of our own notes found.
    pub checked: Checked,
}

/// How sending ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// They had all of it.
    Nothing,
    /// They have all of it now.
    All,
    /// It was not asked for.
    NotAsked,
}

/// Exchanges reviews with one remote.
///
/// Whatever fails, what came until then is kept, and nothing of ours is lost.
pub fn exchange(
    store: &Store,
    transport: &mut impl Transport,
    remote: &Remote,
    direction: Direction,
    by: &Committer,
) -> Result<Exchanged, SyncError> {
    let notes = |source| SyncError::Notes { remote: remote.name().to_owned(), source: Box::new(source) };
    let checked = store.check(by).map_err(notes)?;
    let before = checked.tip;
    let mut purged = 0;
    let mut tries = 0;
    loop {
        tries += 1;
        let theirs = match direction {
            Direction::PushOnly => store.tracked(remote.tracking()).map_err(notes)?,
            Direction::Both | Direction::FetchOnly | Direction::DryRun => {
                match transport.fetch(remote.name(), remote.tracking())? {
                    Fetched::Notes => store.tracked(remote.tracking()).map_err(notes)?,
                    Fetched::Nothing => None,
                }
            }
        };
        if direction == Direction::DryRun {
            let came = News::of(&store.added(before, theirs).map_err(notes)?);
            let went = News::of(&store.added(theirs, before).map_err(notes)?);
            return Ok(Exchanged { came, went, sent: Sent::NotAsked, tries, purged, checked });
        }
        if let Some(theirs) = theirs.filter(|_| direction != Direction::PushOnly) {
            purged += store.merge(theirs, by).map_err(notes)?.purged;
        }
        let came = |tip| store.added(before, tip).map(|records| News::of(&records)).map_err(notes);
        if direction == Direction::FetchOnly {
            let came = came(store.tip().map_err(notes)?)?;
            let went = News::default();
            return Ok(Exchanged { came, went, sent: Sent::NotAsked, tries, purged, checked });
        }
        store.promote_pins(by).map_err(notes)?;
        let tip = store.tip().map_err(notes)?;
        let Some(ours) = tip.filter(|ours| Some(*ours) != theirs) else {
            let (came, went) = (came(tip)?, News::default());
            return Ok(Exchanged { came, went, sent: Sent::Nothing, tries, purged, checked });
        };
        match transport.push(remote.name(), ours)? {
            Pushed::Accepted => {
                let (came, went) = (came(tip)?, News::of(&store.added(theirs, tip).map_err(notes)?));
                store.track(remote.tracking(), ours, by).map_err(notes)?;
                return Ok(Exchanged { came, went, sent: Sent::All, tries, purged, checked });
            }
            Pushed::Outrun if tries < MAX_TRIES && direction == Direction::Both => {
                tracing::debug!(remote = remote.name(), tries, "somebody else was faster");
                transport.pause(tries);
            }
            Pushed::Outrun => {
                return Err(SyncError::Outrun { remote: remote.name().to_owned(), tries });
            }
        }
    }
}
