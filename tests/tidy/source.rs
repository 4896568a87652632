//! The files of the repository, and complaints about them.
//!
//! Reading only: what is wrong with a file is for the other modules to say.

use std::fmt;
use std::path::{Path, PathBuf};

/// A text file of the repository.
pub struct Source {
    /// Where it is, from the root of the repository, with `/` between the parts.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Source {
    /// Makes a file that is not on disk.
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether the rules for our own code bind it: fixtures are other people's code.
    pub fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
            && !self.path.split('/').any(|part| part == "fixtures")
    }

    /// Whether it is a page of documentation.
    pub fn is_page(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "md")
    }

    /// Its name without the folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the whole file is test code.
    pub fn is_test(&self) -> bool {
        ["tests/", "testkit/"].iter().any(|folder| self.path.starts_with(folder))
            || self.path.split('/').nth(1) == Some("tests")
    }

    /// Complains about the line that holds the byte `at`.
    pub fn complain(&self, at: usize, what: impl Into<String>) -> Complaint {
        let line = 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        Complaint { place: format!("{}:{line}", self.path), what: what.into() }
    }
}

/// What is wrong, and where.
#[derive(Debug)]
pub struct Complaint {
    place: String,
    what: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Reads every text file of the repository, in order of path.
///
/// Leaves out files that are not text, the git directory, build directories (which cargo tags), what npm
/// installs or builds, and fuzzing corpora.
pub fn repository() -> Vec<Source> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the workspace");
    let mut sources = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder of the repository can be listed") {
            let path = entry.expect("a folder of the repository can be listed").path();
            if path.is_symlink() || is_left_out(root, &path) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                sources.push(Source { path: from_root(root, &path), text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn is_left_out(root: &Path, folder: &Path) -> bool {
    const NAMES: [&str; 5] =
        [".git", "fuzz/corpus", "editors/vscode/node_modules", "editors/vscode/dist", "editors/vscode/out"];
    folder.join("CACHEDIR.TAG").exists() || NAMES.contains(&from_root(root, folder).as_str())
}

fn from_root(root: &Path, path: &Path) -> String {
    let inside: PathBuf = path.strip_prefix(root).expect("the walk began at the root").to_owned();
    inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[test]
fn a_complaint_names_the_file_and_the_line() {
    let source = Source::new("core/src/x.rs", "one\ntwo\nthree\n");
    assert_eq!(source.complain(5, "wrong").to_string(), "core/src/x.rs:2: wrong");
}

#[test]
fn the_walk_finds_this_file_and_no_build_product() {
    let sources = repository();
    assert!(sources.iter().any(|source| source.path == "tests/tidy/source.rs"));
    assert!(!sources.iter().any(|source| source.path.starts_with("target/")));
}
