//! A second name for the loose objects that were written last, where git removes nothing.
//!
//! `git prune --expire=now` lists what the refs reach, and later removes every loose object that was not on that list,
//! also if a ref reaches it by now. It has no lock that a writer could see. So each loose object gets a hard link in
//! `postil/kept` in the git directory before it is in its place, and `postil/kept.list` has the ids, the newest last.
//! An object that is gone is put back from there by whoever misses it. Objects in packs need none of this.
//!
//! Nothing here is synced: what a power failure takes away was not removed by git.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::objs::{CommitRefIter, Exists as _, Find as _, Kind, TreeRefIter};
use gix::zlib::{Inflate, Status};

use super::durable_files::{Access, Sharing, create_dirs, create_file, remove_if_there};
use super::loose_writer::path_of;
use super::store_objects::open_store;
use super::writer_lock::WriterLock;
use crate::git::packs::cruft_packs::CruftPacks;
use crate::git::{ObjectId, Repository};

/// The folder, in the folder of the writer.
const FOLDER: &str = "kept";

/// The file of the ids, beside the folder.
const LIST: &str = "kept.list";

/// So many objects are kept at most; then the older half is let go. A comment writes about eight.
const MAX_KEPT: usize = 4096;

/// So many of the newest are looked at by [`Repository::restore_recent`].
const RECENT: u64 = 64;

/// The most bytes of a line of the list: an id in hex, and the end of the line.
const MAX_LINE: u64 = 65;

/// The refs that lead to what is kept.
const REFS: [&str; 2] = ["refs/notes", "refs/postil"];

/// So many commits that are not kept are passed on the way, at most.
const MAX_PASSED: usize = 1024;

/// The kept objects of a repository.
#[derive(Clone, Debug)]
pub(in crate::git) struct KeptObjects {
    dir: PathBuf,
    sharing: Sharing,
}

impl KeptObjects {
    pub(in crate::git) fn of(repo: &Repository) -> Self {
        Self { dir: repo.common_dir().join("postil").join(FOLDER), sharing: repo.sharing() }
    }

    /// Gives an object a second name; `file` is its loose file, in place or not yet.
    ///
    /// Fails with [`io::ErrorKind::NotFound`] if the file is gone.
    pub(super) fn keep(&self, id: ObjectId, file: &Path) -> io::Result<()> {
        let kept = self.path(id);
        let linked = match fs::hard_link(file, &kept) {
            Err(err) if err.kind() == io::ErrorKind::NotFound && !self.dir.is_dir() => {
                create_dirs(&self.dir, self.sharing)?;
                fs::hard_link(file, &kept)
            }
            linked => linked,
        };
        match linked {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Err(err),
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // No file system has to know links, and Linux refuses one to the file of another user.
            Err(_) => copy(file, &kept, self.sharing),
            Ok(()) => Ok(()),
        }
    }

    fn path(&self, id: ObjectId) -> PathBuf {
        self.dir.join(id.to_string())
    }

    /// All that are kept; one that died may have left some that are not on the list.
    fn ids(&self) -> Vec<ObjectId> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().filter_map(Result::ok);
        entries.filter_map(|entry| ObjectId::from_hex(entry.file_name().as_encoded_bytes())).collect()
    }

    /// Reads an object; `None` if its file is missing or damaged.
    fn read(&self, id: ObjectId, hash: gix::hash::Kind) -> Option<(Kind, Vec<u8>)> {
        let file = fs::read(self.path(id)).ok()?;
        inflate(&file).filter(|(kind, bytes)| {
            gix::objs::compute_hash(hash, *kind, bytes).is_ok_and(|found| found == id.raw())
        })
    }

    /// Puts an object in its place.
    fn put_back(&self, id: ObjectId, path: &Path) -> io::Result<()> {
        create_dirs(path.parent().unwrap_or(path), self.sharing)?;
        match fs::hard_link(self.path(id), path) {
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(_) => copy(&self.path(id), path, self.sharing),
            Ok(()) => Ok(()),
        }
    }
}

