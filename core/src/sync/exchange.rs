//! One exchange with one remote: fetch, merge, send, and again when others were faster.

use super::news::News;
use super::{Fetched, Pushed, Remote, SyncError, Transport, TransportError};
use crate::git::CommitId;
use crate::notes::{Checked, Committer, NotesError, Store, UnsentFile};

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

/// Which commented files may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Those that git has sent to the remote before; with others, nothing goes.
    SentByGit,
    /// All of them: a person has said so.
    All,
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
    /// In a dry run, the commented files that would keep everything from going.
    pub unsent: Vec<UnsentFile>,
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
    files: Files,
    by: &Committer,
) -> Result<Exchanged, SyncError> {
    // An address may hold a password.
    let moving = |error: TransportError| SyncError::from(error.of(remote.shown()));
    let notes = |source| SyncError::Notes { remote: remote.shown().to_owned(), source: Box::new(source) };
    let checked = store.check(by).map_err(notes)?;
    let mut done = Exchanged {
        came: News::default(),
        went: News::default(),
        sent: Sent::NotAsked,
        tries: 0,
        purged: 0,
        checked,
        unsent: Vec::new(),
    };
    // What they had then was sent to them, whatever they have now.
    let had = store.tracked(remote.tracking()).map_err(notes)?.filter(|had| store.may_be_notes(*had));
    let unsent = |theirs: Option<CommitId>, ours: CommitId| match files {
        Files::All => Ok(Vec::new()),
        Files::SentByGit => {
            let had: Vec<CommitId> = theirs.into_iter().chain(had).collect();
            store.unsent_files(remote.name(), &had, ours).map_err(notes)
        }
    };
    let mut met: Option<Option<CommitId>> = None;
    loop {
        done.tries += 1;
        let theirs = match direction {
            Direction::PushOnly => store.tracked(remote.tracking()).map_err(notes)?,
            Direction::Both | Direction::FetchOnly | Direction::DryRun => {
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
        if direction == Direction::DryRun {
            let ours = done.checked.tip;
            done.came = News::of(&store.added(ours, theirs).map_err(notes)?);
            done.went = News::of(&store.added(theirs, ours).map_err(notes)?);
            done.unsent = ours.map(|ours| unsent(theirs, ours)).transpose()?.unwrap_or_default();
            return Ok(done);
        }
        if let Some(theirs) = theirs.filter(|_| direction != Direction::PushOnly) {
            take_in(store, theirs, by, &mut done).map_err(notes)?;
        }
        if direction == Direction::FetchOnly {
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
                done.went = News::of(&store.added(theirs, tip).map_err(notes)?);
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
            Pushed::Outrun if done.tries < MAX_TRIES && direction == Direction::Both => {
                tracing::debug!(remote = remote.shown(), done.tries, "somebody else was faster");
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
    done.purged += merged.purged;
    done.came.count(&store.added(merged.checked.tip, Some(merged.tip))?);
    Ok(())
}
