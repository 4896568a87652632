//! Views of threads, made compact.

use postil_protocol::{
    ByteText, ChangeView, CommentView, CompactAuthor, CompactChange, CompactComment, CompactFile,
    CompactList, CompactProposal, CompactThread, Hex, ListReply, Person, PlaceState, PositionView,
    ProposalStatus, ProposalView, ShowReply, Side, ThreadView,
};
use postil_words::block::first_words;

/// How many lines of code are shown of a thread in a list.
pub const CODE_LINES: u32 = 12;

/// More changes than this are not told one by one: their threads follow.
const MAX_CHANGES: usize = 50;

/// How many characters of a comment are shown where not all of it is.
const FIRST_WORDS: usize = 160;

/// How many bytes of one comment are shown of a whole thread.
const MAX_TEXT_BYTES: usize = 8000;

/// How much of each thread is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompactDetail {
    /// Where it is, who wrote it, and its first words.
    Line,
    /// Also the code as it is now, the original lines where they differ, and the last reply.
    #[default]
    Code,
    /// All comments, whole.
    Full,
}

/// A list in few words, by file.
pub fn compact_list(reply: &ListReply, detail: CompactDetail) -> CompactList {
    let mut files: Vec<CompactFile> = Vec::new();
    for thread in &reply.threads {
        let (path, message) = place(thread);
        let told = compact_thread(thread, detail);
        match files.last_mut().filter(|file| file.path == path && file.message == message) {
            Some(file) => file.threads.push(told),
            None => files.push(CompactFile { path, message, threads: vec![told] }),
        }
    }
    CompactList {
        changes: Vec::new(),
        files,
        total: reply.total,
        next: reply.next.clone(),
        incomplete: reply.incomplete,
        warnings: reply.warnings.clone(),
        mark: reply.mark.clone(),
    }
}

/// What was done to threads, in few words.
pub fn compact_changes<'a>(
    changes: impl IntoIterator<Item = &'a ChangeView>,
    threads: &[ThreadView],
) -> Vec<CompactChange> {
    let told = changes.into_iter().take(MAX_CHANGES).map(|change| {
        let thread = threads.iter().find(|thread| thread.id == change.of);
        let of = thread.map_or_else(|| change.of.to_string(), |thread| thread.short.clone());
        let author = change.by.as_ref().map(author).unwrap_or_default();
        CompactChange { what: change.what, of, author }
    });
    told.collect()
}

/// One thread, whole, as a list of its own.
pub fn compact_show(reply: &ShowReply) -> CompactList {
    let mut thread = reply.thread.clone();
    if let Some((start, end)) = thread.position.as_ref().and_then(|now| now.start.zip(now.end)) {
        let here = reply.lines.iter().filter(|(number, _)| (start..=end).contains(number));
        thread.code = here.map(|(_, line)| line.clone()).collect();
    }
    let list = ListReply {
        threads: vec![thread],
        total: 1,
        warnings: reply.warnings.clone(),
        mark: reply.mark.clone(),
        ..ListReply::default()
    };
    compact_list(&list, CompactDetail::Full)
}

/// A thread in few words.
pub fn compact_thread(thread: &ThreadView, detail: CompactDetail) -> CompactThread {
    let position = thread.position.as_ref();
    let doubt = position.filter(|position| position.state != PlaceState::Anchored);
    let mut comments = thread.comments.iter();
    let first = comments.next().filter(|first| first.id == thread.id);
    let answers: Vec<&CommentView> = match (first, detail) {
        (_, CompactDetail::Line) => Vec::new(),
        (Some(_), CompactDetail::Code) => comments.next_back().into_iter().collect(),
        (None, CompactDetail::Code) => thread.comments.last().into_iter().collect(),
        (Some(_), CompactDetail::Full) => comments.collect(),
        (None, CompactDetail::Full) => thread.comments.iter().collect(),
    };
    let is_pending = |state| state == ProposalStatus::Pending;
    let mut told = CompactThread {
        id: thread.short.clone(),
        lines: lines(thread),
        deleted: thread.anchor.as_ref().is_some_and(|anchor| anchor.side == Side::Old),
        state: doubt.map(|position| position.state),
        reason: doubt.map(|position| position.reason.clone()),
        confidence: doubt.filter(|_| !is_orphan(position)).map(|position| position.confidence),
        status: thread.status,
        severity: thread.severity.clone(),
        draft: thread.draft,
        suggestion: thread.suggestion,
        pending: thread.proposals.iter().filter(|one| is_pending(one.state)).count() as u32,
        replies: thread.replies,
        first: first.map(|first| comment(first, detail)).unwrap_or_default(),
        answers: answers
            .into_iter()
            .map(|answer| CompactComment { draft: answer.draft, ..comment(answer, detail) })
            .collect(),
        proposals: match detail {
            CompactDetail::Full => {
                let pending = thread.proposals.iter().filter(|one| is_pending(one.state));
                pending.map(proposal).collect()
            }
            _ => Vec::new(),
        },
        ..CompactThread::default()
    };
    if detail != CompactDetail::Line {
        add_code(&mut told, thread);
    }
    told
}

