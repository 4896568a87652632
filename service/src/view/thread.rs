//! Threads, reviews and positions as clients see them: domain in, protocol out.

use std::collections::BTreeSet;

use postil_core::git::RepoPath;
use postil_core::record::{
    Anchor, AnchorSide, Author, CommentAnchor, EditRecord, EntryOrigin, Judgement, Line, MessageAnchor,
    MessageSite, PositionEntry, PositionState, Range, RecordId, RequestRecord, StatusRecord, Via,
};
use postil_core::review::{
    BranchFound, Change, Comment, Disagreement, Fact, FollowedReview, History, HowMerged, Membership,
    Proposal, ProposalState, ReviewGroup, ReviewState, Thread, ThreadState, WhyVisible,
};
use postil_protocol::{
    AnchorView, ByteExtent, ByteText, CandidateView, CommentTrust, CommentView, Confidence, Counts, Detail,
    Doubt, MessageSiteView, MessageView, Person, PlaceState, Point, PositionView, ProposalStatus,
    ProposalView, ProposedView, RequestView, ReviewStatus, ReviewView, Side as SideView, StatusView,
    TextRange, ThreadLine, ThreadStatus, ThreadView, Verdict, VerdictView, ViaView,
};

use crate::convert::hex::hex;
use crate::convert::severity;
use crate::notes::index::NotesIndex;
use crate::positions::positions_at::PositionsByThread;

/// A person in JSON, or the program that wrote in their stead.
pub(crate) fn person(author: &Author, via: Option<&Via>) -> Person {
    Person {
        name: author.name.clone(),
        email: author.email.clone(),
        via: via.map(|via| Box::new(via_view(via))),
    }
}

/// A program that writes, in JSON.
fn via_view(via: &Via) -> ViaView {
    ViaView {
        kind: via.kind.word().to_owned(),
        program: via.program.clone(),
        version: via.version.clone(),
        model: via.model.clone(),
        person: via.person.as_ref().map(|author| Box::new(person(author, None))),
    }
}

/// Why a thread is seen, as a word.
pub(crate) fn why(why: Option<WhyVisible>) -> &'static str {
    match why {
        Some(WhyVisible::Branch) => "branch",
        Some(WhyVisible::History) => "history",
        Some(WhyVisible::Merged) => "merged",
        Some(WhyVisible::Homeless) => "homeless",
        Some(WhyVisible::Everything) | None => "everything",
    }
}

/// What has become of a thread, in JSON.
pub(crate) fn status(state: ThreadState) -> ThreadStatus {
    match state {
        ThreadState::Open => ThreadStatus::Open,
        ThreadState::Resolved => ThreadStatus::Resolved,
        ThreadState::Withdrawn => ThreadStatus::Withdrawn,
    }
}

/// What has become of a review, in JSON.
pub(crate) fn review_status(state: ReviewState) -> ReviewStatus {
    match state {
        ReviewState::Open => ReviewStatus::Open,
        ReviewState::Merged => ReviewStatus::Merged,
        ReviewState::Closed => ReviewStatus::Closed,
    }
}

/// How sure a place is, in JSON.
pub(crate) fn place_state(state: PositionState) -> PlaceState {
    match state {
        PositionState::Anchored => PlaceState::Anchored,
        PositionState::Shifted => PlaceState::Shifted,
        PositionState::Outdated => PlaceState::Outdated,
        PositionState::Orphaned => PlaceState::Orphaned,
    }
}

