//! A decoded record: its id, its body, and its place in the order of display.

use crate::record::{
    CommentRecord, EditRecord, MoveRecord, ProposalRecord, RecordId, RequestRecord, ReviewRecord, Seq,
    StatusRecord, Timestamp, VerdictRecord,
};

/// The body of one record, with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact<T> {
    /// The record.
    pub id: RecordId,
    /// Its content.
    pub said: T,
}

/// The order of display: by `seq`, then by time, then by id.
///
/// The record's author can choose the first two freely, so nothing but the order may depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(Seq, Timestamp, RecordId);

impl<T> Fact<T> {
    pub(super) fn moment(&self) -> Moment
    where
        T: Timed,
    {
        self.said.moment(self.id)
    }
}

/// Records that have a place in the order of display.
pub(super) trait Timed {
    fn seq(&self) -> Seq;
    fn at(&self) -> Timestamp;

    fn moment(&self, id: RecordId) -> Moment {
        Moment(self.seq(), self.at(), id)
    }
}

macro_rules! timed {
    ($($record:ty),*) => {$(
        impl Timed for $record {
            fn seq(&self) -> Seq {
                self.seq
            }

            fn at(&self) -> Timestamp {
                self.at
            }
        }
    )*};
}

timed!(
    CommentRecord,
    ReviewRecord,
    EditRecord,
    StatusRecord,
    MoveRecord,
    VerdictRecord,
    ProposalRecord,
    RequestRecord
);

/// The first `seq` after all these.
pub(in crate::review) fn seq_behind(all: impl IntoIterator<Item = Seq>) -> Seq {
    all.into_iter().max().map_or(Seq::default(), Seq::next)
}

/// Adds facts about one target to those that are known, each once, in ascending order of id.
pub(super) fn together<T>(known: impl Iterator<Item = Fact<T>>, more: Vec<Fact<T>>) -> Vec<Fact<T>> {
    let mut all = more;
    all.extend(known);
    all.sort_by_key(|fact| fact.id);
    all.dedup_by_key(|fact| fact.id);
    all
}

/// Puts together the facts about one target, in the order of their targets.
///
/// Facts that come in ascending order of id stay so within each group.
pub(super) fn by_target<T>(
    mut facts: Vec<Fact<T>>,
    target: impl Fn(&T) -> RecordId,
) -> impl Iterator<Item = (RecordId, Vec<Fact<T>>)> {
    facts.sort_by_key(|fact| target(&fact.said));
    let mut rest = facts.into_iter().peekable();
    std::iter::from_fn(move || {
        let first = rest.next()?;
        let of = target(&first.said);
        let mut group = vec![first];
        while let Some(next) = rest.next_if(|fact| target(&fact.said) == of) {
            group.push(next);
        }
        Some((of, group))
    })
}
