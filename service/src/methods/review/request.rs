//! Asks people to review, or releases them.

use std::collections::BTreeMap;

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::formats::person;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::review::{review_now, review_reply};
use crate::writing::records::{PendingRecords, audience_of, write_records};
use postil_core::notes::Home;
use postil_core::record::{Author, Body, Record, RequestRecord, RequestWord};
use postil_core::review::{Review, ReviewGroup};
use postil_protocol::{Advice, Fault, FaultCode, ReviewAsk, ReviewReply};

/// The authors of so many commits are known by a part of their name.
const MAX_COMMITS: usize = 1000;

/// More candidates than this are not listed.
const MAX_CANDIDATES: usize = 10;

/// Asks people to review, or releases them; who is asked already, or was not, is left as they are.
pub fn request_review(request: &Request, actor: &Actor, asked: &ReviewAsk) -> Result<ReviewReply, Fault> {
    let group = review_named(request, asked.review.as_deref())?;
    if asked.who.is_empty() {
        return Err(Fault::new(FaultCode::InvalidParams, "no person is named"));
    }
    let mut said = PendingRecords::default();
    let (mut names, mut seq) = (Vec::new(), group.next_seq());
    for name in &asked.who {
        let who = person_named(request, group, name)?;
        let asked_in = |review: &Review| review.asked().iter().any(|one| one.said.who.email == who.email);
        // Those that are shown as one are released as one; one of them is enough to ask.
        let reviews: Vec<&Review> = match asked.release {
            true => group.reviews().filter(|review| asked_in(review)).collect(),
            false if group.reviews().any(asked_in) => Vec::new(),
            false => vec![group.lead()],
        };
        for review in reviews {
            let body = RequestRecord {
                author: actor.author.clone(),
                at: actor.at,
                seq,
                via: actor.via.clone(),
                review: review.id(),
                over: review.over_for_request(&who.email),
                who: who.clone(),
                request: if asked.release { RequestWord::Released } else { RequestWord::Asked },
            };
            said.records.push((Home::On(review.page()), Record::new(&Body::Request(body)).or_fault()?));
        }
        seq = seq.next();
        names.push(who.name);
    }
    if said.records.is_empty() {
        return review_reply(request, group, false);
    }
    let names = names.join(", ");
    let message = if asked.release {
        format!("Release {names} from the review")
    } else {
        format!("Ask {names} to review")
    };
    write_records(request, actor, said, audience_of(request, group.id()), &message)?;
    review_now(request, actor, group.id(), false)
}

/// The person with this name: `Name <email>`, an email, or a part of what only one known person is called.
fn person_named(request: &Request, group: ReviewGroup<'_>, name: &str) -> Result<Author, Fault> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Fault::new(FaultCode::InvalidParams, "the name of a person is empty"));
    }
    if name.contains('<') {
        let read = person::read(name);
        return Ok(Author { name: read.name, email: read.email });
    }
    let known = known_people(request, group);
    let lower = name.to_lowercase();
    let has = |author: &&Author| author.email.to_lowercase() == lower || author.name.to_lowercase() == lower;
    let has_part = |author: &&Author| {
        author.email.to_lowercase().contains(&lower) || author.name.to_lowercase().contains(&lower)
    };
    let exact: Vec<&Author> = known.values().filter(has).collect();
    let found = if exact.is_empty() { known.values().filter(has_part).collect() } else { exact };
    match found[..] {
        [one] => Ok(one.clone()),
        [] if name.contains('@') => Ok(Author { name: name.to_owned(), email: name.to_owned() }),
        [] => {
            let message = format!("no author of a commit or comment is called {name:?}");
            Err(Fault::new(FaultCode::NotFound, message).advise(Advice::NamePerson))
        }
        ref several => {
            let candidates = several.iter().take(MAX_CANDIDATES);
            let candidates = candidates.map(|author| format!("{} <{}>", author.name, author.email));
            Err(Fault::new(FaultCode::Ambiguous, format!("several people are called {name:?}"))
                .perhaps(candidates)
                .advise(Advice::NamePerson))
        }
    }
}

/// People by email: those who were asked, who wrote comments by hand, and the authors of the newest commits.
fn known_people(request: &Request, group: ReviewGroup<'_>) -> BTreeMap<String, Author> {
    let mut known: BTreeMap<String, Author> = BTreeMap::new();
    let mut add = |author: &Author| _ = known.entry(author.email.clone()).or_insert_with(|| author.clone());
    group.asked().iter().for_each(|one| add(&one.said.who));
    let by_hand = request.notes.threads.comments().filter(|comment| comment.said().via.is_none());
    by_hand.for_each(|comment| add(&comment.said().author));
    let handle = request.work_tree.repository().handle();
    let walk = request.head.and_then(|head| handle.rev_walk([head.raw()]).all().ok());
    for commit in walk.into_iter().flatten().take(MAX_COMMITS).flatten() {
        let Ok(commit) = commit.object() else { continue };
        if let Ok(author) = commit.author() {
            add(&Author { name: author.name.to_string(), email: author.email.to_string() });
        }
    }
    known
}
