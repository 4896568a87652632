//! What there is to see of a repository without opening it: where its heads, its notes and its remotes are.
//!
//! Read from git's own small files each time: the known state is compared with the current one, so a lost
//! event is made up for by the next look. What the commits mean is the service's business.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher as _;
use std::io::{self, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use postil_core::notes::refs::{DRAFTS, NOTES};
use postil_service::Stamp;

/// So many linked work trees are looked at; the rest wait for a request.
const MAX_WORK_TREES: usize = 256;

/// A repository at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefSnapshot {
    /// Which folder this is: another one at the same path is another repository.
    pub(crate) folder: Stamp,
    /// Changes when the repository's own configuration does.
    pub(crate) config: Option<Stamp>,
    /// Of every work tree, by its git directory.
    pub(crate) heads: BTreeMap<PathBuf, HeadSnapshot>,
    /// Where the notes are.
    pub(crate) notes: Option<String>,
    /// Where the drafts are.
    pub(crate) drafts: Option<String>,
    /// Changes when a remote-tracking ref does.
    pub(crate) remotes: u64,
}

/// The head of one work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadSnapshot {
    /// The ref it is on, if it is on one.
    pub(crate) branch: Option<String>,
    /// The commit, in hexadecimal digits; none where nothing is committed yet.
    pub(crate) commit: Option<String>,
    /// Whether git is about to move it again.
    pub(crate) rest: Rest,
}

/// Whether a head has arrived where it was going, or is in the middle of a rebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Nothing is under way.
    AtRest,
    /// A rebase, or a series of patches, is under way.
    UnderWay,
}

/// There is no git directory there any more.
#[derive(Debug, thiserror::Error)]
#[error("{} is no longer a git directory", common_dir.display())]
pub(crate) struct RepositoryGone {
    /// Where it was.
    pub(crate) common_dir: PathBuf,
}

impl RefSnapshot {
    /// Looks at the repository whose common git directory this is.
    ///
    /// Costs a few small reads for each work tree, a look through `packed-refs`, and a look at each file below
    /// `refs/remotes`.
    pub(crate) fn of(common_dir: &Path) -> Result<Self, RepositoryGone> {
        let gone = || RepositoryGone { common_dir: common_dir.to_owned() };
        let folder = Stamp::of_folder(common_dir).ok_or_else(gone)?;
        let refs = Refs { common_dir };
        let main = refs.head(common_dir).ok_or_else(gone)?;
        let mut heads = BTreeMap::from([(common_dir.to_owned(), main)]);
        for git_dir in linked(common_dir) {
            if let Some(head) = refs.head(&git_dir) {
                heads.insert(git_dir, head);
            }
        }
        let config = Stamp::of_file(&common_dir.join("config"));
        let (notes, drafts) = (refs.read(NOTES), refs.read(DRAFTS));
        Ok(Self { folder, config, heads, notes, drafts, remotes: refs.remotes() })
    }

    /// The files and folders that all of this was read from; while they stay as they are, so does this.
    ///
    /// Of remote-tracking refs only the folders: a ref is replaced, and that is written there.
    pub(crate) fn sources(&self, common_dir: &Path) -> Vec<PathBuf> {
        let mut sources: Vec<PathBuf> =
            ["packed-refs", "config", "worktrees", NOTES, DRAFTS].map(|name| common_dir.join(name)).to_vec();
        for (git_dir, head) in &self.heads {
            // A rebase that begins or ends makes or removes a folder in it.
            sources.extend([git_dir.clone(), git_dir.join("HEAD")]);
            sources.extend(head.branch.as_deref().map(|name| common_dir.join(name)));
        }
        sources.extend(some_folders_below(&common_dir.join("refs/remotes")));
        sources
    }

    /// The folders in which something happens when any of this changes, the most important first.
    pub(crate) fn folders(&self, common_dir: &Path) -> Vec<PathBuf> {
        let refs = common_dir.join("refs");
        let mut folders = vec![common_dir.to_owned(), refs.join("notes"), refs.join("heads"), refs.clone()];
        for (git_dir, head) in &self.heads {
            folders.push(git_dir.clone());
            // A branch such as `topic/parser` is in a folder of its own.
            folders.extend(
                head.branch.as_deref().and_then(|name| Some(common_dir.join(name).parent()?.to_owned())),
            );
        }
        folders.extend([common_dir.join("worktrees"), refs.join("postil")]);
        folders.extend(some_folders_below(&refs.join("remotes")));
        let mut seen = std::collections::BTreeSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        folders
    }
}

/// The git directories of linked work trees.
fn linked(common_dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(common_dir.join("worktrees")) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).take(MAX_WORK_TREES).collect()
}

