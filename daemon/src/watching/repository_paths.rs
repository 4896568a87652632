//! From the name of a repository in a request to its folders on disk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use postil_protocol::{ByteText, RepositoryName};

/// A path as it crosses the socket.
pub(crate) fn text(path: &Path) -> ByteText {
    ByteText::new(path.as_os_str().as_bytes())
}

/// The git directory that all work trees of a repository share; `None` where there is none at that name.
pub(crate) fn common_dir(name: &RepositoryName) -> Option<PathBuf> {
    let git_dir = path(&name.git_dir);
    // A name of one's own folder would be another repository in every process.
    if !git_dir.is_absolute() {
        return None;
    }
    let common = match fs::read_to_string(git_dir.join("commondir")) {
        Ok(written) => git_dir.join(written.trim_end()),
        Err(_) => git_dir.to_owned(),
    };
    fs::canonicalize(common).ok().filter(|dir| dir.join("HEAD").exists())
}

/// The git directory itself, without links in it, as a snapshot names it.
pub(crate) fn git_dir(name: &RepositoryName) -> Option<PathBuf> {
    fs::canonicalize(path(&name.git_dir)).ok()
}

/// Where the files of a work tree are, if it has any.
pub(crate) fn work_tree(name: &RepositoryName) -> Option<PathBuf> {
    if let Some(by_name) = &name.work_tree {
        return Some(path(by_name).to_owned());
    }
    let git_dir = path(&name.git_dir);
    // A linked work tree writes down where its `.git` file is.
    match fs::read_to_string(git_dir.join("gitdir")) {
        Ok(written) => git_dir.join(written.trim_end()).parent().map(Path::to_owned),
        Err(_) => {
            git_dir.file_name().filter(|name| *name == ".git").and(git_dir.parent()).map(Path::to_owned)
        }
    }
}

fn path(text: &ByteText) -> &Path {
    Path::new(OsStr::from_bytes(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &Path) -> RepositoryName {
        RepositoryName { git_dir: text(path), work_tree: None }
    }

    #[test]
    fn linked_work_trees_lead_to_one_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (main, linked) = (root.join("a/.git"), root.join("a/.git/worktrees/b"));
        fs::create_dir_all(&linked).unwrap();
        fs::write(main.join("HEAD"), "x").unwrap();
        fs::write(linked.join("commondir"), "../..\n").unwrap();
        fs::write(linked.join("gitdir"), format!("{}/b/.git\n", root.display())).unwrap();
        assert_eq!(common_dir(&name(&main)), Some(main.clone()));
        assert_eq!(common_dir(&name(&linked)), Some(main.clone()));
        assert_eq!(work_tree(&name(&main)), Some(root.join("a")));
        assert_eq!(work_tree(&name(&linked)), Some(root.join("b")));
        assert_eq!(common_dir(&name(&root)), None);
        assert_eq!(common_dir(&name(Path::new(".git"))), None);
    }
}
