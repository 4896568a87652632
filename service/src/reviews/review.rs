//! What the methods about reviews have in common.

use crate::convert::actor::Actor;
use crate::files::HeadFiles;
use crate::notes::names::{branch_named, is_open};
use crate::positions::in_head::positions_of;
use crate::request::{Request, current_branch};
use crate::reviews::follow_up::{followed, keep_head};
use crate::view::signatures::signed_review;
use crate::view::{self, hex};
use crate::writing::records::{PendingRecords, Visibility, audience_of, read_for_answer, write_records};
use postil_core::git::RefName;
use postil_core::notes::Home;
use postil_core::record::{EditRecord, Record, RecordId};
use postil_core::review::{FollowedReview, Review, ReviewGroup, ThreadState};
use postil_protocol::{
    Advice, ByteText, Fault, FaultCode, Freshness, HeadName, Mark, ReviewProposedView, ReviewReply,
    ReviewView,
};

pub(crate) fn say_of(
    request: &Request,
    actor: &Actor,
    group: ReviewGroup<'_>,
    record: Record,
    draft: bool,
    message: &str,
) -> Result<ReviewReply, Fault> {
    let audience = match audience_of(request, group.id()) {
        Visibility::Shared if draft => Visibility::Draft(Some(group.id())),
        audience => audience,
    };
    let said = PendingRecords {
        records: vec![(Home::On(group.lead().page()), record)],
        ..PendingRecords::default()
    };
    write_records(request, actor, said, audience, message)?;
    review_now(request, actor, group.id(), false)
}

/// The review as it is after something was written.
pub fn review_now(
    request: &Request,
    actor: &Actor,
    id: RecordId,
    opened: bool,
) -> Result<ReviewReply, Fault> {
    let again = read_for_answer(request);
    let now = again.as_ref().unwrap_or(request);
    let gone = || Fault::new(FaultCode::Conflict, format!("{id} was saved, but is already gone"));
    let group = now.notes.threads.group_of(id).ok_or_else(gone)?;
    let followed = request.warnings.after_write(followed(now, group));
    if is_open(group) {
        let head = followed.as_ref().and_then(|followed| followed.branch.as_ref()).map(|lead| lead.head);
        keep_head(now, group.id(), head, &actor.committer());
    }
    let located = followed.as_ref().map(|followed| review_view(now, group, followed));
    let located = located.and_then(|located| request.warnings.after_write(located));
    let review = located.unwrap_or_else(|| signed_review(now, group, followed.as_ref(), None));
    Ok(reply_about(now, group, review, opened))
}

pub(crate) fn review_reply(
    request: &Request,
    group: ReviewGroup<'_>,
    opened: bool,
) -> Result<ReviewReply, Fault> {
    let review = review_view(request, group, &followed(request, group)?)?;
    Ok(reply_about(request, group, review, opened))
}

fn reply_about(
    request: &Request,
    group: ReviewGroup<'_>,
    mut review: ReviewView,
    opened: bool,
) -> ReviewReply {
    review.proposed = proposed(group.lead());
    let notes = request.notes.version.notes.map(hex);
    ReviewReply { review, notes, opened, ready: None, warnings: Vec::new(), mark: Mark::default() }
}

/// A review, with what has become of its branch and where its open threads are there.
///
/// A review without a branch is looked at from what is checked out: where its work went, if it went anywhere.
pub fn review_view(
    request: &Request,
    group: ReviewGroup<'_>,
    followed: &FollowedReview,
) -> Result<ReviewView, Fault> {
    let head = match &followed.branch {
        Some(lead) if Some(&lead.name) != current_branch(request) => HeadName::Rev(lead.head.to_string()),
        _ => HeadName::WorkTree,
    };
    let open = group.threads().filter(|thread| thread.state() == ThreadState::Open);
    let files = HeadFiles::of(request, &head)?;
    let looked = positions_of(request, &files, Freshness::Wait, open)?;
    Ok(signed_review(request, group, Some(followed), Some(&looked.entries)))
}

/// The branch that a person calls by this name.
pub fn existing_branch(request: &Request, name: &str) -> Result<RefName, Fault> {
    branch_named(request, name).ok_or_else(|| {
        Fault::new(FaultCode::NoSuchPlace, format!("no such branch: {name}"))
            .advise(Advice::ListBranchesAndTags)
    })
}

/// What a person calls by this name that a branch can be compared with: a branch, a tag, or any ref by its full name.
pub fn existing_base(request: &Request, name: &str) -> Result<RefName, Fault> {
    let handle = request.work_tree.repository().handle();
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
        Fault::new(FaultCode::NoSuchPlace, format!("no such branch or tag: {name}"))
            .advise(Advice::ListBranchesAndTags)
    })
}

/// What others would have a review say, as far as it says something else.
pub(crate) fn proposed(review: &Review) -> Vec<ReviewProposedView> {
    let word = |new: &Option<String>, now: &str| new.clone().filter(|new| new != now);
    let name =
        |new: &Option<Vec<u8>>, now: &[u8]| new.as_deref().filter(|new| *new != now).map(ByteText::new);
    let told = review.words().proposals().contenders().map(|change| {
        let EditRecord { author, at, via, title, description, branch, base, .. } = &change.said;
        ReviewProposedView {
            author: view::person(author, via.as_deref()),
            at: at.0,
            title: word(title, review.title()),
            description: word(description, review.description()),
            branch: name(branch, review.branch()),
            base: name(base, review.base()),
        }
    });
    let says_something = |view: &ReviewProposedView| {
        view.title.is_some() || view.description.is_some() || view.branch.is_some() || view.base.is_some()
    };
    told.filter(says_something).collect()
}
