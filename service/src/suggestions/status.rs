//! What has become of suggestions, in one head.
//!
//! Where a comment is, and whether its thread is resolved, plays no part in it, but for the file that its lines went to.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use postil_core::anchoring::counterpart;
use postil_core::edit::{AgreementMode, Clash};
use postil_core::git::{BlobId, RepoPath};
use postil_core::patch::{FileMode, WrittenSide, unified_diff};
use postil_core::record::{AnchorSide, EntryOrigin, PositionEntry, PositionState, RecordId, SuggestedFile};
use postil_core::review::{Comment, Thread, ThreadState};
use postil_core::suggestion::{CurrentFile, FileFate, Refusal, RemainingChange, edit_of, fate_of};
use postil_protocol::{
    ByteText, ConflictCode, ConflictView, Detail, Fault, MeetingView, ReplacedView, SuggestionState,
    SuggestionView, ThreadView,
};

use crate::files::{HeadFile, HeadFiles, read_blob};
use crate::positions::applied::suggestions_of;
use crate::positions::overtaken::mark_overtaken;
use crate::positions::positions_at::PositionsByThread;
use crate::repository::state::lock;
use crate::request::Request;

/// So many fates are kept; with more, all are forgotten.
const MAX_KNOWN: usize = 4096;

/// What has become of one suggestion.
#[derive(Clone, Debug)]
pub(crate) struct SuggestionFate {
    /// All of it together.
    pub state: SuggestionState,
    /// What is left to do.
    pub lefts: Vec<RemainingChange>,
    /// What is in the way, with the file and where it is now.
    pub conflicts: Vec<Obstacle>,
    /// The paths that it depends on, whether a file is there or not.
    pub looked_at: BTreeSet<RepoPath>,
}

/// A file that a suggestion cannot change as things are.
#[derive(Clone, Debug)]
pub(crate) struct Obstacle {
    /// Which file of the suggestion.
    pub file: usize,
    /// Where it is now, or where another file is in its way.
    pub at: RepoPath,
    /// Why.
    pub why: Refusal,
}

impl Obstacle {
    /// Whether other text is where the change belongs, rather than nothing.
    fn is_rewritten(&self) -> bool {
        match &self.why {
            Refusal::Changed(meeting) => !meeting.conflict.typed.is_empty(),
            Refusal::Marked(_) => true,
            _ => false,
        }
    }
}

/// Fates that were computed, by all that they depend on.
#[derive(Debug, Default)]
pub(crate) struct KnownFates(Mutex<HashMap<FateKey, Arc<SuggestionFate>>>);

/// A suggestion, and the content at each path that it depends on.
type FateKey = (RecordId, Vec<(RepoPath, Option<(BlobId, FileMode)>)>);

impl KnownFates {
    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }

    fn get(&self, key: &FateKey) -> Option<Arc<SuggestionFate>> {
        lock(&self.0).get(key).cloned()
    }

    fn keep(&self, key: FateKey, fate: Arc<SuggestionFate>) {
        let mut known = lock(&self.0);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, fate);
    }
}

/// Reports in the views of threads what has become of what they suggest, and of what is proposed for them.
pub fn add_fates(
    request: &Request,
    files: &HeadFiles<'_>,
    views: &mut [ThreadView],
    entries: &PositionsByThread,
    detail: Detail,
) -> Result<(), Fault> {
    for view in views {
        let thread = RecordId::from_hex(view.id.as_str()).and_then(|id| request.notes.threads.thread(id));
        let Some(thread) = thread else { continue };
        mark_overtaken(request, files, thread, entries, view);
        if suggestions_of(thread).next().is_none() {
            continue;
        }
        let entry = entries.get(&thread.id()).map(AsRef::as_ref);
        let mut looked_at = BTreeSet::new();
        for comment in suggestions_of(thread) {
            let fate = suggestion_fate(request, files, thread, comment, entry)?;
            looked_at.extend(fate.looked_at.iter().cloned());
            if comment.state() != ThreadState::Withdrawn {
                view.suggestion = Some(fate.state);
            }
            let shown = view.comments.iter_mut().find(|shown| shown.id.as_str() == comment.id().to_string());
            if let Some(shown) = shown {
                shown.suggestion = Some(suggestion_view(request, &request.handle, comment, &fate, detail));
            }
        }
        view.depends_on = looked_at.iter().map(|path| ByteText::new(path.as_bytes())).collect();
    }
    Ok(())
}