/// A thread in JSON.
pub(crate) fn thread(
    notes: &NotesIndex,
    thread: Thread<'_>,
    entry: Option<&PositionEntry>,
    seen: Option<WhyVisible>,
    detail: Detail,
) -> ThreadView {
    let root = thread.root_comment();
    let comments: Vec<CommentView> = match detail {
        Detail::Line | Detail::Row | Detail::Brief => {
            root.into_iter().map(|root| comment(notes, root, detail)).collect()
        }
        Detail::Comments | Detail::Full => {
            // What another copy of a finding says in other words is not hidden behind this one.
            let copies = thread.copies().filter_map(Thread::root_comment);
            let others = copies.filter(|copy| root.is_some_and(|root| copy.text() != root.text()));
            let others = others
                .map(|copy| CommentView { parent: Some(hex(thread.id())), ..comment(notes, copy, detail) });
            let mut said: Vec<CommentView> =
                thread.comments().map(|said| comment(notes, said, detail)).collect();
            said.splice(said.len().min(1)..said.len().min(1), others);
            said
        }
    };
    ThreadView {
        id: hex(thread.id()),
        short: notes.prefixes.shorten(thread.id()).to_string(),
        status: status(thread.state()),
        status_by: status_by(thread.statuses()),
        review: review_of(notes, thread).map(hex),
        severity: root.and_then(|root| root.said().severity.as_ref()).map(severity::shown),
        tags: root.map(|root| root.said().tags.clone()).unwrap_or_default(),
        draft: notes.drafts.contains(&thread.id()),
        seen: why(seen).to_owned(),
        position: entry.and_then(|entry| position_of(thread, entry)),
        anchor: thread.anchor().map(|on| anchor(on, detail)),
        message: thread.message().map(|on| message(on, detail)),
        proposals: thread.proposals().iter().map(|one| proposal(notes, one)).collect(),
        replies: u32::try_from(thread.replies().len()).unwrap_or(u32::MAX),
        updated: updated(thread),
        disputed: disputed(thread),
        suggestion: None,
        depends_on: Vec::new(),
        code: Vec::new(),
        copies: thread.copies().map(|copy| hex(copy.id())).collect(),
        comments,
        cut: false,
    }
}

/// A thread as a line of a list.
pub(crate) fn line(notes: &NotesIndex, thread: Thread<'_>, entry: Option<&PositionEntry>) -> ThreadLine {
    let root = thread.root_comment();
    let said = root.map(Comment::said);
    let mut line = ThreadLine {
        short: notes.prefixes.shorten(thread.id()).to_string(),
        status: status(thread.state()),
        draft: notes.drafts.contains(&thread.id()),
        severity: said.and_then(|said| said.severity.as_ref()).map(severity::shown),
        tags: said.map(|said| said.tags.clone()).unwrap_or_default(),
        disputed: disputed(thread),
        author: said.map(|said| said.author.name.clone()),
        via: said.and_then(|said| said.via.as_deref()).map(|via| Box::new(via_view(via))),
        pending: pending(thread),
        text: root.and_then(|root| root.text().lines().next()).unwrap_or_default().to_owned(),
        replies: u32::try_from(thread.replies().len()).unwrap_or(u32::MAX),
        ..ThreadLine::default()
    };
    if let Some(on) = thread.message() {
        return message_line(line, on, entry);
    }
    let Some(on) = thread.anchor() else {
        line.branch = match thread.review() {
            Membership::Review(review) => {
                let lead = notes.threads.group_of(review.id()).map_or(review, ReviewGroup::lead);
                Some(ByteText::new(lead.branch()))
            }
            Membership::None | Membership::Unknown(_) => None,
        };
        return line;
    };
    let now = entry.and_then(|entry| Some((entry.path.as_ref()?, entry.range)));
    // A thread without a position is at the top of its file, which may have been renamed.
    let (path, range) = now.unwrap_or_else(|| match file(on, entry) {
        path if *path == on.path => (path_of(on), on.range),
        path => (path, None),
    });
    line.path = Some(ByteText::new(path.as_bytes()));
    line.lines = range.map(|range| text_range(range).to_string());
    line.doubt = entry
        .filter(|entry| needs_a_word(on, entry))
        .map(|entry| doubt(position(on, entry), Some(anchor(on, Detail::Brief)), None));
    line
}

