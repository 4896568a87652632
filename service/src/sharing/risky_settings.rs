//! Settings of git by which local refs would leave the repository, or be deleted.
//!
//! Below `refs/postil/` are drafts and files that are private and exist nowhere else. This module only reads;
//! `init` and `doctor` change the settings.

use postil_core::git::{RefName, Repository};
use postil_core::notes::refs;
use postil_core::sync::Remote;
use postil_protocol::{Advice, WarningView};

/// Keeps a fetch of everything, as in a mirror, from what is kept here alone; with `--prune` it would delete that.
pub(crate) const SPARING: &str = "^refs/postil/*";

/// What a person should know before git does it, each with what to do about it; nothing where there is nothing to lose.
pub(crate) fn at_risk(repo: &Repository) -> Vec<WarningView> {
    let is_there = |name| RefName::new(name).is_ok_and(|name| matches!(repo.read_ref(&name), Ok(Some(_))));
    let mut risks = Vec::new();
    if is_there(refs::DRAFTS) || is_there(refs::LOCAL_PINS) {
        risks = pushing_all(repo);
    }
    if is_there(refs::DRAFTS) || is_there(refs::KNOWN) {
        risks.extend(unspared(repo).into_iter().map(|remote| WarningView {
            what: format!(
                "`git fetch --prune` from {remote} deletes drafts and other refs under refs/postil/"
            ),
            advice: Some(Advice::SpareLocalRefs),
        }));
    }
    risks
}

/// Remotes that a plain push sends every ref to, each with what to do about it.
pub(crate) fn pushing_all(repo: &Repository) -> Vec<WarningView> {
    let handle = repo.handle();
    let config = handle.config_snapshot();
    let pushes_all = |remote: &String| {
        let sends = |spec: &String| {
            let source = spec.strip_prefix('+').unwrap_or(spec);
            source.starts_with("refs/*") || source.starts_with("refs/postil")
        };
        config.boolean(format!("remote.{remote}.mirror").as_str()) == Some(true)
            || refspecs(repo, remote, "push").iter().any(sends)
    };
    let remotes = Remote::configured(repo).into_iter().filter(pushes_all);
    remotes
        .map(|remote| WarningView {
            what: format!(
                "`git push {remote}` pushes all refs, including drafts and stored files under refs/postil/"
            ),
            advice: None,
        })
        .collect()
}

/// The remotes from which a `git fetch --prune` would delete drafts, and what is known of the notes.
pub(crate) fn unspared(repo: &Repository) -> Vec<String> {
    let mut remotes = Remote::configured(repo);
    remotes.retain(|remote| {
        let specs = refspecs(repo, remote, "fetch");
        specs.iter().any(|spec| leads_to(spec, refs::DRAFTS)) && !specs.iter().any(|spec| spec == SPARING)
    });
    remotes
}

/// Whether a fetch with this refspec may write to a ref.
pub(crate) fn leads_to(spec: &str, name: &str) -> bool {
    let target = spec.strip_prefix('+').unwrap_or(spec).split_once(':').map(|(_, target)| target);
    target.is_some_and(|target| match target.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => target == name,
    })
}

fn refspecs(repo: &Repository, remote: &str, way: &str) -> Vec<String> {
    let found = repo.handle().config_snapshot().strings(format!("remote.{remote}.{way}").as_str());
    found.unwrap_or_default().iter().map(ToString::to_string).collect()
}
