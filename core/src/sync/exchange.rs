//! One sync with one remote: fetch, merge, push, and again if others were faster.

use std::collections::BTreeSet;

use super::record_counts::RecordCounts;
use super::{Fetched, Pushed, Remote, SyncError, Transport, TransportError};
use crate::git::{CommitId, RepoPath};
use crate::notes::{Checked, Committer, NotesError, Store, UnsentFile};
use crate::record::RecordId;

/// How often a push is tried before it fails.
///
/// With twenty senders at once, in three runs, the last one was through after 9, 9 and 11 tries.
pub const MAX_TRIES: usize = 24;

/// What an exchange does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeDirection {
    /// Fetch and push.
    Both,
    /// Only fetch.
    FetchOnly,
    /// Only push, if the remote has nothing that we lack.
    PushOnly,
    /// Only fetch into the tracking ref; nothing else changes.
    DryRun,
}

/// Which commented files may be pushed with the notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesToSend {
    /// Those that git has pushed to the remote before; if there are others, nothing is pushed.
    SentByGit,
    /// All of them, because a person allowed it.
    All,
}

/// What an exchange did, or in a dry run would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// What was fetched.
    pub came: RecordCounts,
    /// What was pushed.
    pub went: RecordCounts,
    /// The result of the push.
    pub sent: Sent,
    /// How often it was tried.
    pub tries: usize,
    /// The records that purges from there removed here; they are kept for a while.
    pub purged: BTreeSet<RecordId>,
    /// Entries from there that git refuses, and that were left out; they are kept aside.
    pub refused: Vec<RepoPath>,
    /// What the check of our own notes found.
    pub checked: Checked,
    /// In a dry run, the commented files because of which nothing would be pushed.
    pub unsent: Vec<UnsentFile>,
}

/// The result of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The remote had all of it.
    Nothing,
    /// The remote has all of it now.
    All,
    /// It was not requested.
    NotAsked,
}