impl Repository {
    /// Puts back every kept object that is gone and that a ref, or one of `also`, leads to; returns how many.
    ///
    /// Goes from the refs to the kept objects, also through commits that are not kept because they are in a pack. What
    /// nothing leads to was removed for a reason. Takes no lock: an object is the same whoever writes it. Costs a
    /// read of each kept object.
    pub fn restore_kept(&self, also: &[ObjectId]) -> usize {
        let kept = KeptObjects::of(self);
        let all: BTreeSet<ObjectId> = kept.ids().into_iter().collect();
        if all.is_empty() {
            return 0;
        }
        let Ok(on_disk) = open_store(self) else { return 0 };
        let refs = REFS.iter().filter_map(|prefix| self.list_refs(prefix).ok()).flat_map(|list| list.refs);
        let mut next: VecDeque<ObjectId> = refs.map(|(_, id)| id).chain(also.iter().copied()).collect();
        let objects_dir = self.objects_dir();
        let (mut passed, mut buffer) = (BTreeSet::new(), Vec::new());
        let (mut reached, mut restored) = (BTreeSet::new(), 0);
        // The newest first: what is missing was written lately.
        while let Some(id) = next.pop_front() {
            if !all.contains(&id) {
                if passed.len() < MAX_PASSED && passed.insert(id) {
                    let found = on_disk.try_find(&id.raw(), &mut buffer).ok().flatten();
                    let commit = found.filter(|found| found.kind == Kind::Commit);
                    next.extend(commit.into_iter().flat_map(|found| parents(found.data, self.object_hash())));
                }
                continue;
            }
            if !reached.insert(id) {
                continue;
            }
            let Some((kind, bytes)) = kept.read(id, self.object_hash()) else { continue };
            // What is not kept of a tree is older than what is.
            let below = below(kind, &bytes, self.object_hash()).into_iter().filter(|id| all.contains(id));
            next.extend(below);
            next.extend(if kind == Kind::Commit { parents(&bytes, self.object_hash()) } else { Vec::new() });
            let path = path_of(&objects_dir, id);
            if path.is_file() || on_disk.exists(&id.raw()) {
                continue;
            }
            match kept.put_back(id, &path) {
                Ok(()) => restored += 1,
                Err(error) => tracing::warn!(%id, %error, "could not put back an object that is gone"),
            }
        }
        if restored > 0 {
            tracing::warn!(restored, "put back objects that git had removed");
        }
        restored
    }

    /// As [`Repository::restore_kept`], if one of those that were written last is gone.
    ///
    /// Costs a look for each of them.
    pub fn restore_recent(&self) -> usize {
        if self.misses_recent() { self.restore_kept(&[]) } else { 0 }
    }

    /// Whether one of these is kept.
    pub(in crate::git) fn keeps_any(&self, ids: &[ObjectId]) -> bool {
        let kept = KeptObjects::of(self);
        ids.iter().any(|id| kept.path(*id).is_file())
    }

    fn misses_recent(&self) -> bool {
        let packed = self.recent_not_loose();
        if packed.is_empty() {
            return false;
        }
        let handle = self.handle();
        packed.iter().any(|id| !handle.objects.exists(&id.raw()))
    }

    /// Those of the last ones that are not in a file of their own: in a pack by now, or gone.
    fn recent_not_loose(&self) -> Vec<ObjectId> {
        let objects_dir = self.objects_dir();
        let recent = self.recently_kept().unwrap_or_default();
        recent.into_iter().filter(|id| !path_of(&objects_dir, *id).is_file()).collect()
    }

    fn recently_kept(&self) -> Option<Vec<ObjectId>> {
        let mut list = File::open(self.common_dir().join("postil").join(LIST)).ok()?;
        let length = list.metadata().ok()?.len();
        list.seek(SeekFrom::Start(length.saturating_sub(RECENT * MAX_LINE))).ok()?;
        let mut end = Vec::new();
        list.take(RECENT * MAX_LINE).read_to_end(&mut end).ok()?;
        Some(ids_in(&end))
    }
}

