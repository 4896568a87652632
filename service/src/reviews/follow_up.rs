//! Looks after the open reviews: where their branches are, and what the notes do not say of them yet.
//!
//! It runs before every request about reviews, so that answers are the same with and without a daemon, and
//! returns at once if nothing relevant has changed. If the result cannot be written, this is logged and the
//! request is answered anyway: a repository may be read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use postil_core::git::{CommitId, RefName};
use postil_core::notes::{Committer, KeptHeads};
use postil_core::record::{Author, RecordId, Timestamp};
use postil_core::review::{
    FollowedReview, Following, MAX_SEARCHED_REVIEWS, Notice, Noticed, Opener, ReviewGroup, ReviewNews,
};
use postil_protocol::{Advice, Call, Fault, WarningView};

use crate::convert::fault::OrFault as _;
use crate::notes::names::is_open;
use crate::repository::basis::RefsBasis;
use crate::repository::person::nobody;
use crate::repository::state::lock;
use crate::request::Request;
use crate::writing::records::{PendingRecords, Visibility, read_again, write_by};

/// What was found out about the open reviews, and by what that was decided.
#[derive(Debug)]
pub(crate) struct FollowUp {
    refs: RefsBasis,
    by: Option<String>,
    /// What has become of each, by the id it is shown under.
    followed: BTreeMap<RecordId, FollowedReview>,
    /// How many were not searched for, because they are too many.
    unsearched: usize,
}

/// Who looks, and when; no person, if the request has no author.
#[derive(Clone, Debug)]
pub(crate) struct FollowUpAuthor {
    author: Option<Author>,
    at: Timestamp,
    utc_offset: i32,
}

impl FollowUpAuthor {
    /// The one who asks for this.
    pub fn of(call: &Call, now: Timestamp) -> Self {
        let (person, at, utc_offset) = call.asker();
        // What a program looks at is noticed by nobody in particular, and not in the name of its person.
        let by_hand = person.filter(|_| call.via().is_none());
        let person = by_hand.filter(|person| !person.name.trim().is_empty());
        let author = person.map(|person| Author { name: person.name.clone(), email: person.email.clone() });
        Self { author, at: at.map_or(now, Timestamp), utc_offset }
    }

    fn opener(&self) -> Option<Opener> {
        self.author.clone().map(|author| Opener { author, via: None, at: self.at })
    }

    fn committer(&self) -> Committer {
        let seconds = i64::try_from(self.at.0 / 1000).unwrap_or(i64::MAX);
        Committer::new(&self.author.clone().unwrap_or_else(nobody), seconds, self.utc_offset)
    }
}

/// Looks after the open reviews, and returns the request as it is then.
pub fn record_follow_ups(mut request: Request, looker: &FollowUpAuthor) -> Result<Request, Fault> {
    let email = looker.author.as_ref().map(|author| author.email.clone());
    if let Some(known) = known_follow_up(&request, email.as_deref()) {
        request.follow_up = Some(known);
        return Ok(request);
    }
    let mut noticed = notice(&request, looker);
    if write_notices(&request, looker, std::mem::take(&mut noticed.notices)) {
        // What is said now may group reviews in another way; after that there is nothing more to say.
        request = read_again(&request)?;
        noticed = notice(&request, looker);
    }
    let kept =
        request.repository.store.keep_heads(request.branches.kept(), &noticed.keep, &looker.committer());
    match kept {
        Ok(false) => {}
        Ok(true) => request.branches = request.work_tree.branches()?,
        Err(error) => tracing::warn!(%error, "could not keep the heads of reviews"),
    }
    let follow_up = Arc::new(FollowUp {
        refs: RefsBasis::of(&request),
        by: email,
        followed: noticed.followed,
        unsearched: noticed.unsearched.len(),
    });
    *lock(&request.repository.follow_up) = Some(follow_up.clone());
    request.follow_up = Some(follow_up);
    Ok(request)
}

fn known_follow_up(request: &Request, email: Option<&str>) -> Option<Arc<FollowUp>> {
    let known = lock(&request.repository.follow_up).clone()?;
    let fits = known.refs.is_of(request) && (email.is_none() || known.by.as_deref() == email);
    fits.then_some(known)
}

fn notice(request: &Request, looker: &FollowUpAuthor) -> Noticed {
    let handle = request.work_tree.repository().handle();
    let following = Following::new(&handle, &request.branches);
    let noticed = following.notice(&request.notes.threads, looker.opener().as_ref());
    for (review, error) in &noticed.unknown {
        tracing::debug!(%review, %error, "could not be followed");
    }
    noticed
}

