//! What a writer leaves in a repository when it dies, or when its disk fails.
//!
//! Only how to tell: when it must be gone is for the tests to say.

use std::fs;
use std::path::{Path, PathBuf};

/// Its name, and how to tell it.
type Leftover = (&'static str, fn(&Path) -> bool);

/// What a dead writer may leave.
pub const ALL: [Leftover; 7] = [
    ("the lock of the notes ref", |path| path.ends_with("refs/notes/reviews.lock")),
    ("the lock of a local ref", |path| {
        path.ends_with("refs/postil/known.lock") || path.ends_with("refs/postil/pins.lock")
    }),
    ("the draft of a lock", |path| path.ends_with("postil/lock.new")),
    ("the draft of a lock for later", |path| path.ends_with("postil/lock.next")),
    ("the keep file of a pack", is_keep),
    ("the draft of an object", |path| name(path).starts_with("tmp_obj_")),
    ("the draft of a pack", |path| is_below(path, "incoming-postil")),
];

/// Drafts may lie around longer: those of objects have a name that `git gc` removes, that of a pack is in the place
/// where the next pack is made.
pub const MAY_STAY: [&str; 2] = ["the draft of an object", "the draft of a pack"];

/// Which of these lie below `git_dir`; what is in `foreign` does not count.
pub fn found(git_dir: &Path, foreign: &[PathBuf]) -> Vec<&'static str> {
    let files = files_below(git_dir);
    let lies_around = |is: fn(&Path) -> bool| files.iter().any(|path| is(path) && !foreign.contains(path));
    ALL.iter().filter(|(_, is)| lies_around(*is)).map(|(what, _)| *what).collect()
}

/// Whether it is an object, or part of a pack, in its place.
pub fn is_object(path: &Path) -> bool {
    is_below(path, "objects") && !is_draft(path) && !is_keep(path)
}

/// Of an object or of a pack.
pub fn is_draft(path: &Path) -> bool {
    name(path).starts_with("tmp_obj_") || is_below(path, "incoming-postil")
}

fn is_keep(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "keep") && !is_draft(path)
}

fn is_below(path: &Path, dir: &str) -> bool {
    path.components().any(|part| part.as_os_str() == dir)
}

fn name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&entry.path()));
        } else {
            files.push(entry.path());
        }
    }
    files
}
