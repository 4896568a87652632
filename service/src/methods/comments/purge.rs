//! Takes records out of the notes for good.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::kept_purged::{KeptPurged, add_person};
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::follow_up::let_heads_go;
use crate::view::{self, hex};
use crate::writing::sign::{signatures_of, with_signatures};
use postil_core::git::BlobId;
use postil_core::notes::Home;
use postil_core::record::{Anchor, Body, PurgeRecord, Record, RecordId, Seq};
use postil_core::review::{Comment, Review, Thread};
use postil_protocol::{Advice, Fault, FaultCode, Mark, Purge, PurgeReply};
use std::collections::BTreeSet;

/// Hides threads or single answers everywhere, for good.
///
/// Without a confirmation it only tells what would go: nobody loses words, their own or others', by one wrong id.
pub fn purge(request: &Request, actor: &Actor, asked: &Purge) -> Result<PurgeReply, Fault> {
    let threads = &request.notes.threads;
    let mut of: BTreeSet<RecordId> = BTreeSet::new();
    let mut named: BTreeSet<RecordId> = BTreeSet::new();
    for name in &asked.of {
        match request.notes.thread_named(name) {
            Ok(thread) => {
                let comment = request.notes.comment_named(name);
                named.insert(comment.map_or(thread.id(), Comment::id));
                of.extend(part_of(request, thread, name));
            }
            // What fits several is never taken for something else.
            Err(fault) if fault.code != FaultCode::NotFound => return Err(fault),
            Err(fault) => match review_named(request, Some(name)) {
                Ok(group) => {
                    named.extend(group.reviews().map(Review::id));
                    of.extend(group.reviews().map(Review::id));
                }
                Err(_) => return Err(fault),
            },
        }
    }
    // A pin goes with the last comment that needs it.
    let stays: BTreeSet<BlobId> = threads
        .iter()
        .filter(|thread| !of.contains(&thread.id()))
        .filter_map(Thread::anchor)
        .filter_map(|anchor: &Anchor| anchor.blob)
        .collect();
    let gone = threads.iter().filter(|thread| of.contains(&thread.id()));
    let blobs: BTreeSet<BlobId> = gone
        .filter_map(Thread::anchor)
        .filter_map(|anchor| anchor.blob)
        .filter(|blob| !stays.contains(blob))
        .collect();
    let plan = planned(request, actor, &named, &of);
    let purge = PurgeRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: Seq::default(),
        via: actor.via.clone(),
        of: with_signatures(threads, of).into_iter().collect(),
        blobs: blobs.into_iter().collect(),
    };
    let plan = PurgeReply { records: small(purge.of.len()), ..plan };
    match asked.confirmed {
        _ if asked.force => {}
        Some(records) if records == plan.records => {}
        Some(_) => {
            let message = "something was added to it since you were asked; nothing was purged";
            return Err(Fault::new(FaultCode::Conflict, message).advise(Advice::TryAgain));
        }
        None => return Ok(plan),
    }
    let record = Record::new(&Body::Purge(purge.clone())).or_fault()?;
    let signature = signatures_of(request, &[&record])?.pop();
    let home = purge.of.iter().find_map(|id| threads.home(*id));
    let mut purging = request.repository.store.purge(&record, &purge, &actor.committer()).or_fault()?;
    let handle = request.repository.store.repository().handle();
    request.own_writes.wrote(&handle, Some(purging.tip));
    purging.warnings.iter().for_each(|warning| request.warnings.say(warning));
    if let Some((signature, object)) = signature.zip(home) {
        let batch = request.repository.store.batch().add(Home::On(object), signature);
        let written = batch.write(&actor.committer(), "Sign a purge").or_fault();
        if let Some(written) = request.warnings.after_write(written) {
            purging.tip = written.tip.unwrap_or(purging.tip);
            request.own_writes.wrote(&handle, written.tip);
        }
    }
    let reviews = purge.of.iter().copied().filter(|id| threads.review(*id).is_some());
    let_heads_go(request, reviews, &actor.committer());
    let purged: BTreeSet<RecordId> = purge.of.into_iter().collect();
    // How it comes back is told as well as it can be: it is purged, whatever becomes of this.
    let kept = KeptPurged::read(&request.repository.store);
    let restore = kept.iter().flat_map(KeptPurged::to_restore).map(|one| one.record.id());
    Ok(PurgeReply {
        done: true,
        dropped: small(purging.dropped),
        notes: Some(hex(purging.tip)),
        restore: restore.filter(|id| purged.contains(id)).map(hex).collect(),
        ..plan
    })
}

/// What would go, and who wrote it.
fn planned(
    request: &Request,
    actor: &Actor,
    named: &BTreeSet<RecordId>,
    of: &BTreeSet<RecordId>,
) -> PurgeReply {
    let threads = &request.notes.threads;
    let comments: Vec<&Comment> = of.iter().filter_map(|id| threads.comment(*id)).collect();
    let mut authors = Vec::new();
    for comment in &comments {
        add_person(&mut authors, &comment.said().author);
    }
    for review in of.iter().filter_map(|id| threads.review(*id)) {
        add_person(&mut authors, &review.said().author);
    }
    PurgeReply {
        of: named.iter().map(|id| request.notes.prefixes.shorten(*id).to_string()).collect(),
        done: false,
        threads: small(threads.iter().filter(|thread| of.contains(&thread.id())).count()),
        comments: small(comments.len()),
        others: authors.iter().any(|author| author.email != actor.author.email),
        authors,
        records: 0,
        dropped: 0,
        restore: Vec::new(),
        notes: request.notes.version.notes.map(hex),
        warnings: Vec::new(),
        mark: Mark::default(),
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A whole thread, or of an answer what is about it alone.
pub(crate) fn part_of(request: &Request, thread: Thread<'_>, name: &str) -> BTreeSet<RecordId> {
    let Ok(comment) = request.notes.comment_named(name) else { return view::records_of(thread) };
    if comment.id() == thread.id() {
        return view::records_of(thread);
    }
    let words = comment.words();
    let mut ids = BTreeSet::from([comment.id()]);
    ids.extend(words.edits().changes().iter().chain(words.proposals().changes()).map(|edit| edit.id));
    ids.extend(comment.statuses().changes().iter().map(|status| status.id));
    ids
}
