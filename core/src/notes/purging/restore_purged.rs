//! Makes new records of those that purges removed.
//!
//! A purge names ids, and an id is a hash of the content and the time. With another time, the same content is another
//! record; references to the old records become references to the new ones. The other time is the next millisecond
//! that no purge knows of, and not that of the clock: restoring twice, or in two clones, gives one record.

use std::collections::BTreeMap;

use super::purged_backup::PurgedRecord;
use crate::git::ObjectId;
use crate::notes::reading::page_scan::Purged;
use crate::record::{Body, Record, RecordError, RecordId, Timestamp};

/// What a purged record becomes when it is restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredRecord {
    /// The purged record.
    pub of: RecordId,
    /// The object whose note it was in.
    pub object: ObjectId,
    /// The record that says the same.
    pub record: Record,
}

/// Makes new records of old ones, each for the note that it was in; `purged` is what the purges of the notes name.
///
/// What is about a record that was removed at the same time is about the new one then, so that all that is kept must
/// be given, also to restore a part of it. Signatures, and text without an author, cannot be made again by somebody
/// else, and are left out.
pub fn restore_purged(old: &[PurgedRecord], purged: &Purged) -> Result<Vec<RestoredRecord>, RecordError> {
    let mut waiting: BTreeMap<RecordId, (ObjectId, Body)> = BTreeMap::new();
    for aside in old {
        if let Ok(body) = aside.record.body()
            && has_an_author(&body)
        {
            waiting.insert(aside.record.id(), (aside.object, body));
        }
    }
    let mut renamed: BTreeMap<RecordId, RecordId> = BTreeMap::new();
    let mut made = Vec::with_capacity(waiting.len());
    // An id cannot name what is made later, so each round makes at least those that come first.
    while !waiting.is_empty() {
        let ready: Vec<RecordId> = waiting
            .iter()
            .filter(|(_, (_, body))| !named_by(body).iter().any(|id| waiting.contains_key(id)))
            .map(|(id, _)| *id)
            .collect();
        if ready.is_empty() {
            break;
        }
        for id in ready {
            let Some((object, body)) = waiting.remove(&id) else { continue };
            let mut body = with_new_references(body, &renamed);
            let record = loop {
                body = with_next_time(body);
                let record = Record::new(&body)?;
                if !purged.names(record.id()) {
                    break record;
                }
            };
            renamed.insert(id, record.id());
            made.push(RestoredRecord { of: id, object, record });
        }
    }
    Ok(made)
}

fn has_an_author(body: &Body) -> bool {
    matches!(
        body,
        Body::Review(_)
            | Body::Comment(_)
            | Body::Edit(_)
            | Body::Status(_)
            | Body::Move(_)
            | Body::Verdict(_)
            | Body::Proposal(_)
            | Body::Request(_)
    )
}

/// The records that this one refers to.
fn named_by(body: &Body) -> Vec<RecordId> {
    match body {
        Body::Comment(comment) => comment.review.into_iter().chain(comment.parent).collect(),
        Body::Edit(edit) => [&[edit.of], &*edit.over].concat(),
        Body::Status(status) => {
            [status.of].into_iter().chain(status.proposal).chain(status.over.iter().copied()).collect()
        }
        Body::Move(moved) => {
            [moved.of].into_iter().chain(moved.proposal).chain(moved.over.iter().copied()).collect()
        }
        Body::Verdict(verdict) => vec![verdict.review],
        Body::Proposal(proposal) => vec![proposal.of],
        Body::Request(request) => [&[request.review], &*request.over].concat(),
        _ => Vec::new(),
    }
}

fn with_new_references(mut body: Body, renamed: &BTreeMap<RecordId, RecordId>) -> Body {
    let new = |id: &mut RecordId| *id = renamed.get(id).copied().unwrap_or(*id);
    match &mut body {
        Body::Comment(comment) => comment.review.iter_mut().chain(&mut comment.parent).for_each(new),
        Body::Edit(edit) => edit.over.iter_mut().chain([&mut edit.of]).for_each(new),
        Body::Status(status) => {
            status.over.iter_mut().chain([&mut status.of]).chain(&mut status.proposal).for_each(new);
        }
        Body::Move(moved) => {
            moved.over.iter_mut().chain([&mut moved.of]).chain(&mut moved.proposal).for_each(new);
        }
        Body::Verdict(verdict) => new(&mut verdict.review),
        Body::Proposal(proposal) => new(&mut proposal.of),
        Body::Request(request) => {
            request.over.iter_mut().chain([&mut request.review]).for_each(new);
        }
        _ => {}
    }
    body
}

