//! Decodes every record once and sorts them by kind.
//!
//! Nothing is decided here. What cannot be decoded is kept as it is. Purges, positions and text of other programs do
//! not matter for threads and are skipped: the store has already applied the purges, and positions are a cache.

use std::borrow::Borrow;
use std::num::NonZeroUsize;

use super::comment::Comment;
use super::fact::Fact;
use super::review::Review;
use crate::git::ObjectId;
use crate::record::{
    Body, BodyError, EditRecord, MoveRecord, PositionsRecord, ProposalRecord, Record, RecordId,
    RequestRecord, SignatureRecord, StatusRecord, VERSION, VerdictRecord,
};

/// A record of a later version, or with a damaged body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood {
    /// The record itself, untouched.
    pub record: Record,
    /// The object whose note it is in; of several, the lowest.
    pub page: ObjectId,
    /// What is wrong with it.
    pub why: BodyError,
}

/// All records by kind, each once, in ascending order of id.
#[derive(Default)]
pub(super) struct RecordsByKind {
    pub(super) comments: Vec<Comment>,
    pub(super) reviews: Vec<Review>,
    pub(super) edits: Vec<Fact<EditRecord>>,
    pub(super) statuses: Vec<Fact<StatusRecord>>,
    pub(super) moves: Vec<Fact<MoveRecord>>,
    pub(super) verdicts: Vec<Fact<VerdictRecord>>,
    pub(super) proposals: Vec<Fact<ProposalRecord>>,
    pub(super) requests: Vec<Fact<RequestRecord>>,
    pub(super) signatures: Vec<Fact<SignatureRecord>>,
    pub(super) not_understood: Vec<NotUnderstood>,
}

/// Fewer records are read on one thread: each takes some microseconds, and starting a thread some dozens.
const WORTH_A_THREAD: usize = 256;

impl RecordsByKind {
    pub(super) fn read<R: Borrow<Record> + Sync>(
        records: impl IntoIterator<Item = (ObjectId, R)>,
        threads: NonZeroUsize,
    ) -> Self {
        let mut found: Vec<(RecordId, ObjectId, R)> =
            records.into_iter().map(|(page, record)| (record.borrow().id(), page, record)).collect();
        found.sort_unstable_by(|(id, page, _), (other_id, other_page, _)| {
            id.cmp(other_id).then_with(|| page.cmp(other_page))
        });
        let threads = threads.get().min(found.len() / WORTH_A_THREAD).max(1);
        let mut runs = runs(&found, threads).into_iter();
        let own = runs.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let workers: Vec<_> = runs.map(|run| scope.spawn(|| Self::of(run))).collect();
            let mut all = Self::of(own);
            for worker in workers {
                all.append(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            all
        })
    }

    /// Adds records in ascending order of id.
    fn of<R: Borrow<Record>>(found: &[(RecordId, ObjectId, R)]) -> Self {
        let mut kinds = Self::default();
        for copies in found.chunk_by(|(id, ..), (next, ..)| id == next) {
            kinds.put(copies);
        }
        kinds
    }

    /// Adds records whose ids come after all of these.
    fn append(&mut self, mut behind: Self) {
        self.comments.append(&mut behind.comments);
        self.reviews.append(&mut behind.reviews);
        self.edits.append(&mut behind.edits);
        self.statuses.append(&mut behind.statuses);
        self.moves.append(&mut behind.moves);
        self.verdicts.append(&mut behind.verdicts);
        self.proposals.append(&mut behind.proposals);
        self.requests.append(&mut behind.requests);
        self.signatures.append(&mut behind.signatures);
        self.not_understood.append(&mut behind.not_understood);
    }

    /// Adds one record, of which there may be several copies.
    fn put<R: Borrow<Record>>(&mut self, copies: &[(RecordId, ObjectId, R)]) {
        let [(id, page, record), ..] = copies else { return };
        let (id, page, record) = (*id, *page, record.borrow());
        if record.is(PositionsRecord::KIND) && record.version() == VERSION {
            return;
        }
        match record.body() {
            Ok(Body::Comment(said)) => self.comments.push(Comment::new(id, page, said)),
            Ok(Body::Review(said)) => self.reviews.push(Review::new(id, page, said)),
            Ok(Body::Edit(said)) => self.edits.push(Fact { id, said }),
            Ok(Body::Status(said)) => self.statuses.push(Fact { id, said }),
            Ok(Body::Move(said)) => self.moves.push(Fact { id, said }),
            Ok(Body::Verdict(said)) => self.verdicts.push(Fact { id, said }),
            Ok(Body::Proposal(said)) => self.proposals.push(Fact { id, said }),
            Ok(Body::Request(said)) => self.requests.push(Fact { id, said }),
            Ok(Body::Signature(said)) => self.signatures.push(Fact { id, said }),
            // Words that somebody wrote into a note by other means stay there, and are nobody's comment.
            Ok(Body::Text(_) | Body::Purge(_) | Body::Positions(_)) => {}
            Ok(Body::Leftover(_)) => {
                let why = BodyError::UnknownKind { kind: record.kind().into() };
                self.not_understood.push(NotUnderstood { record: record.clone(), page, why });
            }
            Err(why) => self.not_understood.push(NotUnderstood { record: record.clone(), page, why }),
        }
    }
}

