//! The contents of a notes tree: notes, pins, and entries of other programs.
//!
//! Reads any fanout that git writes, and mixtures of them; writes the one that git would write for
//! the same notes made at once, so that equal contents are equal trees. The notes themselves are not read here.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::BString;
use gix::objs::tree::{Editor, EntryKind, EntryMode};

use super::note_blobs::NoteBlobs;
use super::refused::is_refused;
use crate::git::tree::{self, TreeDamage, TreeEntry, TreeListing};
use crate::git::{BlobId, ObjectId, RepoPath, TreeId};
use crate::notes::NotesError;
use crate::notes::writing::memory_objects::{edit_tree, put_tree};

/// The folder of pins in the notes tree.
const PINS: &[u8] = b"pins/";

/// The digits of the longest object id.
const MAX_HEX: usize = 64;

/// The entries of a notes tree, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::notes) struct Contents {
    /// The blobs of each note: one, unless the note is there in several fanouts.
    pub notes: BTreeMap<ObjectId, NoteBlobs>,
    /// The blobs that are kept for anchors.
    pub pins: BTreeSet<BlobId>,
    /// All else, by path.
    pub foreign: BTreeMap<RepoPath, Foreign>,
    /// Entries of the tree that git refuses; they are never written. Those without a path are here in words.
    pub refused: BTreeSet<RepoPath>,
    /// Whether the tree has modes that git refuses; they are written as they should be.
    pub padded_modes: bool,
    /// Whether entries are not where git would have them, or a name is there twice; they are written where they belong.
    pub unsorted: bool,
}

/// An entry that is neither a note nor a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::notes) struct Foreign {
    pub object_id: ObjectId,
    pub mode: EntryMode,
}

/// What an entry at some path of a notes tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notes) enum Slot {
    Note(ObjectId),
    Pin(BlobId),
    Foreign,
}

impl Slot {
    /// Returns what the entry at `path` is, by git's rules.
    pub fn of(path: &[u8], entry: TreeEntry) -> Self {
        if !entry.mode.is_blob() {
            return Self::Foreign;
        }
        if let Some(name) = path.strip_prefix(PINS) {
            let pin = (name.get(2) == Some(&b'/')).then(|| [&name[..2], &name[3..]].concat());
            return match pin.and_then(|hex| BlobId::from_hex(&hex)) {
                Some(blob) if ObjectId::from(blob) == entry.id => Self::Pin(blob),
                _ => Self::Foreign,
            };
        }
        annotated(path, entry.id.raw().kind()).map_or(Self::Foreign, Self::Note)
    }
}

/// The object whose note is at `path`: hex digits, with directories of two of them.
fn annotated(path: &[u8], hash: gix::hash::Kind) -> Option<ObjectId> {
    let leaf = path.iter().rposition(|b| *b == b'/').map_or(0, |slash| slash + 1);
    let is_fanout = |part: &[u8]| matches!(part, [_, _, b'/']);
    if !path[..leaf].chunks(3).all(is_fanout) {
        return None;
    }
    let mut digits = [0; MAX_HEX];
    let mut count = 0;
    for digit in path.iter().filter(|b| **b != b'/') {
        *digits.get_mut(count)? = *digit;
        count += 1;
    }
    (count == hash.len_in_hex()).then(|| ObjectId::from_hex(&digits[..count])).flatten()
}

impl Contents {
    /// Reads the whole tree; the files in it are not read.
    ///
    /// Fails if a part of the tree cannot be read: writing would lose it.
    pub fn read(repo: &gix::Repository, tree: TreeId) -> Result<Self, NotesError> {
        match Self::read_readable(repo, tree)? {
            (contents, damage) if damage.is_empty() => Ok(contents),
            (_, mut damage) => Err(NotesError::Damaged { tree_id: tree, damage: damage.remove(0) }),
        }
    }