/// Exchanges reviews with one remote.
///
/// If it fails, what was fetched until then is kept, and nothing of ours is lost.
pub fn exchange(
    store: &Store,
    transport: &mut impl Transport,
    remote: &Remote,
    direction: ExchangeDirection,
    files: FilesToSend,
    by: &Committer,
) -> Result<Exchanged, SyncError> {
    // An address may hold a password.
    let moving = |error: TransportError| SyncError::from(error.of(remote.shown()));
    let notes = |source| SyncError::Notes { remote: remote.shown().to_owned(), source: Box::new(source) };
    if direction != ExchangeDirection::DryRun {
        store.publish_waiting(by).map_err(notes)?;
        // Git sends nothing if a part of the history is missing.
        store.repository().restore_kept(&[]);
    }
    let checked = store.check(by).map_err(notes)?;
    if !store.lost_tips().is_empty() && direction != ExchangeDirection::PushOnly {
        store.set_damaged_aside(by).map_err(notes)?;
        transport.fetch_everything();
    }
    let mut done = Exchanged {
        came: RecordCounts::default(),
        went: RecordCounts::default(),
        sent: Sent::NotAsked,
        tries: 0,
        purged: BTreeSet::new(),
        refused: Vec::new(),
        checked,
        unsent: Vec::new(),
    };
    // What they had then was sent to them, whatever they have now.
    let had = store.tracked(remote.tracking()).map_err(notes)?.filter(|had| store.may_be_notes(*had));
    let unsent = |theirs: Option<CommitId>, ours: CommitId| match files {
        FilesToSend::All => Ok(Vec::new()),
        FilesToSend::SentByGit => {
            let had: Vec<CommitId> = theirs.into_iter().chain(had).collect();
            store.unsent_files(remote.name(), &had, ours).map_err(notes)
        }
    };
    let mut met: Option<Option<CommitId>> = None;
    loop {
        done.tries += 1;
        let theirs = match direction {
            ExchangeDirection::PushOnly => store.tracked(remote.tracking()).map_err(notes)?,
            ExchangeDirection::Both | ExchangeDirection::FetchOnly | ExchangeDirection::DryRun => {
                let fetched = transport.fetch(remote.name(), remote.tracking()).map_err(moving)?;
                if fetched == Fetched::Completed {
                    // What was checked so far was a part, and may have lost something before that part began.
                    let whole = store.check_all(by).map_err(notes)?;
                    done.checked = Checked {
                        records: done.checked.records + whole.records,
                        pins: done.checked.pins + whole.pins,
                        restored: done.checked.restored,
                        ..whole
                    };
                }
                match fetched {
                    Fetched::Notes | Fetched::Completed => store.tracked(remote.tracking()).map_err(notes)?,
                    Fetched::Nothing => None,
                }
            }
        };
        if theirs.is_some_and(|theirs| !store.may_be_notes(theirs)) {
            return Err(SyncError::NoNotes { remote: remote.shown().to_owned() });
        }
        if direction == ExchangeDirection::DryRun {
            let ours = done.checked.tip;
            done.came = RecordCounts::of(&store.added(ours, theirs).map_err(notes)?);
            done.went = RecordCounts::of(&store.added(theirs, ours).map_err(notes)?);
            done.unsent = ours.map(|ours| unsent(theirs, ours)).transpose()?.unwrap_or_default();
            return Ok(done);
        }
        if let Some(theirs) = theirs.filter(|_| direction != ExchangeDirection::PushOnly) {
            take_in(store, theirs, by, &mut done).map_err(notes)?;
            store.recover_lost_tips(by).map_err(notes)?;
        }
        if direction == ExchangeDirection::FetchOnly {
            return Ok(done);
        }
        store.promote_pins_for(Some(remote.name()), by).map_err(notes)?;
        let tip = store.tip().map_err(notes)?;
        let Some(ours) = tip.filter(|ours| Some(*ours) != theirs) else {
            done.sent = Sent::Nothing;
            return Ok(done);
        };
        let files = unsent(theirs, ours)?;
        if !files.is_empty() {
            return Err(SyncError::Unsent { remote: remote.shown().to_owned(), files });
        }
        match transport.push(remote.name(), ours).map_err(moving)? {
            Pushed::Accepted => {
                done.went = RecordCounts::of(&store.added(theirs, tip).map_err(notes)?);
                done.sent = Sent::All;
                store.track(remote.tracking(), ours, by).map_err(notes)?;
                return Ok(done);
            }
            // What we send does not go where we look, and it was there.
            Pushed::UpToDate => {
                done.sent = Sent::Nothing;
                store.track(remote.tracking(), ours, by).map_err(notes)?;
                return Ok(done);
            }
            Pushed::Outrun if done.tries < MAX_TRIES && direction == ExchangeDirection::Both => {
                tracing::debug!(
                    remote = remote.shown(),
                    done.tries,
                    "someone else pushed first; trying again"
                );
                if met == Some(theirs) {
                    // Nothing came, and yet they have something else: what we send does not go where we look.
                    for address in transport.push_addresses(remote.name()) {
                        let fetched = transport.fetch(&address, remote.tracking());
                        if fetched.map_err(moving)? != Fetched::Nothing
                            && let Some(theirs) = store.tracked(remote.tracking()).map_err(notes)?
                        {
                            take_in(store, theirs, by, &mut done).map_err(notes)?;
                        }
                    }
                }
                met = Some(theirs);
                transport.pause(done.tries);
            }
            Pushed::Outrun => {
                return Err(SyncError::Outrun { remote: remote.shown().to_owned(), tries: done.tries });
            }
        }
    }
}

/// Merges what they have into ours, and counts what came that way: what somebody writes here meanwhile did not.
fn take_in(store: &Store, theirs: CommitId, by: &Committer, done: &mut Exchanged) -> Result<(), NotesError> {
    let merged = store.merge(theirs, by)?;
    done.purged.extend(merged.purged);
    done.refused.extend(merged.refused);
    done.came.count(&store.added(merged.checked.tip, Some(merged.tip))?);
    Ok(())
}
