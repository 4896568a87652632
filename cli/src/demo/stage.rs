//! The stage of the demo: folders that vanish, sealed commands, and the narration.
//!
//! What is played on it is in `scenes`. Every process that starts here sees the stage's own home, runtime directory
//! and git configuration, and nothing of the person who watches.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::process::DemoProcess;
use crate::failure::{Failure, FailureKind};

/// When everything in the demo happens, so that every run makes the same commits.
const WHEN: &str = "2026-01-05T09:00:00Z";

/// Settings that no file may change: `git` reads them from the environment.
const GIT_CONFIG: [(&str, &str); 5] = [
    // A daemon that a command starts would outlive the stage too.
    ("postil.daemon", "off"),
    ("init.defaultBranch", "main"),
    // A gc in the background would outlive the stage.
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.defaultBranchName", "false"),
];

/// A person in the demo, and the folder they work in.
#[derive(Debug)]
pub struct DemoPerson {
    /// What they are called.
    pub name: &'static str,
    /// Their clone.
    pub folder: PathBuf,
}

/// Folders and narration; the folders are gone when it is dropped.
pub struct DemoStage<'out> {
    root: TempDir,
    out: &'out mut dyn Write,
    interrupted: Arc<AtomicBool>,
}

impl<'out> DemoStage<'out> {
    /// Builds an empty stage in the system's folder for temporary files.
    pub fn build(out: &'out mut dyn Write, interrupted: Arc<AtomicBool>) -> Result<Self, Failure> {
        let built = tempfile::Builder::new().prefix("postil-demo-").tempdir().and_then(|root| {
            for folder in ["home", "run", "tmp", "people"] {
                // As strict as a real runtime directory, which must be its owner's alone.
                fs::DirBuilder::new().mode(0o700).create(root.path().join(folder))?;
            }
            Ok(root)
        });
        let root = built.map_err(|error| {
            Failure::new(FailureKind::Unavailable, "the demo could not create a temporary directory")
                .because(error)
                .hint("set TMPDIR to a writable directory")
        })?;
        Ok(Self { root, out, interrupted })
    }

    /// Gives a person a folder that does not exist yet.
    pub fn person(&self, name: &'static str) -> DemoPerson {
        DemoPerson { name, folder: self.root.path().join("people").join(name.to_lowercase()) }
    }

    /// Prints a line of the story.
    pub fn narrate(&mut self, line: &str) -> Result<(), Failure> {
        self.goes_on()?;
        writeln!(self.out, "{line}").map_err(Failure::output)
    }

    /// Opens a scene.
    pub fn title(&mut self, title: &str) -> Result<(), Failure> {
        self.narrate(&format!("\n== {title}"))
    }

    /// Prints a statement that is true; a false one ends the demo.
    pub fn check(&mut self, statement: &str, holds: bool) -> Result<(), Failure> {
        self.goes_on()?;
        if holds {
            return self.narrate(&format!("   ok: {statement}"));
        }
        Err(Failure::new(FailureKind::CheckFailed, format!("a check of the demo failed: {statement}"))
            .hint("this is a bug in postil; please report it"))
    }

