//! Files on disk, in the form that git would store them in.
//!
//! A path may come from other people's notes. A path that leads out of the working tree, into the git
//! directory or through a link counts as missing.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::attrs::StateRef;
use gix::bstr::ByteSlice as _;
use gix::index::entry::{Flags, Mode, Stat, stat};
use postil_core::git::{BlobId, RepoPath, TreeId, place_on_disk, tree};
use postil_core::patch::FileMode;
use postil_protocol::{Fault, FaultCode};

use crate::convert::fault::{OrFault as _, damaged};
use crate::files::encoding::{DiskLineEnds, Utf16};
use crate::files::head_files::FileKind;

/// A larger file is treated as unchanged since its commit.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// What the index is trusted with, as git trusts it by default.
const TRUST: stat::Options =
    stat::Options { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// The files of one work tree, read as git would add them.
pub(crate) struct Disk<'a> {
    root: &'a Path,
    handle: &'a gix::Repository,
    index: gix::worktree::IndexPersistedOrInMemory,
    filters: gix::filter::Pipeline<'a>,
    attributes: gix::AttributeStack<'a>,
}

/// A file on disk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OnDisk {
    /// There is none.
    Absent,
    /// It is as the index says.
    AsStaged(BlobId, FileKind),
    /// Its content, which is not looked up anywhere.
    Content(Vec<u8>, FileKind),
    /// A folder.
    Folder,
    /// A device, something too large, or something that this user may not read.
    Unreadable,
}

/// A file on disk that may be written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiskFile {
    /// Its content, in the form that git would store it in.
    pub content: Vec<u8>,
    /// The name of that content.
    pub blob: BlobId,
    /// The name of its very bytes.
    pub disk: BlobId,
    /// Whether it is a program.
    pub executable: bool,
    /// Whether its lines end with carriage returns.
    pub returns: bool,
}

impl<'a> Disk<'a> {
    /// Looks at the work tree at `root`.
    pub fn open(root: &'a Path, handle: &'a gix::Repository) -> Result<Self, Fault> {
        let (filters, index) =
            handle.filter_pipeline(None).map_err(|error| damaged("could not read the index", &error))?;
        let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
        let attributes = handle
            .attributes_only(&index, source)
            .map_err(|error| damaged("could not read the attributes", &error))?;
        Ok(Self { root, handle, index, filters, attributes })
    }

