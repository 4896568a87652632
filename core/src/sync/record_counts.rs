//! Counts records by what they are, for people.

use crate::record::{Body, Record, StatusWord};

/// How many new records there are of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// Comments and replies.
    pub comments: usize,
    /// Threads that were resolved.
    pub resolved: usize,
    /// Threads and reviews that were opened again: a status does not say which of them it is about.
    pub reopened: usize,
    /// Threads that were withdrawn.
    pub withdrawn: usize,
    /// Reviews that were opened.
    pub reviews: usize,
    /// Reviews that ended.
    pub ended: usize,
    /// Verdicts.
    pub verdicts: usize,
    /// Proposals of agents and tools.
    pub proposals: usize,
    /// Requests to people to review, and releases.
    pub requests: usize,
    /// Edits of texts.
    pub edits: usize,
    /// Comments that a person moved.
    pub moves: usize,
    /// Purges.
    pub purges: usize,
    /// Notes of other programs, and records of later versions.
    pub others: usize,
    /// Signatures; not counted in [`RecordCounts::total`].
    pub signatures: usize,
}

impl RecordCounts {
    /// Counts these.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut news = Self::default();
        news.count(records);
        news
    }

    /// Counts these as well.
    pub fn count<'a>(&mut self, records: impl IntoIterator<Item = &'a Record>) {
        for record in records {
            *self.place_of(record) += 1;
        }
    }

    /// How many records there are in all, without signatures.
    pub fn total(&self) -> usize {
        let counts = [
            self.comments,
            self.resolved,
            self.reopened,
            self.withdrawn,
            self.reviews,
            self.ended,
            self.verdicts,
            self.proposals,
            self.requests,
            self.edits,
            self.moves,
            self.purges,
            self.others,
        ];
        counts.iter().sum()
    }

    fn place_of(&mut self, record: &Record) -> &mut usize {
        match record.body() {
            Ok(Body::Comment(_)) => &mut self.comments,
            Ok(Body::Status(status)) => match status.status {
                StatusWord::Resolved => &mut self.resolved,
                StatusWord::Open => &mut self.reopened,
                StatusWord::Withdrawn => &mut self.withdrawn,
                StatusWord::Merged | StatusWord::Closed => &mut self.ended,
            },
            Ok(Body::Review(_)) => &mut self.reviews,
            Ok(Body::Verdict(_)) => &mut self.verdicts,
            Ok(Body::Proposal(_)) => &mut self.proposals,
            Ok(Body::Request(_)) => &mut self.requests,
            Ok(Body::Edit(_)) => &mut self.edits,
            Ok(Body::Move(_)) => &mut self.moves,
            Ok(Body::Purge(_)) => &mut self.purges,
            Ok(Body::Signature(_)) => &mut self.signatures,
            Ok(Body::Positions(_) | Body::Text(_) | Body::Leftover(_)) | Err(_) => &mut self.others,
        }
    }
}
