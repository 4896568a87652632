//! Everything that is read: pages, their parts, the files that they are made of, and what happens.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{HeaderMap, Response, StatusCode};
use postil_client::SessionError;
use postil_protocol::{ByteText, Changes, Diff, FaultCode, HeadName, Log, Mark, Show, Stats, ThreadStatus};
use serde_json::json;
use tokio::sync::{broadcast, mpsc};
use tokio::time::interval;

use super::applying::plan;
use super::copying::copy_of;
use super::image::image;
use super::message::message_of;
use super::nearby::nearby_of;
use super::page_body::PageBody;
use super::previewing::text_at;
use super::prose::{prose_of, words_of};
use super::reviews::reviews;
use super::router::{HTML, JSON, respond, with_status};
use super::since::{SincePart, found};
use super::site::{PageSite, StreamRoom, Writable};
use super::streaming::review;
use super::viewing::{files_of, lines_of, outline_of, parts_of, placeless_of};
use super::written_lines::where_now;
use crate::address::Query;
use crate::assets;
use crate::door::DoorRefusal;
use crate::live::News;
use crate::looks::Looks;
use crate::pages::{
    CardPlace, Colours, Layout, PageForm, PageFrame, Placeless, Theme, drift, notice, thread_card, timeline,
};
use crate::routes::ReadRoute;
use crate::shown_view::ShownView;

/// Events that wait to be sent to one page; who does not read so many is cut off.
const MAX_UNSENT: usize = 32;

/// A comment in the stream now and then, so that an end that is gone is noticed.
const PING: Duration = Duration::from_secs(15);

/// So many threads or files are fetched at once.
pub(super) const MAX_PARTS: usize = 100;

/// The name under which the theme is kept.
pub(super) const THEME: &str = "setting:theme";

/// The name under which it is kept whether diffs are unified or split.
pub(super) const LAYOUT: &str = "setting:layout";

/// Answers what is read at a path below the prefix.
pub(super) async fn read(
    site: &Arc<PageSite>,
    path: &str,
    query: &Query,
    headers: &HeaderMap,
) -> Result<Response<PageBody>, DoorRefusal> {
    let (route, rest) = ReadRoute::of(path).ok_or(DoorRefusal::NotFound)?;
    let looks = Looks::read(query);
    let view = || ShownView::read(rest).ok_or(DoorRefusal::NotFound);
    if let (ReadRoute::Page, Some(name), None) = (route, query.text("commit"), &looks.commit) {
        return Ok(no_commit(site, name));
    }
    let since = match route {
        ReadRoute::Page => Some(Some(SincePart::Page)),
        ReadRoute::Outline => Some(Some(SincePart::Outline)),
        ReadRoute::Parts => Some(Some(SincePart::Parts)),
        ReadRoute::Files => Some(Some(SincePart::Files)),
        ReadRoute::Lines => Some(Some(SincePart::Lines)),
        ReadRoute::Image => Some(None),
        _ => None,
    };
    let looks = match since {
        None => looks,
        Some(part) => match found(site, &view()?, looks, part, query).await {
            Ok(looks) => looks,
            Err(answer) => return Ok(*answer),
        },
    };
    // Somebody whom git did not know may have told their name meanwhile.
    if matches!(route, ReadRoute::Page | ReadRoute::Reviews) && site.session.person().is_none() {
        site.session.reload().await;
    }
    Ok(match route {
        ReadRoute::Page => review(site, &view()?, &looks).await,
        ReadRoute::Reviews => reviews(site).await,
        ReadRoute::Drift => drift_of(site).await,
        ReadRoute::Asset => {
            let (kind, text) = assets::named(rest).ok_or(DoorRefusal::NotFound)?;
            respond(kind, text)
        }
        ReadRoute::Events => events(site, query, headers)?,
        ReadRoute::News => news_since(site, query).await,
        ReadRoute::Typed => typed(site),
        ReadRoute::Plan => plan(site, query).await,
        ReadRoute::Timeline => timeline_of(site, query).await,
        ReadRoute::Source => source(site, query).await,
        ReadRoute::Image => image(site, &view()?, &looks, query, headers).await?,
        ReadRoute::Outline => outline_of(site, &view()?, &looks).await,
        ReadRoute::Parts => parts_of(site, &view()?, &looks, query).await,
        ReadRoute::Files => files_of(site, &view()?, &looks, query).await,
        ReadRoute::Lines => lines_of(site, &view()?, &looks, query).await,
        ReadRoute::Threads => match Placeless::read(query.text("of")).zip(query.number("from")) {
            Some(asked) => placeless_of(site, &view()?, &looks, asked, query).await,
            None => threads_of(site, &view()?, query).await,
        },
        ReadRoute::Text => text_at(site, &view()?, query).await,
        ReadRoute::Prose => prose_of(site, &view()?, query).await,
        ReadRoute::Words => words_of(site, &view()?, query).await,
        ReadRoute::Message => message_of(site, &looks).await,
        ReadRoute::Where => where_now(site, query).await,
        ReadRoute::Nearby => nearby_of(site, &view()?, query).await,
        ReadRoute::Copy => copy_of(site, &view()?, query).await,
    })
}