    /// What is at a path.
    pub fn at(&mut self, path: &RepoPath) -> Result<OnDisk, Fault> {
        if !is_trackable(path) {
            return Ok(OnDisk::Absent);
        }
        let file = safe_path(self.root, path);
        let staged = self.index.entry_by_path(path.as_bytes().as_bstr());
        if let Some(entry) = staged
            && entry.flags.intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID)
        {
            // A sparse checkout leaves it out on purpose.
            let kind = match (self.mode(path), entry.mode) {
                (_, Mode::SYMLINK) => FileKind::Link,
                (Some(mode), _) => FileKind::from(mode),
                (None, _) => FileKind::LeftOut,
            };
            return Ok(OnDisk::AsStaged(entry.id.into(), kind));
        }
        let Some(file) = file else { return self.left_out_with_its_folder(path) };
        if let Some(entry) = staged
            && let Ok(metadata) = gix::index::fs::Metadata::from_path_no_follow(&file)
            && let Ok(found) = Stat::from_fs(&metadata)
            && entry.stat.matches(&found, TRUST)
            && !entry.stat.is_racy(self.index.timestamp(), TRUST)
            && entry.mode != Mode::COMMIT
        {
            let kind = if entry.mode == Mode::SYMLINK { FileKind::Link } else { kind_of(&metadata) };
            return Ok(OnDisk::AsStaged(entry.id.into(), kind));
        }
        let Ok(metadata) = fs::symlink_metadata(&file) else { return self.left_out_with_its_folder(path) };
        if metadata.is_symlink() {
            let target = fs::read_link(&file).map(|target| target.into_os_string().into_vec());
            return Ok(target.map_or(OnDisk::Absent, |target| OnDisk::Content(target, FileKind::Link)));
        }
        if metadata.is_dir() {
            return Ok(OnDisk::Folder);
        }
        if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
            return Ok(OnDisk::Unreadable);
        }
        let raw = match fs::read(&file) {
            Ok(raw) => raw,
            // It went between two looks.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(OnDisk::Absent),
            Err(_) => return Ok(OnDisk::Unreadable),
        };
        let kind = FileKind::from(mode_of(&metadata));
        // What git would refuse to add has lines all the same: those that it has on disk.
        let content = self.as_git(&raw, path).unwrap_or(raw);
        Ok(OnDisk::Content(content, kind))
    }

    /// A file whose whole folder a sparse checkout left out: a sparse index has the folder alone.
    fn left_out_with_its_folder(&self, path: &RepoPath) -> Result<OnDisk, Fault> {
        let ends =
            path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        for end in ends {
            let (folder, rest) = path.as_bytes().split_at(end);
            let Some(entry) = self.index.entry_by_path(folder.as_bstr()) else { continue };
            let Some(rest) = RepoPath::new(rest).filter(|_| entry.mode == Mode::DIR) else { continue };
            let found = tree::entry_at(self.handle, TreeId::from(entry.id), &rest).or_fault()?;
            return Ok(match found.filter(|found| found.mode.is_blob()) {
                Some(found) => OnDisk::AsStaged(BlobId::from(found.id.raw()), FileKind::LeftOut),
                None => OnDisk::Absent,
            });
        }
        Ok(OnDisk::Absent)
    }

    /// Whether git ignores the file: it is not tracked, and `.gitignore` or a setting says so.
    pub fn is_ignored(&self, path: &RepoPath) -> Result<bool, Fault> {
        let path = path.as_bytes().as_bstr();
        if self.index.entry_by_path(path).is_some() {
            return Ok(false);
        }
        let unreadable =
            |error: &(dyn std::error::Error + 'static)| damaged("could not read .gitignore", error);
        let mut handle = self.handle.clone();
        handle.set_workdir(self.root.to_owned()).map_err(|error| unreadable(&error))?;
        let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
        let mut ignored = handle.excludes(&self.index, None, source).map_err(|error| unreadable(&error))?;
        let found = ignored.at_entry(path, Some(Mode::FILE)).map_err(|error| unreadable(&error))?;
        Ok(found.is_excluded())
    }

    /// Whether a program of the user reads and writes the file for git.
    pub fn has_filter(&mut self, path: &RepoPath) -> Result<bool, Fault> {
        let mut found = self.attributes.selected_attribute_matches(["filter"]);
        self.attributes
            .at_entry(path.as_bytes().as_bstr(), None)
            .map_err(|error| damaged("could not read the attributes", &error))?
            .matching_attributes(&mut found);
        Ok(found.iter_selected().any(|found| matches!(found.assignment.state, StateRef::Value(_))))
    }

    /// The tracked files whose times are not those of the index.
    pub fn not_as_staged(&self) -> Vec<Vec<u8>> {
        let is_so = |entry: &&gix::index::Entry| {
            let Some(file) =
                RepoPath::new(entry.path(&self.index).to_vec()).and_then(|path| safe_path(self.root, &path))
            else {
                return true;
            };
            let found = gix::index::fs::Metadata::from_path_no_follow(&file);
            let found = found.ok().and_then(|metadata| Stat::from_fs(&metadata).ok());
            !found.is_some_and(|found| entry.stat.matches(&found, TRUST))
        };
        let entries = self.index.entries().iter().filter(|entry| entry.mode != Mode::COMMIT);
        entries.filter(is_so).map(|entry| entry.path(&self.index).to_vec()).collect()
    }

    /// The work tree.
    pub fn root(&self) -> &'a Path {
        self.root
    }

    /// The repository.
    pub fn handle(&self) -> &'a gix::Repository {
        self.handle
    }

    /// The index.
    pub fn index(&self) -> &gix::index::State {
        &self.index
    }

    /// The text of an editor, in the form that git would store it in.
    pub fn buffer_as_git(&mut self, text: &[u8], path: &RepoPath) -> Result<Vec<u8>, Fault> {
        match self.encoding(path)? {
            // An editor has decoded it.
            Some((_, ends)) => Ok(ends.stored(text)),
            None => self.as_git(text, path),
        }
    }

    /// The mode of a plain file; `None` for anything else.
    pub fn mode(&self, path: &RepoPath) -> Option<FileMode> {
        let metadata =
            fs::symlink_metadata(safe_path(self.root, path)?).ok().filter(fs::Metadata::is_file)?;
        Some(mode_of(&metadata))
    }

    /// The bytes of a file as they are, and in the form that git would store them in; `None` if there is none.
    ///
    /// Fails for what no file may be written over: a folder, a link, what lies beyond a link.
    pub fn file(&mut self, path: &RepoPath) -> Result<Option<DiskFile>, Fault> {
        let file = place_on_disk(self.root, path).or_fault()?;
        let metadata = match fs::symlink_metadata(&file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damaged(format!("could not read {path}"), &error)),
        };
        if !metadata.is_file() {
            let what = if metadata.is_symlink() { "a symlink" } else { "not a regular file" };
            return Err(Fault::new(FaultCode::Refused, format!("refusing to write {path}: it is {what}"))
                .reason("no-plain-file"));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(Fault::new(FaultCode::TooLarge, format!("{path} is too large to be changed")));
        }
        let raw = fs::read(&file).map_err(|error| damaged(format!("could not read {path}"), &error))?;
        let content = self.as_git(&raw, path)?;
        self.to_write_over(content, &raw, mode_of(&metadata)).map(Some)
    }

    /// As [`Disk::file`], if an editor had saved this text there.
    pub fn file_as_if(&mut self, path: &RepoPath, text: &[u8]) -> Result<DiskFile, Fault> {
        place_on_disk(self.root, path).or_fault()?;
        let content = self.buffer_as_git(text, path)?;
        let mode = self.mode(path).unwrap_or(FileMode::Plain);
        self.to_write_over(content, text, mode)
    }

    fn to_write_over(&self, content: Vec<u8>, raw: &[u8], mode: FileMode) -> Result<DiskFile, Fault> {
        let (blob, disk) = (self.name_of(&content)?, self.name_of(raw)?);
        let executable = mode == FileMode::Executable;
        let newlines = raw.split(|byte| *byte == b'\n').count() - 1;
        let returns = 2 * raw.windows(2).filter(|pair| pair == b"\r\n").count() > newlines;
        Ok(DiskFile { content, blob, disk, executable, returns })
    }

    /// The bytes that git would check out for this content.
    pub fn as_checked_out(&mut self, content: &[u8], path: &RepoPath) -> Result<Vec<u8>, Fault> {
        let failed = |error: &(dyn std::error::Error + 'static)| {
            damaged(format!("could not convert {path} as `git checkout` does"), error)
        };
        if let Some((encoding, ends)) = self.wide(path)? {
            let refused =
                || Fault::new(FaultCode::Refused, format!("refusing to write {path}: not a text file"));
            return encoding.checked_out(content, ends).ok_or_else(refused);
        }
        let mut converted = self
            .filters
            .convert_to_worktree(
                content,
                path.as_bytes().as_bstr(),
                gix::filter::plumbing::pipeline::convert::to_worktree::Options::default(),
            )
            .map_err(|error| failed(&error))?;
        let mut raw = Vec::new();
        converted.read_to_end(&mut raw).map_err(|error| failed(&error))?;
        Ok(raw)
    }

    fn as_git(&mut self, raw: &[u8], path: &RepoPath) -> Result<Vec<u8>, Fault> {
        if let Some((encoding, ends)) = self.wide(path)? {
            // Git would not add other bytes. As they are they have no lines, which is what can be said of them.
            return Ok(encoding.stored(raw, ends).unwrap_or_else(|| raw.to_vec()));
        }
        let relative = Path::new(OsStr::from_bytes(path.as_bytes()));
        let mut converted = self
            .filters
            .convert_to_git(raw, relative, &self.index)
            .map_err(|error| damaged(format!("could not convert {path} as `git add` does"), &error))?;
        let mut content = Vec::new();
        converted
            .read_to_end(&mut content)
            .map_err(|error| damaged(format!("could not read {path}"), &error))?;
        Ok(content)
    }

    /// How a file is encoded on disk that is UTF-16 there, and how its lines end.
    fn wide(&mut self, path: &RepoPath) -> Result<Option<(Utf16, DiskLineEnds)>, Fault> {
        let encoding = self.encoding(path)?;
        Ok(encoding.and_then(|(name, ends)| Some((Utf16::named(&name)?, ends))))
    }

    /// How a file is encoded on disk, if the attributes say so, and how its lines end.
    fn encoding(&mut self, path: &RepoPath) -> Result<Option<(Vec<u8>, DiskLineEnds)>, Fault> {
        let mut found = self.attributes.selected_attribute_matches(["working-tree-encoding", "text", "eol"]);
        self.attributes
            .at_entry(path.as_bytes().as_bstr(), None)
            .map_err(|error| damaged("could not read the attributes", &error))?
            .matching_attributes(&mut found);
        let mut states = found.iter_selected().map(|found| found.assignment.state);
        let (encoding, text, eol) = (states.next(), states.next(), states.next());
        let Some(StateRef::Value(name)) = encoding else { return Ok(None) };
        let name = name.as_bstr().to_vec();
        let config = self.handle.config_snapshot();
        let says = |key: &str, value: &str| {
            config.string(key).is_some_and(|said| said.eq_ignore_ascii_case(value.as_bytes()))
        };
        let is_crlf = says("core.autocrlf", "true");
        let ends = match (text, eol) {
            (Some(StateRef::Unset), _) => DiskLineEnds::Kept,
            (_, Some(StateRef::Value(eol))) if eol.as_bstr() == "crlf" => DiskLineEnds::Returns,
            (_, Some(StateRef::Value(eol))) if eol.as_bstr() == "lf" => DiskLineEnds::Newlines,
            (Some(StateRef::Set | StateRef::Value(_)), _) if is_crlf || says("core.eol", "crlf") => {
                DiskLineEnds::Returns
            }
            (Some(StateRef::Set | StateRef::Value(_)), _) => DiskLineEnds::Newlines,
            _ if is_crlf => DiskLineEnds::Returns,
            _ if says("core.autocrlf", "input") => DiskLineEnds::Newlines,
            _ => DiskLineEnds::Kept,
        };
        Ok(Some((name, ends)))
    }

    /// The name that git has for content.
    pub fn name_of(&self, content: &[u8]) -> Result<BlobId, Fault> {
        gix::objs::compute_hash(self.handle.object_hash(), gix::objs::Kind::Blob, content)
            .map(BlobId::from)
            .map_err(|error| damaged("could not hash a file", &error))
    }
}

