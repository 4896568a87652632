//! What people say: comments, answers, new words.

use std::collections::BTreeSet;

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Committer, Draft, DraftPin, Home};
use postil_core::record::{self, Body, Edit, Record, RecordId, Severity};
use postil_core::review::{Belonging, NoReview, Opening, Thread, Threads, Why};
use postil_core::suggestion::Block;
use postil_protocol::{self, Detail, Fault, FaultCode, HeadName, Suggest, Written};

use super::book::Book;
use super::caller::Caller;
use super::contents::read_blob;
use super::fates::tell_fates;
use super::gone::point;
use super::inquire::thread_view;
use super::lookout::{keep_head, open_review_in};
use super::placing::{self, Entries};
use super::point::{Pointing, repo_path};
use super::request::{Request, current_branch};
use super::sign::with_signatures_of;
use super::suggest::{Aim, Suggested, block_without_lines, suggested_at, suggested_patch};
use super::target::review_named;
use super::trouble::OrFault as _;
use super::view::{self, hex};
use super::vouch::tell_signatures;

/// What to do where nothing was said.
pub(super) const SAY_IT: &str = "say it with `-m TEXT` or `-F FILE`";

/// What a suggestion says that comes without words.
const UNSAID: &str = "Suggested change";

/// Records on their way to the notes, or to the drafts.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Each with its home.
    pub records: Vec<(Home, Record)>,
    /// What is kept with them.
    pub pins: Vec<DraftPin>,
}

/// Where records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// Everybody.
    Shared,
    /// Nobody else, until the drafts of this review are published.
    Draft(Option<RecordId>),
}

/// Says something about lines, a file or the whole review.
pub fn comment(
    request: &Request,
    caller: &Caller,
    said: &postil_protocol::Comment,
) -> Result<Written, Fault> {
    let text = words(&said.text, said.suggestion.as_ref())?;
    let mut suggested = match &said.suggestion {
        Some(Suggest::Patch(patch)) => {
            let place = said.place.as_ref();
            let fallback = place.map(|place| repo_path(&place.path)).transpose()?;
            let rev = place.and_then(|place| place.rev.as_deref());
            suggested_patch(request, patch.as_bytes(), fallback.as_ref(), rev)?
        }
        _ => Suggested::default(),
    };
    let place = said.place.as_ref().or(suggested.place.as_ref());
    let pointing = place.map(|place| point(request, place)).transpose()?;
    if let Some(Pointing { anchor, content, head, .. }) = &pointing {
        let aim = Aim { anchor, content, head: head.as_deref() };
        let more = suggested_at(request, said.suggestion.as_ref(), &text, &aim)?;
        suggested.files.extend(more);
    } else if said.suggestion.is_none() && !Block::all_in(&text).is_empty() {
        return Err(block_without_lines());
    }
    if said.suggestion.is_some() && suggested.files.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "a suggestion needs lines that it is for"));
    }
    let belongs = review_for(request, caller, said.review.as_deref(), pointing.as_ref());
    let (review, opening) = match belongs {
        Err(fault) if pointing.is_none() && !suggested.files.is_empty() => {
            let message = "a patch that only makes new files needs a file or a review that it is about";
            return Err(Fault::new(FaultCode::Refused, message).because(&fault));
        }
        belongs => belongs?,
    };
    let comment = record::Comment {
        author: caller.author.clone(),
        at: caller.at,
        seq: record::Seq::default(),
        review,
        parent: None,
        anchor: pointing.as_ref().map(|pointing| pointing.anchor.clone()),
        text,
        severity: said.severity.as_deref().map(severity).transpose()?,
        tags: said.tags.clone(),
        suggestion: suggested.files,
    };
    let record = Record::new(&Body::Comment(comment)).or_fault()?;
    let id = record.id();
    let home = match (&pointing, &opening, review) {
        (Some(pointing), ..) => pointing.home,
        (None, Some(opening), _) => opening.home,
        (None, None, review) => home_of(request, review.unwrap_or(id))?,
    };
    let mut said_so = Words::default();
    said_so.records.extend(opening.map(|opening| (opening.home, opening.record)));
    said_so.records.push((home, record));
    let on_disk = |pin: &DraftPin| matches!(pin, DraftPin::Content(_));
    // Deleted lines are committed, also where their deletion is not.
    let is_uncommitted =
        |anchor: &record::Anchor| anchor.commit.is_none() && anchor.side == record::Side::New;
    let uncommitted = pointing.as_ref().is_some_and(|pointing| is_uncommitted(&pointing.anchor))
        || suggested.pins.iter().any(on_disk);
    let message = match &pointing {
        Some(pointing) => format!("Comment on {}", pointing.name()),
        None => "Comment on the whole review".to_owned(),
    };
    said_so.pins = pointing.map(|pointing| pointing.pins).unwrap_or_default();
    said_so.pins.extend(suggested.pins);
    // What belongs to a review that is a draft itself would be shared without it.
    let in_draft = review.is_some_and(|review| request.book.drafts.contains(&review));
    let draft = said.draft || in_draft;
    let audience = if draft { Audience::Draft(review) } else { Audience::Shared };
    let told: Vec<(ObjectId, Record)> =
        said_so.records.iter().map(|(home, record)| (home.object(), record.clone())).collect();
    let notes = write_records(request, caller, said_so, audience, &message)?;
    if let Some(review) = review.filter(|_| said.review.is_none() && current_branch(request).is_some()) {
        keep_head(request, review, request.head, &caller.committer());
    }
    let mut written = commented(request, &told, notes, audience, uncommitted);
    if request.desk.signer.is_some() {
        let now = look_again(request)?;
        tell_signatures(&now, &now.book, std::slice::from_mut(&mut written.thread));
    }
    if written.thread.comments.iter().any(|comment| comment.suggests) {
        let thread = std::slice::from_mut(&mut written.thread);
        tell_fates(&look_again(request)?, thread, &Entries::new(), &HeadName::WorkTree, Detail::Full)?;
    }
    Ok(written)
}

