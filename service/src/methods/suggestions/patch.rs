//! Plans how a patch changes files.

use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::pointing::point::repo_path;
use crate::request::Request;
use crate::suggestions::patch_conflicts::failures;
use crate::suggestions::planned_files::{PlannedFiles, planned_files, token};
use postil_core::git::RepoPath;
use postil_core::patch::{
    self, FileAction, FileFailure, FileMode, PatchPath, PatchedFile, PlanError, TextSource,
};
use postil_core::suggestion::CombinedFile;
use postil_protocol::{Fault, FaultCode, HeadName, Mark, Patch, PlanReply, SuggestionState};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What applying these patches would do.
pub fn patch(request: &Request, asked: &Patch) -> Result<PlanReply, Fault> {
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    files.must_be_changeable()?;
    let (patch, fallback) = one_patch(asked)?;
    let refused = RefCell::new(None);
    let looked_at = RefCell::new(BTreeMap::new());
    let read = |path: &RepoPath| match files.to_change(path) {
        Ok(file) => {
            looked_at.borrow_mut().insert(path.clone(), file.clone());
            file.map(|file| {
                let mode = if file.executable { FileMode::Executable } else { FileMode::Plain };
                patch::TargetFile { text: file.content, mode: Some(mode) }
            })
        }
        Err(fault) => {
            refused.borrow_mut().get_or_insert(fault);
            None
        }
    };
    let plan = patch.plan(fallback.as_ref(), &read);
    if let Some(fault) = refused.borrow_mut().take() {
        return Err(fault);
    }
    let mut reply = PlanReply {
        mark: Mark::default(),
        state: SuggestionState::Applies,
        suggestions: Vec::new(),
        left_out: Vec::new(),
        files: Vec::new(),
        conflicts: Vec::new(),
        token: String::new(),
        written: false,
        warnings: Vec::new(),
        commit: None,
        resolved: Vec::new(),
    };
    match plan {
        Ok(changes) => reply.files = planned_files(&files, outcome_of(changes)?)?,
        Err(PlanError::AlreadyApplied) => {}
        Err(PlanError::Files { failed, .. }) => {
            // A patch does not know the modes that files have: whether one is left to do is seen on disk.
            let left = without_done(&patch, &failed).map(|rest| rest.plan(None, &read));
            let is_done = match left {
                None | Some(Err(_)) => false,
                Some(Ok(rest)) => planned_files(&files, outcome_of(rest)?)?.is_empty(),
            };
            if !is_done {
                reply.state = SuggestionState::Conflict;
                reply.conflicts = failures(&failed);
            }
        }
    }
    if reply.state == SuggestionState::Applies && reply.files.is_empty() {
        reply.state = SuggestionState::Done;
    }
    let looked_at: Vec<_> = looked_at.take().into_iter().collect();
    reply.token = token(&reply.files, &looked_at);
    Ok(reply)
}

/// Several patches as one.
pub(crate) fn one_patch(asked: &Patch) -> Result<(patch::ParsedPatch, Option<RepoPath>), Fault> {
    let mut whole = patch::ParsedPatch { files: Vec::new() };
    let mut fallback = None;
    for text in &asked.patches {
        let mut read = patch::ParsedPatch::read(text.text.as_bytes()).or_fault()?;
        if let Some(path) = &text.path {
            let named = PatchPath::new(path.as_bytes()).ok_or_else(|| {
                let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
                Fault::new(FaultCode::Unsafe, format!("a patch may not change {path}"))
                    .reason("forbidden-path")
            })?;
            let mut names = read.files.iter().map(|file| [&file.old_path, &file.new_path]);
            let is_meant = |name: &PatchPath| named.may_be(name) || name.may_be(&named);
            if !names.any(|names| names == [&None; 2] || names.into_iter().flatten().any(is_meant)) {
                let path = String::from_utf8_lossy(path.as_bytes());
                let message = format!("the patch for {path} names another file");
                return Err(Fault::new(FaultCode::Refused, message).reason("other-file"));
            }
            for file in &mut read.files {
                if file.old_path.is_none() && file.new_path.is_none() {
                    (file.old_path, file.new_path) = (Some(named.clone()), Some(named.clone()));
                }
            }
            fallback = repo_path(path).ok();
        }
        whole.files.extend(read.files);
    }
    if whole.files.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "no patch found in the text").reason("no-patch"));
    }
    let fallback = fallback.filter(|_| asked.patches.len() == 1);
    Ok((if asked.reverse { whole.reversed() } else { whole }, fallback))
}

/// The rest of a patch of which some files are done and none fails otherwise; `None` if one does.
pub(crate) fn without_done(patch: &patch::ParsedPatch, failed: &[FileFailure]) -> Option<patch::ParsedPatch> {
    if failed.iter().any(|file| file.failure != patch::PatchFailure::AlreadyApplied) {
        return None;
    }
    let is_done = |path: &RepoPath| failed.iter().any(|file| file.path.as_ref() == Some(path));
    let left = patch.files.iter().filter(|file| {
        let paths = [&file.old_path, &file.new_path].into_iter().flatten();
        !paths.flat_map(|path| [Some(&path.path), path.written.as_ref()]).flatten().any(is_done)
    });
    Some(patch::ParsedPatch { files: left.cloned().collect() })
}

/// What a plan of a patch leaves on disk; what is changed twice is written once.
pub(crate) fn outcome_of(changes: Vec<PatchedFile>) -> Result<PlannedFiles, Fault> {
    let mut outcome = PlannedFiles::default();
    for change in changes {
        if let Some(path) = change.to.as_ref().or(change.from.as_ref()) {
            if matches!(change.mode, Some(FileMode::Symlink | FileMode::Submodule)) {
                let message = format!("{path} would become a symlink or a submodule, which is not supported");
                return Err(Fault::new(FaultCode::Refused, message).reason("no-plain-file"));
            }
            let stages = change.applied.stages().into_iter().map(|stage| stage.name().to_owned());
            outcome.stages.entry(path.clone()).or_default().extend(stages);
        }
        let earlier = |planned: &&mut CombinedFile| planned.to.is_some() && planned.to == change.from;
        if change.kind != FileAction::Copy
            && change.source == TextSource::Patch
            && let Some(planned) = outcome.planned.iter_mut().find(earlier)
        {
            planned.text = change.to.is_some().then_some(change.applied.text);
            planned.to = change.to;
            planned.mode = change.mode.or(planned.mode);
            continue;
        }
        let is_new = matches!(change.kind, FileAction::Create | FileAction::Copy);
        let gone = |planned: &&mut CombinedFile| planned.to.is_none() && planned.from == change.to;
        if is_new && let Some(planned) = outcome.planned.iter_mut().find(gone) {
            // What is deleted and made again is changed; it is no program unless that is said.
            planned.text = Some(change.applied.text);
            planned.to = change.to;
            planned.mode = change.mode.or(Some(FileMode::Plain));
            continue;
        }
        outcome.planned.push(CombinedFile {
            from: change.from.filter(|_| !is_new),
            text: change.to.is_some().then_some(change.applied.text),
            to: change.to,
            mode: change.mode,
        });
    }
    Ok(outcome)
}