fn mode_of(metadata: &fs::Metadata) -> FileMode {
    if metadata.permissions().mode() & 0o100 != 0 { FileMode::Executable } else { FileMode::Plain }
}

fn kind_of(metadata: &gix::index::fs::Metadata) -> FileKind {
    if metadata.is_executable() { FileKind::Executable } else { FileKind::Plain }
}

/// Whether git would track a file of this name.
pub(crate) fn is_trackable(path: &RepoPath) -> bool {
    path.as_bytes().split(|byte| *byte == b'/').all(is_plain)
}

fn is_plain(part: &[u8]) -> bool {
    !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
}

/// Where a file would be; `None` for what git would not track there.
fn safe_path(root: &Path, path: &RepoPath) -> Option<PathBuf> {
    let mut file = root.to_owned();
    let mut parts = path.as_bytes().split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        if !is_plain(part) {
            return None;
        }
        file.push(OsStr::from_bytes(part));
        // Beyond a link is another place, which need not be in the work tree.
        if parts.peek().is_some() && !fs::symlink_metadata(&file).is_ok_and(|found| found.is_dir()) {
            return None;
        }
    }
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leads_out_of_the_work_tree() {
        let root = tempfile::tempdir().unwrap();
        let within = |path: &str| safe_path(root.path(), &RepoPath::new(path).unwrap());
        fs::create_dir(root.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("/", root.path().join("link")).unwrap();
        for bad in
            ["../x", "folder/../../x", ".git/config", ".GIT/config", "folder/.git", "link/etc/passwd", "./x"]
        {
            assert_eq!(within(bad), None, "{bad}");
        }
        for good in ["x", "folder/x", "link", "folder/..x", "folder/.gitignore"] {
            assert_eq!(within(good), Some(root.path().join(good)), "{good}");
        }
    }

    fn git(root: &Path, arguments: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(root).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    #[test]
    fn a_file_with_a_working_tree_encoding_is_read_and_written_as_git_does() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        git(root, &["init", "-q"]);
        let attributes = "*.a working-tree-encoding=UTF-16\n*.b working-tree-encoding=UTF-16LE-BOM text eol=crlf\n\
                          *.c working-tree-encoding=UTF-16BE text\n*.d working-tree-encoding=ISO-8859-1\n";
        fs::write(root.join(".gitattributes"), attributes).unwrap();
        let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        let files = [
            ("little.a", wide("\u{feff}gr\u{fc}n\nzwei\n", u16::to_le_bytes)),
            ("big.a", wide("\u{feff}gr\u{fc}n\nzwei\n", u16::to_be_bytes)),
            ("windows.b", wide("\u{feff}gr\u{fc}n\r\nzwei\r\n", u16::to_le_bytes)),
            ("bare.c", wide("gr\u{fc}n\nzwei\n", u16::to_be_bytes)),
            ("latin.d", b"gr\xfcn\nzwei\n".to_vec()),
        ];
        for (name, raw) in &files {
            fs::write(root.join(name), raw).unwrap();
        }
        let handle = gix::open_opts(root, gix::open::Options::isolated()).unwrap();
        let mut disk = Disk::open(root, &handle).unwrap();
        for (name, raw) in files {
            let path = RepoPath::new(name).unwrap();
            let stored = "gr\u{fc}n\nzwei\n".as_bytes();
            assert_eq!(disk.at(&path).unwrap(), OnDisk::Content(stored.to_vec(), FileKind::Plain), "{name}");
            let blob = git(root, &["hash-object", name]);
            assert_eq!(disk.name_of(stored).unwrap().to_string(), blob, "git stores {name} so");
            // Git writes the order of the machine where the mark says it.
            if name != "big.a" {
                assert_eq!(disk.as_checked_out(stored, &path).unwrap(), raw, "{name}");
            }
        }
    }
}