/// Splits sorted records into runs of about the same length; copies of one record stay together.
fn runs<R>(found: &[(RecordId, ObjectId, R)], count: usize) -> Vec<&[(RecordId, ObjectId, R)]> {
    let mut runs = Vec::with_capacity(count);
    let mut rest = found;
    for left in (1..=count).rev() {
        let at = rest.len() / left;
        let is_copy = |at: &usize| *at > 0 && *at < rest.len() && rest[*at - 1].0 == rest[*at].0;
        let end = (at..=rest.len()).find(|at| !is_copy(at)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        runs.push(run);
        rest = behind;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PurgeRecord, Seq, SignatureFormat, Timestamp};
    use crate::review::folding::story::{Story, author, foreign_record, page, unknown};
    use crate::review::folding::threads::Threads;

    #[test]
    fn runs_hold_every_record_in_order_and_no_copy_is_cut_off() {
        let copies = |number: u8| vec![(unknown(number), page(1), ()); 1 + usize::from(number % 4)];
        let found: Vec<(RecordId, ObjectId, ())> = (0..9).flat_map(copies).collect();
        for count in 1..=found.len() + 3 {
            let runs = runs(&found, count);
            assert_eq!((runs.len(), runs.concat()), (count, found.clone()));
            let ends = runs.iter().filter_map(|run| Some((run.first()?.0, run.last()?.0)));
            let ends: Vec<(RecordId, RecordId)> = ends.collect();
            assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "{count}");
        }
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let mut story = Story::default();
        for number in 0..(3 * WORTH_A_THREAD) {
            story.put(foreign_record("poll", format!("\u{a0}{number}").as_bytes(), 1));
        }
        let copies = story.records.clone();
        let records = || story.records.iter().chain(&copies).map(|(page, record)| (*page, record));
        let alone = Threads::fold(records());
        assert_eq!(alone.not_understood().len(), 3 * WORTH_A_THREAD);
        for threads in [2, 3, 7] {
            let threads = NonZeroUsize::new(threads).unwrap();
            assert_eq!(Threads::fold_on(records(), threads), alone, "{threads}");
        }
    }

    #[test]
    fn records_that_are_not_understood_are_listed_with_the_reason() {
        let check = |record: Record, expected: &str| {
            let mut story = Story { page: 2, ..Story::default() };
            let id = story.put(record);
            let threads = story.threads();
            let [unread] = threads.not_understood() else { panic!("{expected}") };
            assert_eq!((unread.record.id(), unread.page), (id, page(2)), "{expected}");
            assert!(unread.why.to_string().starts_with(expected), "{} is not {expected}", unread.why);
        };
        check(foreign_record("poll", b"\xa0", 1), "unknown kind of record: poll");
        check(foreign_record("comment", b"\xa0", 2), "unknown version of comment: 2");
        check(foreign_record("positions", b"\xa0", 3), "unknown version of positions: 3");
        check(foreign_record("edit", b"\xbf\xff", 1), "the body of this edit is not deterministic CBOR");
        check(foreign_record("purge", b"\xa0", 1), "the body of this purge cannot be read");
    }

    #[test]
    fn a_purge_hides_nothing_here() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        let before = story.threads();
        let (author, seq) = (author("eve"), Seq::new(0));
        story.say(&Body::Purge(PurgeRecord {
            author,
            at: Timestamp(0),
            seq,
            via: None,
            of: vec![comment],
            blobs: vec![],
        }));
        assert_eq!(story.threads(), before);
    }

    #[test]
    fn signatures_are_found_by_what_they_sign_also_where_that_is_not_here() {
        let mut story = Story::default();
        let comment = story.comment("ann", "why?");
        let mut sign = |of: RecordId, signature: &[u8]| {
            let (format, signature) = (SignatureFormat::Ssh, signature.to_vec());
            story.say(&Body::Signature(SignatureRecord { of, format, signature }))
        };
        let (one, two, other) = (sign(comment, b"one"), sign(comment, b"two"), sign(unknown(3), b"other"));
        let threads = story.threads();
        let ids = |of: RecordId| threads.signatures_of(of).iter().map(|fact| fact.id).collect::<Vec<_>>();
        assert_eq!(ids(comment), [one.min(two), one.max(two)]);
        assert_eq!(ids(unknown(3)), [other]);
        assert_eq!(ids(unknown(4)), []);
        assert_eq!(threads.signatures().len(), 3);
    }

    #[test]
    fn what_is_about_nothing_that_is_here_is_set_aside() {
        let mut story = Story::default();
        let review = story.review("ann", "refs/heads/topic");
        let mut ids = [
            story.edit(unknown(1), "ann", &[], "why?"),
            story.moved(unknown(1), "ann", &[], 3),
            story.moved(review, "ann", &[], 3),
            story.status(unknown(2), "ann", &[], crate::record::StatusWord::Open),
            story.verdict(unknown(3), "ann", crate::record::Judgement::Approve),
        ];
        ids.sort();
        let threads = story.threads();
        assert_eq!(threads.unplaced().iter().map(|fact| fact.id).collect::<Vec<_>>(), ids);
        assert_eq!(threads.iter().len(), 0);
    }
}
