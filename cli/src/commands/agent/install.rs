//! `postil agent install` and `remove`: one entry in the settings of an agent, shown before it is written.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::json_text::{self, NotEdited};
use super::known_agent::KnownAgent;
use crate::commands::input::choose_place;
use crate::commands::setup::lsp::program_name;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// Lines that are shown around a change.
const AROUND: usize = 2;

/// The first key of every file of hooks.
const HOOKS: &str = "hooks";

/// Adds the hook, or brings the one that is there up to date.
pub fn install(agent: KnownAgent, force: bool) -> Result<(), Failure> {
    let file = SettingsFile::of(agent)?;
    let command = agent.command(Path::new(&program_name()));
    let before = file.text.clone().unwrap_or_default();
    let keys = [HOOKS, agent.event()];
    let after = if before.trim().is_empty() {
        let mut whole = json!({ HOOKS: { agent.event(): [agent.entry(&command)] } });
        if let Some(version) = agent.version() {
            whole["version"] = json!(version);
        }
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    } else {
        // One of an earlier version, or of a program that was elsewhere, is replaced.
        let without = file.edited(json_text::remove(&before, keys, &|said| is_ours(agent, said)))?;
        let again = file.edited(json_text::add(&without, keys, &agent.entry(&command)))?;
        if same(&again, &before) { before.clone() } else { again }
    };
    let done = format!("{} tells {} about new comments when it stops", file.path.display(), agent.word());
    file.change(&before, Some(&after), force, "already installed", &done)
}

/// Removes the hook, and what has nothing else inside by that.
pub fn remove(agent: KnownAgent, force: bool) -> Result<(), Failure> {
    let file = SettingsFile::of(agent)?;
    let before = file.text.clone().unwrap_or_default();
    let after = if before.trim().is_empty() {
        before.clone()
    } else {
        let keys = [HOOKS, agent.event()];
        file.edited(json_text::remove(&before, keys, &|said| is_ours(agent, said)))?
    };
    // A file that says nothing any more was made by us.
    let is_empty = serde_json::from_str::<Value>(&after).is_ok_and(|left| {
        let Value::Object(left) = left else { return false };
        left.keys().all(|key| key == "version" && agent.version().is_some())
    });
    let after = (!is_empty || after == before).then_some(after);
    let done = format!("removed the hook from {}", file.path.display());
    file.change(&before, after.as_deref(), force, "not installed", &done)
}

/// Whether a command in the settings is a hook of ours.
fn is_ours(agent: KnownAgent, said: &str) -> bool {
    said.ends_with(&format!("postil {}", agent.arguments()))
        || said.ends_with(&format!("postil' {}", agent.arguments()))
}

/// Whether two files say the same.
fn same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(one).is_some() && read(one) == read(other)
}

/// The settings of an agent.
struct SettingsFile {
    path: PathBuf,
    /// `None` if it is not there.
    text: Option<String>,
}

impl SettingsFile {
    fn of(agent: KnownAgent) -> Result<Self, Failure> {
        let path = agent.settings_file().ok_or_else(|| {
            Failure::new(FailureKind::Unavailable, "there is no home directory")
                .hint("set HOME to an absolute path")
        })?;
        // A link to a file that is kept elsewhere stays a link.
        let path = fs::canonicalize(&path).unwrap_or(path);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { path, text: Some(text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { path, text: None }),
            Err(error) => Err(unusable(&path, "read").because(error)),
        }
    }

    /// The new text; an error has the place in the file.
    fn edited(&self, edited: Result<String, NotEdited>) -> Result<String, Failure> {
        edited.map_err(|NotEdited { what, line, column }| {
            Failure::new(FailureKind::Usage, format!("could not edit {}", self.path.display()))
                .because(format!("line {line}, column {column}: {what}"))
                .hint("nothing was changed; correct the file, or add the hook by hand: see docs/agents.md")
        })
    }

    /// Shows the change, asks, and writes it; without a new text, the file is deleted.
    fn change(
        &self,
        before: &str,
        after: Option<&str>,
        force: bool,
        unchanged: &str,
        done: &str,
    ) -> Result<(), Failure> {
        let mut out = io::stdout();
        let mut say = |text: &str| writeln!(out, "{text}").map_err(Failure::output);
        if after == Some(before) {
            return say(unchanged);
        }
        say(&self.path.display().to_string())?;
        for shown in difference(before, after.unwrap_or_default()) {
            say(&shown)?;
        }
        if !force {
            if !choose_place::is_possible() {
                return Err(Failure::new(FailureKind::Unsafe, "nothing was changed")
                    .because("nobody can be asked: this is not a terminal")
                    .hint("to change the file without a question, use `--force`"));
            }
            if !confirmed()? {
                return say("nothing was changed");
            }
        }
        match after {
            Some(after) => {
                write(&self.path, after).map_err(|error| unusable(&self.path, "write").because(error))?;
            }
            None => {
                fs::remove_file(&self.path).map_err(|error| unusable(&self.path, "remove").because(error))?;
            }
        }
        say(done)
    }
}

fn confirmed() -> Result<bool, Failure> {
    let mut out = io::stdout();
    write!(out, "change it? [y/N] ").and_then(|()| out.flush()).map_err(Failure::output)?;
    let mut said = String::new();
    io::stdin().read_line(&mut said).map_err(Failure::output)?;
    Ok(matches!(said.trim(), "y" | "Y" | "yes"))
}

fn unusable(path: &Path, what: &str) -> Failure {
    Failure::new(FailureKind::Unavailable, format!("could not {what} {}", path.display()))
        .hint("check the permissions of the file and its folder")
}

/// Writes a file as a whole, with the permissions that it has.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(found) = fs::metadata(path) {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The lines that go and come, with some around them.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let most = old.len().min(new.len()) - head;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    let shown = |mark: char, lines: &[&str]| -> Vec<String> {
        lines.iter().map(|text| format!("{mark} {}", line(text.as_bytes()))).collect()
    };
    let mut told = shown(' ', &old[head.saturating_sub(AROUND)..head]);
    told.extend(shown('-', &old[head..old.len() - tail]));
    told.extend(shown('+', &new[head..new.len() - tail]));
    told.extend(shown(' ', &old[old.len() - tail..(old.len() - tail + AROUND).min(old.len())]));
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_change_are_shown_with_some_around_them() {
        let told = difference("a\nb\nc\nd\ne\n", "a\nb\nc\nnew\nd\ne\n");
        assert_eq!(told, ["  b", "  c", "+ new", "  d", "  e"]);
        assert_eq!(difference("", "{}\n"), ["+ {}"]);
        assert_eq!(difference("a\na\n", "a\n"), ["  a", "- a"]);
    }

    #[test]
    fn only_a_hook_of_ours_for_this_agent_is_known_again() {
        let claude = KnownAgent::Claude;
        assert!(is_ours(claude, "postil agent hook --for claude"));
        assert!(is_ours(claude, "/opt/bin/postil agent hook --for claude"));
        assert!(is_ours(claude, "'/my tools/postil' agent hook --for claude"));
        assert!(!is_ours(claude, "postil agent hook --for codex"));
        assert!(!is_ours(claude, "mine && echo"));
    }
}