    /// Reads as much of the tree as possible, and returns what could not be read.
    pub fn read_readable(
        repo: &gix::Repository,
        tree: TreeId,
    ) -> Result<(Self, Vec<TreeDamage>), NotesError> {
        let listing = tree::list(repo, tree)?;
        let mut contents = Self { padded_modes: listing.padded_modes, ..Self::default() };
        for (path, entry) in listing.entries {
            contents.insert(path, entry);
        }
        let mut damage = Vec::new();
        for found in listing.damage {
            match found {
                TreeDamage::Unsorted { .. } => contents.unsorted = true,
                TreeDamage::BadName { .. } | TreeDamage::Truncated { .. } | TreeDamage::TooDeep { .. } => {
                    contents.refused.extend(RepoPath::new(found.to_string()));
                }
                TreeDamage::Unreadable { .. } | TreeDamage::TooMany => damage.push(found),
            }
        }
        Ok((contents, damage))
    }

    /// The notes in a tree, with their blobs, in ascending order of both.
    pub fn notes_in(listing: &TreeListing) -> Vec<(ObjectId, BlobId)> {
        let note = |(path, entry): &(RepoPath, TreeEntry)| match Slot::of(path.as_bytes(), *entry) {
            Slot::Note(object) => Some((object, BlobId::from(entry.id.raw()))),
            Slot::Pin(_) | Slot::Foreign => None,
        };
        let mut notes: Vec<(ObjectId, BlobId)> = listing.entries.iter().filter_map(note).collect();
        if !notes.is_sorted_by(|one, next| one < next) {
            notes.sort_unstable();
            notes.dedup();
        }
        notes
    }

    /// Whether git accepts the tree that these were read from.
    pub fn is_clean(&self) -> bool {
        self.refused.is_empty() && !self.padded_modes && !self.unsorted
    }

    fn insert(&mut self, path: RepoPath, entry: TreeEntry) {
        match Slot::of(path.as_bytes(), entry) {
            _ if entry.id.raw().is_null() => _ = self.refused.insert(path),
            Slot::Foreign if is_refused(path.as_bytes(), entry) => _ = self.refused.insert(path),
            Slot::Note(object) => {
                self.notes.entry(object).or_default().insert(entry.id.raw().into());
            }
            Slot::Pin(blob) => {
                self.pins.insert(blob);
            }
            Slot::Foreign => {
                let found = Foreign { object_id: entry.id, mode: entry.mode };
                // Of a name that is there twice, the same one stays as in a merge.
                let stays = self.foreign.entry(path).or_insert(found);
                *stays = found.max(*stays);
            }
        }
    }

    /// Writes the tree that git would write for these notes, with the other entries added.
    ///
    /// Every note must be one blob by now.
    pub fn write(&self, repo: &gix::Repository) -> Result<TreeId, NotesError> {
        let rest = self.write_rest(repo)?;
        let mut state = gix_note::State::new(rest.raw(), &repo.objects).map_err(NotesError::write_tree)?;
        for (object, blobs) in &self.notes {
            let blob = blobs.first().map(BlobId::raw);
            state.edit(object.raw(), blob, &repo.objects).map_err(NotesError::write_tree)?;
        }
        state.write(&repo.objects).map(TreeId::from).map_err(NotesError::write_tree)
    }

    fn write_rest(&self, repo: &gix::Repository) -> Result<TreeId, NotesError> {
        let mut editor = edit_tree(repo, None)?;
        for (path, entry) in &self.foreign {
            let parts = path.as_bytes().split(|b| *b == b'/').map(gix::bstr::ByteSlice::as_bstr);
            editor.upsert(parts, entry.mode.kind(), entry.object_id.raw()).map_err(NotesError::write_tree)?;
        }
        upsert_pins(&mut editor, self.pins.iter().copied())?;
        put_tree(repo, editor)
    }
}

/// Puts pins into a notes tree that is being edited.
pub(in crate::notes) fn upsert_pins(
    editor: &mut Editor<'_>,
    pins: impl IntoIterator<Item = BlobId>,
) -> Result<(), NotesError> {
    for blob in pins {
        editor.upsert(pin_path(blob), EntryKind::Blob, blob.raw()).map_err(NotesError::write_tree)?;
    }
    Ok(())
}

/// The parts of the path of a pin.
pub(in crate::notes) fn pin_path(blob: BlobId) -> [BString; 3] {
    let hex = blob.to_string();
    let (first, rest) = hex.split_at(2);
    ["pins".into(), first.into(), rest.into()]
}
