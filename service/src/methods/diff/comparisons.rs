//! What changed between two trees, and between two contents of a file, kept: it depends on nothing else.
//!
//! So is which files of a tree a program wrote.
//!
//! A page asks for a diff in pieces, and again whenever something happens. Most of its files are those of a moment ago.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use postil_core::anchoring::generated;
use postil_core::edit::{Algorithm, Coordinates, LineMap, Text};
use postil_core::git::tree::{self, Subtrees, TreeChange};
use postil_core::git::{RepoPath, TreeId};
use postil_protocol::{ByteText, DiffFile, Fault, Hex};

use super::sides::SideTexts;
use crate::convert::fault::OrFault as _;
use crate::repository::state::lock;

/// So many changes of lines are kept, of all files together; with more, all are forgotten.
const MAX_HUNKS: usize = 1 << 17;

/// A file counts as so many.
const HUNKS_OF_A_FILE: usize = 16;

/// So many pairs of trees are kept; the one that was not asked for the longest goes first.
const MAX_TREES: usize = 4;

/// Trees that differ in more files are compared each time.
const MAX_CHANGES: usize = 1 << 14;

/// How two contents of a file differ.
#[derive(Debug)]
pub(super) struct FileComparison {
    /// Which lines became which; of what is binary, nothing.
    pub diff: Coordinates,
    /// Whether one of them is not text.
    pub binary: bool,
    /// A hash of what changed: names, modes, and lines without their numbers.
    pub change: Hex,
}

/// Comparisons that were made, by all that they depend on.
#[derive(Debug, Default)]
pub(crate) struct KnownComparisons(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    found: HashMap<ComparisonKey, Arc<FileComparison>>,
    hunks: usize,
    trees: VecDeque<TreeComparison>,
    /// Which files of one tree a program wrote.
    generated: Option<(TreeId, HashMap<RepoPath, bool>)>,
}

/// The files that differ between two trees.
#[derive(Debug)]
struct TreeComparison {
    sides: (Option<TreeId>, TreeId),
    changes: Arc<[TreeChange]>,
}

/// Names, contents and modes of both sides, and whether white space counts.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ComparisonKey {
    sides: [Option<SideKey>; 2],
    ignore_space: bool,
}

/// One side: its path, its mode, and the name of its content.
type SideKey = (ByteText, String, String);

impl KnownComparisons {
    /// Gives memory back.
    pub fn forget(&self) {
        *lock(&self.0) = Kept::default();
    }

    /// The files that differ between two trees; what cannot be read of the old one counts as empty.
    pub(super) fn changes(
        &self,
        handle: &gix::Repository,
        old: Option<TreeId>,
        new: TreeId,
    ) -> Result<Arc<[TreeChange]>, Fault> {
        let sides = (old, new);
        {
            let trees = &mut lock(&self.0).trees;
            if let Some(at) = trees.iter().position(|known| known.sides == sides)
                && let Some(known) = trees.remove(at)
            {
                let changes = Arc::clone(&known.changes);
                trees.push_back(known);
                return Ok(changes);
            }
        }
        let found = tree::diff(handle, old, Some(new), Subtrees::Omit).or_fault()?;
        let changes: Arc<[TreeChange]> = found.changes.into();
        // What is damaged may be mended.
        if found.damage.is_empty() && changes.len() <= MAX_CHANGES {
            let trees = &mut lock(&self.0).trees;
            if trees.len() >= MAX_TREES {
                trees.pop_front();
            }
            trees.push_back(TreeComparison { sides, changes: Arc::clone(&changes) });
        }
        Ok(changes)
    }

    /// Which of these files of a tree a program wrote.
    pub(super) fn generated(
        &self,
        handle: &gix::Repository,
        tree: TreeId,
        paths: impl Iterator<Item = RepoPath>,
    ) -> Result<BTreeSet<RepoPath>, Fault> {
        let (mut found, mut unknown) = (BTreeSet::new(), Vec::new());
        {
            let kept = lock(&self.0);
            let known = kept.generated.as_ref().filter(|(of, _)| *of == tree).map(|(_, known)| known);
            for path in paths {
                match known.and_then(|known| known.get(&path)) {
                    Some(true) => drop(found.insert(path)),
                    Some(false) => {}
                    None => unknown.push(path),
                }
            }
        }
        let fresh = generated(handle, tree, unknown.iter().cloned()).or_fault()?;
        let mut kept = lock(&self.0);
        if kept.generated.as_ref().is_none_or(|(of, known)| *of != tree || known.len() > MAX_CHANGES) {
            kept.generated = Some((tree, HashMap::new()));
        }
        if let Some((_, known)) = &mut kept.generated {
            known.extend(unknown.into_iter().map(|path| (path.clone(), fresh.contains(&path))));
        }
        found.extend(fresh);
        Ok(found)
    }

