//! Makes new records of those that other people's purges removed.
//!
//! A purge names ids, and an id is a hash of the content and the time. With a new time, the same content is another
//! record; references to the old records become references to the new ones.

use std::collections::BTreeMap;

use super::purged_backup::PurgedRecord;
use crate::git::ObjectId;
use crate::record::{Body, Record, RecordError, RecordId, Timestamp};

/// Makes new records of old ones, with the time `now`, each for the note that it was in.
///
/// Signatures, and text without an author, cannot be made again by somebody else, and are left out.
pub fn restore_purged(old: &[PurgedRecord], now: Timestamp) -> Result<Vec<(ObjectId, Record)>, RecordError> {
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
            let record = Record::new(&with_new_time(body, now, &renamed))?;
            renamed.insert(id, record.id());
            made.push((object, record));
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
    )
}

/// The records that this one refers to.
fn named_by(body: &Body) -> Vec<RecordId> {
    match body {
        Body::Comment(comment) => comment.review.into_iter().chain(comment.parent).collect(),
        Body::Edit(edit) => [&[edit.of], &*edit.over].concat(),
        Body::Status(status) => [&[status.of], &*status.over].concat(),
        Body::Move(moved) => [&[moved.of], &*moved.over].concat(),
        Body::Verdict(verdict) => vec![verdict.review],
        _ => Vec::new(),
    }
}

fn with_new_time(mut body: Body, now: Timestamp, renamed: &BTreeMap<RecordId, RecordId>) -> Body {
    let new = |id: &mut RecordId| *id = renamed.get(id).copied().unwrap_or(*id);
    // Never the old moment, which would give the old id.
    let later = |at: &mut Timestamp| *at = now.max(Timestamp(at.0.saturating_add(1)));
    match &mut body {
        Body::Review(review) => later(&mut review.at),
        Body::Comment(comment) => {
            later(&mut comment.at);
            comment.review.iter_mut().chain(&mut comment.parent).for_each(new);
        }
        Body::Edit(edit) => {
            later(&mut edit.at);
            edit.over.iter_mut().chain([&mut edit.of]).for_each(new);
        }
        Body::Status(status) => {
            later(&mut status.at);
            status.over.iter_mut().chain([&mut status.of]).for_each(new);
        }
        Body::Move(moved) => {
            later(&mut moved.at);
            moved.over.iter_mut().chain([&mut moved.of]).for_each(new);
        }
        Body::Verdict(verdict) => {
            later(&mut verdict.at);
            new(&mut verdict.review);
        }
        _ => {}
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Author, CommentRecord, Seq, StatusRecord, StatusWord};

    fn comment(text: &str, parent: Option<RecordId>) -> Record {
        let comment = CommentRecord {
            author: Author { name: "Ann".into(), email: "ann@example.com".into() },
            at: Timestamp(5),
            seq: Seq::new(0),
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
            of: root.id(),
            over: Vec::new(),
            status: StatusWord::Resolved,
            reason: None,
        };
        let resolved = Record::new(&Body::Status(status)).unwrap();
        let object = ObjectId::from_bytes(&[1; 20]).unwrap();
        let old: Vec<PurgedRecord> = [&reply, &resolved, &root]
            .map(|record| PurgedRecord { since: 0, object, record: record.clone() })
            .to_vec();
        for now in [Timestamp(0), Timestamp(5), Timestamp(900)] {
            let made = restore_purged(&old, now).unwrap();
            assert_eq!(made.len(), 3);
            assert!(made.iter().all(|(_, record)| old.iter().all(|aside| aside.record.id() != record.id())));
            let bodies: Vec<Body> = made.iter().map(|(_, record)| record.body().unwrap()).collect();
            let [Body::Comment(first), ..] = &*bodies else { panic!("the root is made first: {bodies:?}") };
            assert_eq!(first.text, "why?");
            for body in &bodies[1..] {
                assert_eq!(named_by(body), [made[0].1.id()]);
            }
        }
    }
}