/// Answers a comment.
pub fn reply(request: &Request, caller: &Caller, said: &postil_protocol::ReplyTo) -> Result<Written, Fault> {
    let text = words(&said.text, said.suggestion.as_ref())?;
    let parent = request.book.comment_named(&said.to)?;
    let threads = &request.book.threads;
    let thread = threads.thread_of(parent.id()).expect("every comment is in a thread");
    let review = thread.root_comment().unwrap_or(parent).said().review;
    let suggested = suggested_in(request, thread, said, &text)?;
    let on_disk = |pin: &DraftPin| matches!(pin, DraftPin::Content(_));
    let uncommitted = suggested.pins.iter().any(on_disk);
    let comment = record::Comment {
        author: caller.author.clone(),
        at: caller.at,
        seq: thread.next_seq(),
        review,
        parent: Some(parent.id()),
        anchor: None,
        text,
        severity: None,
        tags: Vec::new(),
        suggestion: suggested.files,
    };
    let record = Record::new(&Body::Comment(comment)).or_fault()?;
    let id = record.id();
    let audience = match audience_of(request, parent.id()) {
        Audience::Shared if said.draft => Audience::Draft(review),
        audience => audience,
    };
    let said_so = Words { records: vec![(home_of(request, parent.id())?, record)], pins: suggested.pins };
    let message = format!("Reply to {}", request.book.prefixes.shorten(parent.id()));
    let notes = write_records(request, caller, said_so, audience, &message)?;
    Ok(Written { uncommitted, ..answered(request, id, notes)? })
}

/// What an answer suggests: for the lines of its thread, or a patch.
fn suggested_in(
    request: &Request,
    thread: Thread<'_>,
    said: &postil_protocol::ReplyTo,
    text: &str,
) -> Result<Suggested, Fault> {
    let anchor = thread.anchor();
    if let Some(Suggest::Patch(patch)) = &said.suggestion {
        return suggested_patch(request, patch.as_bytes(), anchor.map(|anchor| &anchor.path), None);
    }
    let blob = anchor.and_then(|anchor| match &anchor.side {
        record::Side::Old(old) => Some(old.blob),
        record::Side::New => anchor.blob,
    });
    if said.suggestion.is_none() && Block::all_in(text).is_empty() {
        return Ok(Suggested::default());
    }
    let (Some(anchor), Some(blob)) = (anchor, blob) else {
        return Err(match said.suggestion {
            Some(_) => Fault::new(FaultCode::Refused, "a suggestion needs lines that it is for"),
            None => block_without_lines(),
        });
    };
    let handle = request.seat.repository().handle();
    let content = read_blob(&handle, blob)?;
    let files = suggested_at(
        request,
        said.suggestion.as_ref(),
        text,
        &Aim { anchor, content: &content, head: None },
    )?;
    Ok(Suggested { files, ..Suggested::default() })
}

