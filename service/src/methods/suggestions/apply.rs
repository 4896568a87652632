//! Plans how suggestions change files.

use crate::files::HeadFiles;
use crate::files::disk::DiskFile;
use crate::files::read_blob;
use crate::positions::applied::suggestions_of;
use crate::positions::in_head::positions_of;
use crate::request::Request;
use crate::suggestions::patch_conflicts::plain_conflict;
use crate::suggestions::planned_files::{PlannedFiles, planned_files, token};
use crate::suggestions::status::{SuggestionFate, conflict_view, fate_in};
use crate::view::{self, hex};
use postil_core::edit::AgreementMode;
use postil_core::git::RepoPath;
use postil_core::review::{Comment, Thread, ThreadState};
use postil_core::suggestion::{
    CombinedFile, CombinedSuggestions, Refusal, RemainingChange, edit_of, merge_with_marks,
};
use postil_protocol::{
    Advice, Apply, AskedSuggestion, ConflictCode, ConflictView, Fault, FaultCode, Freshness, HeadName, Mark,
    OnConflict, PlanReply, Strictness, SuggestionState,
};

/// What applying these suggestions would do.
pub fn apply(request: &Request, asked: &Apply) -> Result<PlanReply, Fault> {
    let head = HeadName::WorkTree;
    let files = HeadFiles::of(request, &head)?;
    files.must_be_changeable()?;
    let chosen = chosen_suggestions(request, &asked.comments)?;
    let looked = positions_of(request, &files, Freshness::Wait, chosen.iter().map(|(thread, _)| *thread))?;
    let mode = match asked.strictness {
        Strictness::Strict => AgreementMode::Strict,
        Strictness::Lenient => AgreementMode::Lenient,
    };
    let mut fates = Vec::new();
    for (thread, comment) in &chosen {
        let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
        fates.push(fate_in(request, &files, *thread, comment, entry, mode)?);
    }
    let shorts: Vec<String> =
        chosen.iter().map(|(_, said)| request.notes.prefixes.shorten(said.id()).to_string()).collect();
    let mut conflicts = Vec::new();
    let mut together = CombinedSuggestions::default();
    let mut outcome = PlannedFiles::default();
    for (by, fate) in fates.iter().enumerate() {
        conflicts.extend(fate.conflicts.iter().map(|why| conflict_view(&shorts[by], why)));
        for left in &fate.lefts {
            let mut left = left.clone();
            if let (RemainingChange::Change { at, .. }, true) = (&left, fates.len() > 1) {
                let (at, current) = (at.clone(), read(&files, at)?);
                let changed =
                    |_| Fault::new(FaultCode::Conflict, format!("{at} has changed in the meantime"));
                left = left.in_lines(&current).map_err(changed)?;
            }
            if let Err(overlap) = together.add(by, left) {
                let one = &shorts[overlap.one];
                let why = format!("it changes the same lines as {one}");
                let conflict =
                    plain_conflict(Some(&shorts[by]), Some(&overlap.path), ConflictCode::SamePlace, why);
                conflicts.push(ConflictView { other: Some(one.clone()), ..conflict });
            }
        }
    }
    let state = joined(&fates, &conflicts);
    let mark = asked.on_conflict == OnConflict::Mark && conflicts.iter().all(|why| !why.expected.is_empty());
    if state == SuggestionState::Applies || (state == SuggestionState::Conflict && mark) {
        outcome.planned = together.plan(|path| read(&files, path))?;
    }
    if state == SuggestionState::Conflict && mark {
        for ((_, comment), (fate, short)) in chosen.iter().zip(fates.iter().zip(&shorts)) {
            mark_conflicts(&request.handle, &files, comment, fate, short, &mut outcome)?;
        }
    }
    let suggestions =
        chosen.iter().zip(fates.iter().zip(&shorts)).map(|((thread, said), (fate, short))| AskedSuggestion {
            id: hex(said.id()),
            short: short.clone(),
            thread: hex(thread.id()),
            author: view::person(&said.said().author, said.said().via.as_deref()),
            subject: said.text().lines().next().unwrap_or_default().to_owned(),
            state: fate.state,
        });
    let suggestions = suggestions.collect();
    let planned = planned_files(&files, outcome)?;
    // Files that nothing is left to do to were looked at as well.
    let mut looked_at: Vec<(RepoPath, Option<DiskFile>)> = Vec::new();
    for file in chosen.iter().flat_map(|(_, said)| &said.said().suggestion) {
        looked_at.push((file.path.clone(), files.to_change(&file.path)?));
    }
    let token = token(&planned, &looked_at);
    Ok(PlanReply {
        state,
        suggestions,
        files: planned,
        conflicts,
        token,
        written: false,
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// The comments that are meant, each once: those that suggest something themselves, else the newest of their thread.
pub(crate) fn chosen_suggestions<'a>(
    request: &'a Request,
    names: &[String],
) -> Result<Vec<(Thread<'a>, &'a Comment)>, Fault> {
    let mut chosen: Vec<(Thread<'_>, &Comment)> = Vec::new();
    for name in names {
        let thread = request.notes.thread_named(name)?;
        let named = request.notes.comment_named(name).ok();
        let itself = named.filter(|comment| !comment.said().suggestion.is_empty());
        if itself.is_some_and(|comment| comment.state() == ThreadState::Withdrawn) {
            let message = format!("{name} was withdrawn");
            return Err(Fault::new(FaultCode::Refused, message));
        }
        let standing = |comment: &&Comment| comment.state() != ThreadState::Withdrawn;
        let comment = itself.or_else(|| suggestions_of(thread).filter(standing).last());
        let comment = comment.ok_or_else(|| {
            Fault::new(FaultCode::Refused, format!("{name} is not a suggestion"))
                .advise(Advice::ListSuggestions)
        })?;
        if !chosen.iter().any(|(_, other)| other.id() == comment.id()) {
            chosen.push((thread, comment));
        }
    }
    Ok(chosen)
}

/// Writes both sides of each conflict into the text of its file.
pub(crate) fn mark_conflicts(
    handle: &gix::Repository,
    files: &HeadFiles<'_>,
    comment: &Comment,
    fate: &SuggestionFate,
    short: &str,
    outcome: &mut PlannedFiles,
) -> Result<(), Fault> {
    for obstacle in &fate.conflicts {
        let file = &comment.said().suggestion[obstacle.file];
        let (Refusal::Changed(_), Some(blob), Some(edit)) = (&obstacle.why, file.blob, edit_of(file)) else {
            continue;
        };
        let base = read_blob(handle, blob)?;
        let twice = || {
            let message = format!("several suggestions conflict in {}", obstacle.at);
            Fault::new(FaultCode::Refused, message)
        };
        let at = Some(&obstacle.at);
        let joined = outcome.planned.iter().position(|planned| planned.from.as_ref() == at);
        let current = match joined.map(|joined| &outcome.planned[joined]) {
            // What the others do to the file is done first.
            Some(CombinedFile { to, text: Some(text), .. })
                if to.as_ref() == at && !outcome.conflicted.contains(&obstacle.at) =>
            {
                text.clone()
            }
            Some(_) => return Err(twice()),
            None => read(files, &obstacle.at)?,
        };
        let merged = merge_with_marks(&base, &edit, &current, short);
        let merged = merged.map_err(|error| {
            Fault::new(FaultCode::Damaged, format!("{short} does not match its file")).because(&error)
        })?;
        outcome.conflicted.insert(obstacle.at.clone());
        match joined {
            Some(joined) => outcome.planned[joined].text = Some(merged),
            None => outcome.planned.push(CombinedFile {
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
pub(crate) fn joined(fates: &[SuggestionFate], conflicts: &[ConflictView]) -> SuggestionState {
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

/// The content of a file that existed when the plan began.
fn read(files: &HeadFiles<'_>, path: &RepoPath) -> Result<Vec<u8>, Fault> {
    let gone = || Fault::new(FaultCode::Conflict, format!("{path} no longer exists"));
    Ok(files.to_change(path)?.ok_or_else(gone)?.content)
}
