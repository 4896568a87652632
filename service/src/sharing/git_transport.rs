//! Fetches and pushes notes by starting git.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use postil_core::git::{CommitId, RefName, Repository};
use postil_core::notes::refs::NOTES;
use postil_core::sync::{Fetched, Pushed, Remote, Transport, TransportError};

use super::git_output::{self, PushOutcome};
use crate::process::child::{self, ChildExit, ChildLimit, Failed, KillHandle};

/// The first pause after a lost race; each next one may be twice as long.
const PAUSE: Duration = Duration::from_millis(20);

/// Pauses grow no more after so many.
const LONGEST: u32 = 6;

/// The depth of everything that the fetched ref leads to.
///
/// With one more git would take it for `--unshallow`, which fetches the history of the code as well.
const ALL_OF_HISTORY: &str = "--depth=2147483646";

/// Whether a person can answer prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interaction {
    /// At a terminal: git and ssh may ask, and take their time.
    Attended,
    /// In the background: nothing may ask, and whatever does not end within the limit is ended.
    Unattended {
        /// For one fetch or push.
        limit: Duration,
    },
}

/// Git, for one repository.
#[derive(Debug)]
pub struct GitTransport {
    git_dir: PathBuf,
    /// Where git goes by itself: a remote may be configured as a path from there.
    folder: PathBuf,
    interaction: Interaction,
    /// The ssh that git would start, with options to ask nothing.
    silent_ssh: Option<String>,
    /// Remotes that every push would make a copy of all refs.
    mirrors: Vec<String>,
    /// Where git keeps a list of the commits without parents of a shallow clone.
    shallow: PathBuf,
    /// Whether a plain `git fetch` may leave out blobs and trees.
    is_partial: bool,
    /// Whether objects are missing that git takes to be here.
    is_damaged: bool,
    kill_handle: Arc<KillHandle>,
}

impl GitTransport {
    /// Works in this repository.
    pub fn new(repo: &Repository, interaction: Interaction) -> Self {
        let handle = repo.handle();
        let config = handle.config_snapshot();
        let configured = config.string("core.sshCommand");
        let ssh = match (std::env::var("GIT_SSH_COMMAND"), configured, std::env::var_os("GIT_SSH")) {
            (Ok(command), ..) => Some(command),
            (Err(_), Some(command), _) => Some(command.to_string()),
            (Err(_), None, Some(_)) => None,
            (Err(_), None, None) => Some("ssh".to_owned()),
        };
        let is_mirror =
            |name: &String| config.boolean(format!("remote.{name}.mirror").as_str()) == Some(true);
        let mirrors = Remote::configured(repo).into_iter().filter(is_mirror).collect();
        let folder = repo.work_tree().unwrap_or(repo.git_dir()).to_owned();
        Self {
            git_dir: repo.git_dir().to_owned(),
            folder,
            interaction,
            silent_ssh: ssh.and_then(|ssh| silent(&ssh)),
            mirrors,
            shallow: repo.common_dir().join("shallow"),
            is_partial: repo.is_partial(),
            is_damaged: false,
            kill_handle: Arc::default(),
        }
    }

    /// This handle ends what runs unattended.
    #[must_use]
    pub fn on(self, kill_handle: Arc<KillHandle>) -> Self {
        Self { kill_handle, ..self }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        // The repository is named, so what a hook's environment says of another one must not count.
        for variable in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
        {
            command.env_remove(variable);
        }
        command.arg("--git-dir").arg(&self.git_dir).current_dir(&self.folder).env("LC_ALL", "C");
        if let Interaction::Unattended { .. } = self.interaction {
            command
                .env("GIT_TERMINAL_PROMPT", "0")
                .env("GIT_ASKPASS", "")
                .env("SSH_ASKPASS_REQUIRE", "never");
            if let Some(ssh) = &self.silent_ssh {
                command.env("GIT_SSH_COMMAND", ssh);
            }
        }
        command
    }

    fn run(&self, command: &mut Command, remote: &str) -> Result<ChildExit, TransportError> {
        let term = match self.interaction {
            Interaction::Attended => ChildLimit::Any,
            Interaction::Unattended { limit } => ChildLimit::Cancellable(limit, &self.kill_handle),
        };
        child::run(command, term).map_err(|failed| match failed {
            Failed::Start(error) => TransportError::Start(error),
            Failed::Killed => TransportError::Stopped,
            Failed::TimedOut => TransportError::TimedOut {
                remote: remote.to_owned(),
                seconds: match self.interaction {
                    Interaction::Attended => 0,
                    Interaction::Unattended { limit } => limit.as_secs(),
                },
            },
        })
    }

    /// The options with which git also fetches what the notes here lack; none if they are whole.
    ///
    /// After `postil init` a plain `git fetch` brings notes too, with the filter of a partial clone or a depth; git
    /// would take them for whole ever after. Costs nothing in a clone that is.
    fn wanting(&self, remote: &str, tracking: &RefName) -> Result<Vec<&'static str>, TransportError> {
        let found = |options: &[&str]| -> Result<String, TransportError> {
            let mut command = self.command();
            command.args(["rev-list", "--ignore-missing"]).args(options);
            command.args([&tracking.to_string(), NOTES, "--"]);
            Ok(self.run(&mut command, remote)?.stdout)
        };
        let mut options = Vec::new();
        if let Ok(shallow) = fs::read_to_string(&self.shallow) {
            let shallow: BTreeSet<&str> = shallow.lines().collect();
            if found(&["--max-parents=0"])?.lines().any(|root| shallow.contains(root)) {
                options.push(ALL_OF_HISTORY);
            }
        }
        let lacks = || Ok(!found(&["--objects", "--quiet", "--missing=print"])?.is_empty());
        if self.is_damaged || (self.is_partial && lacks()?) {
            options.push("--refetch");
        }
        Ok(options)
    }
}