/// Changes the words of a comment; another's are only proposed.
pub fn edit(
    request: &Request,
    caller: &Caller,
    edit: &postil_protocol::Edit,
) -> Result<postil_protocol::DoneReply, Fault> {
    let text = words(&edit.text, None)?;
    let comment = request.book.comment_named(&edit.of)?;
    let of = comment.id();
    if Block::all_in(comment.text()) != Block::all_in(&text) {
        let what = "a change that was suggested cannot be edited: others may have applied it";
        return Err(Fault::new(FaultCode::Refused, what).hint(
            "leave the block as it is; suggest another one with `postil reply`, or `postil withdraw` it",
        ));
    }
    if comment.text() == text && comment.said().author.email == caller.author.email {
        return threads_done(request, &[of], request.book.edition.notes);
    }
    let body = Edit {
        author: caller.author.clone(),
        at: caller.at,
        seq: request.book.threads.next_seq(of).unwrap_or_default(),
        of,
        over: comment.over_for_edit(&caller.author),
        text: Some(text),
        title: None,
        description: None,
        branch: None,
        base: None,
    };
    let record = Record::new(&Body::Edit(body)).or_fault()?;
    let message = format!("Edit {}", request.book.prefixes.shorten(of));
    add_to(request, caller, &[of], vec![record], Vec::new(), &message)
}

/// Writes records about a comment or review beside it, and tells what its threads are now.
pub fn add_to(
    request: &Request,
    caller: &Caller,
    of: &[RecordId],
    records: Vec<Record>,
    pins: Vec<DraftPin>,
    message: &str,
) -> Result<postil_protocol::DoneReply, Fault> {
    debug_assert_eq!(of.len(), records.len());
    let mut notes = request.book.edition.notes;
    let mut shared = Words { records: Vec::new(), pins };
    for (of, record) in of.iter().zip(records) {
        let home = home_of(request, *of)?;
        match audience_of(request, *of) {
            Audience::Shared => shared.records.push((home, record)),
            audience @ Audience::Draft(_) => {
                let pins = std::mem::take(&mut shared.pins);
                write_records(
                    request,
                    caller,
                    Words { records: vec![(home, record)], pins },
                    audience,
                    message,
                )?;
            }
        }
    }
    if !shared.records.is_empty() {
        notes = write_records(request, caller, shared, Audience::Shared, message)?;
    }
    threads_done(&look_again(request)?, of, notes)
}

/// The threads of these comments as they are.
pub fn threads_done(
    request: &Request,
    of: &[RecordId],
    notes: Option<CommitId>,
) -> Result<postil_protocol::DoneReply, Fault> {
    let mut threads = Vec::new();
    for id in of {
        if let Some(thread) = request.book.threads.thread_of(*id) {
            threads.push(thread_view(request, thread, Detail::Full)?);
        }
    }
    Ok(postil_protocol::DoneReply { threads, notes: notes.map(hex) })
}

/// Where a record about this one goes: a draft's answers are drafts.
pub fn audience_of(request: &Request, id: RecordId) -> Audience {
    let threads = &request.book.threads;
    let thread = threads.thread_of(id);
    let is_draft = |id: &RecordId| request.book.drafts.contains(id);
    let root = thread.map(Thread::id);
    if ![Some(id), root].iter().flatten().any(is_draft) {
        return Audience::Shared;
    }
    let root = thread.and_then(Thread::root_comment);
    let review = root.or_else(|| threads.comment(id)).map(|comment| comment.said().review);
    Audience::Draft(review.unwrap_or_else(|| threads.review(id).map(postil_core::review::Review::id)))
}

/// Which note a record about this one goes into.
pub fn home_of(request: &Request, id: RecordId) -> Result<Home, Fault> {
    let home = request.book.threads.home(id).map(Home::On);
    home.ok_or_else(|| Fault::new(FaultCode::Internal, format!("{id} stands in no note")))
}

/// Writes, durably; returns where the notes are.
pub fn write_records(
    request: &Request,
    caller: &Caller,
    said: Words,
    audience: Audience,
    message: &str,
) -> Result<Option<CommitId>, Fault> {
    write_by(request, &caller.committer(), with_signatures_of(request, said)?, audience, message)
}

/// As [`Request::write`], in somebody's name, and signed by nobody.
pub fn write_by(
    request: &Request,
    by: &Committer,
    said: Words,
    audience: Audience,
    message: &str,
) -> Result<Option<CommitId>, Fault> {
    let message = one_line(message);
    match audience {
        Audience::Shared => {
            let mut batch = request.desk.store.batch();
            for (home, record) in said.records {
                batch = batch.add(home, record);
            }
            for pin in said.pins {
                batch = match pin {
                    DraftPin::Blob(blob, commit) => batch.pin(blob, commit),
                    DraftPin::Content(content) => batch.pin_content(content),
                };
            }
            Ok(batch.write(by, &message).or_fault()?.tip)
        }
        Audience::Draft(review) => {
            let mut pins = Some(said.pins);
            // What is kept belongs to the comment, which comes last.
            let mut drafts: Vec<Draft> = Vec::new();
            for (home, record) in said.records.into_iter().rev() {
                let pins = pins.take().unwrap_or_default();
                drafts.push(Draft { review, home, record, pins });
            }
            request.desk.store.add_drafts(&drafts, by).or_fault()?;
            Ok(request.book.edition.notes)
        }
    }
}