/// The line of a thread on a commit's message, with where it is.
fn message_line(mut line: ThreadLine, on: &MessageAnchor, entry: Option<&PositionEntry>) -> ThreadLine {
    let site = entry.and_then(|entry| entry.message.as_ref());
    let commit = site.map_or(on.commit, |site| site.commit);
    let subject = ByteText::new(site.map(|site| site.subject.as_slice()).unwrap_or_default());
    line.message = Some(Box::new(MessageSiteView { commit: hex(commit), subject }));
    let lost = entry.is_none_or(|entry| entry.state == PositionState::Orphaned);
    // An orphan is told with the lines that it was on, unless its commit lost them.
    let range =
        if !lost { entry.and_then(|entry| entry.range) } else { on.range.filter(|_| commit == on.commit) };
    line.lines = range.map(|range| text_range(range).to_string());
    line.doubt = entry
        .filter(|entry| entry.state != PositionState::Anchored || commit != on.commit)
        .map(|entry| doubt(message_position(entry), None, Some(message(on, Detail::Brief))));
    line
}

fn doubt(position: PositionView, anchor: Option<AnchorView>, message: Option<MessageView>) -> Box<Doubt> {
    Box::new(Doubt { position, anchor, message })
}

/// The file that a thread is in: of an orphan, the one that it would be in if it were anywhere.
pub(crate) fn file<'a>(anchor: &'a Anchor, entry: Option<&'a PositionEntry>) -> &'a RepoPath {
    let Some(entry) = entry else { return &anchor.path };
    let perhaps = entry.candidates.first().map(|candidate| &candidate.path);
    entry.path.as_ref().or(perhaps).unwrap_or(&anchor.path)
}

fn needs_a_word(anchor: &Anchor, entry: &PositionEntry) -> bool {
    entry.state != PositionState::Anchored
        || entry.origin == EntryOrigin::Elsewhere
        || side(anchor) == SideView::Old
        || Some(&anchor.path) != entry.path.as_ref()
}

fn disputed(thread: Thread<'_>) -> Vec<String> {
    let about: BTreeSet<&str> = thread
        .disagreements()
        .map(|about| match about {
            Disagreement::Words(_) => "words",
            Disagreement::Status(_) => "status",
            Disagreement::Anchor(_) => "anchor",
        })
        .collect();
    about.into_iter().map(str::to_owned).collect()
}

/// The review that a thread is shown in. If several reviews are shown as one, it is the one that represents
/// them.
pub(crate) fn review_of(notes: &NotesIndex, thread: Thread<'_>) -> Option<RecordId> {
    match thread.review() {
        Membership::None => None,
        Membership::Unknown(id) => Some(id),
        Membership::Review(review) => {
            let group = notes.threads.group_of(review.id());
            Some(group.map_or(review.id(), ReviewGroup::id))
        }
    }
}

/// When something was last said in a thread or about it, in milliseconds since 1970.
pub(crate) fn updated(thread: Thread<'_>) -> u64 {
    let about = |comment: &Comment| {
        let edits = comment.words().edits().changes().iter().map(|edit| edit.said.at);
        let moves = comment.moves().changes().iter().map(|moved| moved.said.at);
        let statuses = comment.statuses().changes().iter().map(|status| status.said.at);
        let proposals = comment.proposals().into_iter().map(|proposal| proposal.fact.said.at);
        edits.chain(moves).chain(statuses).chain(proposals).chain([comment.said().at]).max()
    };
    let statuses = thread.statuses().changes().iter().map(|status| status.said.at);
    thread.comments().filter_map(about).chain(statuses).max().map_or(0, |at| at.0)
}

fn comment(notes: &NotesIndex, said: &Comment, detail: Detail) -> CommentView {
    let proposed = |change: &Change<EditRecord>| {
        let EditRecord { author, at, via, text, .. } = &change.said;
        Some(ProposedView { author: person(author, via.as_deref()), at: at.0, text: text.clone()? })
    };
    let proposals = said.words().proposals();
    let edited = said.words().edits().in_force().map(|edit| edit.said.at.0);
    CommentView {
        id: hex(said.id()),
        short: notes.prefixes.shorten(said.id()).to_string(),
        parent: said.said().parent.map(hex),
        author: person(&said.said().author, said.said().via.as_deref()),
        at: said.said().at.0,
        text: said.text().to_owned(),
        edited,
        proposals: u32::try_from(proposals.contenders().len()).unwrap_or(u32::MAX),
        proposed: match detail {
            Detail::Line | Detail::Row | Detail::Brief | Detail::Comments => Vec::new(),
            Detail::Full => proposals.contenders().filter_map(proposed).collect(),
        },
        tags: match detail {
            Detail::Full if said.said().parent.is_some() => said.said().tags.clone(),
            Detail::Line | Detail::Row | Detail::Brief | Detail::Comments | Detail::Full => Vec::new(),
        },
        withdrawn: said.state() == ThreadState::Withdrawn,
        draft: notes.drafts.contains(&said.id()),
        withheld: false,
        suggests: !said.said().suggestion.is_empty(),
        suggestion: None,
        trust: CommentTrust::default(),
        signature: None,
    }
}

