//! The list of reviews, with what each of the open ones waits for.

use std::collections::BTreeMap;

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{
    Detail, Filter, Inbox, List, ListOrder, ReviewList, ReviewShow, ReviewStatus, SeverityView, ThreadStatus,
};

use super::page_body::PageBody;
use super::reading::{failed, frame};
use super::router::{HTML, respond};
use super::site::PageSite;
use crate::pages::{ReviewFacts, overview};

/// Of so many open reviews it is said what they wait for; of more, that would take long.
const MAX_WITH_FACTS: usize = 20;

/// The page of all reviews.
pub(super) async fn reviews(site: &PageSite) -> Response<PageBody> {
    match site.session.ask(ReviewList::default()).await {
        Ok(reply) => {
            let mut facts = BTreeMap::new();
            let unread = unread(site).await;
            let open = reply.reviews.iter().filter(|review| review.status == ReviewStatus::Open);
            for review in open.take(MAX_WITH_FACTS) {
                let id = review.id.to_string();
                // What cannot be told of one is no reason to show none.
                if let Ok(found) = facts_of(site, &id).await {
                    let unread = unread.get(&id).copied().unwrap_or_default();
                    facts.insert(id, ReviewFacts { unread, ..found });
                }
            }
            respond(HTML, overview(&reply, &facts, &frame(site)))
        }
        Err(error) => failed(site, &error),
    }
}

/// In how many threads of each review something is unread.
async fn unread(site: &PageSite) -> BTreeMap<String, usize> {
    let Ok(inbox) = site.session.ask(Inbox {}).await else { return BTreeMap::new() };
    let reviews = inbox.reviews.into_iter();
    reviews.filter_map(|one| Some((one.review?.id.to_string(), one.threads.len()))).collect()
}

async fn facts_of(site: &PageSite, review: &str) -> Result<ReviewFacts, SessionError> {
    let filter =
        Filter { review: Some(review.to_owned()), statuses: vec![ThreadStatus::Open], ..Filter::default() };
    let list = List { filter, detail: Detail::Line, order: ListOrder::Severity, ..List::default() };
    let (shown, listed) = tokio::join!(
        site.session.ask(ReviewShow { review: Some(review.to_owned()) }),
        site.session.ask(list)
    );
    let shown = shown?;
    let mut severities: Vec<(String, usize)> = Vec::new();
    for word in listed?.lines.iter().filter_map(|line| line.severity.as_ref()).map(SeverityView::word) {
        match severities.iter_mut().find(|(known, _)| known == word) {
            Some((_, count)) => *count += 1,
            None => severities.push((word.to_owned(), 1)),
        }
    }
    Ok(ReviewFacts { ready: shown.ready, threads: shown.review.threads, severities, unread: 0 })
}