/// Looks around again, after something was written.
pub fn look_again(request: &Request) -> Result<Request, Fault> {
    Ok(Request::new(request.desk.clone(), request.seat.clone())?.until(&request.stop))
}

/// A comment that was made just now, as it is: where it was put, and nothing said about it yet.
fn commented(
    request: &Request,
    told: &[(ObjectId, Record)],
    notes: Option<CommitId>,
    audience: Audience,
    uncommitted: bool,
) -> Written {
    let drafts = match audience {
        Audience::Draft(_) => told.iter().map(|(_, record)| record.id()).collect(),
        Audience::Shared => BTreeSet::new(),
    };
    let records = told.iter().map(|(home, record)| (*home, record));
    let book = Book::of(Threads::fold(records), request.book.prefixes.clone(), drafts);
    let thread = book.threads.iter().next().expect("a comment was folded");
    let entry = thread.anchor().map(|anchor| placing::where_it_was_put(thread.id(), anchor));
    let why = match (thread.root_comment().and_then(|root| root.said().review), thread.anchor()) {
        (Some(_), _) => Why::Branch,
        (None, Some(anchor)) if anchor.commit.is_some() => Why::History,
        (None, _) => Why::Homeless,
    };
    let opened = book.threads.groups().next().map(|group| view::review(&book, group, None, None));
    Written {
        id: hex(thread.id()),
        notes: notes.map(hex),
        thread: view::thread(&book, thread, entry.as_ref(), Some(why), Detail::Full),
        opened,
        uncommitted,
    }
}

fn answered(request: &Request, id: RecordId, notes: Option<CommitId>) -> Result<Written, Fault> {
    let now = look_again(request)?;
    let gone = || Fault::new(FaultCode::Conflict, format!("{id} was written, and is gone again"));
    let thread = now.book.threads.thread_of(id).ok_or_else(gone)?;
    let thread = thread_view(&now, thread, Detail::Full)?;
    Ok(Written { id: hex(id), notes: notes.map(hex), thread, opened: None, uncommitted: false })
}

/// The review that a new comment belongs to, and the record that opens it where there is none yet.
fn review_for(
    request: &Request,
    caller: &Caller,
    name: Option<&str>,
    pointing: Option<&Pointing>,
) -> Result<(Option<RecordId>, Option<Opening>), Fault> {
    if name.is_some() {
        return Ok((Some(review_named(request, name)?.id()), None));
    }
    // What is said in the middle of a rebase is about the branch that is being rebased.
    if current_branch(request).is_none()
        && let Some(branch) = request.seat.rebased_branch()
        && let Some(open) = open_review_in(request, &branch)
    {
        return Ok((Some(open.id()), None));
    }
    let handle = request.seat.repository().handle();
    let belonging =
        Belonging::of_current(&handle, &request.branches, &request.book.threads, &caller.opener())
            .or_fault()?;
    match belonging {
        Belonging::Review(id) => Ok((Some(id), None)),
        Belonging::Opens(opening) => Ok((Some(opening.record.id()), Some(opening))),
        Belonging::Nowhere(_) if pointing.is_some() => Ok((None, None)),
        Belonging::Nowhere(why) => {
            let why = match why {
                NoReview::Detached => "no branch is checked out",
                NoReview::BaseBranch => "the branch is what others are compared with",
                NoReview::Unborn => "the branch has no commit yet",
                NoReview::NoBase => "there is nothing to compare the branch with",
                NoReview::Unrelated => "the branch has no history in common with its base",
            };
            let message = format!("there is no review to comment on, and no file was named: {why}");
            Err(Fault::new(FaultCode::Refused, message)
                .hint("name lines or a file: `FILE:12`; or a review with `--review`"))
        }
    }
}

/// The words without blank lines around them; some there must be, unless a suggestion speaks for itself.
pub(super) fn words(text: &str, suggestion: Option<&Suggest>) -> Result<String, Fault> {
    let text = text.trim_end();
    let lines = text.lines().skip_while(|line| line.trim().is_empty()).collect::<Vec<_>>();
    if lines.is_empty() && suggestion.is_some() {
        return Ok(UNSAID.to_owned());
    }
    if lines.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "an empty text says nothing").hint(SAY_IT));
    }
    Ok(lines.join("\n"))
}

/// A weight by its word.
pub(super) fn severity(word: &str) -> Result<Severity, Fault> {
    match Severity::from(word.to_owned()) {
        Severity::Other(word) => {
            Err(Fault::new(FaultCode::InvalidParams, format!("there is no severity {word:?}"))
                .hint("there are note, nit, issue, blocker, praise and question"))
        }
        severity => Ok(severity),
    }
}

/// A path may hold anything; the subject of a commit may not.
fn one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
