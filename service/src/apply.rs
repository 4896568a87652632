//! What applying suggestions or patches to the files on disk would do; whoever asked writes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use postil_core::edit::Mode;
use postil_core::git::RepoPath;
use postil_core::patch::{self, FileChange, FileFailure, FileMode, Kind, PatchPath, PlanError, Source, Why};
use postil_core::review::{Comment, Thread, ThreadState};
use postil_core::suggestion::{Left, Planned, Refusal, Together, edit_of, merge_with_marks};
use postil_protocol::{
    Apply, AskedSuggestion, ByteText, ConflictCode, ConflictView, Fault, FaultCode, Freshness, HeadName,
    OnConflict, Patch, PlanReply, Strictness, SuggestionState,
};

use super::around::Around;
use super::contents::read_blob;
use super::disk::{Disk, DiskFile};
use super::fates::{Fate, conflict_view, fate_in, suggestions_of};
use super::planned::{Outcome, planned_files, token};
use super::point::repo_path;
use super::request::{Request, positions_of};
use super::trouble::OrFault as _;
use super::view::{self, hex};

/// What applying these suggestions would do.
pub fn apply(request: &Request, asked: &Apply) -> Result<PlanReply, Fault> {
    let head = HeadName::WorkTree;
    let handle = request.seat.repository().handle();
    let mut disk = disk_of(request, &handle)?;
    let chosen = chosen_suggestions(request, &asked.comments)?;
    let looked = positions_of(request, &head, Freshness::Wait, chosen.iter().map(|(thread, _)| *thread))?;
    let mut around = Around::of(request, &handle, &head)?;
    let mode = match asked.strictness {
        Strictness::Strict => Mode::Strict,
        Strictness::Lenient => Mode::Lenient,
    };
    let mut fates = Vec::new();
    for (thread, comment) in &chosen {
        let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
        fates.push(fate_in(request, &mut around, *thread, comment, entry, mode)?);
    }
    let shorts: Vec<String> =
        chosen.iter().map(|(_, said)| request.book.prefixes.shorten(said.id()).to_string()).collect();
    let mut conflicts = Vec::new();
    let mut together = Together::default();
    let mut outcome = Outcome::default();
    for (by, fate) in fates.iter().enumerate() {
        conflicts.extend(fate.conflicts.iter().map(|why| conflict_view(&shorts[by], why)));
        for left in &fate.lefts {
            let mut left = left.clone();
            if let (Left::Change { at, .. }, true) = (&left, fates.len() > 1) {
                let (at, current) = (at.clone(), read(&mut disk, at)?);
                let changed = |_| Fault::new(FaultCode::Conflict, format!("{at} changed meanwhile"));
                left = left.in_lines(&current).map_err(changed)?;
            }
            if let Err(overlap) = together.add(by, left) {
                let one = &shorts[overlap.one];
                let why = format!("it changes the same place as {one}");
                let conflict =
                    plain_conflict(Some(&shorts[by]), Some(&overlap.path), ConflictCode::SamePlace, why);
                conflicts.push(ConflictView { other: Some(one.clone()), ..conflict });
            }
        }
    }
    let state = joined(&fates, &conflicts);
    let mark = asked.on_conflict == OnConflict::Mark && conflicts.iter().all(|why| !why.expected.is_empty());
    if state == SuggestionState::Applies || (state == SuggestionState::Conflict && mark) {
        outcome.planned = together.plan(|path| read(&mut disk, path))?;
    }
    if state == SuggestionState::Conflict && mark {
        for ((_, comment), (fate, short)) in chosen.iter().zip(fates.iter().zip(&shorts)) {
            mark_conflicts(&handle, &mut disk, comment, fate, short, &mut outcome)?;
        }
    }
    let suggestions =
        chosen.iter().zip(fates.iter().zip(&shorts)).map(|((thread, said), (fate, short))| AskedSuggestion {
            id: hex(said.id()),
            short: short.clone(),
            thread: hex(thread.id()),
            author: view::person(&said.said().author),
            subject: said.text().lines().next().unwrap_or_default().to_owned(),
            state: fate.state,
        });
    let suggestions = suggestions.collect();
    let files = planned_files(&mut disk, outcome)?;
    // Files that nothing is left to do to were looked at as well.
    let mut looked_at: Vec<(RepoPath, Option<DiskFile>)> = Vec::new();
    for file in chosen.iter().flat_map(|(_, said)| &said.said().suggestion) {
        looked_at.push((file.path.clone(), disk.file(&file.path)?));
    }
    let token = token(&files, &looked_at);
    Ok(PlanReply { state, suggestions, files, conflicts, token, written: false })
}