impl Transport for GitTransport {
    fn fetch(&mut self, remote: &str, tracking: &RefName) -> Result<Fetched, TransportError> {
        let mut command = self.command();
        command.args(["fetch", "--quiet", "--no-tags", "--no-prune", "--no-filter", "--no-write-fetch-head"]);
        command.args(["--no-recurse-submodules", "--no-auto-maintenance", "--refmap="]);
        let wanting = self.wanting(remote, tracking)?;
        command.args(&wanting);
        command.args(["--", remote]).arg(format!("+{NOTES}:{tracking}"));
        let ended = self.run(&mut command, remote)?;
        let failed = |said| Err(TransportError::Fetch { remote: remote.to_owned(), said });
        match ended.status.success() {
            // Git says so, leaves the ref as it was, and does not call it a failure.
            true if git_output::is_cut_off(&ended.stderr) => failed(git_output::CUT_OFF.to_owned()),
            true if wanting.is_empty() => Ok(Fetched::Notes),
            true => Ok(Fetched::Completed),
            false if git_output::lacks_the_ref(&ended.stderr) => Ok(Fetched::Nothing),
            false => failed(git_output::gist(&ended.stderr)),
        }
    }

    fn fetch_everything(&mut self) {
        self.is_damaged = true;
    }

    fn push(&mut self, remote: &str, tip: CommitId) -> Result<Pushed, TransportError> {
        let mut command = self.command();
        if self.mirrors.iter().any(|mirror| mirror == remote) {
            // Git does not send a single ref to a mirror, and all of them are not ours to send.
            command.arg("-c").arg(format!("remote.{remote}.mirror=false"));
        }
        // The user's hook is for code.
        command.args(["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules"]);
        command.args(["--no-force", "--no-force-with-lease", "--no-signed", "--", remote]);
        command.arg(format!("{tip}:{NOTES}"));
        let ended = self.run(&mut command, remote)?;
        let remote = remote.to_owned();
        match git_output::answer(&ended.stdout) {
            Some(PushOutcome::Refused(said)) if git_output::is_cut_off_here(&said) => {
                Err(TransportError::Push { remote, said: git_output::CUT_OFF_HERE.to_owned() })
            }
            Some(PushOutcome::Refused(said)) => Err(TransportError::Refused {
                remote,
                said: git_output::with_their_words(said, &ended.stderr),
            }),
            Some(PushOutcome::Outrun) => Ok(Pushed::Outrun),
            // Of several addresses one may not have answered at all.
            Some(PushOutcome::UpToDate) if ended.status.success() => Ok(Pushed::UpToDate),
            Some(PushOutcome::Accepted) | None if ended.status.success() => Ok(Pushed::Accepted),
            Some(PushOutcome::UpToDate | PushOutcome::Accepted) | None => {
                Err(TransportError::Push { remote, said: git_output::gist(&ended.stderr) })
            }
        }
    }

    fn push_addresses(&mut self, remote: &str) -> Vec<String> {
        let addresses = |options: &[&str]| -> Vec<String> {
            let mut command = self.command();
            command.args(["remote", "get-url", "--all"]).args(options).args(["--", remote]);
            let ended = self.run(&mut command, remote).ok().filter(|ended| ended.status.success());
            ended.map(|ended| ended.stdout.lines().map(str::to_owned).collect()).unwrap_or_default()
        };
        let fetched = addresses(&[]);
        let mut pushed = addresses(&["--push"]);
        // Git fetches from the first one alone.
        pushed.retain(|address| fetched.first() != Some(address));
        pushed
    }

    fn pause(&mut self, tries: usize) {
        let longest = PAUSE * (1 << u32::try_from(tries).unwrap_or(LONGEST).min(LONGEST));
        // Any number that differs from process to process and from try to try will do.
        let random = RandomState::new().hash_one(tries) % 1024;
        std::thread::sleep(longest.mul_f64(random as f64 / 1024.0));
    }
}

/// Adds the option that keeps OpenSSH from asking; another program may not know it.
fn silent(ssh: &str) -> Option<String> {
    let program = ssh.split_whitespace().next()?;
    let is_openssh = program.rsplit('/').next() == Some("ssh");
    is_openssh.then(|| format!("{ssh} -o BatchMode=yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_openssh_is_told_to_be_silent() {
        assert_eq!(silent("ssh"), Some("ssh -o BatchMode=yes".to_owned()));
        assert_eq!(silent("/usr/bin/ssh -i key"), Some("/usr/bin/ssh -i key -o BatchMode=yes".to_owned()));
        assert_eq!(silent("plink -P 22"), None);
        assert_eq!(silent(""), None);
    }
}
