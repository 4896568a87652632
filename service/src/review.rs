//! Branches under review: begun, judged, ended.

use postil_core::git::RefName;
use postil_core::notes::Home;
use postil_core::record::{Body, Judgement, Record, RecordId, StatusWord};
use postil_core::review::{Followed, Opening, Request, ReviewGroup, ThreadState};
use postil_protocol::{
    Fault, FaultCode, Freshness, HeadName, ReviewChange, ReviewList, ReviewListReply, ReviewReply,
    ReviewShow, ReviewStart, ReviewStatus, ReviewVerdict, ReviewView, Verdict,
};

use super::caller::Caller;
use super::reword::proposed;
use super::scene::Scene;
use super::speak::{Audience, SAY_IT, Words};
use super::trouble::OrFault as _;
use super::view::{self, hex};

/// What to do where a branch is not there.
const BRANCHES: &str = "`git branch --all` lists the branches, `git tag` the tags";

impl Scene {
    /// Puts a branch under review; one that is already is left as it is.
    pub fn start_review(&self, caller: &Caller, start: &ReviewStart) -> Result<ReviewReply, Fault> {
        let branch = start.branch.as_deref().map(|name| self.existing_branch(name)).transpose()?;
        let base = start.base.as_deref().map(|name| self.existing_base(name)).transpose()?;
        let subject = branch.as_ref().or(self.branch());
        let threads = &self.book.threads;
        let open = subject.and_then(|branch| match &base {
            None => self.open_review_in(branch),
            Some(base) => threads
                .open_review_of(branch, Some(base))
                .or_else(|| self.open_review_in(branch))
                .filter(|open| open.lead().base() == base.as_bytes()),
        });
        if let Some(open) = open {
            return self.review_reply(open, false);
        }
        let request =
            Request { branch, base, title: start.title.clone(), description: start.description.clone() };
        let handle = self.seat.repository().handle();
        let opening = Opening::of(&handle, &self.branches, &request, &caller.opener()).or_fault()?;
        let id = opening.record.id();
        let audience = if start.draft { Audience::Draft(Some(id)) } else { Audience::Shared };
        let said = Words { records: vec![(opening.home, opening.record)], pins: Vec::new() };
        self.write(caller, said, audience, "Begin a review")?;
        self.review_now(caller, id, true)
    }

