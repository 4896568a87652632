//! Looks after the open reviews: where their branches are, and what the notes do not say of them yet.
//!
//! Done before whatever asks about reviews is answered, so that with or without a daemon the answer is the same; and at
//! once while nothing that decides it has changed. What cannot be written is told in the log, and answers are given all
//! the same: a repository may be readable only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use postil_core::git::{CommitId, RefName};
use postil_core::notes::{Committer, KeptHeads};
use postil_core::record::{Author, RecordId, Timestamp};
use postil_core::review::{Branches, Followed, Following, News, Notice, Noticed, Opener, ReviewGroup};
use postil_protocol::{Call, Fault};

use super::book::Edition;
use super::desk::lock;
use super::person::nobody;
use super::scene::Scene;
use super::speak::{Audience, Words};
use super::trouble::OrFault as _;

/// What was found out about the open reviews, and by what that was decided.
#[derive(Debug)]
pub(super) struct Lookout {
    edition: Edition,
    branches: Branches,
    by: Option<String>,
    /// What has become of each, by the id it is shown under.
    followed: BTreeMap<RecordId, Followed>,
}

/// Who looks, and when; nobody in particular, where the caller did not say.
#[derive(Clone, Debug)]
pub(super) struct Looker {
    author: Option<Author>,
    at: Timestamp,
    utc_offset: i32,
}

impl Looker {
    /// The one who asks for this.
    pub fn of(call: &Call, now: Timestamp) -> Self {
        let (person, at, utc_offset) = call.asker();
        let person = person.filter(|person| !person.name.trim().is_empty());
        let author = person.map(|person| Author { name: person.name.clone(), email: person.email.clone() });
        Self { author, at: at.map_or(now, Timestamp), utc_offset }
    }

    fn opener(&self) -> Option<Opener> {
        self.author.clone().map(|author| Opener { author, at: self.at })
    }

    fn committer(&self) -> Committer {
        let seconds = i64::try_from(self.at.0 / 1000).unwrap_or(i64::MAX);
        Committer::new(&self.author.clone().unwrap_or_else(nobody), seconds, self.utc_offset)
    }
}

impl Scene {
    /// Looks after the open reviews, and returns the scene as it is then.
    pub fn look_after(mut self, looker: &Looker) -> Result<Self, Fault> {
        let email = looker.author.as_ref().map(|author| author.email.clone());
        if let Some(known) = self.known_lookout(email.as_deref()) {
            self.lookout = Some(known);
            return Ok(self);
        }
        let mut noticed = self.notice(looker);
        if self.write_notices(looker, std::mem::take(&mut noticed.notices)) {
            // What is said now may group reviews in another way; after that there is nothing more to say.
            self = self.again()?;
            noticed = self.notice(looker);
        }
        let kept = self.desk.store.keep_heads(self.branches.kept(), &noticed.keep, &looker.committer());
        match kept {
            Ok(false) => {}
            Ok(true) => self.branches = self.seat.branches()?,
            Err(error) => tracing::warn!(%error, "could not keep the heads of reviews"),
        }
        let lookout = Arc::new(Lookout {
            edition: self.book.edition,
            branches: self.branches.clone(),
            by: email,
            followed: noticed.followed,
        });
        *lock(&self.desk.lookout) = Some(lookout.clone());
        self.lookout = Some(lookout);
        Ok(self)
    }

    fn known_lookout(&self, email: Option<&str>) -> Option<Arc<Lookout>> {
        let known = lock(&self.desk.lookout).clone()?;
        let fits = known.edition == self.book.edition
            && known.branches == self.branches
            && (email.is_none() || known.by.as_deref() == email);
        fits.then_some(known)
    }

    fn notice(&self, looker: &Looker) -> Noticed {
        let handle = self.seat.repository().handle();
        let following = Following::new(&handle, &self.branches);
        let noticed = following.notice(&self.book.threads, looker.opener().as_ref());
        for (review, error) in &noticed.unknown {
            tracing::debug!(%review, %error, "could not be followed");
        }
        noticed
    }