/// What pages are shown in.
pub(super) fn frame(site: &PageSite) -> PageFrame<'_> {
    PageFrame {
        prefix: site.door.prefix(),
        repository: &site.repository,
        person: site.session.person(),
        is_writable: site.writable == Writable::Yes && site.session.person().is_some(),
        form: PageForm::Served,
        theme: site.typed.text(THEME).map(|word| Theme::read(&word)).unwrap_or_default(),
        layout: site.typed.text(LAYOUT).map(|word| Layout::read(&word)).unwrap_or_default(),
        colours: Colours::WhenNear,
        viewed: None,
        images: None,
        is_brief: false,
        now: site.session.now(),
    }
}

/// Threads, by their ids; what is gone is left out.
async fn threads_of(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    let head = match view.diff() {
        Diff { head: HeadName::WorkTree, .. } => HeadName::WorkTree,
        Diff { head, .. } => head,
    };
    let ids = query.all("id").filter_map(|id| std::str::from_utf8(id).ok()).take(MAX_PARTS);
    let mut cards = String::new();
    for id in ids {
        if let Ok(reply) =
            site.session.ask(Show { of: id.to_owned(), head: head.clone(), syntax: false }).await
        {
            let thread = &reply.thread;
            if thread.status == ThreadStatus::Withdrawn {
                cards.push_str(&maud::html! { i data-gone=(thread.id.as_str()) {} }.into_string());
                continue;
            }
            cards.push_str(&thread_card(thread, CardPlace::of(thread), &frame(site)).into_string());
        }
    }
    respond(HTML, cards)
}

async fn drift_of(site: &PageSite) -> Response<PageBody> {
    match site.session.ask(Stats::default()).await {
        Ok(stats) => respond(HTML, drift(&stats, &frame(site))),
        Err(error) => failed(site, &error),
    }
}

/// What was typed and not sent yet.
fn typed(site: &PageSite) -> Response<PageBody> {
    let texts = site.typed.all().into_iter().filter(|(name, _)| !name.starts_with("setting:"));
    let texts: serde_json::Map<String, serde_json::Value> =
        texts.map(|(name, text)| (name, text.into())).collect();
    respond(JSON, serde_json::Value::Object(texts).to_string())
}

