//! A diff with the threads at their lines, old side too.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::anchoring::counterparts;
use postil_core::git::tree::{self, TreeChange, TreeEntry};
use postil_core::git::{CommitId, RepoPath, TreeId, history};
use postil_core::record::RecordId;
use postil_core::review::{ReviewGroup, Thread, ThreadState};
use postil_protocol::{
    Advice, Detail, Diff, DiffFile, DiffReply, Fault, FaultCode, Freshness, HeadName, HeadView, Mark, Side,
    ThreadView,
};

use super::commits::commits;
use super::file::{OldLines, file};
use super::sides::{DiffSides, SideTexts};
use super::size::DiffRoom;
use crate::convert::fault::{OrFault as _, damaged};
use crate::files::HeadFiles;
use crate::files::changed::{ChangedFile, Tracked};
use crate::lists::order::Rank;
use crate::lists::pathspec::Pathspecs;
use crate::notes::names::{current_review, is_open, review_named};
use crate::notes::subject::threads_of_review;
use crate::pointing::point::{base_of, base_of_review};
use crate::positions::in_files::work_tree_tree;
use crate::positions::in_head::positions_of;
use crate::request::{Request, commit_of, seen_from};
use crate::reviews::follow_up::followed;
use crate::suggestions::status::add_fates;
use crate::view::passages::add_passages;
use crate::view::signatures::add_signatures;
use crate::view::{self, hex};

/// A file in the base and in the head.
pub(super) type BaseAndHead = (Option<RepoPath>, Option<RepoPath>);