/// More folders of refs than this are looked at now and then only.
const MAX_FOLDERS: usize = 64;

/// A folder and those below it, breadth first, so that the ones left out by a bound are the deepest.
fn some_folders_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(folder) = found.get(next).filter(|_| found.len() < MAX_FOLDERS) {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let below: Vec<PathBuf> = entries
            // A folder of refs may be a link to that of another repository.
            .filter(|entry| {
                entry
                    .file_type()
                    .is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()))
            })
            .map(|entry| entry.path())
            .collect();
        found.extend(below);
        next += 1;
    }
    found.truncate(MAX_FOLDERS);
    found
}

/// The refs of a repository, loose and packed.
struct Refs<'a> {
    common_dir: &'a Path,
}

impl Refs<'_> {
    /// The head of the work tree with this git directory; `None` where it is no git directory.
    fn head(&self, git_dir: &Path) -> Option<HeadSnapshot> {
        let head = fs::read_to_string(git_dir.join("HEAD")).ok()?;
        let head = head.trim_end();
        let rest = if ["rebase-merge", "rebase-apply"].iter().any(|name| git_dir.join(name).exists()) {
            Rest::UnderWay
        } else {
            Rest::AtRest
        };
        Some(match head.strip_prefix("ref:").map(str::trim_start) {
            Some(branch) => HeadSnapshot { branch: Some(branch.to_owned()), commit: self.read(branch), rest },
            None => HeadSnapshot { branch: None, commit: Some(head.to_owned()), rest },
        })
    }

    /// Where a ref is, in hexadecimal digits.
    fn read(&self, name: &str) -> Option<String> {
        // A name comes out of a file, and must not lead out of the refs.
        if !name.starts_with("refs/") || name.split('/').any(|part| part == "..") {
            return None;
        }
        match fs::read_to_string(self.common_dir.join(name)) {
            Ok(id) => Some(id.trim_end().to_owned()),
            // Packing removes the loose file after the packed one is in place.
            Err(_) => self.packed(name),
        }
    }

    fn packed(&self, name: &str) -> Option<String> {
        let mut found = None;
        self.each_packed(|line| {
            if let Some(id) = line.strip_suffix(name).and_then(|id| id.strip_suffix(' ')) {
                found = Some(id.to_owned());
            }
        });
        found
    }

    fn each_packed(&self, mut visit: impl FnMut(&str)) {
        let Ok(file) = fs::File::open(self.common_dir.join("packed-refs")) else { return };
        let mut file = BufReader::new(file);
        let mut line = String::new();
        while matches!(read_line(&mut file, &mut line), Ok(true)) {
            visit(&line);
        }
    }

    /// A number that changes when any remote-tracking ref does.
    fn remotes(&self) -> u64 {
        let mut all: Vec<u64> = Vec::new();
        self.each_packed(|line| {
            if line.contains(" refs/remotes/") {
                all.push(hash_of(&line));
            }
        });
        for folder in some_folders_below(&self.common_dir.join("refs/remotes")) {
            for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
                // A ref is replaced as a file, so its inode or its time changes.
                let Ok(file) = entry.metadata() else { continue };
                let seen = (file.ino(), file.size(), file.mtime(), file.mtime_nsec());
                if file.is_file() {
                    all.push(hash_of(&(entry.path().as_os_str().as_bytes(), seen)));
                }
            }
        }
        // In one order, whatever order the folder has.
        all.sort_unstable();
        hash_of(&all)
    }
}

fn read_line(file: &mut impl io::BufRead, line: &mut String) -> io::Result<bool> {
    line.clear();
    let length = file.read_line(line)?;
    while line.ends_with(['\n', '\r']) {
        line.pop();
    }
    Ok(length > 0)
}

