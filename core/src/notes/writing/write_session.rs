//! A session of one writer: it holds the lock, and checks the tip before anything is written on top of it.
//!
//! Making commits and moving refs is `commit`; finding what was lost is `heal`.

use crate::git::{CommitId, ObjectId, RefError, Repository, TreeId, WriterLock, history};
use crate::notes::merging::heal::Brought;
use crate::notes::merging::leave_out::Cleaned;
use crate::notes::reading::contents::Contents;
use crate::notes::reading::page_scan::{NotesWithoutPurges, PageScanner};
use crate::notes::reading::readable_tip::{may_hold_notes, readable_tree};
use crate::notes::refs;
use crate::notes::store::StoreOptions;
use crate::notes::{Committer, NotesError, OpenMerge};

/// How often a lost race is tried again on the new tip.
const ATTEMPTS: usize = 32;

/// How often the search for an object that could not be read is repeated, with fresh packs.
const READS: usize = 8;

/// How often a check starts again because an object was only out of sight; after that the object counts as damaged.
const DOUBTS: usize = 8;

/// After this many lost races the ref stays locked during the next attempt.
const RACES: usize = 4;

/// The message of a commit that leaves out what git refuses.
const LEFT_OUT: &str = "Leave out entries that git refuses";

/// What a check of the notes ref found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Where the ref is now.
    pub tip: Option<CommitId>,
    /// How many records were restored.
    pub records: usize,
    /// How many pins were restored.
    pub pins: usize,
    /// Whether the ref itself was restored.
    pub restored: bool,
    /// How many notes could not be checked, because their blob is not here.
    pub unreadable: usize,
    /// How many entries were left out, because git refuses them; they are kept under [`refs::REFUSED`].
    pub refused: usize,
}

impl Checked {
    /// Whether anything had been lost.
    pub fn healed(&self) -> bool {
        self.records > 0 || self.pins > 0 || self.restored
    }
}

/// A session of one writer.
pub(in crate::notes) struct WriteSession<'repo> {
    /// Keeps what is written in memory until it is committed.
    pub repo: gix::Repository,
    pub(super) lock: WriterLock<'repo>,
    pub(super) options: StoreOptions,
    pub(super) by: Committer,
    plain: &'repo NotesWithoutPurges,
    doubts: usize,
    /// What could not be done after a ref had moved, in words.
    pub(in crate::notes) warnings: Vec<String>,
}

impl<'repo> WriteSession<'repo> {
    pub fn begin(
        repo: &'repo Repository,
        plain: &'repo NotesWithoutPurges,
        options: StoreOptions,
        by: &Committer,
    ) -> Result<Self, NotesError> {
        let lock = WriterLock::acquire(repo, options.patience)?;
        Ok(Self {
            repo: repo.stage()?,
            lock,
            options,
            by: by.clone(),
            plain,
            doubts: 0,
            warnings: Vec::new(),
        })
    }

