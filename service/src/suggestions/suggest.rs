//! What a person suggests, as edits of the files as they see them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use postil_core::edit::{Grain, Replacement, Text, TextEdit};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::notes::DraftPin;
use postil_core::patch::{self, FileMode, ParsedPatch, PlanError};
use postil_core::record::{Anchor, AnchorSide, LineSpan, Range, SuggestedEdit, SuggestedFile};
use postil_core::suggestion::{BaseFile, Block, bytes_of, put_back, replace, suggested_files, whole_file};
use postil_protocol::{Fault, FaultCode, HeadName, Place, Span, Suggest};

use crate::convert::fault::OrFault as _;
use crate::files::head_files::FileKind;
use crate::files::{HeadEntry, HeadFiles, read_blob};
use crate::pointing::point::{IgnoredFiles, text_of};
use crate::request::Request;
use crate::suggestions::patch_conflicts::failures;

/// A suggestion that was understood.
#[derive(Debug, Default)]
pub(crate) struct ParsedSuggestion {
    /// As it is stored.
    pub files: Vec<SuggestedFile>,
    /// The files that it was made for, which must not be lost.
    pub pins: Vec<DraftPin>,
    /// The place of the comment, if the request has none.
    pub place: Option<Place>,
}

/// What a suggestion without a patch is about.
pub(crate) struct Aim<'a> {
    /// What was pointed at.
    pub anchor: &'a Anchor,
    /// The file; for deleted lines, as it is in the base.
    pub content: &'a [u8],
    /// For deleted lines, the file that lacks them, if that is not in the repository yet.
    pub head: Option<&'a [u8]>,
}

/// Understands a patch, laid against the files at `rev`, else on disk.
pub fn suggested_patch(
    request: &Request,
    text: &[u8],
    fallback: Option<&RepoPath>,
    rev: Option<&str>,
    ignored: IgnoredFiles,
) -> Result<ParsedSuggestion, Fault> {
    let patch = ParsedPatch::read(text).or_fault()?;
    let bases = RefCell::new(BTreeMap::<RepoPath, BaseFile>::new());
    let pins = RefCell::new(BTreeMap::<RepoPath, DraftPin>::new());
    let refused = RefCell::new(None);
    let read = |path: &RepoPath| match text_of(request, path, rev, ignored) {
        Ok(seen) => {
            bases.borrow_mut().insert(path.clone(), BaseFile { blob: seen.blob, text: seen.content.clone() });
            pins.borrow_mut().insert(path.clone(), seen.pin);
            Some(patch::TargetFile { text: seen.content, mode: mode_of(request, path, rev) })
        }
        Err(fault) if fault.code == FaultCode::NoSuchPlace => None,
        Err(fault) => {
            refused.borrow_mut().get_or_insert(fault);
            None
        }
    };
    let plan = patch.plan(fallback, read);
    if let Some(fault) = refused.into_inner() {
        return Err(fault);
    }
    let plan = plan.map_err(|error| match &error {
        PlanError::AlreadyApplied => {
            Fault::new(FaultCode::Refused, "nothing would change: the lines already look like this")
        }
        PlanError::Files { failed, .. } => {
            let fault = Fault::new(FaultCode::Refused, format!("the patch does not apply: {error}"));
            failures(failed).iter().fold(fault, with_lines)
        }
    })?;
    let (bases, pins) = (bases.into_inner(), pins.into_inner());
    let files = suggested_files(plan, &bases).or_fault()?;
    let is_binary = |path: &RepoPath| bases.get(path).is_some_and(|base| patch::is_binary(&base.text));
    if let Some(file) = files.iter().find(|file| !file.edits.is_empty() && is_binary(&file.path)) {
        return Err(binary(&file.path));
    }
    let commit = rev.map(|rev| request.work_tree.commit_named(rev)).transpose()?;
    for file in files.iter().filter(|file| file.blob.is_some()) {
        refuse_link(request, &file.path, commit)?;
    }
    let place = files.iter().find_map(|file| place_of(file, bases.get(&file.path)?));
    let is_kept = |path: &RepoPath| files.iter().any(|file| file.path == *path && file.blob.is_some());
    let pins = pins.into_iter().filter(|(path, _)| is_kept(path)).map(|(_, pin)| pin).collect();
    Ok(ParsedSuggestion { files, pins, place })
}