/// What happens, from the mark of the page on.
fn events(
    site: &Arc<PageSite>,
    query: &Query,
    headers: &HeaderMap,
) -> Result<Response<PageBody>, DoorRefusal> {
    let room = site.stream_room()?;
    // A browser that connects again says by itself what it received last.
    let last = headers.get("last-event-id").and_then(|mark| mark.to_str().ok());
    let since = last.or_else(|| query.text("since")).filter(|mark| !mark.is_empty()).map(Mark::from);
    let (sender, receiver) = mpsc::channel(MAX_UNSENT);
    tokio::spawn(stream(Arc::clone(site), since, sender, room));
    let mut response = Response::new(PageBody::Pieces(receiver));
    let kind = hyper::header::HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Sends what happens until the page is gone, or does not read.
///
/// A page that is left gives its room back at once: whoever goes from page to page has but one open.
async fn stream(site: Arc<PageSite>, since: Option<Mark>, sender: mpsc::Sender<Bytes>, _room: StreamRoom) {
    tokio::select! {
        () = tell(&site, since, &sender) => {}
        () = sender.closed() => {}
    }
}

async fn tell(site: &PageSite, since: Option<Mark>, sender: &mpsc::Sender<Bytes>) {
    let mut news = site.live.listen().await;
    let send = |text: String| sender.try_send(Bytes::from(text)).is_ok();
    if !send("retry: 1000\n\n".to_owned()) {
        return;
    }
    for missed in missed_since(site, since).await {
        if !send(missed.text()) {
            return;
        }
    }
    if !send(format!("data: {}\n\n", json!({ "kind": "ready" }))) {
        return;
    }
    let mut ping = interval(PING);
    loop {
        let text = tokio::select! {
            news = news.recv() => match news {
                Ok(news) => news.text(),
                Err(broadcast::error::RecvError::Lagged(_)) => News::reset().text(),
                Err(broadcast::error::RecvError::Closed) => return,
            },
            _ = ping.tick() => ": still here\n\n".to_owned(),
        };
        if !send(text) {
            return;
        }
    }
}

/// What happened since a mark; a mark of another time or repository means that everything may have.
async fn missed_since(site: &PageSite, since: Option<Mark>) -> Vec<News> {
    let Some(known) = since else { return Vec::new() };
    let changes = Changes { since: Some(known.clone()), head: HeadName::WorkTree, ..Changes::default() };
    match site.session.ask(changes).await {
        Ok(reply) => {
            let events = reply.events(0, &ByteText::from(""), &known, false);
            events.iter().map(News::of).collect()
        }
        Err(_) => vec![News::reset()],
    }
}

/// The same, for a page that shares the stream of another one.
async fn news_since(site: &PageSite, query: &Query) -> Response<PageBody> {
    let since = query.text("since").filter(|mark| !mark.is_empty()).map(Mark::from);
    let told: Vec<serde_json::Value> =
        missed_since(site, since).await.into_iter().map(|news| news.told).collect();
    respond(JSON, serde_json::Value::from(told).to_string())
}

/// What happened in a thread, and where it was.
async fn timeline_of(site: &PageSite, query: &Query) -> Response<PageBody> {
    let of = query.text("id").unwrap_or_default().to_owned();
    match site.session.ask(Log { of }).await {
        Ok(log) => respond(HTML, timeline(&log, &frame(site)).into_string()),
        Err(error) => failed_part(&error),
    }
}

/// The text of a comment as it was written, to be edited.
async fn source(site: &PageSite, query: &Query) -> Response<PageBody> {
    let of = query.text("id").unwrap_or_default().to_owned();
    match site.session.ask(Show { of: of.clone(), head: HeadName::WorkTree, syntax: false }).await {
        Ok(reply) => {
            let found = reply.thread.comments.iter().find(|comment| comment.id.as_str() == of);
            let text = found.or(reply.thread.comments.first()).map(|comment| comment.text.as_str());
            respond(JSON, json!({ "text": text.unwrap_or_default() }).to_string())
        }
        Err(error) => failed_part(&error),
    }
}

/// A page that says that an address names no commit.
fn no_commit(site: &PageSite, name: &str) -> Response<PageBody> {
    let title = format!("`{name}` is not the id of a commit");
    let hint = "An address shows one commit by its id, as `git log` prints it: commit=3f9c1a2.".to_owned();
    with_status(StatusCode::BAD_REQUEST, respond(HTML, notice(&title, &[hint], &frame(site))))
}

/// A page that says what failed.
pub(super) fn failed(site: &PageSite, error: &SessionError) -> Response<PageBody> {
    let status = status_of(error);
    let (title, causes) = words(error);
    with_status(status, respond(HTML, notice(&title, &causes, &frame(site))))
}

/// The same for a part of a page.
pub(super) fn failed_part(error: &SessionError) -> Response<PageBody> {
    let (title, causes) = words(error);
    with_status(status_of(error), respond(JSON, json!({ "error": title, "causes": causes }).to_string()))
}

fn status_of(error: &SessionError) -> StatusCode {
    match error {
        SessionError::Fault(fault) => match fault.code {
            FaultCode::NotFound | FaultCode::NoSuchPlace => StatusCode::NOT_FOUND,
            FaultCode::Conflict => StatusCode::CONFLICT,
            FaultCode::InvalidParams => StatusCode::BAD_REQUEST,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        },
        SessionError::UnknownAuthor | SessionError::InvalidVia { .. } => StatusCode::FORBIDDEN,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// What failed, as a sentence, and why.
fn words(error: &SessionError) -> (String, Vec<String>) {
    let whole = |text: String| {
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    let mut causes: Vec<String> = causes.map(|cause| whole(cause.to_string())).collect();
    if let SessionError::Fault(fault) = error {
        causes.extend(fault.data.causes.iter().cloned().map(whole));
    }
    (whole(error.to_string()), causes)
}