    /// Runs `attempt`, each time on a checked tip, until it loses no race.
    ///
    /// A `git gc` that replaces the packs meanwhile is a race as well: what it moves can seem to be missing.
    pub fn retry<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self, Checked) -> Result<T, NotesError>,
    ) -> Result<T, NotesError> {
        let mut lost = 0;
        let mut missed = 0;
        let mut rebuilt = false;
        self.doubts = 0;
        let outcome = loop {
            if lost == RACES {
                // Somebody runs `git notes` in a loop, which is faster than anything that waits for the disk.
                self.lock.hold(&refs::name(refs::NOTES), self.options.patience)?;
            }
            let outcome = self.check().and_then(|checked| attempt(self, checked));
            match outcome {
                Err(NotesError::Ref(RefError::Raced { name, .. })) if lost < ATTEMPTS => {
                    lost += 1;
                    tracing::debug!(%name, lost, "lost a race, trying again");
                }
                Err(error) if error.may_pass() && missed < READS => {
                    missed += 1;
                    tracing::debug!(%error, missed, "could not read an object, trying again");
                    self.repository().restore_kept(&[]);
                    self.repo = self.repository().stage()?;
                }
                Err(NotesError::OutOfSight { id }) if self.doubts < DOUBTS => {
                    self.doubts += 1;
                    tracing::debug!(%id, self.doubts, "an object was out of sight, trying again");
                    self.repo = self.repository().stage()?;
                }
                Err(error) if !rebuilt && error.may_lack_trees() => match self.rebuild() {
                    Ok(true) => rebuilt = true,
                    Err(NotesError::OutOfSight { id }) if self.doubts < DOUBTS => {
                        self.doubts += 1;
                        tracing::debug!(%id, self.doubts, "a tree was out of sight, trying again");
                        self.repo = self.repository().stage()?;
                    }
                    Ok(false) => break Err(error),
                    Err(error) => break Err(error),
                },
                outcome => break outcome,
            }
        };
        self.lock.let_go();
        outcome
    }

    /// Where the notes ref is.
    pub fn tip(&self) -> Result<Option<CommitId>, NotesError> {
        self.read_ref(refs::NOTES)
    }

    /// The repository that is written to.
    pub fn repository(&self) -> &'repo Repository {
        self.lock.repository()
    }

    /// How notes are scanned.
    pub fn reader(&self) -> PageScanner<'repo> {
        PageScanner { threads: self.options.threads, plain: self.plain }
    }

    /// Replaces a small file of ours; see [`Repository::state_file`].
    pub fn write_state_file(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.lock.write_state_file(name, bytes)
    }

    /// The time of this session, in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        self.by.seconds()
    }

    /// Where one of the store's refs is.
    pub fn read_ref(&self, name: &str) -> Result<Option<CommitId>, NotesError> {
        let found = self.repository().read_ref(&refs::name(name))?;
        Ok(found.map(|id| id.raw().into()))
    }

    /// The last tip that was checked; `None` if its file is damaged.
    pub(super) fn known(&mut self) -> Result<Option<CommitId>, NotesError> {
        match self.read_ref(refs::KNOWN) {
            // It moves without waiting for the disk, and a power loss can leave its file empty.
            Err(NotesError::Ref(RefError::Broken { .. })) => {
                self.lock.discard_broken(&refs::name(refs::KNOWN))?;
                Ok(None)
            }
            known => known,
        }
    }

    /// The last tip that was checked, if its commit is in this repository.
    pub(super) fn known_here(&mut self) -> Result<Option<CommitId>, NotesError> {
        let Some(known) = self.known()? else { return Ok(None) };
        if history::commit(&self.repo, known).is_ok() {
            return Ok(Some(known));
        }
        self.believe_lost([known.into()])?;
        Ok(None)
    }

    /// Fails if one of these is in this repository after all.
    ///
    /// A check gives up what it cannot read. An object that was only out of sight, because a `git gc` was moving it,
    /// would then be lost for good.
    pub(in crate::notes) fn believe_lost(
        &self,
        missed: impl IntoIterator<Item = ObjectId>,
    ) -> Result<(), NotesError> {
        let missed: Vec<ObjectId> = missed.into_iter().collect();
        if missed.is_empty() || self.doubts == DOUBTS {
            return Ok(());
        }
        let lost = self.repository().lacking(missed.iter().copied())?;
        match missed.into_iter().find(|id| !lost.contains(id)) {
            Some(id) => Err(NotesError::OutOfSight { id }),
            None => Ok(()),
        }
    }

    /// The tree of a notes commit.
    pub fn tree_of(&self, commit: Option<CommitId>) -> Result<Option<TreeId>, NotesError> {
        commit.map(|commit| Ok(history::commit(&self.repo, commit)?.tree)).transpose()
    }

    /// Reads a whole notes tree.
    pub fn contents(&self, tree: Option<TreeId>) -> Result<Contents, NotesError> {
        tree.map_or_else(|| Ok(Contents::default()), |tree| Contents::read(&self.repo, tree))
    }

    /// Makes sure that the tip has everything it ever had, and remembers it as checked.
    pub fn check(&mut self) -> Result<Checked, NotesError> {
        self.lock.restore_recent(self.now());
        self.restore_refs()?;
        if OpenMerge::of(self.repository()).is_some() {
            // Whoever merges moves the ref next; after that it is checked.
            return Ok(Checked { tip: self.tip()?, ..Checked::default() });
        }
        let tip = match self.tip() {
            // As a power loss leaves it, or a hand that meant well.
            Err(NotesError::Ref(RefError::Broken { .. })) => {
                self.lock.discard_broken(&refs::name(refs::NOTES))?;
                self.tip()?
            }
            tip => tip?,
        };
        let at = tip.map(|tip| self.skip_unreadable(tip)).transpose()?.flatten();
        let found = self.check_readable(at)?;
        Ok(Checked { restored: found.restored || at != tip, ..found })
    }

    /// As [`WriteSession::check`], for a tip that can be read.
    fn check_readable(&mut self, tip: Option<CommitId>) -> Result<Checked, NotesError> {
        let known = self.known_here()?.filter(|known| readable_tree(&self.repo, *known).is_ok());
        if tip == known {
            return Ok(Checked { tip, ..Checked::default() });
        }
        if let (Some(tip), Some(known)) = (tip, known)
            && !self.leads_to_notes(tip, known)?
        {
            tracing::warn!(%tip, %known, "the notes ref pointed to a commit without notes");
            self.move_notes(Some(tip), Some(known), "postil: skip a commit without notes")?;
            return Ok(Checked { tip: Some(known), restored: true, ..Checked::default() });
        }
        let Some(tip) = tip else {
            self.move_notes(None, known, "postil: restore the deleted ref")?;
            return Ok(Checked { tip: known, restored: true, ..Checked::default() });
        };
        let brought = Brought::since(&self.repo, known, tip)?;
        self.heal(known, tip, &brought)
    }

    /// Whether these are notes at all, not a commit of code, which would be published with the notes.
    fn leads_to_notes(&self, tip: CommitId, known: CommitId) -> Result<bool, NotesError> {
        let tree = self.tree_of(Some(tip))?.and_then(|tree| self.repo.find_tree(tree.raw()).ok());
        // Somebody may have removed all notes that there were.
        Ok(tree.is_some_and(|tree| may_hold_notes(&tree)) || history::is_ancestor(&self.repo, known, tip)?)
    }

    /// Looks through all of the history, also what was checked before: parts of it may have been missing then.
    pub fn check_all(&mut self, checked: Checked) -> Result<Checked, NotesError> {
        let Some(tip) = checked.tip else { return Ok(checked) };
        let brought = Brought::on_the_way(&self.repo, None, tip)?;
        let found = self.heal(None, tip, &brought)?;
        let (records, pins) = (checked.records + found.records, checked.pins + found.pins);
        Ok(Checked { records, pins, restored: checked.restored, ..found })
    }

    /// Adds what the tip lacks of all that was brought.
    fn heal(
        &mut self,
        known: Option<CommitId>,
        tip: CommitId,
        brought: &Brought,
    ) -> Result<Checked, NotesError> {
        self.believe_lost(brought.missed.iter().copied())?;
        self.back_up_purged(known, brought)?;
        let found = history::commit(&self.repo, tip)?.tree;
        let Cleaned { tree: clean, held, refused } = self.clean(tip, found)?;
        let tree = Some(clean);
        let lacking = brought.lacking_in(&self.repo, self.reader(), &held)?;
        self.believe_lost(lacking.missed.iter().copied())?;
        let (records, pins) = (lacking.what.record_count(), lacking.what.pins.len());
        let mut parents = vec![tip];
        if let Some(known) = known
            && !history::is_ancestor(&self.repo, known, tip)?
        {
            parents.push(known);
        }
        let checked =
            Checked { unreadable: lacking.unreadable, refused: refused.len(), ..Checked::default() };
        let healing = match self.add(&lacking.what, tree, &parents, &healing_message(records, pins))? {
            None if clean != found => Some(self.commit(clean, &parents, Some(tip), LEFT_OUT)?),
            healing => healing,
        };
        let Some(healed) = healing else {
            self.approve(tip)?;
            return Ok(Checked { tip: Some(tip), ..checked });
        };
        tracing::warn!(records, pins, %tip, %healed, "restored what was missing from the notes");
        Ok(Checked { tip: Some(healed), records, pins, ..checked })
    }
}

fn healing_message(records: usize, pins: usize) -> String {
    let what = match (records, pins) {
        (_, 0) => count(records, "record"),
        (0, _) => count(pins, "pin"),
        _ => format!("{} and {}", count(records, "record"), count(pins, "pin")),
    };
    format!(
        "Restore {what} missing from the notes\n\n\
         Another tool rewrote {} without them. postil restores\n\
         what was stored; to remove a comment permanently, use `postil purge`.\n",
        refs::NOTES
    )
}

/// So many of them, in words.
pub(in crate::notes) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
