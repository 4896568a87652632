//! Branches under review: begun, judged, ended.

use postil_core::git::RefName;
use postil_core::notes::Home;
use postil_core::record::{Body, Judgement, Record, RecordId, StatusWord};
use postil_core::review::{self, Followed, Opening, ReviewGroup, ThreadState};
use postil_protocol::{
    Fault, FaultCode, Freshness, HeadName, ReviewChange, ReviewList, ReviewListReply, ReviewReply,
    ReviewShow, ReviewStart, ReviewStatus, ReviewVerdict, ReviewView, Verdict,
};

use super::caller::Caller;
use super::lookout::{followed, keep_head, known_of, open_review_in};
use super::mark::status_record;
use super::request::{Request, current_branch, positions_of};
use super::reword::proposed;
use super::speak::{Audience, SAY_IT, Words, audience_of, look_again, write_records};
use super::target::{branch_named, current_review, is_open, review_named};
use super::trouble::OrFault as _;
use super::view::{self, hex};
use super::vouch::{told_review, told_verdicts};

/// What to do where a branch is not there.
const BRANCHES: &str = "`git branch --all` lists the branches, `git tag` the tags";

/// Puts a branch under review; one that is already is left as it is.
pub fn start_review(request: &Request, caller: &Caller, start: &ReviewStart) -> Result<ReviewReply, Fault> {
    let branch = start.branch.as_deref().map(|name| existing_branch(request, name)).transpose()?;
    let base = start.base.as_deref().map(|name| existing_base(request, name)).transpose()?;
    let subject = branch.as_ref().or(current_branch(request));
    let threads = &request.book.threads;
    let open = subject.and_then(|branch| match &base {
        None => open_review_in(request, branch),
        Some(base) => threads
            .open_review_of(branch, Some(base))
            .or_else(|| open_review_in(request, branch))
            .filter(|open| open.lead().base() == base.as_bytes()),
    });
    if let Some(open) = open {
        return review_reply(request, open, false);
    }
    let asked =
        review::Request { branch, base, title: start.title.clone(), description: start.description.clone() };
    let handle = request.seat.repository().handle();
    let opening = Opening::of(&handle, &request.branches, &asked, &caller.opener()).or_fault()?;
    let id = opening.record.id();
    let audience = if start.draft { Audience::Draft(Some(id)) } else { Audience::Shared };
    let said = Words { records: vec![(opening.home, opening.record)], pins: Vec::new() };
    write_records(request, caller, said, audience, "Begin a review")?;
    review_now(request, caller, id, true)
}

/// Lists reviews, the newest first.
pub fn list_reviews(request: &Request, list: &ReviewList) -> ReviewListReply {
    let wanted = |group: &ReviewGroup<'_>| {
        list.statuses.is_empty() || list.statuses.contains(&view::review_status(group.lead().state()))
    };
    let groups = request.book.threads.groups().filter(wanted);
    let mut reviews: Vec<ReviewView> =
        groups.map(|group| told_review(request, group, known_of(request, group), None)).collect();
    reviews.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
    ReviewListReply { reviews, current: current_review(request).map(|group| hex(group.id())) }
}

/// Shows one review, with every verdict on it.
pub fn show_review(request: &Request, show: &ReviewShow) -> Result<ReviewReply, Fault> {
    show_review_of(request, review_named(request, show.review.as_deref())?)
}

/// As [`Request::show_review`], of one that was found.
pub fn show_review_of(request: &Request, group: ReviewGroup<'_>) -> Result<ReviewReply, Fault> {
    let mut reply = review_reply(request, group, false)?;
    reply.review.history = told_verdicts(request, group);
    Ok(reply)
}

/// Judges a review at the head that its branch has now.
pub fn judge(request: &Request, caller: &Caller, judged: &ReviewVerdict) -> Result<ReviewReply, Fault> {
    let group = review_named(request, judged.review.as_deref())?;
    let head = followed(request, group)?.branch.map_or(group.lead().said().head, |lead| lead.head);
    let verdict = match judged.verdict {
        Verdict::Approve => Judgement::Approve,
        Verdict::Changes => Judgement::Changes,
        Verdict::Comment => Judgement::Comment,
    };
    let text = judged.text.trim().to_owned();
    if verdict == Judgement::Comment && text.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "an empty text says nothing").hint(SAY_IT));
    }
    let body = postil_core::record::Verdict {
        author: caller.author.clone(),
        at: caller.at,
        seq: group.next_seq(),
        review: group.id(),
        head,
        verdict,
        text,
    };
    let record = Record::new(&Body::Verdict(body)).or_fault()?;
    let word = match judged.verdict {
        Verdict::Approve => "Approve",
        Verdict::Changes => "Request changes of",
        Verdict::Comment => "Comment on",
    };
    let message = format!("{word} the review of {}", String::from_utf8_lossy(group.lead().branch()));
    say_of(request, caller, group, record, judged.draft, &message)
}