/// The code as it is now, and the original lines where they differ.
fn add_code(told: &mut CompactThread, thread: &ThreadView) {
    let most = CODE_LINES as usize;
    told.code = thread.code.iter().take(most).cloned().collect();
    let position = thread.position.as_ref();
    if let Some((start, end)) = position.and_then(|position| position.start.zip(position.end)) {
        let all = (end.saturating_sub(start) + 1) as usize;
        told.more_code = if told.code.is_empty() { 0 } else { all.saturating_sub(told.code.len()) as u32 };
    }
    let lines = thread.anchor.as_ref().map(|anchor| &anchor.lines);
    let lines = lines.or(thread.message.as_ref().map(|on| &on.lines));
    let was: Vec<Option<&ByteText>> = lines.into_iter().flatten().map(Option::as_ref).take(most).collect();
    // Of long comments some lines are only kept as hashes: those are not known to differ.
    let is_equal = || {
        let same = was.iter().zip(&told.code).all(|(was, now)| was.is_none_or(|was| was == now));
        same && was.len() == told.code.len()
    };
    let is_anchored = position.is_none_or(|position| position.state == PlaceState::Anchored);
    if !is_anchored && !is_equal() {
        told.was = was.into_iter().flatten().cloned().collect();
    }
}

fn is_orphan(position: Option<&PositionView>) -> bool {
    position.is_some_and(|position| position.state == PlaceState::Orphaned)
}

/// Where a thread is listed: the file that it is in or was in, or a commit whose message it is on.
fn place(thread: &ThreadView) -> (Option<ByteText>, Option<Hex>) {
    let position = thread.position.as_ref();
    if let Some(on) = &thread.message {
        let site = position.and_then(|position| position.message.as_ref());
        return (None, Some(site.map_or(&on.commit, |site| &site.commit).clone()));
    }
    let perhaps =
        || position.and_then(|position| position.candidates.first()).map(|candidate| candidate.path.clone());
    let now = position.and_then(|position| position.path.clone());
    (now.or_else(perhaps).or_else(|| thread.anchor.as_ref().map(|anchor| anchor.path.clone())), None)
}

/// The lines of a thread, as people type them.
fn lines(thread: &ThreadView) -> Option<String> {
    let now = thread.position.as_ref().filter(|position| position.state != PlaceState::Orphaned);
    let then = || {
        let on_file = thread.anchor.as_ref().and_then(|anchor| anchor.range);
        on_file.or(thread.message.as_ref().and_then(|on| on.range))
    };
    let range = match now {
        Some(position) => position.range,
        None => then(),
    };
    range.map(|range| range.to_string())
}

fn comment(comment: &CommentView, detail: CompactDetail) -> CompactComment {
    let suggestion = comment.suggestion.as_ref().filter(|_| detail == CompactDetail::Full);
    let diff = suggestion.and_then(|suggestion| suggestion.diff.as_ref());
    CompactComment {
        trust: comment.trust,
        author: author(&comment.author),
        draft: false,
        text: match detail {
            _ if comment.withdrawn => "(withdrawn)".to_owned(),
            CompactDetail::Full => whole(&comment.text),
            CompactDetail::Line | CompactDetail::Code => first_words(&comment.text, FIRST_WORDS),
        },
        diff: diff.map(|diff| whole(&String::from_utf8_lossy(diff.as_bytes()))),
    }
}

/// Who did something.
pub(crate) fn author(person: &Person) -> CompactAuthor {
    let via = person.via.as_deref();
    CompactAuthor {
        kind: via.map(|via| via.kind.clone()),
        by: person.name.clone(),
        person: via.and_then(|via| via.person.as_ref()).map(|person| person.name.clone()),
    }
}

fn proposal(proposal: &ProposalView) -> CompactProposal {
    let range = match (&proposal.place, &proposal.message) {
        (Some(place), _) => place.range,
        (None, message) => message.as_ref().and_then(|message| message.range),
    };
    CompactProposal {
        done: proposal.done.clone(),
        obsolete: proposal.obsolete,
        uncommitted: proposal.uncommitted,
        draft: proposal.draft,
        path: proposal.place.as_ref().map(|place| place.path.clone()),
        message: proposal.message.as_ref().map(|message| message.commit.clone()),
        lines: range.map(|range| range.to_string()),
        author: author(&proposal.author),
        text: whole(&proposal.text),
    }
}

/// A whole text; of one that is too long, the beginning, and how long it is.
fn whole(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    format!("{}… ({} bytes in all)", &text[..end], text.len())
}