/// What has become of the newest suggestion in a thread.
pub fn fate_in_line(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    entry: Option<&PositionEntry>,
) -> Result<Option<SuggestionState>, Fault> {
    let Some(newest) = standing_suggestions(thread).last() else { return Ok(None) };
    Ok(Some(suggestion_fate(request, files, thread, newest, entry)?.state))
}

/// Whether a thread suggests something that was not withdrawn.
pub(crate) fn suggests(thread: Thread<'_>) -> bool {
    standing_suggestions(thread).next().is_some()
}

/// What has become of a suggestion; kept until a file that matters to it is another.
pub fn suggestion_fate(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    comment: &Comment,
    entry: Option<&PositionEntry>,
) -> Result<Arc<SuggestionFate>, Fault> {
    fate_at(request, files, comment, &suggestion_places(request, files, thread, comment, entry)?)
}

/// What has become of a suggestion whose files are at these places.
pub(super) fn fate_at(
    request: &Request,
    files: &HeadFiles<'_>,
    comment: &Comment,
    places: &[Vec<RepoPath>],
) -> Result<Arc<SuggestionFate>, Fault> {
    let mut stands = Vec::new();
    for path in places.iter().flatten() {
        let found = files.plain(path)?;
        stands.push((path.clone(), found.and_then(|found| Some((found.blob, found.mode()?)))));
    }
    let key = (comment.id(), stands);
    if let Some(fate) = request.repository.fates.get(&key) {
        return Ok(fate);
    }
    let fate = Arc::new(computed(request, files, comment, places, AgreementMode::Strict)?);
    request.repository.fates.keep(key, fate.clone());
    Ok(fate)
}

/// The fate of a suggestion in a given mode.
pub fn fate_in(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    comment: &Comment,
    entry: Option<&PositionEntry>,
    mode: AgreementMode,
) -> Result<SuggestionFate, Fault> {
    let places = suggestion_places(request, files, thread, comment, entry)?;
    computed(request, files, comment, &places, mode)
}

fn computed(
    request: &Request,
    files: &HeadFiles<'_>,
    comment: &Comment,
    places: &[Vec<RepoPath>],
    mode: AgreementMode,
) -> Result<SuggestionFate, Fault> {
    let mut fate = SuggestionFate {
        state: SuggestionState::Done,
        lefts: Vec::new(),
        conflicts: Vec::new(),
        looked_at: places.iter().flatten().cloned().collect(),
    };
    let mut pending = false;
    for (at, file) in comment.said().suggestion.iter().enumerate() {
        let base = file.blob.and_then(|blob| read_blob(&request.handle, blob).ok());
        let there = match &file.new_path {
            Some(path) => files.plain(path)?,
            None => None,
        };
        let makes_way = |other: &SuggestedFile| {
            file.new_path.as_ref() == Some(&other.path) && (other.new_path.is_some() || other.delete)
        };
        let leaves = comment.said().suggestion.iter().any(makes_way);
        let there_text = there.as_ref().and_then(|found| files.content(found).ok());
        let mut first: Option<Obstacle> = None;
        let mut settled = false;
        // The last one is the new path, if there is one, and not a place where the file is now.
        for path in candidates(file, &places[at]) {
            // If the lines were rewritten in place, that was intended, even if a copy of them exists
            // elsewhere.
            if first.as_ref().is_some_and(Obstacle::is_rewritten) {
                break;
            }
            let here = files.plain(path)?;
            let here_text = here.as_ref().and_then(|found| files.content(found).ok());
            let (here, there) = (
                standing(here.as_ref(), here_text.as_ref()),
                standing(there.as_ref(), there_text.as_ref()).map(|there| CurrentFile { leaves, ..there }),
            );
            match fate_of(file, base.as_deref(), path, here, there, mode) {
                FileFate::Left(left) => fate.lefts.push(left),
                FileFate::Done => {}
                FileFate::Pending => pending = true,
                FileFate::Conflict(why) => {
                    let target = file.new_path.as_ref().filter(|_| why == Refusal::Exists);
                    let place = target.unwrap_or(path).clone();
                    first.get_or_insert(Obstacle { file: at, at: place, why });
                    continue;
                }
            }
            settled = true;
            break;
        }
        fate.conflicts.extend(first.filter(|_| !settled));
    }
    fate.state = match (fate.conflicts.is_empty(), pending, fate.lefts.is_empty()) {
        (false, ..) => SuggestionState::Conflict,
        (true, true, _) => SuggestionState::Pending,
        (true, false, true) => SuggestionState::Done,
        (true, false, false) => SuggestionState::Applies,
    };
    Ok(fate)
}

