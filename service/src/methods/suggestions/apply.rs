//! Plans how suggestions change files.

use crate::files::HeadFiles;
use crate::files::disk::DiskFile;
use crate::files::read_blob;
use crate::positions::in_head::positions_of;
use crate::request::Request;
use crate::suggestions::named_suggestions::{named_suggestions, open_suggestions};
use crate::suggestions::patch_conflicts::plain_conflict;
use crate::suggestions::planned_files::{PlannedFiles, planned_files, token};
use crate::suggestions::status::{SuggestionFate, conflict_view, fate_in};
use crate::view::{self, hex};
use postil_core::edit::AgreementMode;
use postil_core::git::RepoPath;
use postil_core::review::Comment;
use postil_core::suggestion::{
    CombinedFile, CombinedSuggestions, Refusal, RemainingChange, edit_of, merge_with_marks,
};
use postil_protocol::{
    Apply, AskedSuggestion, ConflictCode, ConflictView, Fault, FaultCode, Freshness, HeadName, Mark,
    OnConflict, PlanReply, Strictness, SuggestionState,
};

/// What applying these suggestions would do.
pub fn apply(request: &Request, asked: &Apply) -> Result<PlanReply, Fault> {
    let head = HeadName::WorkTree;
    let files = HeadFiles::of(request, &head)?;
    files.must_be_changeable()?;
    let chosen =
        if asked.all { open_suggestions(request)? } else { named_suggestions(request, &asked.comments)? };
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
    for (by, fate) in fates.iter_mut().enumerate() {
        conflicts.extend(fate.conflicts.iter().map(|why| conflict_view(&shorts[by], why)));
        let lefts = if shorts.len() > 1 { in_lines(&files, &fate.lefts)? } else { fate.lefts.clone() };
        // All of a suggestion, or nothing.
        let mut with = together.clone();
        match lefts.into_iter().try_for_each(|left| with.add(by, left)) {
            Ok(()) => together = with,
            Err(overlap) => {
                conflicts.push(same_lines(&shorts[by], &shorts[overlap.one], &overlap.path));
                fate.state = SuggestionState::Conflict;
            }
        }
    }
    let is_left_out = |fate: &SuggestionFate| {
        asked.all && matches!(fate.state, SuggestionState::Conflict | SuggestionState::Pending)
    };
    let planned = [SuggestionState::Applies, SuggestionState::Done].into_iter();
    let mut planned = planned.filter(|state| asked.all && fates.iter().any(|fate| fate.state == *state));
    let state = planned.next().unwrap_or_else(|| joined(&fates, &conflicts));
    let mark = asked.on_conflict == OnConflict::Mark && conflicts.iter().all(|why| !why.expected.is_empty());
    if state == SuggestionState::Applies || (state == SuggestionState::Conflict && mark) {
        outcome.planned = together.plan(|path| read(&files, path))?;
    }
    if state == SuggestionState::Conflict && mark {
        for ((_, comment), (fate, short)) in chosen.iter().zip(fates.iter().zip(&shorts)) {
            mark_conflicts(&request.handle, &files, comment, fate, short, &mut outcome)?;
        }
    }
    let (mut suggestions, mut left_out) = (Vec::new(), Vec::new());
    for ((thread, said), (fate, short)) in chosen.iter().zip(fates.iter().zip(shorts)) {
        let asked = AskedSuggestion {
            id: hex(said.id()),
            short,
            thread: hex(thread.id()),
            author: view::person(&said.said().author, said.said().via.as_deref()),
            subject: said.text().lines().next().unwrap_or_default().to_owned(),
            state: fate.state,
        };
        if is_left_out(fate) { left_out.push(asked) } else { suggestions.push(asked) }
    }
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
        left_out,
        files: planned,
        conflicts,
        token,
        written: false,
        commit: None,
        resolved: Vec::new(),
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

/// What is left to do of a suggestion, in whole lines: so it can be compared with that of others.
fn in_lines(files: &HeadFiles<'_>, lefts: &[RemainingChange]) -> Result<Vec<RemainingChange>, Fault> {
    let in_lines = |left: &RemainingChange| {
        let RemainingChange::Change { at, .. } = left else { return Ok(left.clone()) };
        let changed = |_| Fault::new(FaultCode::Conflict, format!("{at} has changed in the meantime"));
        left.clone().in_lines(&read(files, at)?).map_err(changed)
    };
    lefts.iter().map(in_lines).collect()
}

/// A suggestion is in the way of another.
fn same_lines(short: &str, other: &str, path: &RepoPath) -> ConflictView {
    let why = format!("it changes the same lines as {other}");
    let conflict = plain_conflict(Some(short), Some(path), ConflictCode::SamePlace, why);
    ConflictView { other: Some(other.to_owned()), ..conflict }
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