/// The mode of a file on disk, or in a commit; `None` for what is no plain file.
fn mode_of(request: &Request, path: &RepoPath, rev: Option<&str>) -> Option<FileMode> {
    let head = rev.map_or(HeadName::WorkTree, |rev| HeadName::Rev(rev.to_owned()));
    HeadFiles::of(request, &head).ok()?.at(path).ok()?.file()?.mode()
}

/// Fails for a link in a commit, or on disk: what it holds is a path, and no text that could be another.
fn refuse_link(request: &Request, path: &RepoPath, commit: Option<CommitId>) -> Result<(), Fault> {
    let head = commit.map_or(HeadName::WorkTree, |commit| HeadName::Rev(commit.to_string()));
    let found = HeadFiles::of(request, &head)?.at(path)?;
    if matches!(found, HeadEntry::File(file) if file.kind == FileKind::Link) {
        let message = format!("cannot suggest a change to {path}: it is a symlink");
        return Err(Fault::new(FaultCode::Refused, message).reason("no-plain-file"));
    }
    Ok(())
}

/// Parses the replacement for the place in a request.
///
/// Without anything explicit, blocks in the text count.
pub fn suggested_at(
    request: &Request,
    suggest: Option<&Suggest>,
    text: &str,
    aim: &Aim<'_>,
) -> Result<Vec<SuggestedFile>, Fault> {
    match suggest {
        Some(Suggest::Patch(_)) => Ok(Vec::new()),
        Some(Suggest::Replacement(with)) => {
            replaced_lines(request, aim, &[(aim.anchor.range, with.as_bytes())])
        }
        Some(Suggest::PutBack) => match (&aim.anchor.side, aim.anchor.range) {
            (AnchorSide::Old(_), Some(range)) => {
                let base = Text::new(aim.content);
                let bytes = bytes_of(&base, range).ok_or_else(no_lines)?;
                replaced_lines(request, aim, &[(Some(range), &aim.content[bytes])])
            }
            _ => Err(Fault::new(FaultCode::Refused, "only deleted lines can be restored")),
        },
        None => {
            let blocks = Block::all_in(text);
            if blocks.is_empty() {
                return Ok(Vec::new());
            }
            let range = aim.anchor.range.ok_or_else(block_without_lines)?;
            let mut wanted = Vec::new();
            for block in &blocks {
                let span = range.span();
                let first = span.first().checked_sub(block.above).filter(|first| *first > 0);
                let span = first
                    .and_then(|first| LineSpan::from_numbers(first, span.last().saturating_add(block.below)));
                let span = span.ok_or_else(no_lines)?;
                // A block replaces whole lines, even if the comment is on a part of them.
                wanted.push((Some(Range::lines(span)), block.text.as_bytes()));
            }
            replaced_lines(request, aim, &wanted)
        }
    }
}