/// How many proposals nobody has answered.
fn pending(thread: Thread<'_>) -> u32 {
    let pending = thread.proposals().into_iter().filter(|proposal| proposal.state == ProposalState::Pending);
    u32::try_from(pending.count()).unwrap_or(u32::MAX)
}

fn proposal(notes: &NotesIndex, proposal: &Proposal<'_>) -> ProposalView {
    let said = &proposal.fact.said;
    let on = said.anchor.as_ref();
    ProposalView {
        id: hex(proposal.fact.id),
        author: person(&said.author, said.via.as_deref()),
        at: said.at.0,
        state: match proposal.state {
            ProposalState::Pending => ProposalStatus::Pending,
            ProposalState::Accepted => ProposalStatus::Accepted,
            ProposalState::Declined => ProposalStatus::Declined,
            ProposalState::Replaced => ProposalStatus::Replaced,
            ProposalState::Settled => ProposalStatus::Settled,
        },
        done: said.done.map(hex),
        obsolete: said.obsolete,
        uncommitted: said.lines.is_some(),
        draft: notes.drafts.contains(&proposal.fact.id),
        place: on.and_then(CommentAnchor::file).map(|on| anchor(on, Detail::Brief)),
        message: on.and_then(CommentAnchor::message).map(|on| message(on, Detail::Brief)),
        text: said.text.clone(),
    }
}

/// A message that a comment was put on, in JSON.
pub(crate) fn message(on: &MessageAnchor, detail: Detail) -> MessageView {
    let lines = |lines: &[Line]| lines.iter().map(bytes).collect::<Vec<_>>();
    let around = |all: &[Line]| if detail == Detail::Full { lines(all) } else { Vec::new() };
    MessageView {
        commit: hex(on.commit),
        start: on.range.map(|range| range.span().first()),
        end: on.range.map(|range| range.span().last()),
        range: on.range.map(text_range),
        lines: lines(&on.lines),
        before: around(&on.before),
        after: around(&on.after),
    }
}

/// Somebody who was asked to review, in JSON.
pub(crate) fn asked(request: &Change<RequestRecord>) -> RequestView {
    let said = &request.said;
    RequestView {
        who: person(&said.who, None),
        author: person(&said.author, said.via.as_deref()),
        at: said.at.0,
    }
}

fn status_by(statuses: &History<StatusRecord>) -> Option<StatusView> {
    let status = &statuses.in_force()?.said;
    Some(StatusView {
        author: person(&status.author, status.via.as_deref()),
        at: status.at.0,
        reason: status.reason.clone(),
        commit: status.by.map(hex),
        source: status.source.clone(),
        signature: None,
    })
}

/// What a comment was put on, in JSON.
pub(crate) fn anchor(anchor: &Anchor, detail: Detail) -> AnchorView {
    let lines = |lines: &[Line]| lines.iter().map(bytes).collect::<Vec<_>>();
    let around = |all: &[Line]| if detail == Detail::Full { lines(all) } else { Vec::new() };
    AnchorView {
        commit: anchor.commit.map(hex),
        blob: match &anchor.side {
            AnchorSide::Old(old) => Some(hex(old.blob)),
            AnchorSide::New => anchor.blob.map(hex),
        },
        side: side(anchor),
        path: ByteText::new(path_of(anchor).as_bytes()),
        start: anchor.range.map(|range| range.span().first()),
        end: anchor.range.map(|range| range.span().last()),
        range: anchor.range.map(text_range),
        lines: lines(&anchor.lines),
        before: around(&anchor.before),
        after: around(&anchor.after),
        quote: anchor.quote.as_ref().map(|quote| quote.exact.clone()),
        prefix: anchor.quote.as_ref().map(|quote| quote.prefix.clone()),
        suffix: anchor.quote.as_ref().map(|quote| quote.suffix.clone()),
        headings: anchor.headings.clone(),
    }
}