/// What applying these patches would do.
pub fn patch(request: &Request, asked: &Patch) -> Result<PlanReply, Fault> {
    let handle = request.seat.repository().handle();
    let disk = RefCell::new(disk_of(request, &handle)?);
    let (patch, fallback) = one_patch(asked)?;
    let refused = RefCell::new(None);
    let looked_at = RefCell::new(BTreeMap::new());
    let read = |path: &RepoPath| match disk.borrow_mut().file(path) {
        Ok(file) => {
            looked_at.borrow_mut().insert(path.clone(), file.clone());
            file.map(|file| {
                let mode = if file.executable { FileMode::Executable } else { FileMode::Plain };
                patch::Found { text: file.content, mode: Some(mode) }
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
        state: SuggestionState::Applies,
        suggestions: Vec::new(),
        files: Vec::new(),
        conflicts: Vec::new(),
        token: String::new(),
        written: false,
    };
    match plan {
        Ok(changes) => reply.files = planned_files(&mut disk.borrow_mut(), outcome_of(changes)?)?,
        Err(PlanError::AlreadyApplied) => {}
        Err(PlanError::Files { failed, .. }) => {
            // A patch does not know the modes that files have: whether one is left to do is seen on disk.
            let left = without_done(&patch, &failed).map(|rest| rest.plan(None, &read));
            let is_done = match left {
                None | Some(Err(_)) => false,
                Some(Ok(rest)) => planned_files(&mut disk.borrow_mut(), outcome_of(rest)?)?.is_empty(),
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

fn disk_of<'a>(request: &'a Request, handle: &'a gix::Repository) -> Result<Disk<'a>, Fault> {
    let none = || Fault::new(FaultCode::Refused, "there are no files here that could be changed");
    Disk::open(request.seat.work_tree().ok_or_else(none)?, handle)
}

/// The comments that are meant, each once: those that suggest something themselves, else the newest of their thread.
fn chosen_suggestions<'a>(
    request: &'a Request,
    names: &[String],
) -> Result<Vec<(Thread<'a>, &'a Comment)>, Fault> {
    let mut chosen: Vec<(Thread<'_>, &Comment)> = Vec::new();
    for name in names {
        let thread = request.book.thread_named(name)?;
        let named = request.book.comment_named(name).ok();
        let itself = named.filter(|comment| !comment.said().suggestion.is_empty());
        if itself.is_some_and(|comment| comment.state() == ThreadState::Withdrawn) {
            let message = format!("{name} was withdrawn, and is not applied");
            return Err(Fault::new(FaultCode::Refused, message));
        }
        let standing = |comment: &&Comment| comment.state() != ThreadState::Withdrawn;
        let comment = itself.or_else(|| suggestions_of(thread).filter(standing).last());
        let comment = comment.ok_or_else(|| {
            Fault::new(FaultCode::Refused, format!("{name} suggests no change that could be applied"))
                .hint("`postil list` tells which threads suggest something, `postil show` what")
        })?;
        if !chosen.iter().any(|(_, other)| other.id() == comment.id()) {
            chosen.push((thread, comment));
        }
    }
    Ok(chosen)
}

/// Writes both sides of each conflict into the text of its file.
fn mark_conflicts(
    handle: &gix::Repository,
    disk: &mut Disk<'_>,
    comment: &Comment,
    fate: &Fate,
    short: &str,
    outcome: &mut Outcome,
) -> Result<(), Fault> {
    for obstacle in &fate.conflicts {
        let file = &comment.said().suggestion[obstacle.file];
        let (Refusal::Changed(_), Some(blob), Some(edit)) = (&obstacle.why, file.blob, edit_of(file)) else {
            continue;
        };
        let base = read_blob(handle, blob)?;
        let twice = || {
            let message = format!("{} has conflicts with several suggestions", obstacle.at);
            Fault::new(FaultCode::Refused, message)
        };
        let at = Some(&obstacle.at);
        let joined = outcome.planned.iter().position(|planned| planned.from.as_ref() == at);
        let current = match joined.map(|joined| &outcome.planned[joined]) {
            // What the others do to the file is done first.
            Some(Planned { to, text: Some(text), .. })
                if to.as_ref() == at && !outcome.conflicted.contains(&obstacle.at) =>
            {
                text.clone()
            }
            Some(_) => return Err(twice()),
            None => read(disk, &obstacle.at)?,
        };
        let merged = merge_with_marks(&base, &edit, &current, short);
        let merged = merged.map_err(|error| {
            Fault::new(FaultCode::Damaged, format!("{short} does not fit its file")).because(&error)
        })?;
        outcome.conflicted.insert(obstacle.at.clone());
        match joined {
            Some(joined) => outcome.planned[joined].text = Some(merged),
            None => outcome.planned.push(Planned {
                from: Some(obstacle.at.clone()),
                to: Some(obstacle.at.clone()),
                text: Some(merged),
                mode: None,
            }),
        }
    }
    Ok(())
}

/// What has become of several suggestions together.
fn joined(fates: &[Fate], conflicts: &[ConflictView]) -> SuggestionState {
    let any = |state| fates.iter().any(|fate| fate.state == state);
    if !conflicts.is_empty() || any(SuggestionState::Conflict) {
        SuggestionState::Conflict
    } else if any(SuggestionState::Pending) {
        SuggestionState::Pending
    } else if any(SuggestionState::Applies) {
        SuggestionState::Applies
    } else {
        SuggestionState::Done
    }
}

fn read(disk: &mut Disk<'_>, path: &RepoPath) -> Result<Vec<u8>, Fault> {
    let gone = || Fault::new(FaultCode::Conflict, format!("{path} is gone meanwhile"));
    Ok(disk.file(path)?.ok_or_else(gone)?.content)
}

/// Several patches as one.
fn one_patch(asked: &Patch) -> Result<(patch::Patch, Option<RepoPath>), Fault> {
    let mut whole = patch::Patch { files: Vec::new() };
    let mut fallback = None;
    for text in &asked.patches {
        let mut read = patch::Patch::read(text.text.as_bytes()).or_fault()?;
        if let Some(path) = &text.path {
            let named = PatchPath::new(path.as_bytes()).ok_or_else(|| {
                let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
                Fault::new(FaultCode::Refused, format!("{path} is not a path that a patch may touch"))
                    .reason("forbidden-path")
            })?;
            let mut names = read.files.iter().map(|file| [&file.old_path, &file.new_path]);
            let is_meant = |name: &PatchPath| named.may_be(name) || name.may_be(&named);
            if !names.any(|names| names == [&None; 2] || names.into_iter().flatten().any(is_meant)) {
                let path = String::from_utf8_lossy(path.as_bytes());
                let message = format!("the patch for {path} is of another file by its own words");
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
        return Err(Fault::new(FaultCode::Refused, "there is no patch in the text").reason("no-patch"));
    }
    let fallback = fallback.filter(|_| asked.patches.len() == 1);
    Ok((if asked.reverse { whole.reversed() } else { whole }, fallback))
}

/// The rest of a patch of which some files are done and none fails otherwise; `None` where one does.
fn without_done(patch: &patch::Patch, failed: &[FileFailure]) -> Option<patch::Patch> {
    if failed.iter().any(|file| file.failure != patch::Failure::AlreadyApplied) {
        return None;
    }
    let is_done = |path: &RepoPath| failed.iter().any(|file| file.path.as_ref() == Some(path));
    let left = patch.files.iter().filter(|file| {
        let paths = [&file.old_path, &file.new_path].into_iter().flatten();
        !paths.flat_map(|path| [Some(&path.path), path.written.as_ref()]).flatten().any(is_done)
    });
    Some(patch::Patch { files: left.cloned().collect() })
}

/// What a plan of a patch leaves on disk; what is changed twice is written once.
fn outcome_of(changes: Vec<FileChange>) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::default();
    for change in changes {
        if let Some(path) = change.to.as_ref().or(change.from.as_ref()) {
            if matches!(change.mode, Some(FileMode::Symlink | FileMode::Submodule)) {
                let message = format!("{path} would become a link or a submodule, which is not done here");
                return Err(Fault::new(FaultCode::Refused, message).reason("no-plain-file"));
            }
            let stages = change.applied.stages().into_iter().map(|stage| stage.name().to_owned());
            outcome.stages.entry(path.clone()).or_default().extend(stages);
        }
        let earlier = |planned: &&mut Planned| planned.to.is_some() && planned.to == change.from;
        if change.kind != Kind::Copy
            && change.source == Source::Patch
            && let Some(planned) = outcome.planned.iter_mut().find(earlier)
        {
            planned.text = change.to.is_some().then_some(change.applied.text);
            planned.to = change.to;
            planned.mode = change.mode.or(planned.mode);
            continue;
        }
        let is_new = matches!(change.kind, Kind::Create | Kind::Copy);
        let gone = |planned: &&mut Planned| planned.to.is_none() && planned.from == change.to;
        if is_new && let Some(planned) = outcome.planned.iter_mut().find(gone) {
            // What is deleted and made again is changed; it is no program unless that is said.
            planned.text = Some(change.applied.text);
            planned.to = change.to;
            planned.mode = change.mode.or(Some(FileMode::Plain));
            continue;
        }
        outcome.planned.push(Planned {
            from: change.from.filter(|_| !is_new),
            text: change.to.is_some().then_some(change.applied.text),
            to: change.to,
            mode: change.mode,
        });
    }
    Ok(outcome)
}

/// Why a patch does not fit, as clients see it.
pub(super) fn failures(failed: &[FileFailure]) -> Vec<ConflictView> {
    let mut all = Vec::new();
    for file in failed {
        match &file.failure {
            patch::Failure::Hunks { failed, .. } => all.extend(failed.iter().map(|hunk| {
                let lines =
                    |lines: &[Vec<u8>]| lines.iter().map(|line| ByteText::new(line.as_slice())).collect();
                ConflictView {
                    suggestion: None,
                    path: file.path.as_ref().map(|path| ByteText::new(path.as_bytes())),
                    code: match hunk.why {
                        Why::NotFound => ConflictCode::NotFound,
                        Why::Ambiguous(_) => ConflictCode::Ambiguous,
                        Why::AlreadyApplied => ConflictCode::AlreadyApplied,
                        Why::Overlap => ConflictCode::HunksOverlap,
                        Why::Strayed => ConflictCode::Strayed,
                        Why::NothingToFind => ConflictCode::NothingToFind,
                        Why::TooCostly => ConflictCode::TooCostly,
                    },
                    why: hunk.why.to_string(),
                    hunk: u32::try_from(hunk.hunk + 1).ok(),
                    other: None,
                    expected: lines(&hunk.expected),
                    actual: lines(&hunk.actual),
                    line: u32::try_from(hunk.line).ok(),
                    meeting: None,
                }
            })),
            other => {
                let code = match other {
                    patch::Failure::AlreadyApplied => ConflictCode::AlreadyApplied,
                    patch::Failure::Hunks { .. } => ConflictCode::NotFound,
                    patch::Failure::Exists => ConflictCode::Exists,
                    patch::Failure::Unnamed => ConflictCode::Unnamed,
                    patch::Failure::Missing => ConflictCode::Missing,
                    patch::Failure::MoreThanDeleted { .. } => ConflictCode::ChangedBeforeDelete,
                    patch::Failure::Binary => ConflictCode::Binary,
                };
                all.push(plain_conflict(None, file.path.as_ref(), code, other.to_string()));
            }
        }
    }
    all
}

fn plain_conflict(
    short: Option<&str>,
    path: Option<&RepoPath>,
    code: ConflictCode,
    why: String,
) -> ConflictView {
    ConflictView {
        suggestion: short.map(str::to_owned),
        path: path.map(|path| ByteText::new(path.as_bytes())),
        code,
        why,
        hunk: None,
        other: None,
        expected: Vec::new(),
        actual: Vec::new(),
        line: None,
        meeting: None,
    }
}
