//! Reviews that were held elsewhere, and what people decided in them.

use postil_core::git::{CommitId, ObjectId, RefName, history};
use postil_core::notes::Home;
use postil_core::record::{
    Body, Judgement, Record, RecordId, ReviewRecord, Seq, StatusRecord, StatusWord, Timestamp, VerdictRecord,
};
use postil_protocol::{Fault, FaultCode, ImportedComment, ImportedReview, ReviewStatus, Verdict};

use crate::convert::fault::OrFault as _;
use crate::import::import_batch::ImportAuthor;
use crate::import::importing::Importing;

impl Importing<'_> {
    /// Takes over a review; its comments name it by what it is called there.
    pub fn review(&mut self, review: &ImportedReview) -> Result<(), Fault> {
        let handle = self.request.work_tree.repository().handle();
        let head = self.request.work_tree.commit_named(&review.head)?;
        let info = history::commit(&handle, head).or_fault()?;
        let base_commit = match &review.base_commit {
            Some(name) => self.request.work_tree.commit_named(name)?,
            None => info.parents.first().copied().unwrap_or(head),
        };
        let seconds = u64::try_from(info.time).unwrap_or(0);
        let at = review.at.map_or(Timestamp(seconds.saturating_mul(1000)), Timestamp);
        let by = ImportAuthor::of(&review.author, at);
        let body = ReviewRecord {
            author: by.author.clone(),
            at,
            seq: Seq::default(),
            via: by.via.clone(),
            title: review.title.clone(),
            description: review.description.clone(),
            branch: review.branch.as_bytes().to_vec(),
            base: review.base.as_bytes().to_vec(),
            base_commit,
            head,
        };
        let record = Record::new(&Body::Review(body)).or_fault()?;
        let (id, object) = (record.id(), ObjectId::from(head));
        self.reviews.insert(review.id.clone(), (id, object));
        if self.request.notes.threads.review(id).is_some() {
            return Ok(());
        }
        self.batch.add(Home::On(object), record);
        self.reply.reviews += 1;
        let status = match review.status {
            Some(ReviewStatus::Closed) => Some(StatusWord::Closed),
            Some(ReviewStatus::Merged) => Some(StatusWord::Merged),
            Some(ReviewStatus::Open) => None,
            None => self.is_merged(head, review.base.as_bytes())?.then_some(StatusWord::Merged),
        };
        if let Some(status) = status {
            let status = StatusRecord {
                author: by.author,
                at,
                seq: Seq::default().next(),
                via: by.via,
                of: id,
                over: Vec::new(),
                status,
                reason: None,
                by: None,
                proposal: None,
                source: None,
            };
            self.batch.add(Home::On(object), Record::new(&Body::Status(status)).or_fault()?);
        }
        Ok(())
    }

    /// Imports a person's verdict on a review.
    pub fn verdict(&mut self, comment: &ImportedComment, verdict: Verdict) -> Result<(), Fault> {
        let refused = || Fault::new(FaultCode::NotFound, "it does not belong to an imported review");
        let (review, object) = self.review_named(comment.review.as_deref().ok_or_else(refused)?)?;
        let head = CommitId::from(object.raw());
        let by = ImportAuthor::of(&comment.author, comment.at.map_or(self.committed, Timestamp));
        let body = VerdictRecord {
            author: by.author,
            at: by.at,
            seq: Seq::default(),
            via: by.via,
            review,
            head,
            verdict: match verdict {
                Verdict::Approve => Judgement::Approve,
                Verdict::Changes => Judgement::Changes,
                Verdict::Comment => Judgement::Comment,
            },
            text: comment.text.trim().to_owned(),
        };
        let record = Record::new(&Body::Verdict(body)).or_fault()?;
        if self.has_verdict(review, record.id()) {
            self.reply.known += 1;
        } else {
            self.batch.add(Home::On(object), record);
            self.reply.reviews += 1;
        }
        Ok(())
    }

    fn has_verdict(&self, review: RecordId, verdict: RecordId) -> bool {
        let review = self.request.notes.threads.review(review);
        review.is_some_and(|review| review.verdicts().iter().any(|fact| fact.id == verdict))
    }

    fn is_merged(&self, head: CommitId, base: &[u8]) -> Result<bool, Fault> {
        let Ok(base) = RefName::from_bytes(base) else { return Ok(false) };
        let handle = self.request.work_tree.repository().handle();
        for tip in self.request.branches.base_tips(&handle, &base) {
            if history::is_ancestor(&handle, head, tip).or_fault()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