/// Compares a head with its base.
pub fn diff(request: &Request, asked: &Diff) -> Result<DiffReply, Fault> {
    let none = || {
        Fault::new(FaultCode::NoSuchPlace, "the repository has no commits yet").advise(Advice::CommitFirst)
    };
    let review = asked.review.as_deref().map(|name| review_named(request, Some(name))).transpose()?;
    let head_name = match review {
        Some(group) if asked.head == HeadName::WorkTree => head_of(request, group)?,
        _ => asked.head.clone(),
    };
    let head = commit_of(request, &head_name)?.ok_or_else(none)?;
    let base = match (&asked.base, review) {
        (Some(rev), _) => commit_or_nothing(request, rev)?,
        // What was merged has nothing left that its base lacks.
        (None, Some(group)) if !is_open(group) => Some(group.lead().said().base_commit),
        (None, Some(group)) => Some(base_of_review(request, head, Some(group))?),
        (None, None) => Some(base_of(request, head)?),
    };
    let new = HeadFiles::of(request, &head_name)?;
    if asked.ends_only {
        return ends(&new, request, asked, base);
    }
    let (mut at, looked) = threads_at(request, asked, review, &new)?;
    let paths = Pathspecs::read(&asked.paths)?;
    let wanted = |path: &RepoPath| paths.include(path);
    let old = match base {
        Some(base) => HeadFiles::of(request, &HeadName::Rev(base.to_string()))?,
        None => HeadFiles::none(request),
    };
    let untracked = untracked(&new)?;
    let mut files = Vec::new();
    let mut room = DiffRoom::new(asked.limit);
    let (pairs, generated) = pairs(request, asked, base, &at, (&old, &new), &untracked, &wanted)?;
    for pair in pairs {
        let (before, after) = &pair;
        let sides = DiffSides::of(before.as_ref(), after.as_ref(), &old, &new)?;
        let is_untracked = after.as_ref().is_some_and(|path| untracked.contains(path));
        let found = if asked.outline {
            sides.outline(pair)
        } else {
            // Deleted lines are counted in the base of their review; another one may not have them.
            let base = if asked.base.is_some() { OldLines::Sought } else { OldLines::Counted };
            let texts = SideTexts::new(pair.clone(), (&old, &new));
            let threads = at.take(before.as_ref(), after.as_ref());
            let sides = if asked.content { sides.with_content(texts.both()?) } else { sides };
            let found = sides.outline(pair);
            let comparison = request.repository.comparisons.of(&found, &texts, asked.ignore_space)?;
            file(found, &comparison, &texts, asked, base, threads, &mut room)?
        };
        let is_generated = known_path(&found).is_some_and(|path| generated.contains(&path));
        files.push(DiffFile { untracked: is_untracked, generated: is_generated, ..found });
    }
    let (threads, left) = if asked.paths.is_empty() && !asked.outline {
        room.take_placeless(at.left())
    } else {
        (Vec::new(), None)
    };
    Ok(DiffReply {
        base: base.map(hex),
        head: looked,
        files,
        threads,
        left,
        commits: commits(request, asked, base, &new)?,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// The commit of a name; nothing for what is before a commit without parents, so that it can be shown like any other.
fn commit_or_nothing(request: &Request, rev: &str) -> Result<Option<CommitId>, Fault> {
    let found = request.work_tree.commit_named(rev);
    let Some(after) = rev.strip_suffix('^').filter(|_| found.is_err()) else { return found.map(Some) };
    let commit = request.work_tree.commit_named(after)?;
    if history::commit(&request.handle, commit).or_fault()?.parents.is_empty() {
        Ok(None)
    } else {
        found.map(Some)
    }
}

/// What a review is compared at: the files on disk if its branch is checked out, else its branch, or what it last was.
fn head_of(request: &Request, group: ReviewGroup<'_>) -> Result<HeadName, Fault> {
    if current_review(request).is_some_and(|current| current.id() == group.id()) && is_open(group) {
        return Ok(HeadName::WorkTree);
    }
    let followed = followed(request, group)?;
    let Some(lead) = followed.branch.as_ref().filter(|_| is_open(group)) else {
        return Ok(HeadName::Rev(group.lead().said().head.to_string()));
    };
    // By its name, so that what belongs to the branch is seen.
    let is_local = request.branches.local().any(|(name, _)| *name == lead.name);
    let name = std::str::from_utf8(lead.name.as_bytes()).ok().filter(|_| is_local);
    let short = name.and_then(|name| name.strip_prefix("refs/heads/"));
    Ok(HeadName::Rev(short.map_or_else(|| lead.head.to_string(), str::to_owned)))
}

/// The threads that are shown, where they are, and the head that this is for.
fn threads_at(
    request: &Request,
    asked: &Diff,
    review: Option<ReviewGroup<'_>>,
    new: &HeadFiles<'_>,
) -> Result<(DiffThreads, HeadView), Fault> {
    let seen = seen_from(request, new.name())?;
    let of_review: BTreeSet<RecordId> = review
        .map(|group| threads_of_review(&request.notes.threads, group.id()).into_iter().collect())
        .unwrap_or_default();
    let is_shown = |thread: &Thread<'_>| {
        let state = match thread.state() {
            ThreadState::Open => true,
            ThreadState::Resolved => asked.resolved,
            ThreadState::Withdrawn => false,
        };
        state && (seen.threads.contains_key(&thread.id()) || of_review.contains(&thread.id()))
    };
    let mut threads: Vec<Thread<'_>> = request.notes.threads.iter().filter(is_shown).collect();
    if asked.outline {
        threads.clear();
    }
    let looked = positions_of(request, new, Freshness::Wait, threads.iter().copied())?;
    let entry = |thread: Thread<'_>| looked.entries.get(&thread.id()).map(AsRef::as_ref);
    threads.sort_by_cached_key(|thread| Rank::of(*thread, entry(*thread)));
    let view = |thread: Thread<'_>| {
        let why = seen.threads.get(&thread.id()).copied();
        view::thread(&request.notes, thread, entry(thread), why, Detail::Full)
    };
    let mut views: Vec<ThreadView> = threads.into_iter().map(view).collect();
    add_fates(request, new, &mut views, &looked.entries, Detail::Full)?;
    add_signatures(request, &request.notes, &mut views);
    add_passages(new, &mut views, &looked.entries)?;
    let mut at: DiffThreads = DiffThreads::default();
    for view in views {
        at.add(view);
    }
    Ok((at, looked.head))
}

/// What is compared, without files and threads.
fn ends(
    new: &HeadFiles<'_>,
    request: &Request,
    asked: &Diff,
    base: Option<CommitId>,
) -> Result<DiffReply, Fault> {
    let head = positions_of(request, new, Freshness::Wait, std::iter::empty())?.head;
    Ok(DiffReply {
        base: base.map(hex),
        head,
        files: Vec::new(),
        threads: Vec::new(),
        left: None,
        commits: commits(request, asked, base, new)?,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// The files on disk that git does not track.
fn untracked(new: &HeadFiles<'_>) -> Result<BTreeSet<RepoPath>, Fault> {
    if *new.name() != HeadName::WorkTree {
        return Ok(BTreeSet::new());
    }
    let not_tracked = |file: &&ChangedFile| file.tracked == Tracked::No;
    Ok(new.changed()?.iter().filter(not_tracked).map(|file| file.path.clone()).collect())
}

/// The path by which a file is known.
fn known_path(file: &DiffFile) -> Option<RepoPath> {
    RepoPath::new(file.after.as_ref().or(file.before.as_ref())?.as_bytes())
}

/// The files that differ, and those that have threads, in the order of their names; and which a program wrote. Of them, those
/// that are wanted.
fn pairs(
    request: &Request,
    asked: &Diff,
    base: Option<CommitId>,
    at: &DiffThreads,
    (on_base, on_head): (&HeadFiles<'_>, &HeadFiles<'_>),
    untracked: &BTreeSet<RepoPath>,
    wanted: &dyn Fn(&RepoPath) -> bool,
) -> Result<(Vec<BaseAndHead>, BTreeSet<RepoPath>), Fault> {
    let stage = request.work_tree.repository().stage();
    let handle = stage.map_err(|error| damaged("could not read the objects", &error))?;
    let old = base.map(|base| request.work_tree.tree_of(base)).transpose()?;
    let new = match on_head.tree() {
        Some(tree) if *on_head.name() != HeadName::WorkTree => tree,
        _ => work_tree_tree(&handle, on_head)?,
    };
    let known = &request.repository.comparisons;
    let changes = known.changes(&handle, old, new)?;
    for change in changes.iter().filter(|change| wanted(change.path())) {
        if let Some(before) = change.before() {
            on_base.note(change.path(), before);
        }
        if let Some(after) = change.after() {
            on_head.note(change.path(), after);
        }
    }
    let mut paths: BTreeSet<RepoPath> = changes.iter().map(|change| change.path().clone()).collect();
    if !asked.untracked {
        // As `git diff` does; but a file that was renamed on disk is shown under its new name.
        paths.retain(|path| !untracked.contains(path));
    }
    paths.extend(at.files());
    // To look a path up again reads all folders on the way to it.
    let changed: BTreeMap<&RepoPath, &TreeChange> =
        changes.iter().map(|change| (change.path(), change)).collect();
    let is_file = |entry: &TreeEntry| entry.mode.is_blob_or_symlink();
    let there = |tree: Option<TreeId>, path: &RepoPath| -> Result<bool, Fault> {
        let Some(tree) = tree else { return Ok(false) };
        Ok(match changed.get(path) {
            Some(TreeChange::Added { entry, .. }) => tree == new && is_file(entry),
            Some(TreeChange::Removed { entry, .. }) => Some(tree) == old && is_file(entry),
            Some(TreeChange::Modified { old: before, new: after, .. }) => {
                is_file(if Some(tree) == old { before } else { after })
            }
            None => tree::entry_at(&handle, tree, path).or_fault()?.is_some_and(|entry| is_file(&entry)),
        })
    };
    let mut pairs: Vec<BaseAndHead> = Vec::new();
    let mut became: BTreeMap<RepoPath, RepoPath> = BTreeMap::new();
    let mut gone = Vec::new();
    for path in &paths {
        if there(old, path)? && !there(Some(new), path)? {
            gone.push(path.clone());
        }
    }
    if let Some(old) = old {
        for (path, found) in gone.iter().zip(counterparts(&handle, old, new, &gone).or_fault()?) {
            if let Some(file) = found
                && !there(Some(old), &file.path)?
            {
                became.insert(file.path, path.clone());
            }
        }
    }
    paths.extend(became.keys().cloned());
    let renamed: BTreeSet<RepoPath> = became.values().cloned().collect();
    for path in paths.into_iter().filter(|path| !renamed.contains(path)) {
        let before = match became.get(&path) {
            Some(before) => Some(before.clone()),
            None => there(old, &path)?.then(|| path.clone()),
        };
        if !wanted(&path) && !before.as_ref().is_some_and(wanted) {
            continue;
        }
        let after = on_head.is_there(&path)?.then_some(path);
        if before.is_some() || after.is_some() {
            pairs.push((before, after));
        }
    }
    let paths = pairs.iter().filter_map(|(before, after)| after.as_ref().or(before.as_ref()).cloned());
    let generated = known.generated(&handle, new, paths)?;
    Ok((pairs, generated))
}

/// The threads of a diff, until each is put at its line.
#[derive(Debug, Default)]
struct DiffThreads {
    new: BTreeMap<RepoPath, Vec<ThreadView>>,
    old: BTreeMap<RepoPath, Vec<ThreadView>>,
    rest: Vec<ThreadView>,
}

impl DiffThreads {
    fn add(&mut self, thread: ThreadView) {
        let position = thread.position.as_ref();
        let path = position.and_then(|position| position.path.as_ref());
        // An orphan is shown in the file of its first candidate, or in its old file.
        let perhaps = position.and_then(|position| position.candidates.first()).map(|found| &found.path);
        let path = path.or(perhaps).or_else(|| thread.anchor.as_ref().map(|anchor| &anchor.path));
        let path = path.and_then(|path| RepoPath::new(path.as_bytes()));
        let side = position.map(|position| position.side);
        match (path, side) {
            (Some(path), Some(Side::Old)) => self.old.entry(path).or_default().push(thread),
            (Some(path), _) => self.new.entry(path).or_default().push(thread),
            (None, _) => self.rest.push(thread),
        }
    }

    fn files(&self) -> impl Iterator<Item = RepoPath> {
        self.new.keys().chain(self.old.keys()).cloned()
    }

    fn take(&mut self, before: Option<&RepoPath>, after: Option<&RepoPath>) -> Vec<ThreadView> {
        let mut threads = before.and_then(|path| self.old.remove(path)).unwrap_or_default();
        threads.extend(after.or(before).and_then(|path| self.new.remove(path)).unwrap_or_default());
        threads
    }

    /// What is about the whole review, and what was in files that are gone.
    fn left(self) -> Vec<ThreadView> {
        self.rest
            .into_iter()
            .chain(self.new.into_values().flatten())
            .chain(self.old.into_values().flatten())
            .collect()
    }
}