/// One millisecond later; times are for showing only, and `seq` keeps the order.
fn with_next_time(mut body: Body) -> Body {
    // At the end of time it goes on from the beginning: it must be another one each time.
    let later = |at: &mut Timestamp| *at = Timestamp(at.0.wrapping_add(1));
    match &mut body {
        Body::Review(review) => later(&mut review.at),
        Body::Comment(comment) => later(&mut comment.at),
        Body::Edit(edit) => later(&mut edit.at),
        Body::Status(status) => later(&mut status.at),
        Body::Move(moved) => later(&mut moved.at),
        Body::Verdict(verdict) => later(&mut verdict.at),
        Body::Proposal(proposal) => later(&mut proposal.at),
        Body::Request(request) => later(&mut request.at),
        _ => {}
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Author, CommentRecord, PurgeRecord, Seq, StatusRecord, StatusWord};

    fn comment(text: &str, parent: Option<RecordId>) -> Record {
        let comment = CommentRecord {
            author: Author { name: "Ann".into(), email: "ann@example.com".into() },
            at: Timestamp(5),
            seq: Seq::new(0),
            via: None,
            review: None,
            parent,
            anchor: None,
            text: text.into(),
            severity: None,
            tags: Vec::new(),
            suggestion: Vec::new(),
        };
        Record::new(&Body::Comment(comment)).unwrap()
    }

    #[test]
    fn a_thread_comes_back_whole_under_other_ids() {
        let root = comment("why?", None);
        let reply = comment("because", Some(root.id()));
        let status = StatusRecord {
            author: Author { name: "Ann".into(), email: "ann@example.com".into() },
            at: Timestamp(6),
            seq: Seq::new(2),
            via: None,
            of: root.id(),
            over: Vec::new(),
            status: StatusWord::Resolved,
            reason: None,
            by: None,
            proposal: None,
            source: None,
        };
        let resolved = Record::new(&Body::Status(status)).unwrap();
        let object = ObjectId::from_bytes(&[1; 20]).unwrap();
        let old: Vec<PurgedRecord> = [&reply, &resolved, &root]
            .map(|record| PurgedRecord { since: 0, object, record: record.clone() })
            .to_vec();
        let made = restore_purged(&old, &Purged::default()).unwrap();
        assert_eq!(made.len(), 3);
        assert!(made.iter().all(|new| old.iter().all(|aside| aside.record.id() != new.record.id())));
        let bodies: Vec<Body> = made.iter().map(|new| new.record.body().unwrap()).collect();
        let [Body::Comment(first), ..] = &*bodies else { panic!("the root is made first: {bodies:?}") };
        assert_eq!((first.text.as_str(), made[0].of), ("why?", root.id()));
        for body in &bodies[1..] {
            assert_eq!(named_by(body), [made[0].record.id()]);
        }
        assert_eq!(restore_purged(&old, &Purged::default()).unwrap(), made, "twice is once");

        // A purge of what was restored is a purge too.
        let mut purged = Purged::default();
        let again = PurgeRecord {
            author: Author { name: "Eve".into(), email: "eve@example.com".into() },
            at: Timestamp(9),
            seq: Seq::new(3),
            via: None,
            of: vec![made[0].record.id()],
            blobs: Vec::new(),
        };
        purged.learn(&Record::new(&Body::Purge(again)).unwrap());
        let later = restore_purged(&old, &purged).unwrap();
        assert!(later.iter().all(|new| made.iter().all(|before| before.record.id() != new.record.id())));
        // Whichever of the two is restored, it is the same record.
        let restored = PurgedRecord { since: 0, object, record: made[0].record.clone() };
        let both = restore_purged(&[old[2].clone(), restored], &purged).unwrap();
        assert_eq!(both[0].record, both[1].record);
    }
}