/// For each file of a suggestion, the paths where it may be now, the likeliest first, and the one that it is to get.
pub(super) fn suggestion_places(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    comment: &Comment,
    entry: Option<&PositionEntry>,
) -> Result<Vec<Vec<RepoPath>>, Fault> {
    let mut all = Vec::new();
    for file in &comment.said().suggestion {
        let mut places = Vec::new();
        let anchor = thread.anchor();
        if file.blob.is_none() || files.plain(&file.path)?.is_some() {
            places.push(file.path.clone());
        }
        // Where the commented lines went, the change goes too; deleted lines are nowhere in the head.
        let followed = anchor.filter(|anchor| anchor.path == file.path && anchor.side == AnchorSide::New);
        // A guess is good enough to look at, and not to write to; nor is what somebody else computed.
        let sure = |entry: &&PositionEntry| {
            entry.origin == EntryOrigin::Here
                && matches!(entry.state, PositionState::Anchored | PositionState::Shifted)
                && entry.candidates.is_empty()
        };
        if let Some(path) = followed.and(entry).filter(sure).and_then(|entry| entry.path.clone())
            && file.blob.is_some()
            && !places.contains(&path)
        {
            places.push(path);
        }
        if places.is_empty() {
            places.extend(anchor.and_then(|anchor| renamed_to(request, files, anchor.commit, &file.path)));
        }
        if places.is_empty() {
            places.push(file.path.clone());
        }
        places.extend(file.new_path.clone());
        all.push(places);
    }
    Ok(all)
}

/// What a file of a commit is called in the head.
fn renamed_to(
    request: &Request,
    files: &HeadFiles<'_>,
    commit: Option<postil_core::git::CommitId>,
    path: &RepoPath,
) -> Option<RepoPath> {
    let then = request.work_tree.tree_of(commit?).ok()?;
    counterpart(&request.handle, then, files.tree()?, path).ok().flatten().map(|file| file.path)
}

fn suggestion_view(
    request: &Request,
    handle: &gix::Repository,
    comment: &Comment,
    fate: &SuggestionFate,
    detail: Detail,
) -> SuggestionView {
    let files = &comment.said().suggestion;
    let short = request.notes.prefixes.shorten(comment.id()).to_string();
    SuggestionView {
        state: fate.state,
        files: files.iter().map(|file| ByteText::new(file.path.as_bytes())).collect(),
        conflicts: fate.conflicts.iter().map(|why| conflict_view(&short, why)).collect(),
        diff: (detail == Detail::Full).then(|| diff_of(handle, files)).flatten(),
    }
}

/// The comments of a thread that suggest something and were not withdrawn.
pub(crate) fn standing_suggestions(thread: Thread<'_>) -> impl Iterator<Item = &Comment> {
    suggestions_of(thread).filter(|said| said.state() != ThreadState::Withdrawn)
}