    /// Compares both sides of a file, which are read only if that was never done.
    pub(super) fn of(
        &self,
        file: &DiffFile,
        texts: &SideTexts<'_>,
        ignore_space: bool,
    ) -> Result<Arc<FileComparison>, Fault> {
        let sides = [(&file.before, &file.old), (&file.after, &file.new)].map(|(path, side)| {
            let (path, side) = (path.clone()?, side.as_ref()?);
            Some((path, side.mode.clone(), side.blob.as_str().to_owned()))
        });
        let key = ComparisonKey { sides, ignore_space };
        if let Some(found) = lock(&self.0).found.get(&key) {
            return Ok(Arc::clone(found));
        }
        let (old, new) = texts.both()?;
        let made = Arc::new(FileComparison::new(file, old, new, ignore_space));
        // A side that is there and cannot be read has no name by which it could be known again.
        let is_named = |path: &Option<ByteText>, side: &Option<SideKey>| path.is_some() == side.is_some();
        if is_named(&file.before, &key.sides[0]) && is_named(&file.after, &key.sides[1]) {
            lock(&self.0).keep(key, &made);
        }
        Ok(made)
    }
}

impl Kept {
    fn keep(&mut self, key: ComparisonKey, made: &Arc<FileComparison>) {
        let weight = HUNKS_OF_A_FILE + made.diff.map().hunks().len();
        if self.hunks + weight > MAX_HUNKS {
            self.found.clear();
            self.hunks = 0;
        }
        self.hunks += weight;
        self.found.insert(key, Arc::clone(made));
    }
}

impl FileComparison {
    fn new(file: &DiffFile, old: &Text, new: &Text, ignore_space: bool) -> Self {
        let binary = [old, new].iter().any(|text| text.bytes().iter().take(8000).any(|byte| *byte == 0));
        if binary {
            let nothing = LineMap::default();
            let change = change(file, binary, &nothing, old, new);
            return Self { diff: Coordinates::new(nothing), binary, change };
        }
        let map = compared(old, new, ignore_space);
        // A person who saw a change has seen it, with white space or without.
        let whole = ignore_space.then(|| compared(old, new, false));
        let change = change(file, binary, whole.as_ref().unwrap_or(&map), old, new);
        Self { diff: Coordinates::new(map), binary, change }
    }
}

/// Which lines became which.
fn compared(old: &Text, new: &Text, ignore_space: bool) -> LineMap {
    if ignore_space {
        return LineMap::between(&without_space(old), &without_space(new), Algorithm::Histogram);
    }
    LineMap::between(old, new, Algorithm::Histogram)
}

/// A hash of what changed in a file: names, modes, and lines without their numbers.
fn change(file: &DiffFile, binary: bool, map: &LineMap, old: &Text, new: &Text) -> Hex {
    let mut hash = blake3::Hasher::new();
    for path in [&file.before, &file.after] {
        hash.update(path.as_ref().map_or(&[][..], |path| path.as_bytes())).update(&[0]);
    }
    for side in [&file.old, &file.new] {
        hash.update(side.as_ref().map_or(&[][..], |side| side.mode.as_bytes())).update(&[0]);
        // Of what is binary, nothing less is known.
        let blob = side.as_ref().filter(|_| binary);
        hash.update(blob.map_or(&[][..], |side| side.blob.as_str().as_bytes())).update(&[0]);
    }
    for hunk in map.hunks() {
        for (sign, text, lines) in [(b"-", old, &hunk.before), (b"+", new, &hunk.after)] {
            for line in lines.clone() {
                hash.update(sign).update(text.line(line)).update(b"\n");
            }
        }
        hash.update(b"@");
    }
    Hex::of(&hash.finalize().as_bytes()[..10])
}

/// The same lines without white space; each ends with a newline, so that there are as many.
fn without_space(text: &Text) -> Text {
    let mut bytes = Vec::with_capacity(text.bytes().len());
    for line in (0..text.len()).map(|line| text.line(line)) {
        bytes.extend(line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()));
        bytes.push(b'\n');
    }
    Text::new(bytes)
}