/// Ends a review, or opens it again.
pub fn change_review(
    request: &Request,
    caller: &Caller,
    change: &ReviewChange,
) -> Result<ReviewReply, Fault> {
    let group = review_named(request, change.review.as_deref())?;
    let word = match change.status {
        ReviewStatus::Open => StatusWord::Open,
        ReviewStatus::Merged => StatusWord::Merged,
        ReviewStatus::Closed => StatusWord::Closed,
    };
    if view::review_status(group.lead().state()) == change.status {
        return review_reply(request, group, false);
    }
    // Those that are shown as one end as one.
    let mut said = Words::default();
    for review in group.reviews() {
        let record =
            status_record(request, caller, review.id(), review.statuses(), word, change.reason.as_deref())?;
        said.records.push((Home::On(review.page()), record));
    }
    let verb = match change.status {
        ReviewStatus::Open => "Reopen",
        ReviewStatus::Merged => "Call merged",
        ReviewStatus::Closed => "Close",
    };
    let message = format!("{verb} the review of {}", String::from_utf8_lossy(group.lead().branch()));
    write_records(request, caller, said, audience_of(request, group.id()), &message)?;
    if change.status != ReviewStatus::Open {
        request.desk.sweep_soon(caller.at);
    }
    review_now(request, caller, group.id(), false)
}

fn say_of(
    request: &Request,
    caller: &Caller,
    group: ReviewGroup<'_>,
    record: Record,
    draft: bool,
    message: &str,
) -> Result<ReviewReply, Fault> {
    let audience = match audience_of(request, group.id()) {
        Audience::Shared if draft => Audience::Draft(Some(group.id())),
        audience => audience,
    };
    let said = Words { records: vec![(Home::On(group.lead().page()), record)], pins: Vec::new() };
    write_records(request, caller, said, audience, message)?;
    review_now(request, caller, group.id(), false)
}

/// The review as it is after something was written.
pub fn review_now(
    request: &Request,
    caller: &Caller,
    id: RecordId,
    opened: bool,
) -> Result<ReviewReply, Fault> {
    let now = look_again(request)?;
    let gone = || Fault::new(FaultCode::Conflict, format!("{id} was written, and is gone again"));
    let group = now.book.threads.group_of(id).ok_or_else(gone)?;
    if is_open(group) {
        let head = followed(&now, group)?.branch.map(|lead| lead.head);
        keep_head(&now, group.id(), head, &caller.committer());
    }
    review_reply(&now, group, opened)
}

fn review_reply(request: &Request, group: ReviewGroup<'_>, opened: bool) -> Result<ReviewReply, Fault> {
    let mut review = review_view(request, group, &followed(request, group)?)?;
    review.proposed = proposed(group.lead());
    Ok(ReviewReply { review, notes: request.book.edition.notes.map(hex), opened })
}

/// A review, with what has become of its branch and where its open threads are there.
///
/// A review without a branch is looked at from what is checked out: where its work went, if it went anywhere.
pub fn review_view(
    request: &Request,
    group: ReviewGroup<'_>,
    followed: &Followed,
) -> Result<ReviewView, Fault> {
    let head = match &followed.branch {
        Some(lead) if Some(&lead.name) != current_branch(request) => HeadName::Rev(lead.head.to_string()),
        _ => HeadName::WorkTree,
    };
    let open = group.threads().filter(|thread| thread.state() == ThreadState::Open);
    let looked = positions_of(request, &head, Freshness::Wait, open)?;
    Ok(told_review(request, group, Some(followed), Some(&looked.entries)))
}

/// The branch that a person calls by this name.
pub fn existing_branch(request: &Request, name: &str) -> Result<RefName, Fault> {
    branch_named(request, name).ok_or_else(|| {
        Fault::new(FaultCode::NoSuchPlace, format!("there is no branch {name}")).hint(BRANCHES)
    })
}

/// What a person calls by this name that a branch can be compared with: a branch, a tag, or any ref by its full name.
pub fn existing_base(request: &Request, name: &str) -> Result<RefName, Fault> {
    let handle = request.seat.repository().handle();
    let leads = |full: &RefName| !request.branches.base_tips(&handle, full).is_empty();
    let full = |folder: &str| RefName::new(&format!("{folder}{name}")).ok().filter(leads);
    let found = if let Some(tracked) = name.strip_prefix("refs/remotes/") {
        branch_named(request, tracked)
    } else if name.starts_with("refs/") {
        full("").or_else(|| branch_named(request, name))
    } else {
        // `origin/main` comes last: a tag can be called `origin/main` too.
        full("refs/heads/").or_else(|| full("refs/tags/")).or_else(|| branch_named(request, name))
    };
    found.ok_or_else(|| {
        Fault::new(FaultCode::NoSuchPlace, format!("there is no branch or tag {name}")).hint(BRANCHES)
    })
}