fn hash_of(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::watching::folder_times::FolderTimes;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "HEAD", "ref: refs/heads/topic/parser\n");
        put(folder.path(), "refs/heads/topic/parser", &format!("{ONE}\n"));
        folder
    }

    fn put(folder: &Path, file: &str, content: &str) {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn head(snapshot: &RefSnapshot, git_dir: &Path) -> Option<String> {
        snapshot.heads[git_dir].commit.clone()
    }

    #[test]
    fn a_head_is_seen_in_a_loose_ref_a_packed_one_and_by_itself() {
        let repository = repository();
        let dir = repository.path();
        assert_eq!(head(&RefSnapshot::of(dir).unwrap(), dir), Some(ONE.into()));
        fs::remove_file(dir.join("refs/heads/topic/parser")).unwrap();
        assert_eq!(head(&RefSnapshot::of(dir).unwrap(), dir), None);
        put(
            dir,
            "packed-refs",
            &format!(
                "# pack-refs with: peeled\n{ONE} refs/heads/parser\n{TWO} refs/heads/topic/parser\n^{ONE}\n"
            ),
        );
        assert_eq!(head(&RefSnapshot::of(dir).unwrap(), dir), Some(TWO.into()));
        put(dir, "HEAD", &format!("{ONE}\n"));
        assert_eq!(head(&RefSnapshot::of(dir).unwrap(), dir), Some(ONE.into()));
    }

    #[test]
    fn linked_work_trees_come_and_go_and_a_rebase_is_under_way() {
        let repository = repository();
        let dir = repository.path();
        let linked = dir.join("worktrees/side");
        put(&linked, "HEAD", &format!("{TWO}\n"));
        put(&linked, "rebase-merge/head-name", "refs/heads/x\n");
        let snapshot = RefSnapshot::of(dir).unwrap();
        assert_eq!(snapshot.heads[&linked].rest, Rest::UnderWay);
        assert_eq!(snapshot.heads[dir].rest, Rest::AtRest);
        assert!(snapshot.folders(dir).contains(&linked));
        fs::remove_dir_all(&linked).unwrap();
        assert_eq!(RefSnapshot::of(dir).unwrap().heads.len(), 1);
    }

    #[test]
    fn notes_and_remotes_are_compared() {
        let repository = repository();
        let dir = repository.path();
        let before = RefSnapshot::of(dir).unwrap();
        put(dir, "refs/notes/reviews", &format!("{ONE}\n"));
        let noted = RefSnapshot::of(dir).unwrap();
        assert_eq!((before.notes, noted.notes.as_deref()), (None, Some(ONE)));
        put(dir, "refs/postil/drafts", &format!("{TWO}\n"));
        let drafted = RefSnapshot::of(dir).unwrap();
        assert_eq!((noted.drafts, drafted.drafts.as_deref()), (None, Some(TWO)));
        assert!(drafted.folders(dir).contains(&dir.join("refs/postil")));
        put(dir, "refs/remotes/origin/topic/deep", &format!("{ONE}\n"));
        let fetched = RefSnapshot::of(dir).unwrap();
        assert_ne!(noted.remotes, fetched.remotes);
        assert_eq!(RefSnapshot::of(dir).unwrap().remotes, fetched.remotes);
        assert!(fetched.folders(dir).contains(&dir.join("refs/remotes/origin/topic")));
    }

    #[test]
    fn whatever_changes_shows_in_the_sources() {
        let changes: [(&str, &str); 9] = [
            ("HEAD", "ref: refs/heads/other\n"),
            ("refs/heads/topic/parser", TWO),
            ("packed-refs", ""),
            ("config", "[postil]\n"),
            ("refs/notes/reviews", ONE),
            ("refs/postil/drafts", ONE),
            ("worktrees/side/HEAD", ONE),
            ("rebase-merge/head-name", ""),
            ("refs/remotes/origin/main", ONE),
        ];
        for (file, content) in changes {
            let repository = repository();
            let dir = repository.path();
            put(dir, "refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n");
            let sources = RefSnapshot::of(dir).unwrap().sources(dir);
            let long_ago = SystemTime::now() - Duration::from_hours(1);
            for source in sources.iter().filter(|source| source.exists()) {
                fs::File::open(source).unwrap().set_modified(long_ago).unwrap();
            }
            let folder_times = FolderTimes::of(sources);
            assert!(folder_times.holds(), "before {file}");
            put(dir, file, content);
            assert!(!folder_times.holds(), "{file}");
        }
    }

    #[test]
    fn few_folders_are_watched_however_many_branches_there_are() {
        let repository = repository();
        let dir = repository.path();
        for n in 0..300 {
            put(dir, &format!("refs/heads/user{n}/topic"), ONE);
        }
        assert!(RefSnapshot::of(dir).unwrap().folders(dir).len() < 10);
    }

    #[test]
    fn a_deleted_repository_is_gone_and_another_one_at_its_path_is_another() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("a");
        put(&dir, "HEAD", ONE);
        let before = RefSnapshot::of(&dir).unwrap().folder;
        fs::rename(&dir, parent.path().join("b")).unwrap();
        assert!(RefSnapshot::of(&dir).is_err());
        put(&dir, "HEAD", ONE);
        assert_ne!(RefSnapshot::of(&dir).unwrap().folder, before);
    }

    #[test]
    fn a_head_that_leads_out_of_the_refs_leads_nowhere() {
        let repository = repository();
        let dir = repository.path();
        put(dir, "secret", ONE);
        put(dir, "HEAD", "ref: refs/../secret\n");
        assert_eq!(head(&RefSnapshot::of(dir).unwrap(), dir), None);
    }
}
