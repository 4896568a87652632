//! Says something about lines, a file, a commit's message or a whole review.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::convert::severity;
use crate::files::HeadFiles;
use crate::notes::index::NotesIndex;
use crate::notes::names::review_named;
use crate::pointing::deleted_lines::point;
use crate::pointing::message::point_at_message;
use crate::pointing::point::{IgnoredFiles, Pointing, repo_path};
use crate::pointing::uncommitted::shares_uncommitted_lines;
use crate::pointing::uncommitted_lines::uncommitted_lines;
use crate::positions::messages::where_message_was_put;
use crate::positions::positions_at::{PositionsByThread, where_it_was_put};
use crate::request::{Request, current_branch};
use crate::reviews::follow_up::{keep_head, open_review_in};
use crate::suggestions::status::add_fates;
use crate::suggestions::suggest::{
    Aim, ParsedSuggestion, block_without_lines, suggested_at, suggested_patch,
};
use crate::trust::pace::check_pace;
use crate::view::signatures::add_signatures;
use crate::view::{self, hex};
use crate::writing::records::{
    PendingRecords, Visibility, home_of, is_private, read_for_answer, words, write_records,
};
use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::DraftPin;
use postil_core::record::{self, Body, CommentAnchor, Record, RecordId};
use postil_core::review::{Belonging, NoReview, Opening, Threads, WhyVisible};
use postil_core::suggestion::Block;
use postil_protocol::{
    self, Advice, CommentTrust, Detail, Fault, FaultCode, HeadName, Mark, Suggest, WrittenReply,
};
use std::collections::BTreeSet;

/// Says something about lines, a file, a commit's message or the whole review.
pub fn comment(
    request: &Request,
    actor: &Actor,
    said: &postil_protocol::Comment,
) -> Result<WrittenReply, Fault> {
    let text = words(&said.text, said.suggestion.as_ref())?;
    check_pace(request, actor, 1)?;
    let mut suggested = match &said.suggestion {
        Some(Suggest::Patch(patch)) => {
            let place = said.place.as_ref();
            let fallback = place.map(|place| repo_path(&place.path)).transpose()?;
            let rev = place.and_then(|place| place.rev.as_deref());
            let is_allowed = place.is_some_and(|place| place.ignored);
            let ignored = if is_allowed { IgnoredFiles::Allow } else { IgnoredFiles::Refuse };
            suggested_patch(request, patch.as_bytes(), fallback.as_ref(), rev, ignored)?
        }
        _ => ParsedSuggestion::default(),
    };
    if said.message.is_some() && (said.place.is_some() || said.suggestion.is_some()) {
        let message = "a comment on a commit's message has no other place, and suggests no change";
        return Err(Fault::new(FaultCode::InvalidParams, message));
    }
    let on_message = said.message.as_ref().map(|place| point_at_message(request, place)).transpose()?;
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
        return Err(Fault::new(FaultCode::Refused, "a suggestion needs the lines to change"));
    }
    let has_place = pointing.is_some() || on_message.is_some();
    let belongs = review_for(request, actor, said.review.as_deref(), has_place);
    let (review, opening) = match belongs {
        Err(fault) if pointing.is_none() && !suggested.files.is_empty() => {
            let message = "a patch that only adds files needs a file or a review to comment on";
            return Err(Fault::new(FaultCode::Refused, message).because(&fault));
        }
        belongs => belongs?,
    };
    let comment = record::CommentRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: record::Seq::default(),
        via: actor.via.clone(),
        review,
        parent: None,
        anchor: match (&pointing, &on_message) {
            (Some(pointing), _) => Some(pointing.anchor.clone().into()),
            (None, Some(on)) => Some(CommentAnchor::Message(on.anchor.clone())),
            (None, None) => None,
        },
        text,
        severity: said.severity.as_ref().map(severity::given).transpose()?,
        tags: said.tags.clone(),
        suggestion: suggested.files,
    };
    let record = Record::new(&Body::Comment(comment)).or_fault()?;
    let id = record.id();
    let own_home = pointing.as_ref().map(|pointing| pointing.home).or(on_message.as_ref().map(|on| on.home));
    let home = match (own_home, &opening, review) {
        (Some(home), ..) => home,
        (None, Some(opening), _) => opening.home,
        (None, None, review) => home_of(request, review.unwrap_or(id))?,
    };
    let mut said_so = PendingRecords::default();
    said_so.records.extend(opening.map(|opening| (opening.home, opening.record)));
    said_so.records.push((home, record));
    let on_disk = |pin: &DraftPin| matches!(pin, DraftPin::Content(_));
    let shares = |pointing: &Pointing| shares_uncommitted_lines(request, &pointing.anchor);
    let uncommitted =
        pointing.as_ref().map(shares).transpose()?.unwrap_or(false) || suggested.pins.iter().any(on_disk);
    let lines = pointing.as_ref().map(|pointing| uncommitted_lines(request, pointing)).transpose()?;
    let message = match (&pointing, &on_message) {
        (Some(pointing), _) => format!("Comment on {}", pointing.name()),
        (None, Some(on)) => format!("Comment on {}", on.name()),
        (None, None) => "Comment on the whole review".to_owned(),
    };
    said_so.pins = pointing.map(|pointing| pointing.pins).unwrap_or_default();
    said_so.pins.extend(suggested.pins);
    // What belongs to a review that is a draft itself would be shared without it.
    let in_draft = review.is_some_and(|review| is_private(request, review));
    let draft = said.draft || in_draft;
    let audience = if draft { Visibility::Draft(review) } else { Visibility::Shared };
    let told: Vec<(ObjectId, Record)> =
        said_so.records.iter().map(|(home, record)| (home.object(), record.clone())).collect();
    let notes = write_records(request, actor, said_so, audience, &message)?;
    if let Some(review) = review.filter(|_| said.review.is_none() && current_branch(request).is_some()) {
        keep_head(request, review, request.head, &actor.committer());
    }
    // It waits for the end of a merge.
    let is_waiting = request.repository.store.waiting().contains(&id);
    let audience = if is_waiting { Visibility::Draft(review) } else { audience };
    let subject = on_message.map(|on| on.subject).unwrap_or_default();
    let mut written = commented(request, &told, notes, audience, uncommitted, subject);
    written.uncommitted_lines = lines.unwrap_or_default();
    if request.repository.here.ids().contains(&id) {
        written.thread.comments.iter_mut().for_each(|comment| comment.trust = CommentTrust::Here);
    }
    let suggests = written.thread.comments.iter().any(|comment| comment.suggests);
    if (suggests || request.repository.signer.is_some())
        && let Some(now) = read_for_answer(request)
    {
        let thread = std::slice::from_mut(&mut written.thread);
        add_signatures(&now, &now.notes, thread);
        if suggests {
            let added = HeadFiles::of(&now, &HeadName::WorkTree)
                .and_then(|files| add_fates(&now, &files, thread, &PositionsByThread::new(), Detail::Full));
            request.warnings.after_write(added);
        }
    }
    Ok(written)
}

