//! What a person points at, as an anchor: in the files on disk, in a commit, or in the base of a change.

use std::num::NonZeroU32;

use gix::bstr::ByteSlice as _;
use postil_core::anchoring::{
    AnchorError, Pointed, PointedBase, PointedWords, WordSelection, anchor_at, anchor_at_base,
    anchor_at_words, counterpart,
};
use postil_core::git::{BlobId, CommitId, RepoPath, history, tree};
use postil_core::notes::{DraftPin, Home};
use postil_core::record::{Anchor, Columns, LineSpan, Range};
use postil_core::review::ReviewGroup;
use postil_protocol::{Advice, ByteText, Fault, FaultCode, HeadName, Place, Side, Span};

use crate::convert::fault::{FaultSource as _, OrFault as _, damaged};
use crate::files::disk::is_trackable;
use crate::files::{HeadEntry, HeadFiles, read_blob};
use crate::notes::names::{current_review, is_open};
use crate::pointing::similar_names::alike;
use crate::request::Request;

/// Number of places of a quote that are listed.
const MAX_PLACES: usize = 5;

/// An anchor, with what is kept for it.
#[derive(Debug)]
pub(crate) struct Pointing {
    /// The anchor.
    pub anchor: Anchor,
    /// The note that a comment on it goes into.
    pub home: Home,
    /// The blobs that must not be lost.
    pub pins: Vec<DraftPin>,
    /// The file that was pointed at; for deleted lines, as it is in the base.
    pub content: Vec<u8>,
    /// For deleted lines, the file as it is on disk, if that is what deletes them.
    pub head: Option<Vec<u8>>,
}

impl Pointing {
    /// The place in words.
    pub fn name(&self) -> String {
        match self.anchor.range.map(Range::span) {
            None => self.anchor.path.to_string(),
            Some(lines) if lines.count() == 1 => format!("{}:{}", self.anchor.path, lines.first()),
            Some(lines) => format!("{}:{}-{}", self.anchor.path, lines.first(), lines.last()),
        }
    }
}

/// A file that was looked at.
#[derive(Clone, Debug)]
pub(crate) struct PointedFile {
    /// The commit that has it so.
    pub commit: Option<CommitId>,
    /// Its name.
    pub blob: BlobId,
    /// What it holds.
    pub content: Vec<u8>,
    /// What keeps it.
    pub pin: DraftPin,
}

/// Whether a file may be one that git ignores, such as one with a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IgnoredFiles {
    /// It may not: a comment shares lines of it.
    Refuse,
    /// A person allowed it.
    Allow,
}

/// Makes the anchor for the place in a request; lines of the base are taken for deleted ones.
pub fn anchor_of_place(request: &Request, place: &Place) -> Result<Pointing, Fault> {
    let path = repo_path(&place.path)?;
    let range = place.span.map(range).transpose()?;
    if place.quote.is_some() && (range.is_some() || place.side == Side::Old) {
        let message = "a quote cannot be combined with lines or with the old side";
        return Err(Fault::new(FaultCode::InvalidParams, message));
    }
    match place.side {
        Side::New => {
            let ignored = if place.ignored { IgnoredFiles::Allow } else { IgnoredFiles::Refuse };
            let seen = text_of(request, &path, place.rev.as_deref(), ignored)?;
            let PointedFile { commit, blob, content, pin } = seen;
            let anchor = match &place.quote {
                None => anchor_at(&Pointed { commit, path: &path, blob, content: &content, range }),
                Some(exact) => {
                    let prefix = place.prefix.as_deref().unwrap_or_default();
                    let suffix = place.suffix.as_deref().unwrap_or_default();
                    let words = WordSelection::Said { exact, prefix, suffix };
                    let pointed = PointedWords { commit, path: &path, blob, content: &content, words };
                    anchor_at_words(&pointed)
                }
            };
            let anchor = anchor.map_err(|error| refused(error, &path))?;
            let home = Home::Anchor { commit, blob };
            Ok(Pointing { anchor, home, pins: vec![pin], content, head: None })
        }
        Side::Old => in_base(request, &path, range, place.rev.as_deref()),
    }
}