    /// Writes a file in a person's clone, and prints that.
    pub fn write(&mut self, person: &DemoPerson, path: &str, text: &str) -> Result<(), Failure> {
        self.narrate(&format!("   {} writes {path}", person.name))?;
        let file = person.folder.join(path);
        let parent = file.parent().map_or(Ok(()), fs::create_dir_all);
        parent
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| broken(&format!("could not write {path}"), error))
    }

    /// The text of a file of a person's clone.
    pub fn read(person: &DemoPerson, path: &str) -> Result<String, Failure> {
        fs::read_to_string(person.folder.join(path))
            .map_err(|error| broken(&format!("could not read {path}"), error))
    }

    /// Renames a file as an editor does, without telling git.
    pub fn move_file(&mut self, person: &DemoPerson, from: &str, to: &str) -> Result<(), Failure> {
        self.narrate(&format!("   {}$ mv {from} {to}", person.name.to_lowercase()))?;
        fs::rename(person.folder.join(from), person.folder.join(to))
            .map_err(|error| broken(&format!("could not move {from}"), error))
    }

    /// Runs git for a person, prints the command and its output, and returns the output.
    ///
    /// Anything but success ends the demo.
    pub fn git(&mut self, person: &DemoPerson, args: &[&str]) -> Result<String, Failure> {
        self.narrate(&format!("   {}$ git {}", person.name.to_lowercase(), shown(args)))?;
        let printed = self.ask_git(person, args)?;
        for line in printed.lines() {
            self.narrate(&format!("     {line}"))?;
        }
        Ok(printed)
    }

    /// Runs git for a person without printing, to check something; returns its output.
    pub fn ask_git(&mut self, person: &DemoPerson, args: &[&str]) -> Result<String, Failure> {
        self.goes_on()?;
        fs::create_dir_all(&person.folder).map_err(|error| broken("could not create a directory", error))?;
        let output = self.command(person, OsStr::new("git")).args(args).output();
        // Ctrl-C ends the whole group, so git as well: its failure is not the story.
        self.goes_on()?;
        let output = output.map_err(|error| {
            Failure::new(FailureKind::Unavailable, "the demo could not start git")
                .because(error)
                .hint("make sure that git is installed and on the PATH")
        })?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::new(
                FailureKind::CheckFailed,
                format!("`git {}` failed in the demo", shown(args)),
            )
            .because(error));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs postil for a person, prints the command and its output, and returns the output.
    ///
    /// Anything but success ends the demo.
    pub fn postil(&mut self, person: &DemoPerson, args: &[&str]) -> Result<String, Failure> {
        self.narrate(&format!("   {}$ postil {}", person.name.to_lowercase(), shown(args)))?;
        let printed = self.ask_postil(person, args)?;
        for line in printed.lines() {
            self.narrate(&format!("     {line}"))?;
        }
        Ok(printed)
    }

    /// Runs postil for a person without printing, to check something; returns its output.
    pub fn ask_postil(&mut self, person: &DemoPerson, args: &[&str]) -> Result<String, Failure> {
        self.goes_on()?;
        let program =
            std::env::current_exe().map_err(|error| broken("could not find the postil program", error))?;
        let output = self.command(person, program.as_os_str()).args(args).output();
        self.goes_on()?;
        let output = output.map_err(|error| broken("could not start postil", error))?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let what = format!("`postil {}` failed in the demo", shown(args));
            return Err(Failure::new(FailureKind::CheckFailed, what).because(error));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts postil for a person in the background, and prints the command.
    pub fn start_postil(&mut self, person: &DemoPerson, args: &[&str]) -> Result<DemoProcess, Failure> {
        self.narrate(&format!("   {}$ postil {} &", person.name.to_lowercase(), shown(args)))?;
        let program =
            std::env::current_exe().map_err(|error| broken("could not find the postil program", error))?;
        DemoProcess::start(self.command(person, program.as_os_str()).args(args))
            .map_err(|error| broken("could not start postil", error))
    }

    /// Removes every folder, and says when it cannot.
    pub fn take_down(self) -> Result<(), Failure> {
        let root = self.root.path().to_owned();
        self.root.close().map_err(|error| broken(&format!("could not remove {}", root.display()), error))
    }

    fn goes_on(&self) -> Result<(), Failure> {
        if self.interrupted.load(Ordering::SeqCst) {
            return Err(Failure::new(FailureKind::Interrupted, "the demo was interrupted"));
        }
        Ok(())
    }

    fn command(&self, person: &DemoPerson, program: &OsStr) -> Command {
        let within = |folder: &str| self.root.path().join(folder);
        let mut command = Command::new(program);
        command
            .current_dir(&person.folder)
            .stdin(Stdio::null())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("LC_ALL", "C")
            .env("HOME", within("home"))
            .env("XDG_RUNTIME_DIR", within("run"))
            .env("TMPDIR", within("tmp"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", within("home/.gitconfig"))
            .env("GIT_CEILING_DIRECTORIES", self.root.path())
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_CONFIG_COUNT", GIT_CONFIG.len().to_string());
        for (index, (key, value)) in GIT_CONFIG.iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{index}"), key)
                .env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), person.name)
                .env(format!("GIT_{role}_EMAIL"), format!("{}@example.com", person.name.to_lowercase()))
                .env(format!("GIT_{role}_DATE"), WHEN);
        }
        command
    }
}

fn broken(what: &str, error: io::Error) -> Failure {
    Failure::new(FailureKind::Unavailable, format!("the demo {what}")).because(error)
}

/// As one would type it.
fn shown(args: &[&str]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=/.:@%+,^~".contains(c);
    let quoted = |arg: &&str| {
        let plain = !arg.is_empty() && arg.chars().all(is_plain);
        if plain { (*arg).to_owned() } else { format!("'{arg}'") }
    };
    args.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
