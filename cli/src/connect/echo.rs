//! What this very command printed before, where it would print the same again.
//!
//! Looked for before anything else is done: the words are not understood yet, and no repository is looked for. What
//! cannot be decided so quickly is done as always.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::config::Source;
use postil_core::protocol::ByteText;
use postil_daemon::echo::{self, Text};
use postil_daemon::socket::Place;

use super::daemon::VERSION;
use super::folder::Folder;
use super::identity::now;

/// The commands whose results the daemon can vouch for.
const ECHOED: [&str; 2] = ["list", "ls"];

/// Variables that decide what is printed, besides those of git.
const DECISIVE: [&str; 7] =
    ["HOME", "XDG_CONFIG_HOME", "NO_COLOR", "TERM", "COLUMNS", "TZ", "POSTIL_RUNTIME_DIR"];

/// Variables that lead to files of which nobody would know the times; with one of them, nothing is asked.
const LEADING: [&str; 9] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "POSTIL_DAEMON",
];

/// A command that may have been given before.
#[derive(Clone, Debug)]
pub struct Echo {
    /// All that decides what it prints but files.
    pub key: String,
    /// When it began, in milliseconds since 1970.
    pub began: u64,
}

impl Echo {
    /// The one that these words give; `None` for a command that is never remembered.
    pub fn of(words: &[OsString]) -> Option<Self> {
        let is_echoed = words.get(1).is_some_and(|word| ECHOED.iter().any(|echoed| word == echoed));
        // At a terminal there are colours, a width and a pager.
        if !is_echoed || io::stdout().is_terminal() {
            return None;
        }
        let began = now();
        let key = key(words, &std::env::current_dir().ok()?, std::env::vars_os())?;
        Some(Self { key, began })
    }

    /// What it printed before, if it would print the same now.
    pub fn recalled(&self) -> Option<Text> {
        let place = Place::of_this_user().ok()?;
        place.check_runtime().ok()?;
        echo::recall(&place.echoes(), &self.key)
    }

    /// The files that decide which repository is meant and how it is shown, there or not; `None` where that is not
    /// known.
    pub fn files(directory: &Path, folder: &Folder) -> Option<Vec<ByteText>> {
        let (settings, root) = (folder.settings(), folder.work_tree()?);
        let read = settings.sections().filter_map(|section| section.meta().path.clone());
        let usual = [Source::System, Source::Git, Source::User];
        let usual =
            usual.iter().filter_map(|source| source.storage_location(&mut |name| std::env::var_os(name)));
        // A repository of its own may appear in any folder on the way.
        let inside = directory.ancestors().take_while(|folder| folder.starts_with(root));
        let mut files: BTreeSet<PathBuf> = inside.map(|folder| folder.join(".git")).collect();
        files.extend(read.chain(usual));
        let is_known = files.iter().all(|file| file.is_absolute()) && directory.starts_with(root);
        is_known.then(|| files.iter().map(|file| ByteText::new(file.as_os_str().as_bytes())).collect())
    }
}

/// The words, where they were given, and the variables that matter, with zeros between; `None` where others do.
fn key(
    words: &[OsString],
    directory: &Path,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Option<String> {
    let mut parts = vec![VERSION.to_owned(), directory.to_str()?.to_owned()];
    for word in &words[1..] {
        // A path from the root may lead through links.
        parts.push(word.to_str().filter(|word| !word.starts_with('/'))?.to_owned());
    }
    let mut matter = Vec::new();
    for (name, value) in variables {
        let Some(name) = name.to_str() else { continue };
        if LEADING.contains(&name) {
            return None;
        }
        if name.starts_with("GIT_") || DECISIVE.contains(&name) {
            matter.push(format!("{name}={}", value.to_str()?));
        }
    }
    matter.sort_unstable();
    parts.append(&mut matter);
    Some(parts.join("\0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(words: &str, directory: &str, variables: &[(&str, &str)]) -> Option<String> {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        key(&words, Path::new(directory), variables)
    }

    #[test]
    fn whatever_decides_what_is_printed_makes_another_key() {
        let home = ("HOME", "/home/ann");
        let usual = keyed("postil list", "/r", &[home]).unwrap();
        for other in [
            keyed("postil ls", "/r", &[home]),
            keyed("postil list a", "/r", &[home]),
            keyed("postil list", "/r/a", &[home]),
            keyed("postil list", "/r", &[("HOME", "/home/bob")]),
            keyed("postil list", "/r", &[home, ("GIT_AUTHOR_EMAIL", "x")]),
            keyed("postil list", "/r", &[home, ("GIT_CONFIG_VALUE_0", "x")]),
            keyed("postil list", "/r", &[home, ("NO_COLOR", "")]),
        ] {
            assert_ne!(other.unwrap(), usual);
        }
        for same in [
            keyed("postil list", "/r", &[home, ("SHLVL", "2")]),
            keyed("git-postil list", "/r", &[("LS_COLORS", "x"), home]),
        ] {
            assert_eq!(same.unwrap(), usual);
        }
        let both = [("GIT_PAGER", "less"), home];
        assert_eq!(keyed("postil list", "/r", &both), keyed("postil list", "/r", &[both[1], both[0]]));
    }

    #[test]
    fn what_leads_elsewhere_has_no_key() {
        assert!(keyed("postil list /abs", "/r", &[]).is_none());
        for name in LEADING {
            assert!(keyed("postil list", "/r", &[(name, "x")]).is_none(), "{name}");
        }
    }
}
