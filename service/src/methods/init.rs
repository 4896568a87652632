//! The settings that stock git needs to treat the notes well.
//!
//! Git writes its own configuration, with its own lock. Existing settings are not changed.

use std::process::{Command, Output};

use postil_core::git::Repository;
use postil_core::notes::refs;
use postil_core::sync::{Remote, RemoteError};
use postil_protocol::{Advice, Fault, FaultCode, Init, InitReply, Mark};

use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::sharing::{Policy, SPARING, leads_to, pushing_all, unspared};

/// How stock git is to merge our notes: none of its other ways leaves them whole.
pub(crate) const MERGE_STRATEGY: (&str, &str) = ("notes.reviews.mergeStrategy", "union");

/// Makes the settings, or takes them back.
pub fn init(request: &Request, init: &Init) -> Result<InitReply, Fault> {
    // Reopened, because a long-lived handle does not see edits of the configuration.
    let repo = request.work_tree.repository().reopen().or_fault()?;
    let remotes = match &init.remote {
        Some(name) => vec![configured(&repo, name)?],
        None if init.undo => Remote::configured(&repo),
        None => usual(&repo)?.into_iter().collect(),
    };
    let mut reply = InitReply {
        mark: Mark::default(),
        set: Vec::new(),
        unset: Vec::new(),
        warnings: Vec::new(),
        threads: u32::try_from(request.notes.threads.iter().len()).unwrap_or(u32::MAX),
    };
    if init.undo {
        undo(&repo, &remotes, &mut reply)?;
        return Ok(reply);
    }
    let (name, value) = MERGE_STRATEGY;
    let handle = repo.handle();
    let config = handle.config_snapshot();
    if config.string(name).is_none() {
        git_config(&repo, &[name, value])?;
        reply.set.push(format!("{name}={value}"));
    }
    for remote in remotes {
        if unspared(&repo).contains(&remote) {
            reply.set.push(spare(&repo, &remote)?);
        }
        let (name, value) = fetching(&remote);
        if !values(&repo, &name).contains(&value) {
            git_config(&repo, &["--add", &name, &value])?;
            reply.set.push(format!("{name}={value}"));
        }
    }
    reply.warnings = pushing_all(&repo);
    Ok(reply)
}

/// Takes back what `init` sets in this repository, and nothing else.
fn undo(repo: &Repository, remotes: &[String], reply: &mut InitReply) -> Result<(), Fault> {
    let mut settings = Vec::new();
    for remote in remotes {
        let (name, _) = fetching(remote);
        // A remote that was renamed since still brings notes to where they were under its old name.
        settings.extend(
            values(repo, &name).into_iter().filter(|value| is_ours(value)).map(|value| (name.clone(), value)),
        );
    }
    settings.push((MERGE_STRATEGY.0.to_owned(), MERGE_STRATEGY.1.to_owned()));
    for (name, value) in settings {
        if git_config(repo, &["--unset-all", "--fixed-value", &name, &value])? == SettingChanged::Yes {
            reply.unset.push(format!("{name}={value}"));
        }
    }
    Ok(())
}

fn is_ours(refspec: &str) -> bool {
    if refspec == SPARING {
        return true;
    }
    let target = refspec.strip_prefix('+').and_then(|spec| {
        spec.strip_prefix(refs::NOTES_PATTERN)?.strip_prefix(':')?.strip_prefix(refs::REMOTES)
    });
    target.is_some_and(|target| target.ends_with("/review*"))
}

/// What makes a plain `git fetch` bring the notes to where `sync` looks for them.
fn fetching(remote: &str) -> (String, String) {
    (format!("remote.{remote}.fetch"), format!("+{}:{}{remote}/review*", refs::NOTES_PATTERN, refs::REMOTES))
}

/// All values of a setting, wherever they are set.
fn values(repo: &Repository, name: &str) -> Vec<String> {
    let found = repo.handle().config_snapshot().strings(name).unwrap_or_default();
    found.iter().map(ToString::to_string).collect()
}