/// A file of a head: what is checked out as it is on disk or in a buffer, or a commit.
pub fn text_of(
    request: &Request,
    path: &RepoPath,
    rev: Option<&str>,
    ignored: IgnoredFiles,
) -> Result<PointedFile, Fault> {
    outside_submodules(request, path)?;
    let head = match rev {
        None => HeadName::WorkTree,
        Some(rev) => HeadName::Rev(rev.to_owned()),
    };
    let files = HeadFiles::of(request, &head)?;
    if !files.is_work_tree() && files.commit().is_none() {
        head_or_none(request)?;
    }
    let committed = files.committed(path)?.map(|entry| BlobId::from(entry.id.raw()));
    let file = match files.at(path)? {
        HeadEntry::File(file) => file,
        HeadEntry::Absent if files.is_work_tree() && committed.is_some() => {
            let message = format!("{path} was deleted from the working tree");
            return Err(Fault::new(FaultCode::NoSuchPlace, message)
                .about(path.as_bytes())
                .advise(Advice::RestoreFile { path: ByteText::new(path.as_bytes()) }));
        }
        HeadEntry::Absent => return Err(no_such_file(request, path, files.commit())),
        HeadEntry::Folder | HeadEntry::Unreadable => {
            let message = format!("{path} is not a readable file");
            return Err(Fault::new(FaultCode::NoSuchPlace, message)
                .about(path.as_bytes())
                .advise(Advice::NameTextFile));
        }
    };
    if ignored == IgnoredFiles::Refuse && committed.is_none() && files.is_ignored(path)? {
        let message = format!("{path} is ignored by git, and a comment would share lines of it");
        return Err(Fault::new(FaultCode::Unsafe, message)
            .reason("ignored-file")
            .about(path.as_bytes())
            .advise(Advice::AllowIgnored));
    }
    let (blob, content) = (file.blob, files.content(&file)?);
    let commit = files.commit().filter(|_| committed == Some(blob));
    let pin = match file.in_memory() {
        Some(content) if commit.is_none() => DraftPin::Content(content.to_vec()),
        _ => DraftPin::Blob(blob, commit),
    };
    Ok(PointedFile { commit, blob, content, pin })
}

/// Fails for what belongs to another repository, which has notes of its own.
fn outside_submodules(request: &Request, path: &RepoPath) -> Result<(), Fault> {
    let handle = request.work_tree.repository().handle();
    let index = handle.index_or_empty().map_err(|error| damaged("could not read the index", &error))?;
    let ends = path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for end in ends.chain([path.as_bytes().len()]) {
        let above = &path.as_bytes()[..end];
        let entry = index.entry_by_path(above.as_bstr());
        if entry.is_some_and(|entry| entry.mode == gix::index::entry::Mode::COMMIT) {
            let above = String::from_utf8_lossy(above);
            let what = if end == path.as_bytes().len() {
                format!("{path} is a submodule")
            } else {
                format!("{path} is in the submodule {above}")
            };
            return Err(Fault::new(FaultCode::NoSuchPlace, what)
                .about(&path.as_bytes()[..end])
                .advise(Advice::EnterSubmodule { path: ByteText::new(&path.as_bytes()[..end]) }));
        }
    }
    Ok(())
}

fn head_or_none(request: &Request) -> Result<CommitId, Fault> {
    request.head.ok_or_else(|| {
        Fault::new(FaultCode::NoSuchPlace, "the repository has no commits yet").advise(Advice::CommitFirst)
    })
}

fn in_commit(request: &Request, path: &RepoPath, commit: CommitId) -> Result<PointedFile, Fault> {
    let handle = request.work_tree.repository().handle();
    let entry = tree::entry_at(&handle, request.work_tree.tree_of(commit)?, path).or_fault()?;
    let entry = entry.filter(|entry| entry.mode.is_blob_or_symlink());
    let entry = entry.ok_or_else(|| no_such_file(request, path, Some(commit)))?;
    let blob = BlobId::from(entry.id.raw());
    let content = read_blob(&handle, blob)?;
    Ok(PointedFile { commit: Some(commit), blob, content, pin: DraftPin::Blob(blob, Some(commit)) })
}

fn no_such_file(request: &Request, path: &RepoPath, commit: Option<CommitId>) -> Fault {
    let handle = request.work_tree.repository().handle();
    let tree = commit.and_then(|commit| request.work_tree.tree_of(commit).ok());
    let files = tree.and_then(|tree| tree::list(&handle, tree).ok()).unwrap_or_default().entries;
    Fault::new(FaultCode::NoSuchPlace, format!("no such file: {path}"))
        .perhaps(alike(path, files.iter().map(|(file, _)| file)))
        .about(path.as_bytes())
        .advise(Advice::ListFiles)
}