/// Writes what was noticed; says whether the notes have it now.
fn write_notices(request: &Request, looker: &FollowUpAuthor, notices: Vec<Notice>) -> bool {
    let message = match &notices[..] {
        [] => return false,
        [notice] => notice_message(request, notice),
        _ => "Follow the branches of reviews".to_owned(),
    };
    if request.repository.store.open_merge().is_some() {
        // It is noticed again after the merge.
        return false;
    }
    let ended = notices.iter().any(|notice| matches!(notice.news, ReviewNews::Merged));
    let mut batches = Vec::new();
    let mut shared = PendingRecords::default();
    for Notice { of, record, home, .. } in notices {
        if request.notes.drafts.contains(&of) {
            let said = PendingRecords { records: vec![(home, record)], ..PendingRecords::default() };
            batches.push((said, Visibility::Draft(Some(of))));
        } else {
            shared.records.push((home, record));
        }
    }
    if !shared.records.is_empty() {
        batches.push((shared, Visibility::Shared));
    }
    let mut written = false;
    for (said, audience) in batches {
        match write_by(request, &looker.committer(), said, audience, &message) {
            Ok(_) => written = true,
            Err(fault) => {
                tracing::warn!(why = fault.message, "could not save the status of reviews");
            }
        }
    }
    if ended && written {
        request.repository.sweep_soon(looker.at);
    }
    written
}

/// What the notes commit of a single notice is called.
fn notice_message(request: &Request, notice: &Notice) -> String {
    let review = request.notes.threads.review(notice.of);
    let branch = review.map(|review| String::from_utf8_lossy(review.branch()).into_owned());
    let branch = branch.unwrap_or_default();
    match notice.news {
        ReviewNews::Merged => format!("Notice that the review of {branch} was merged"),
        ReviewNews::Renamed => format!("Follow the review of {branch} to its new name"),
    }
}

/// That not all open reviews were searched for.
pub fn unsearched_reviews(request: &Request) -> Option<WarningView> {
    let count = request.follow_up.as_ref().map_or(0, |known| known.unsearched);
    (count > 0).then(|| WarningView {
        what: format!(
            "{count} open reviews were not searched for merges and renames: their branches are gone, and at most \
             {MAX_SEARCHED_REVIEWS} are searched for"
        ),
        advice: Some(Advice::CloseReviews),
    })
}

/// What has become of the branch of a review.
pub fn followed(request: &Request, group: ReviewGroup<'_>) -> Result<FollowedReview, Fault> {
    if let Some(known) = known_of(request, group) {
        return Ok(known.clone());
    }
    let handle = request.work_tree.repository().handle();
    Following::new(&handle, &request.branches).follow(group, &[]).or_fault()
}

/// The same, if it was looked after already.
pub fn known_of<'a>(request: &'a Request, group: ReviewGroup<'_>) -> Option<&'a FollowedReview> {
    request.follow_up.as_ref()?.followed.get(&group.id())
}

/// The open review that goes on in a branch.
pub fn open_review_in<'a>(request: &'a Request, branch: &RefName) -> Option<ReviewGroup<'a>> {
    let threads = &request.notes.threads;
    if request.follow_up.is_none() {
        let handle = request.work_tree.repository().handle();
        let found = Following::new(&handle, &request.branches).open_review_in(threads, branch);
        return found.unwrap_or_else(|_| threads.open_review_of(branch, request.branches.usual_base()));
    }
    let goes_on = |group: &ReviewGroup<'_>| match known_of(request, *group).map(|known| &known.branch) {
        Some(Some(lead)) => lead.name == *branch,
        _ => group.lead().branch() == branch.as_bytes(),
    };
    let usual = request.branches.usual_base().map(RefName::as_bytes);
    let mut open: Vec<ReviewGroup<'_>> =
        threads.groups().filter(|group| is_open(*group)).filter(goes_on).collect();
    open.sort_by_key(|group| (Some(group.lead().base()) != usual, group.id()));
    open.first().copied().or_else(|| {
        let handle = request.work_tree.repository().handle();
        let once = Following::new(&handle, &request.branches).open_review_once_in(threads, branch);
        once.ok().flatten()
    })
}

/// Keeps a head of an open review from `git gc`, where something was just said about it.
pub fn keep_head(request: &Request, review: RecordId, head: Option<CommitId>, by: &Committer) {
    let kept = request.branches.kept();
    let Some(head) = head.filter(|head| !kept.of(review).any(|kept| kept == *head)) else { return };
    let wanted = kept.of(review).chain([head]).collect();
    let wanted = KeptHeads(BTreeMap::from([(review, wanted)]));
    if let Err(error) = request.repository.store.keep_heads(kept, &wanted, by) {
        tracing::warn!(%error, "could not keep the head of a review");
    }
}

/// Lets the heads of reviews go that were purged.
pub fn let_heads_go(request: &Request, reviews: impl Iterator<Item = RecordId>, by: &Committer) {
    let wanted = reviews.map(|review| (review, BTreeSet::new())).collect();
    if let Err(error) = request.repository.store.keep_heads(request.branches.kept(), &KeptHeads(wanted), by) {
        tracing::warn!(%error, "could not remove the kept heads of a review");
    }
}