    /// Writes what was noticed; says whether the notes have it now.
    fn write_notices(&self, looker: &Looker, notices: Vec<Notice>) -> bool {
        let message = match &notices[..] {
            [] => return false,
            [notice] => self.told(notice),
            _ => "Follow the branches of reviews".to_owned(),
        };
        let ended = notices.iter().any(|notice| matches!(notice.news, News::Merged));
        let mut batches = Vec::new();
        let mut shared = Words::default();
        for Notice { of, record, home, .. } in notices {
            if self.book.drafts.contains(&of) {
                let said = Words { records: vec![(home, record)], pins: Vec::new() };
                batches.push((said, Audience::Draft(Some(of))));
            } else {
                shared.records.push((home, record));
            }
        }
        if !shared.records.is_empty() {
            batches.push((shared, Audience::Shared));
        }
        let mut written = false;
        for (said, audience) in batches {
            match self.write_by(&looker.committer(), said, audience, &message) {
                Ok(_) => written = true,
                Err(fault) => {
                    tracing::warn!(why = fault.message, "could not write down what has become of reviews");
                }
            }
        }
        if ended && written {
            self.desk.sweep_soon(looker.at);
        }
        written
    }

    /// What the notes commit of a single notice is called.
    fn told(&self, notice: &Notice) -> String {
        let review = self.book.threads.review(notice.of);
        let branch = review.map(|review| String::from_utf8_lossy(review.branch()).into_owned());
        let branch = branch.unwrap_or_default();
        match notice.news {
            News::Merged => format!("Notice that the review of {branch} was merged"),
            News::Renamed => format!("Follow the review of {branch} to its new name"),
        }
    }

    /// What has become of the branch of a review.
    pub fn followed(&self, group: ReviewGroup<'_>) -> Result<Followed, Fault> {
        if let Some(known) = self.known_of(group) {
            return Ok(known.clone());
        }
        let handle = self.seat.repository().handle();
        Following::new(&handle, &self.branches).follow(group, &[]).or_fault()
    }

    /// The same, where it was looked after already.
    pub fn known_of(&self, group: ReviewGroup<'_>) -> Option<&Followed> {
        self.lookout.as_ref()?.followed.get(&group.id())
    }

    /// The open review that goes on in a branch.
    pub fn open_review_in(&self, branch: &RefName) -> Option<ReviewGroup<'_>> {
        let threads = &self.book.threads;
        if self.lookout.is_none() {
            let handle = self.seat.repository().handle();
            let found = Following::new(&handle, &self.branches).open_review_in(threads, branch);
            return found.unwrap_or_else(|_| threads.open_review_of(branch, self.branches.usual_base()));
        }
        let goes_on = |group: &ReviewGroup<'_>| match self.known_of(*group).map(|known| &known.branch) {
            Some(Some(lead)) => lead.name == *branch,
            _ => group.lead().branch() == branch.as_bytes(),
        };
        let usual = self.branches.usual_base().map(RefName::as_bytes);
        let mut open: Vec<ReviewGroup<'_>> =
            threads.groups().filter(|group| Self::is_open(*group)).filter(goes_on).collect();
        open.sort_by_key(|group| (Some(group.lead().base()) != usual, group.id()));
        open.first().copied().or_else(|| {
            let handle = self.seat.repository().handle();
            let once = Following::new(&handle, &self.branches).open_review_once_in(threads, branch);
            once.ok().flatten()
        })
    }

    /// Keeps a head of an open review from `git gc`, where something was just said about it.
    pub fn keep_head(&self, review: RecordId, head: Option<CommitId>, by: &Committer) {
        let kept = self.branches.kept();
        let Some(head) = head.filter(|head| !kept.of(review).any(|kept| kept == *head)) else { return };
        let wanted = kept.of(review).chain([head]).collect();
        let wanted = KeptHeads(BTreeMap::from([(review, wanted)]));
        if let Err(error) = self.desk.store.keep_heads(kept, &wanted, by) {
            tracing::warn!(%error, "could not keep the head of a review");
        }
    }

    /// Lets the heads of reviews go that were purged.
    pub fn let_heads_go(&self, reviews: impl Iterator<Item = RecordId>, by: &Committer) {
        let wanted = reviews.map(|review| (review, BTreeSet::new())).collect();
        if let Err(error) = self.desk.store.keep_heads(self.branches.kept(), &KeptHeads(wanted), by) {
            tracing::warn!(%error, "could not let the heads of a review go");
        }
    }
}