/// Lines of the base, which the change deleted.
fn in_base(
    request: &Request,
    path: &RepoPath,
    range: Option<Range>,
    rev: Option<&str>,
) -> Result<Pointing, Fault> {
    let head = match rev {
        Some(rev) => request.work_tree.commit_named(rev)?,
        None => head_or_none(request)?,
    };
    let base = base_of(request, head)?;
    let seen = in_commit(request, path, base)?;
    let handle = request.work_tree.repository().handle();
    let (base_tree, head_tree) = (request.work_tree.tree_of(base)?, request.work_tree.tree_of(head)?);
    let counterpart = counterpart(&handle, base_tree, head_tree, path).or_fault()?;
    let mut pins = vec![seen.pin];
    pins.extend(counterpart.as_ref().map(|file| DraftPin::Blob(file.blob, Some(head))));
    let pointed = PointedBase {
        base,
        path,
        blob: seen.blob,
        content: &seen.content,
        range,
        head: Some(head),
        counterpart,
    };
    let anchor = anchor_at_base(&pointed).map_err(|error| refused(error, path))?;
    let home = Home::Anchor { commit: Some(head), blob: seen.blob };
    Ok(Pointing { anchor, home, pins, content: seen.content, head: None })
}

/// Where `head` and what it is compared with went apart.
pub fn base_of(request: &Request, head: CommitId) -> Result<CommitId, Fault> {
    base_of_review(request, head, current_review(request).filter(|group| is_open(*group)))
}

/// The same for a review; without one, `head` is compared with the usual base.
pub fn base_of_review(
    request: &Request,
    head: CommitId,
    review: Option<ReviewGroup<'_>>,
) -> Result<CommitId, Fault> {
    let named = review.and_then(|group| postil_core::git::RefName::from_bytes(group.lead().base()).ok());
    let none = || Fault::new(FaultCode::Refused, "no base to compare with").advise(Advice::ChooseBase);
    let base = named.or_else(|| request.branches.usual_base().cloned()).ok_or_else(none)?;
    let handle = request.work_tree.repository().handle();
    let found =
        history::merge_base_of_any(&handle, head, &request.branches.base_tips(&handle, &base)).or_fault()?;
    found.ok_or_else(|| {
        Fault::new(FaultCode::Refused, format!("HEAD has no history in common with {base}"))
            .advise(Advice::ChooseRelatedBase)
    })
}

/// A path of the protocol as one of a tree.
pub(crate) fn repo_path(path: &ByteText) -> Result<RepoPath, Fault> {
    RepoPath::new(path.as_bytes()).ok_or_else(|| no_path(path))
}

/// The same, of a file that git could track: inside of the repository, and not git's own.
pub(crate) fn trackable_path(path: &ByteText) -> Result<RepoPath, Fault> {
    RepoPath::new(path.as_bytes()).filter(is_trackable).ok_or_else(|| no_path(path))
}

fn no_path(path: &ByteText) -> Fault {
    let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
    Fault::new(FaultCode::NoSuchPlace, format!("invalid path: {path:?}")).advise(Advice::NamePathInside)
}

/// The lines and columns of the protocol as those of an anchor.
pub(crate) fn range(span: Span) -> Result<Range, Fault> {
    let bad = || {
        Fault::new(
            FaultCode::NoSuchPlace,
            "invalid range: lines and columns start at 1, and the end is not before the start",
        )
    };
    let lines = LineSpan::from_numbers(span.start, span.end).ok_or_else(bad)?;
    let (Some(start), Some(end)) = (span.start_column, span.end_column) else {
        return Ok(Range::lines(lines));
    };
    let columns = NonZeroU32::new(start).zip(NonZeroU32::new(end)).ok_or_else(bad)?;
    Range::with_columns(lines, Columns { start: columns.0, end: columns.1 }).ok_or_else(bad)
}

/// The error for a place that cannot be commented on, with advice; for a quote in several places, with their
/// lines.
fn refused(error: AnchorError, path: &RepoPath) -> Fault {
    let lines = match &error {
        AnchorError::SeveralPlaces { lines, .. } => lines.clone(),
        _ => Vec::new(),
    };
    let advice = match &error {
        AnchorError::SeveralPlaces { .. } => Advice::QuoteMore,
        AnchorError::NoSuchWords { .. } => Advice::QuoteAsRead,
        AnchorError::Unreadable { .. } | AnchorError::Unquotable { .. } => Advice::NameLines,
        AnchorError::OutOfFile { .. } => Advice::CountLines,
        AnchorError::OutOfLine { .. } => Advice::CountColumns,
        AnchorError::Binary { .. } => Advice::NameWholeFile,
        AnchorError::TooMany { .. } => Advice::PointAtLess,
    };
    // A quote may occur more than once in a line.
    let lines: Vec<_> = lines.chunk_by(|one, other| one == other).collect();
    let more = lines.len().saturating_sub(MAX_PLACES);
    let told = lines.iter().take(MAX_PLACES).map(|same| match same {
        [line] => format!("line {line}"),
        same => format!("line {}, {} times", same[0], same.len()),
    });
    let rest = (more > 0).then(|| format!("{more} more lines"));
    error.fault().perhaps(told.chain(rest)).about(path.as_bytes()).advise(advice)
}
