//! Writes several files: each whole, and all or none.
//!
//! New content is written beside each file first; then every file is replaced by renaming. What fails on the way is
//! undone. A process that dies in between leaves the way back behind, by which `undo` finishes the retreat.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use postil_client::Checkout;
use postil_protocol::{ByteText, PlannedFile};

use super::target::{Expected, Order, Target};
use super::way_back;
use crate::failure::{Failure, Kind};

/// Whether files will be staged once they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Staging {
    /// The index stays as it is.
    No,
    /// They will, so that the way back leads through the index.
    Follows,
}

/// Writes what was planned, and keeps the way back; `what` says what it is, in words.
pub fn land(checkout: &Checkout, files: &[PlannedFile], what: &str, staging: Staging) -> Result<(), Failure> {
    let root = checkout.work_tree().ok_or_else(no_files)?;
    let hash = checkout.repository().handle().object_hash();
    let targets = check_all(root, hash, orders(files))?;
    let staged = Staged::write(targets)?;
    let back: Vec<_> = staged.targets.iter().map(|target| target.way_back(hash)).collect();
    let journal = way_back::keep(checkout, what, back, staging).inspect_err(|_| staged.clear())?;
    // Where nothing was done, the way back from before is the right one again.
    staged.land(root).inspect_err(|_| drop(fs::remove_file(&journal)))
}

/// Writes what was ordered, without a way back.
pub(super) fn land_orders(root: &Path, hash: gix::hash::Kind, orders: Vec<Order>) -> Result<(), Failure> {
    Staged::write(check_all(root, hash, orders)?)?.land(root)
}

fn orders(files: &[PlannedFile]) -> Vec<Order> {
    let mut orders = Vec::new();
    for file in files {
        let expected = file.disk.clone().map_or(Expected::Nothing, Expected::Is);
        if let (Some(to), Some(content)) = (&file.to, &file.content) {
            let expected = if file.from.as_ref() == Some(to) { expected.clone() } else { Expected::Nothing };
            orders.push(Order {
                path: to.clone(),
                expected,
                content: Some(content.as_bytes().to_vec()),
                executable: file.executable,
            });
        }
        if let Some(from) = file.from.as_ref().filter(|from| file.to.as_ref() != Some(*from)) {
            orders.push(Order { path: from.clone(), expected, content: None, executable: false });
        }
    }
    one_for_each(orders)
}

/// Where one file leaves a path and another gets it, what is expected there is the one, and what comes the other.
fn one_for_each(orders: Vec<Order>) -> Vec<Order> {
    let (mut kept, leaving): (Vec<_>, Vec<_>) = orders.into_iter().partition(|order| order.content.is_some());
    for left in leaving {
        match kept.iter_mut().find(|order| order.path == left.path && order.expected == Expected::Nothing) {
            Some(order) => order.expected = left.expected,
            None => kept.push(left),
        }
    }
    kept
}

fn check_all(root: &Path, hash: gix::hash::Kind, orders: Vec<Order>) -> Result<Vec<Target>, Failure> {
    orders.into_iter().map(|order| Target::check(root, hash, order)).collect()
}

/// Files whose new content is on disk, beside the old.
struct Staged {
    targets: Vec<Target>,
    /// For each target, where its new content is; none when it is deleted.
    beside: Vec<Option<PathBuf>>,
    /// The folders that were made, outermost first.
    made: Vec<PathBuf>,
}

impl Staged {
    fn write(targets: Vec<Target>) -> Result<Self, Failure> {
        let mut staged = Self { targets, beside: Vec::new(), made: Vec::new() };
        for at in 0..staged.targets.len() {
            match staged.write_one(at) {
                Ok(beside) => staged.beside.push(beside),
                Err(error) => {
                    let name = staged.name(at);
                    staged.clear();
                    return Err(Failure::new(Kind::Unavailable, format!("could not write {name}"))
                        .because(error)
                        .hint("nothing was changed"));
                }
            }
        }
        Ok(staged)
    }