/// A conflict, in the form that clients receive.
pub(crate) fn conflict_view(short: &str, obstacle: &Obstacle) -> ConflictView {
    let lines = |lines: &[Vec<u8>]| lines.iter().map(|line| ByteText::new(line.as_slice())).collect();
    let (meeting, marked) = match &obstacle.why {
        Refusal::Changed(meeting) => (Some(meeting), None),
        Refusal::Marked(between) => (None, Some(between)),
        _ => (None, None),
    };
    let line = meeting.map(|meeting| meeting.line).or(marked.map(|marked| marked.line));
    let actual = meeting.map(|meeting| &meeting.actual).or(marked.map(|marked| &marked.lines));
    ConflictView {
        suggestion: Some(short.to_owned()),
        path: Some(ByteText::new(obstacle.at.as_bytes())),
        code: code_of(&obstacle.why),
        why: obstacle.why.to_string(),
        hunk: None,
        other: None,
        expected: meeting.map(|meeting| lines(&meeting.expected)).unwrap_or_default(),
        actual: actual.map(|actual| lines(actual)).unwrap_or_default(),
        line: line.map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
        meeting: meeting.map(|meeting| MeetingView {
            suggested: replaced(&meeting.conflict.suggested, &meeting.conflict.expected),
            typed: replaced(&meeting.conflict.users, &meeting.conflict.typed),
        }),
    }
}

fn code_of(why: &Refusal) -> ConflictCode {
    match why {
        Refusal::Changed(meeting) => match meeting.conflict.clash {
            Clash::Overlap => ConflictCode::Overlap,
            Clash::Touch => ConflictCode::Touch,
            Clash::Insertions => ConflictCode::Insertions,
        },
        Refusal::Marked(_) => ConflictCode::Marked,
        Refusal::Exists => ConflictCode::Exists,
        Refusal::Missing => ConflictCode::Missing,
        Refusal::ChangedBeforeDelete => ConflictCode::ChangedBeforeDelete,
        Refusal::Damaged => ConflictCode::Damaged,
    }
}

fn replaced(range: &std::ops::Range<usize>, text: &[u8]) -> ReplacedView {
    ReplacedView { offset: range.start as u64, length: range.len() as u64, text: ByteText::new(text) }
}

fn candidates<'a>(file: &SuggestedFile, places: &'a [RepoPath]) -> &'a [RepoPath] {
    &places[..places.len() - usize::from(file.new_path.is_some())]
}

fn standing<'a>(found: Option<&HeadFile>, text: Option<&'a Vec<u8>>) -> Option<CurrentFile<'a>> {
    found.zip(text).map(|(found, text)| CurrentFile { text, mode: found.mode(), leaves: false })
}

/// The change as a diff of what it was made for; `None` if that is not here.
fn diff_of(handle: &gix::Repository, files: &[SuggestedFile]) -> Option<ByteText> {
    let mut diff = Vec::new();
    for file in files {
        let base = match file.blob {
            Some(blob) => read_blob(handle, blob).ok()?,
            None => Vec::new(),
        };
        let wanted = edit_of(file)?.apply(&base).ok()?;
        let mode = file.mode.and_then(FileMode::from_number);
        // The old mode is only known if the change sets a new one.
        let mode_before = match mode {
            Some(FileMode::Executable) => Some(FileMode::Plain),
            Some(FileMode::Plain) => Some(FileMode::Executable),
            other => other,
        };
        let old = WrittenSide { path: &file.path, text: &base, mode: mode_before };
        let new = WrittenSide { path: file.new_path.as_ref().unwrap_or(&file.path), text: &wanted, mode };
        let (old, new) = (file.blob.is_some().then_some(old), (!file.delete).then_some(new));
        diff.extend(unified_diff(old, new));
    }
    Some(ByteText::new(diff))
}