/// A comment that was made just now, as it is: where it was put, and nothing said about it yet. `subject` is that of the
/// commit whose message it is on.
pub(crate) fn commented(
    request: &Request,
    told: &[(ObjectId, Record)],
    tip: Option<CommitId>,
    audience: Visibility,
    uncommitted: bool,
    subject: Vec<u8>,
) -> WrittenReply {
    let drafts = match audience {
        Visibility::Draft(_) => told.iter().map(|(_, record)| record.id()).collect(),
        Visibility::Shared => BTreeSet::new(),
    };
    let records = told.iter().map(|(home, record)| (*home, record));
    let notes = NotesIndex::of(Threads::fold(records), request.notes.prefixes.clone(), drafts);
    let thread = notes.threads.iter().next().expect("a comment was folded");
    let entry = match thread.message() {
        Some(on) => Some(where_message_was_put(thread.id(), on, subject)),
        None => thread.anchor().map(|anchor| where_it_was_put(thread.id(), anchor)),
    };
    let why = match (thread.root_comment().and_then(|root| root.said().review), thread.commit()) {
        (Some(_), _) => WhyVisible::Branch,
        (None, Some(_)) => WhyVisible::History,
        (None, None) => WhyVisible::Homeless,
    };
    let opened = notes.threads.groups().next().map(|group| view::review(&notes, group, None, None));
    WrittenReply {
        mark: Mark::default(),
        id: hex(thread.id()),
        notes: tip.map(hex),
        thread: view::thread(&notes, thread, entry.as_ref(), Some(why), Detail::Full),
        opened,
        uncommitted,
        uncommitted_lines: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The review that a new comment belongs to, and the record that opens it where there is none yet.
pub(crate) fn review_for(
    request: &Request,
    actor: &Actor,
    name: Option<&str>,
    has_place: bool,
) -> Result<(Option<RecordId>, Option<Opening>), Fault> {
    if name.is_some() {
        return Ok((Some(review_named(request, name)?.id()), None));
    }
    // What is said in the middle of a rebase is about the branch that is being rebased.
    if current_branch(request).is_none()
        && let Some(branch) = request.work_tree.rebased_branch()
        && let Some(open) = open_review_in(request, &branch)
    {
        return Ok((Some(open.id()), None));
    }
    let handle = request.work_tree.repository().handle();
    let belonging =
        Belonging::of_current(&handle, &request.branches, &request.notes.threads, &actor.opener())
            .or_fault()?;
    match belonging {
        Belonging::Review(id) => Ok((Some(id), None)),
        Belonging::Opens(opening) => Ok((Some(opening.record.id()), Some(opening))),
        Belonging::Nowhere(_) if has_place => Ok((None, None)),
        Belonging::Nowhere(why) => {
            let why = match why {
                NoReview::Detached => "no branch is checked out",
                NoReview::BaseBranch => "this is the base branch",
                NoReview::Unborn => "the branch has no commits yet",
                NoReview::NoBase => "the branch has no base",
                NoReview::Unrelated => "the branch has no history in common with its base",
            };
            let message = format!("no review to comment on, and no file given: {why}");
            Err(Fault::new(FaultCode::Refused, message).advise(Advice::NameLinesOrReview))
        }
    }
}