impl WriterLock<'_> {
    /// Notes that these are kept; if there are too many then, lets the older ones go.
    ///
    /// What is not noted is kept all the same, and found by whoever misses it.
    pub(super) fn note_kept(&self, ids: &[ObjectId]) {
        if ids.is_empty() {
            return;
        }
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let path = self.dir().join(LIST);
        let appended = OpenOptions::new().append(true).create(true).open(&path).and_then(|mut list| {
            list.write_all(lines.as_bytes())?;
            Ok(list.metadata()?.len())
        });
        let noted = appended.and_then(|length| {
            let line = lines.len() / ids.len();
            if length <= (MAX_KEPT * line) as u64 { Ok(()) } else { self.let_older_go() }
        });
        if let Err(error) = noted {
            tracing::warn!(%error, "could not note which objects are kept");
        }
    }

    /// As [`Repository::restore_recent`]; what is in a pack by now is let go, and what git removed because no ref leads
    /// to it is not looked for again.
    ///
    /// Only the writer can tell: what another one has just written, no ref leads to either.
    pub fn restore_recent(&self, now: SystemTime) {
        let repo = self.repository();
        if repo.recent_not_loose().is_empty() {
            return;
        }
        repo.restore_kept(&[]);
        // While a `git gc` runs, a pack may be one that it is about to remove.
        if !repo.is_collecting(now)
            && let Err(error) = self.let_packed_go()
        {
            tracing::warn!(%error, "could not let kept objects go that are in a pack");
        }
    }

    fn let_packed_go(&self) -> io::Result<()> {
        let repo = self.repository();
        let (kept, objects_dir) = (KeptObjects::of(repo), repo.objects_dir());
        let on_disk = open_store(repo).map_err(io::Error::other)?;
        let cruft = CruftPacks::open(repo);
        let is_loose = |id: ObjectId| path_of(&objects_dir, id).is_file();
        for id in kept.ids().into_iter().filter(|id| !is_loose(*id)) {
            if on_disk.exists(&id.raw()) && !cruft.threaten(id) {
                remove_if_there(&kept.path(id))?;
            }
        }
        let stay: Vec<ObjectId> = self.listed()?.into_iter().filter(|id| is_loose(*id)).collect();
        self.write_list(&stay)
    }

    /// What is missing by now is put back before it is let go.
    fn let_older_go(&self) -> io::Result<()> {
        self.repository().restore_kept(&[]);
        let listed = self.listed()?;
        let newer = &listed[listed.len() / 2..];
        let stay: BTreeSet<ObjectId> = newer.iter().copied().collect();
        let kept = KeptObjects::of(self.repository());
        for id in kept.ids().into_iter().filter(|id| !stay.contains(id)) {
            remove_if_there(&kept.path(id))?;
        }
        self.write_list(newer)
    }

    fn listed(&self) -> io::Result<Vec<ObjectId>> {
        Ok(ids_in(&fs::read(self.dir().join(LIST))?))
    }

    fn write_list(&self, ids: &[ObjectId]) -> io::Result<()> {
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        self.write_state_file(LIST, lines.as_bytes())
    }
}

/// The ids of whole lines.
fn ids_in(lines: &[u8]) -> Vec<ObjectId> {
    lines.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex).collect()
}

/// Copies a file; whoever looks sees nothing or all of it.
fn copy(from: &Path, to: &Path, sharing: Sharing) -> io::Result<()> {
    let bytes = fs::read(from)?;
    // Git removes abandoned files of such a name.
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let draft = to.with_file_name(format!("tmp_obj_postil_kept_{name}"));
    remove_if_there(&draft)?;
    drop(create_file(&draft, &bytes, Access::ReadOnly, sharing)?);
    fs::rename(&draft, to)
}

/// The object in a loose file.
fn inflate(file: &[u8]) -> Option<(Kind, Vec<u8>)> {
    let mut header = [0; 64];
    let (_, _, length) = Inflate::default().once(file, &mut header).ok()?;
    let (kind, size, start) = gix::objs::decode::loose_header(&header[..length]).ok()?;
    // As much as zlib can make of so few bytes.
    let size = usize::try_from(size).ok().filter(|size| size / 1100 <= file.len())?;
    let mut bytes = vec![0; start + size];
    let (status, _, length) = Inflate::default().once(file, &mut bytes).ok()?;
    bytes.drain(..start);
    (status == Status::StreamEnd && length == start + size).then_some((kind, bytes))
}

/// What is in a tree, or the tree of a commit.
fn below(kind: Kind, bytes: &[u8], hash: gix::hash::Kind) -> Vec<ObjectId> {
    match kind {
        Kind::Commit => {
            CommitRefIter::from_bytes(bytes, hash).tree_id().into_iter().map(ObjectId::from).collect()
        }
        Kind::Tree => {
            let entries = TreeRefIter::from_bytes(bytes, hash).filter_map(Result::ok);
            entries.map(|entry| entry.oid.to_owned().into()).collect()
        }
        Kind::Tag | Kind::Blob => Vec::new(),
    }
}

fn parents(commit: &[u8], hash: gix::hash::Kind) -> Vec<ObjectId> {
    CommitRefIter::from_bytes(commit, hash).parent_ids().map(ObjectId::from).collect()
}