    fn write_one(&mut self, at: usize) -> std::io::Result<Option<PathBuf>> {
        let target = &self.targets[at];
        let Some(content) = &target.order.content else { return Ok(None) };
        let folder = target.file.parent().expect("a file of a work tree is in a folder");
        let missing: Vec<_> = folder.ancestors().take_while(|above| !above.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.made.push(folder.to_owned());
        }
        let beside = folder.join(format!(".postil-{}-{at}", std::process::id()));
        let usual = if target.order.executable { 0o777 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(usual).open(&beside)?;
        let written = (|| {
            file.write_all(content)?;
            if let Some(mode) = target.permissions_after() {
                file.set_permissions(fs::Permissions::from_mode(mode))?;
            }
            file.sync_all()
        })();
        written.inspect_err(|_| drop(fs::remove_file(&beside)))?;
        Ok(Some(beside))
    }

    /// Puts every file in its place, or every one back.
    fn land(self, root: &Path) -> Result<(), Failure> {
        for at in 0..self.targets.len() {
            let target = &self.targets[at];
            let landed = match &self.beside[at] {
                Some(beside) => fs::rename(beside, &target.file),
                None => fs::remove_file(&target.file),
            };
            if let Err(error) = landed {
                let failure = Failure::new(Kind::Unavailable, format!("could not write {}", self.name(at)))
                    .because(error);
                let lost: Vec<String> = (0..at)
                    .filter(|at| self.targets[*at].restore().is_err())
                    .map(|at| self.name(at))
                    .collect();
                self.clear();
                return Err(if lost.is_empty() {
                    failure.hint("nothing was changed")
                } else {
                    failure.also(format!("could not put back {}", lost.join(", ")))
                });
            }
        }
        for target in self.targets.iter().filter(|target| target.order.content.is_none()) {
            // As git does it: a folder goes with its last file.
            let above = target.file.ancestors().skip(1).take_while(|above| *above != root);
            above.map(fs::remove_dir).take_while(Result::is_ok).for_each(drop);
        }
        Ok(())
    }

    fn name(&self, at: usize) -> String {
        String::from_utf8_lossy(self.targets[at].order.path.as_bytes()).into_owned()
    }

    /// Takes away what was written beside, and the folders that were made for it.
    fn clear(&self) {
        self.beside.iter().flatten().for_each(|beside| drop(fs::remove_file(beside)));
        self.made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl Target {
    /// Makes the file what it was.
    fn restore(&self) -> std::io::Result<()> {
        let Some(before) = &self.before else { return fs::remove_file(&self.file) };
        let beside = self.file.with_file_name(format!(".postil-{}-back", std::process::id()));
        fs::write(&beside, before)?;
        if let Some(mode) = self.permissions {
            fs::set_permissions(&beside, fs::Permissions::from_mode(mode))?;
        }
        fs::rename(&beside, &self.file)
    }
}

pub(super) fn no_files() -> Failure {
    Failure::new(Kind::Usage, "there are no files here that could be changed")
}

/// The order that makes a file what it was.
pub(super) fn back(path: ByteText, expected: Expected, before: Option<Vec<u8>>, executable: bool) -> Order {
    Order { path, expected, content: before, executable }
}

#[cfg(test)]
mod tests {
    use super::super::target::name_of;
    use super::*;

    const HASH: gix::hash::Kind = gix::hash::Kind::Sha1;

    fn order(path: &str, before: Option<&str>, after: Option<&str>) -> Order {
        let expected = before
            .map_or(Expected::Nothing, |before| Expected::Is(name_of(HASH, before.as_bytes()).unwrap()));
        Order {
            path: path.into(),
            expected,
            content: after.map(|after| after.as_bytes().to_vec()),
            executable: false,
        }
    }

    fn tree(root: &Path) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    all.push((name, fs::read_to_string(path).unwrap()));
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_failure_in_the_middle_puts_everything_back() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(root.path().join(name), name).unwrap();
        }
        fs::set_permissions(root.path().join("a"), fs::Permissions::from_mode(0o700)).unwrap();
        let orders = vec![
            order("a", Some("a"), Some("A")),
            order("new/deep/file", None, Some("new")),
            order("b", Some("b"), None),
            order("c", Some("c"), Some("C")),
        ];
        let staged = Staged::write(check_all(root.path(), HASH, orders).unwrap()).unwrap();
        // Somebody puts a folder where a file was, at the last moment.
        fs::remove_file(root.path().join("c")).unwrap();
        fs::create_dir(root.path().join("c")).unwrap();
        let failure = staged.land(root.path()).unwrap_err().to_string();
        assert!(
            failure.contains("could not write c") && failure.contains("nothing was changed"),
            "{failure}"
        );
        let expected = [("a", "a"), ("b", "b")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(tree(root.path()), expected);
        assert!(!root.path().join("new").exists());
        let mode = fs::metadata(root.path().join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_file_that_is_not_as_expected_stops_everything() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a"), "a").unwrap();
        fs::write(root.path().join("b"), "other").unwrap();
        let orders = vec![order("a", Some("a"), Some("A")), order("b", Some("b"), Some("B"))];
        let failure = land_orders(root.path(), HASH, orders).unwrap_err();
        assert_eq!(failure.kind(), Kind::Conflict);
        assert_eq!(fs::read_to_string(root.path().join("a")).unwrap(), "a");
    }

    #[test]
    fn nothing_is_written_through_links_or_into_git() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("file")).unwrap();
        for path in ["link/x", "../x", ".git/hooks/pre-commit", "file"] {
            assert!(land_orders(root.path(), HASH, vec![order(path, None, Some("x"))]).is_err(), "{path}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_goes_with_its_last_file_and_modes_stay() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("x/y")).unwrap();
        fs::write(root.path().join("x/y/z"), "z").unwrap();
        fs::write(root.path().join("run"), "r").unwrap();
        fs::set_permissions(root.path().join("run"), fs::Permissions::from_mode(0o640)).unwrap();
        let program = Order { executable: true, ..order("run", Some("r"), Some("R")) };
        land_orders(root.path(), HASH, vec![order("x/y/z", Some("z"), None), program]).unwrap();
        assert!(!root.path().join("x").exists());
        let mode = fs::metadata(root.path().join("run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
    }
}