/// The file that its lines are of.
fn path_of(anchor: &Anchor) -> &RepoPath {
    match &anchor.side {
        AnchorSide::Old(old) => old.path.as_ref().unwrap_or(&anchor.path),
        AnchorSide::New => &anchor.path,
    }
}

fn bytes(line: &Line) -> Option<ByteText> {
    match line {
        Line::Text(bytes) => Some(ByteText::new(bytes.as_slice())),
        Line::Hash(_) => None,
    }
}

fn side(anchor: &Anchor) -> SideView {
    match anchor.side {
        AnchorSide::New => SideView::New,
        AnchorSide::Old(_) => SideView::Old,
    }
}

/// Where an anchor is, in JSON.
pub(crate) fn position(anchor: &Anchor, entry: &PositionEntry) -> PositionView {
    let candidates = entry.candidates.iter().map(|candidate| CandidateView {
        path: ByteText::new(candidate.path.as_bytes()),
        start: Some(candidate.range.span().first()),
        end: Some(candidate.range.span().last()),
        range: Some(text_range(candidate.range)),
        confidence: Confidence::from_per_mille(candidate.confidence),
    });
    PositionView {
        state: place_state(entry.state),
        side: side(anchor),
        path: entry.path.as_ref().map(|path| ByteText::new(path.as_bytes())),
        start: entry.range.map(|range| range.span().first()),
        end: entry.range.map(|range| range.span().last()),
        range: entry.range.map(text_range),
        source: entry.source.map(|(start, end)| ByteExtent { start, end }),
        rendered: None,
        confidence: Confidence::from_per_mille(entry.confidence),
        reason: entry.reason.clone(),
        candidates: candidates.collect(),
        computed_elsewhere: entry.origin == EntryOrigin::Elsewhere,
        message: None,
    }
}

/// Where a thread is, in JSON, whatever it is on; `None` if that is the whole review.
pub(crate) fn position_of(thread: Thread<'_>, entry: &PositionEntry) -> Option<PositionView> {
    match thread.anchor() {
        Some(anchor) => Some(position(anchor, entry)),
        None => thread.message().map(|_| message_position(entry)),
    }
}

/// Where an anchor on a message is, in JSON.
pub(crate) fn message_position(entry: &PositionEntry) -> PositionView {
    let site = |site: &MessageSite| MessageSiteView {
        commit: hex(site.commit),
        subject: ByteText::new(site.subject.as_slice()),
    };
    PositionView {
        state: place_state(entry.state),
        side: SideView::New,
        path: None,
        message: entry.message.as_ref().map(site),
        start: entry.range.map(|range| range.span().first()),
        end: entry.range.map(|range| range.span().last()),
        range: entry.range.map(text_range),
        source: None,
        rendered: None,
        confidence: Confidence::from_per_mille(entry.confidence),
        reason: entry.reason.clone(),
        candidates: Vec::new(),
        computed_elsewhere: false,
    }
}

fn text_range(range: Range) -> TextRange {
    let columns = range.columns();
    TextRange {
        start: Point { line: range.span().first(), column: columns.map(|columns| columns.start.get()) },
        end: Point { line: range.span().last(), column: columns.map(|columns| columns.end.get()) },
    }
}