fn configured(repo: &Repository, name: &str) -> Result<String, Fault> {
    let names = Remote::configured(repo);
    if names.iter().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    let fault = Fault::new(FaultCode::InvalidParams, format!("no such remote: {name:?}"));
    Err(fault.because(&std::io::Error::other(match names.len() {
        0 => "this repository has no remotes".to_owned(),
        _ => format!("the remotes are {}", names.join(", ")),
    })))
}

/// The remote that `sync` would choose; `None` if there is no remote, or no obvious one.
fn usual(repo: &Repository) -> Result<Option<String>, Fault> {
    match Remote::usual_configured(repo) {
        Ok(remote) => Ok(Some(remote.name().to_owned())),
        Err(RemoteError::None | RemoteError::Ambiguous { .. }) => Ok(None),
        Err(error) => Err(Fault::new(FaultCode::InvalidParams, "this remote cannot be used").because(&error)),
    }
}

/// How git would merge our notes, if that is not well.
pub(crate) fn merging(repo: &Repository) -> Option<String> {
    let (name, wanted) = MERGE_STRATEGY;
    match values(repo, name).last() {
        Some(found) if found == wanted => None,
        Some(found) => Some(found.clone()),
        // Without a remote there is nothing to merge.
        None if Remote::configured(repo).is_empty() => None,
        None => Some("not set".to_owned()),
    }
}

/// Makes git merge our notes well.
pub(crate) fn set_merging(repo: &Repository) -> Result<(), Fault> {
    let (name, value) = MERGE_STRATEGY;
    git_config(repo, &["--replace-all", name, value]).map(drop)
}

/// What a plain `git fetch` would write our notes over with.
pub(crate) fn overwriting(repo: &Repository) -> Vec<String> {
    let specs = Remote::configured(repo).into_iter().flat_map(|remote| values(repo, &fetching(&remote).0));
    specs.filter(|spec| spec.starts_with('+') && leads_to(spec, refs::NOTES)).collect()
}

/// Keeps fetches from a remote from what is kept here alone; returns what was set.
pub(crate) fn spare(repo: &Repository, remote: &str) -> Result<String, Fault> {
    let (name, _) = fetching(remote);
    git_config(repo, &["--add", &name, SPARING])?;
    Ok(format!("{name}={SPARING}"))
}

/// PendingRecords for `postil.daemon`; any other is taken for yes.
const SWITCHES: [&str; 11] = ["", "on", "yes", "true", "always", "1", "off", "no", "false", "never", "0"];

/// Settings of postil with invalid values, each with advice on the valid ones.
pub(crate) fn misunderstood(repo: &Repository) -> Vec<(String, Advice)> {
    let handle = repo.handle();
    let config = handle.config_snapshot();
    let mut found = Vec::new();
    let mut check = |name: &str, is_understood: &dyn Fn(&str) -> bool, understood| {
        let value = config.string(name).map(|value| value.to_string());
        if let Some(value) = value.filter(|value| !is_understood(value)) {
            found.push((format!("{name} is {value:?}"), understood));
        }
    };
    let is_switch = |value: &str| SWITCHES.iter().any(|word| value.eq_ignore_ascii_case(word));
    check("postil.daemon", &is_switch, Advice::SetDaemon);
    let is_policy = |value: &str| Policy::understood(value).is_some();
    check("postil.autosync", &is_policy, Advice::SetAutosync);
    found
}

/// Whether a setting is another now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SettingChanged {
    Yes,
    /// It is not set in this repository; it may be set in the user's global configuration.
    No,
}

/// What git says when it is to unset what is not set.
const NOT_SET: i32 = 5;

fn git_config(repo: &Repository, args: &[&str]) -> Result<SettingChanged, Fault> {
    let failed = || Fault::new(FaultCode::WriteFailed, "could not change the configuration");
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(repo.common_dir()).args(["config", "--local"]).args(args);
    let Output { status, stderr, .. } = command.output().map_err(|error| failed().because(&error))?;
    match status.code() {
        Some(0) => Ok(SettingChanged::Yes),
        Some(NOT_SET) if stderr.is_empty() => Ok(SettingChanged::No),
        _ => {
            Err(failed().because(&std::io::Error::other(String::from_utf8_lossy(&stderr).trim().to_owned())))
        }
    }
}
