//! Reports what waits for a person: reviews to judge, and what others did in the threads and reviews that are theirs.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

use postil_core::record::{Author, RecordId, Via};
use postil_core::review::{ReviewGroup, Thread, ThreadState};
use postil_protocol::{
    ByteText, InboxReply, InboxReview, InboxReviewName, InboxThread, MAX_INBOX, Mark, NewsView, Person,
};

use crate::convert::severity;
use crate::lists::unread::ReadState;
use crate::repository::person::author;
use crate::request::Request;
use crate::reviews::to_judge::to_judge;
use crate::view::timeline::what;
use crate::view::{self, hex, person};

/// So many characters of a line are told.
const MAX_LINE_CHARS: usize = 500;

/// Reports what waits for who asks, else for the person whose repository it is.
pub fn inbox(request: &Request) -> InboxReply {
    let git_dir = ByteText::new(request.work_tree.repository().common_dir().as_os_str().as_bytes());
    let who = request.asker.clone().or_else(|| author(request.work_tree.repository()));
    let incomplete = !request.notes.unread().is_empty();
    let Some(who) = who else {
        return InboxReply {
            git_dir,
            who: None,
            reviews: Vec::new(),
            more: 0,
            incomplete,
            mark: Mark::default(),
            warnings: Vec::new(),
        };
    };
    let state = ReadState::of_person(request, &who.email);
    let mut found: BTreeMap<Option<RecordId>, InboxReview> = BTreeMap::new();
    for group in request.notes.threads.groups() {
        let review = of_review(request, group, &who, &state);
        if review.asked.is_some() || !review.verdicts.is_empty() {
            found.insert(Some(group.id()), review);
        }
    }
    let mut threads = with_news(request, &who, &state);
    let more = u32::try_from(threads.len().saturating_sub(MAX_INBOX)).unwrap_or(u32::MAX);
    threads.truncate(MAX_INBOX);
    for (thread, view) in threads {
        let review = view::review_of(&request.notes, thread);
        let group = review.and_then(|id| request.notes.threads.group_of(id));
        let entry = found.entry(group.map(ReviewGroup::id)).or_insert_with(|| InboxReview {
            review: group.map(|group| name_of(request, group)),
            ..InboxReview::default()
        });
        entry.threads.push(view);
    }
    let mut reviews: Vec<InboxReview> = found.into_values().collect();
    reviews.sort_by_key(|review| (review.asked.is_none(), std::cmp::Reverse(latest(review))));
    let who = Some(Person::new(who.name, who.email));
    InboxReply { git_dir, who, reviews, more, incomplete, mark: Mark::default(), warnings: Vec::new() }
}

/// What waits in a review besides its threads.
fn of_review(request: &Request, group: ReviewGroup<'_>, who: &Author, state: &ReadState) -> InboxReview {
    let asked = to_judge(request, group).into_iter().find(|asked| asked.said.who.email == who.email);
    let verdicts = if is_of(group, who) { group.verdicts() } else { Vec::new() };
    let new = verdicts.into_iter().filter(|verdict| state.is_new(&verdict.said.author, verdict.id));
    InboxReview {
        review: Some(name_of(request, group)),
        asked: asked.map(view::asked),
        verdicts: new.map(|verdict| view::verdict(&request.notes, verdict)).collect(),
        threads: Vec::new(),
    }
}

/// The threads with news for a person, those with the latest first.
fn with_news<'a>(request: &'a Request, who: &Author, state: &ReadState) -> Vec<(Thread<'a>, InboxThread)> {
    let threads = request.notes.threads.iter().filter(|thread| thread.state() != ThreadState::Withdrawn);
    let mut found = Vec::new();
    for thread in threads.filter(|thread| state.is_unread(*thread) && concerns(request, *thread, who)) {
        let news = state.news(thread);
        if !news.is_empty() {
            found.push((thread, news));
        }
    }
    found.sort_by_key(|(thread, news)| {
        (std::cmp::Reverse(news.iter().map(|entry| entry.at).max()), thread.id())
    });
    let view = |(thread, news): (Thread<'a>, Vec<_>)| {
        let news = news.iter().map(|entry: &postil_core::review::TimelineEntry<'_>| NewsView {
            what: what(request, entry),
            record: hex(entry.record),
            author: person(entry.author, entry.via),
            at: entry.at.0,
            text: entry.text.map(first_line),
        });
        let root = thread.root_comment();
        let view = InboxThread {
            id: hex(thread.id()),
            short: request.notes.prefixes.shorten(thread.id()).to_string(),
            status: view::status(thread.state()),
            severity: root.and_then(|root| root.said().severity.as_ref()).map(severity::shown),
            path: thread.anchor().map(|anchor| ByteText::new(anchor.path.as_bytes())),
            message: thread.message().map(|on| hex(on.commit)),
            text: root.map(|root| first_line(root.text())).unwrap_or_default(),
            news: news.collect(),
        };
        (thread, view)
    };
    found.into_iter().map(view).collect()
}

/// Whether a person wrote in a thread, or it is in a review that they started.
fn concerns(request: &Request, thread: Thread<'_>, who: &Author) -> bool {
    let mut comments = thread.comments();
    comments.any(|comment| is_by(&comment.said().author, comment.said().via.as_deref(), who)) || {
        let review = view::review_of(&request.notes, thread);
        let group = review.and_then(|id| request.notes.threads.group_of(id));
        group.is_some_and(|group| is_of(group, who))
    }
}

/// Whether a person started a review.
fn is_of(group: ReviewGroup<'_>, who: &Author) -> bool {
    let said = group.lead().said();
    is_by(&said.author, said.via.as_deref(), who)
}

/// Whether a person wrote something, by hand or with a program.
fn is_by(author: &Author, via: Option<&Via>, who: &Author) -> bool {
    let person = via.and_then(|via| via.person.as_ref());
    author.email == who.email || person.is_some_and(|person| person.email == who.email)
}

fn name_of(request: &Request, group: ReviewGroup<'_>) -> InboxReviewName {
    let lead = group.lead();
    InboxReviewName {
        id: hex(group.id()),
        short: request.notes.prefixes.shorten(group.id()).to_string(),
        title: lead.title().to_owned(),
        branch: ByteText::new(lead.branch()),
        status: view::review_status(lead.state()),
        author: person(&lead.said().author, lead.said().via.as_deref()),
    }
}

/// When something last happened that waits.
fn latest(review: &InboxReview) -> u64 {
    let news = review.threads.iter().flat_map(|thread| &thread.news).map(|news| news.at);
    let verdicts = review.verdicts.iter().map(|verdict| verdict.at);
    news.chain(verdicts).chain(review.asked.iter().map(|asked| asked.at)).max().unwrap_or(0)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(MAX_LINE_CHARS).collect()
}