/// A review in JSON, with what has become of its branch, and where its open threads are, if that is known.
pub(crate) fn review(
    notes: &NotesIndex,
    group: ReviewGroup<'_>,
    followed: Option<&FollowedReview>,
    entries: Option<&PositionsByThread>,
) -> ReviewView {
    let lead = group.lead();
    let threads = counts(group.threads(), entries);
    let branch = followed.and_then(|followed| followed.branch.as_ref());
    let renamed = branch.filter(|lead| lead.found != BranchFound::ByName);
    ReviewView {
        id: hex(group.id()),
        short: notes.prefixes.shorten(group.id()).to_string(),
        title: lead.title().to_owned(),
        description: lead.description().to_owned(),
        author: person(&lead.said().author, lead.said().via.as_deref()),
        at: lead.said().at.0,
        branch: ByteText::new(lead.branch()),
        base: ByteText::new(lead.base()),
        base_commit: hex(lead.said().base_commit),
        head: hex(lead.said().head),
        tip: branch.map(|lead| hex(lead.head)),
        renamed: renamed.map(|lead| ByteText::new(lead.name.as_bytes())),
        merged: followed.and_then(|followed| followed.merged).map(|how| how_word(&how).to_owned()),
        status: review_status(lead.state()),
        status_by: status_by(lead.statuses()),
        draft: notes.drafts.contains(&group.id()),
        verdicts: group.counting_verdicts().into_iter().map(|fact| verdict(notes, fact)).collect(),
        history: Vec::new(),
        requested: group.asked().into_iter().map(asked).collect(),
        threads,
        signature: None,
        proposed: Vec::new(),
        also: group.reviews().skip(1).map(|review| hex(review.id())).collect(),
    }
}

fn how_word(how: &HowMerged) -> &'static str {
    match how {
        HowMerged::FastForward => "fast-forward",
        HowMerged::MergeCommit => "merge-commit",
        HowMerged::Rebase => "rebase",
        HowMerged::Squash(_) => "squash",
    }
}

/// A verdict in JSON.
pub(crate) fn verdict(notes: &NotesIndex, fact: &Fact<postil_core::record::VerdictRecord>) -> VerdictView {
    VerdictView {
        id: hex(fact.id),
        author: person(&fact.said.author, fact.said.via.as_deref()),
        at: fact.said.at.0,
        verdict: match fact.said.verdict {
            Judgement::Approve => Verdict::Approve,
            Judgement::Changes => Verdict::Changes,
            Judgement::Comment => Verdict::Comment,
        },
        head: hex(fact.said.head),
        text: fact.said.text.clone(),
        signature: None,
        draft: notes.drafts.contains(&fact.id),
    }
}

/// Counts threads, by where they are too if that is known.
pub(crate) fn counts<'a>(
    threads: impl Iterator<Item = Thread<'a>>,
    entries: Option<&PositionsByThread>,
) -> Counts {
    let none = entries.map(|_| 0);
    let mut counts =
        Counts { anchored: none, shifted: none, outdated: none, orphaned: none, ..Counts::default() };
    for thread in threads {
        match thread.state() {
            ThreadState::Resolved => counts.resolved += 1,
            ThreadState::Withdrawn => counts.withdrawn += 1,
            ThreadState::Open => counts.open += 1,
        }
        let entry = entries.and_then(|entries| entries.get(&thread.id()));
        let place = entry.filter(|_| thread.state() == ThreadState::Open).map(|entry| entry.state);
        let Some(place) = place else { continue };
        let counted = match place {
            PositionState::Anchored => &mut counts.anchored,
            PositionState::Shifted => &mut counts.shifted,
            PositionState::Outdated => &mut counts.outdated,
            PositionState::Orphaned => &mut counts.orphaned,
        };
        *counted = counted.map(|count| count + 1);
    }
    counts
}

/// The ids of everything that was said in a thread and about it.
pub(crate) fn records_of(thread: Thread<'_>) -> BTreeSet<RecordId> {
    let mut ids: BTreeSet<RecordId> = thread.statuses().changes().iter().map(|change| change.id).collect();
    for comment in thread.comments() {
        ids.insert(comment.id());
        ids.extend(comment.words().edits().changes().iter().map(|change| change.id));
        ids.extend(comment.words().proposals().changes().iter().map(|change| change.id));
        ids.extend(comment.moves().changes().iter().map(|change| change.id));
        ids.extend(comment.proposals().iter().map(|proposal| proposal.fact.id));
        ids.extend(comment.statuses().changes().iter().map(|change| change.id));
    }
    ids
}