fn replaced_lines(
    request: &Request,
    aim: &Aim<'_>,
    wanted: &[(Option<Range>, &[u8])],
) -> Result<Vec<SuggestedFile>, Fault> {
    let anchor = aim.anchor;
    if patch::is_binary(aim.content) {
        return Err(binary(&anchor.path));
    }
    if matches!(anchor.side, AnchorSide::New) {
        refuse_link(request, &anchor.path, anchor.commit)?;
    }
    let mut edits: Vec<Replacement> = Vec::new();
    let (path, blob): (RepoPath, Option<BlobId>) = match &anchor.side {
        AnchorSide::New => {
            let text = Text::new(aim.content);
            for (range, with) in wanted {
                match range {
                    Some(range) => edits.push(replace(&text, *range, with).ok_or_else(no_lines)?),
                    None => {
                        let with = whole_file(aim.content, with);
                        let whole = TextEdit::from_diff(aim.content, &with, Grain::Line);
                        edits.extend(whole.into_replacements());
                    }
                }
            }
            (anchor.path.clone(), anchor.blob)
        }
        AnchorSide::Old(_) => {
            let handle = request.work_tree.repository().handle();
            let base = Text::new(aim.content);
            match anchor.blob {
                // The change deleted the whole file: what is put back is a new one.
                None => edits.extend(wanted.iter().map(|(_, with)| Replacement::new(0..0, *with, ()))),
                Some(blob) => {
                    let head = Text::new(match aim.head {
                        Some(head) => head.to_vec(),
                        None => read_blob(&handle, blob)?,
                    });
                    for (range, with) in wanted {
                        let range = range.ok_or_else(no_lines)?.span();
                        let made = put_back(&base, &head, range.first() - 1..range.last(), with);
                        edits.push(made.ok_or_else(|| {
                            let message = "these lines were not deleted together";
                            Fault::new(FaultCode::Refused, message)
                        })?);
                    }
                }
            }
            (anchor.path.clone(), anchor.blob)
        }
    };
    edits.sort_by_key(|edit| (edit.start(), edit.end()));
    edits.dedup();
    let edit = TextEdit::new(edits).map_err(|_| {
        let mut fault = Fault::new(FaultCode::Refused, "two suggestion blocks change the same lines");
        fault.data.causes.push("a comment can have one suggestion; put the other in a reply".to_owned());
        fault
    })?;
    let stored = edit.replacements().iter().map(|edit| SuggestedEdit {
        start: edit.start() as u64,
        end: edit.end() as u64,
        text: edit.text().to_vec(),
    });
    let file =
        SuggestedFile { path, blob, new_path: None, mode: None, delete: false, edits: stored.collect() };
    let same =
        matches!(anchor.side, AnchorSide::New) && edit.apply(aim.content).is_ok_and(|new| new == aim.content);
    if same {
        return Err(Fault::new(FaultCode::Refused, "nothing would change: the lines already look like this"));
    }
    Ok(vec![file])
}

/// The lines that the first edit of a file is about.
fn place_of(file: &SuggestedFile, base: &BaseFile) -> Option<Place> {
    let path = Place::file(file.path.as_bytes());
    let (Some(edit), false) = (file.edits.first(), base.text.is_empty()) else { return Some(path) };
    let text = Text::new(base.text.as_slice());
    let start = usize::try_from(edit.start).ok()?;
    let end = usize::try_from(edit.end).ok()?;
    let (first, last) = (text.line_at(start), text.line_at(end.saturating_sub(1).max(start)));
    Some(Place { span: Some(Span::lines(first + 1, last + 1)), ..path })
}

/// A block replaces lines, and a comment on a whole file or review has none.
pub(crate) fn block_without_lines() -> Fault {
    let message = "a `suggestion` block needs lines to replace, but this comment has none";
    let mut fault = Fault::new(FaultCode::Refused, message);
    fault.data.causes.push("comment on the lines to replace, or use another name for the block".to_owned());
    fault
}

fn binary(path: &RepoPath) -> Fault {
    Fault::new(FaultCode::Refused, format!("{path} is binary"))
}

fn no_lines() -> Fault {
    Fault::new(FaultCode::NoSuchPlace, "the file does not have these lines")
}

/// Adds to a fault which lines were expected, and which were found.
fn with_lines(fault: Fault, failure: &postil_protocol::ConflictView) -> Fault {
    let lines = |mark: char, lines: &[postil_protocol::ByteText]| -> String {
        let lines = lines.iter().map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned());
        lines.map(|line| format!("\n{mark} {line}")).collect()
    };
    let path = failure.path.as_ref().map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned());
    let mut cause = format!("{}: {}", path.unwrap_or_else(|| "unnamed file".into()), failure.why);
    if !failure.expected.is_empty() {
        let (expected, actual) = (lines('-', &failure.expected), lines('+', &failure.actual));
        let _ = write!(cause, "\nexpected:{expected}\nfound:{actual}");
    }
    let mut fault = fault;
    fault.data.causes.push(cause);
    fault
}