    /// Lists reviews, the newest first.
    pub fn reviews(&self, list: &ReviewList) -> ReviewListReply {
        let wanted = |group: &ReviewGroup<'_>| {
            list.statuses.is_empty() || list.statuses.contains(&view::review_status(group.lead().state()))
        };
        let groups = self.book.threads.groups().filter(wanted);
        let mut reviews: Vec<ReviewView> =
            groups.map(|group| self.told_review(group, self.known_of(group), None)).collect();
        reviews.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
        ReviewListReply { reviews, current: self.current_review().map(|group| hex(group.id())) }
    }

    /// Shows one review, with every verdict on it.
    pub fn show_review(&self, show: &ReviewShow) -> Result<ReviewReply, Fault> {
        self.show_review_of(self.review_named(show.review.as_deref())?)
    }

    /// As [`Scene::show_review`], of one that was found.
    pub fn show_review_of(&self, group: ReviewGroup<'_>) -> Result<ReviewReply, Fault> {
        let mut reply = self.review_reply(group, false)?;
        reply.review.history = self.told_verdicts(group);
        Ok(reply)
    }

    /// Judges a review at the head that its branch has now.
    pub fn judge(&self, caller: &Caller, judged: &ReviewVerdict) -> Result<ReviewReply, Fault> {
        let group = self.review_named(judged.review.as_deref())?;
        let head = self.followed(group)?.branch.map_or(group.lead().said().head, |lead| lead.head);
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
        self.say_of(caller, group, record, judged.draft, &message)
    }

    /// Ends a review, or opens it again.
    pub fn change_review(&self, caller: &Caller, change: &ReviewChange) -> Result<ReviewReply, Fault> {
        let group = self.review_named(change.review.as_deref())?;
        let word = match change.status {
            ReviewStatus::Open => StatusWord::Open,
            ReviewStatus::Merged => StatusWord::Merged,
            ReviewStatus::Closed => StatusWord::Closed,
        };
        if view::review_status(group.lead().state()) == change.status {
            return self.review_reply(group, false);
        }
        // Those that are shown as one end as one.
        let mut said = Words::default();
        for review in group.reviews() {
            let record =
                self.status_record(caller, review.id(), review.statuses(), word, change.reason.as_deref())?;
            said.records.push((Home::On(review.page()), record));
        }
        let verb = match change.status {
            ReviewStatus::Open => "Reopen",
            ReviewStatus::Merged => "Call merged",
            ReviewStatus::Closed => "Close",
        };
        let message = format!("{verb} the review of {}", String::from_utf8_lossy(group.lead().branch()));
        self.write(caller, said, self.audience_of(group.id()), &message)?;
        if change.status != ReviewStatus::Open {
            self.desk.sweep_soon(caller.at);
        }
        self.review_now(caller, group.id(), false)
    }

    fn say_of(
        &self,
        caller: &Caller,
        group: ReviewGroup<'_>,
        record: Record,
        draft: bool,
        message: &str,
    ) -> Result<ReviewReply, Fault> {
        let audience = match self.audience_of(group.id()) {
            Audience::Shared if draft => Audience::Draft(Some(group.id())),
            audience => audience,
        };
        let said = Words { records: vec![(Home::On(group.lead().page()), record)], pins: Vec::new() };
        self.write(caller, said, audience, message)?;
        self.review_now(caller, group.id(), false)
    }

    /// The review as it is after something was written.
    pub fn review_now(&self, caller: &Caller, id: RecordId, opened: bool) -> Result<ReviewReply, Fault> {
        let now = self.again()?;
        let gone = || Fault::new(FaultCode::Conflict, format!("{id} was written, and is gone again"));
        let group = now.book.threads.group_of(id).ok_or_else(gone)?;
        if Self::is_open(group) {
            let head = now.followed(group)?.branch.map(|lead| lead.head);
            now.keep_head(group.id(), head, &caller.committer());
        }
        now.review_reply(group, opened)
    }

    fn review_reply(&self, group: ReviewGroup<'_>, opened: bool) -> Result<ReviewReply, Fault> {
        let mut review = self.review_view(group, &self.followed(group)?)?;
        review.proposed = proposed(group.lead());
        Ok(ReviewReply { review, notes: self.book.edition.notes.map(hex), opened })
    }

    /// A review, with what has become of its branch and where its open threads are there.
    ///
    /// A review without a branch is looked at from what is checked out: where its work went, if it went anywhere.
    pub fn review_view(&self, group: ReviewGroup<'_>, followed: &Followed) -> Result<ReviewView, Fault> {
        let head = match &followed.branch {
            Some(lead) if Some(&lead.name) != self.branch() => HeadName::Rev(lead.head.to_string()),
            _ => HeadName::WorkTree,
        };
        let open = group.threads().filter(|thread| thread.state() == ThreadState::Open);
        let looked = self.look(&head, Freshness::Wait, open)?;
        Ok(self.told_review(group, Some(followed), Some(&looked.entries)))
    }

    /// The branch that a person calls by this name.
    pub fn existing_branch(&self, name: &str) -> Result<RefName, Fault> {
        self.branch_named(name).ok_or_else(|| {
            Fault::new(FaultCode::NoSuchPlace, format!("there is no branch {name}")).hint(BRANCHES)
        })
    }

    /// What a person calls by this name that a branch can be compared with: a branch, a tag, or any ref by its full name.
    pub fn existing_base(&self, name: &str) -> Result<RefName, Fault> {
        let handle = self.seat.repository().handle();
        let leads = |full: &RefName| !self.branches.base_tips(&handle, full).is_empty();
        let full = |folder: &str| RefName::new(&format!("{folder}{name}")).ok().filter(leads);
        let found = if let Some(tracked) = name.strip_prefix("refs/remotes/") {
            self.branch_named(tracked)
        } else if name.starts_with("refs/") {
            full("").or_else(|| self.branch_named(name))
        } else {
            // `origin/main` comes last: a tag can be called `origin/main` too.
            full("refs/heads/").or_else(|| full("refs/tags/")).or_else(|| self.branch_named(name))
        };
        found.ok_or_else(|| {
            Fault::new(FaultCode::NoSuchPlace, format!("there is no branch or tag {name}")).hint(BRANCHES)
        })
    }
}
