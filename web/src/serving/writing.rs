//! Everything that is written: the methods of the service that a page may use, by name, and what was typed so far.
//!
//! A page sends the parameters of the method as they are, and gets back the threads that changed as cards. What writes
//! files is in `applying`; what runs git is not among them.

use hyper::Response;
use postil_protocol::{
    AnswerProposals, Comment, Edit, Hex, LookedHead, Mark, MarkRead, Move, Publish, Reopen, ReplyTo, Resolve,
    ReviewVerdict, ThreadView, Withdraw,
};
use serde_json::{Value, json};

use super::applying::{apply, undo};
use super::page_body::PageBody;
use super::previewing::preview;
use super::reading::{LAYOUT, THEME, failed_part, frame};
use super::router::{JSON, respond};
use super::site::PageSite;
use super::written_lines::keep_lines;
use crate::door::DoorRefusal;
use crate::pages::{CardPlace, Layout, Theme, thread_card};
use crate::routes::WriteRoute;
use crate::shown_view::ShownView;

/// Writes what a page sent to a path below the prefix.
pub(super) async fn write(
    site: &PageSite,
    path: &str,
    body: &[u8],
) -> Result<Response<PageBody>, DoorRefusal> {
    let (route, rest) = WriteRoute::of(path).ok_or(DoorRefusal::NotFound)?;
    let session = &site.session;
    let done = match route {
        WriteRoute::Typed => return keep_typed(site, body).await,
        WriteRoute::Theme => return keep_theme(site, body),
        WriteRoute::Layout => return keep_layout(site, body),
        WriteRoute::Viewed => return keep_viewed(site, body),
        WriteRoute::Looked => return keep_looked(site, body).await,
        WriteRoute::Preview => {
            let view = ShownView::read(rest).ok_or(DoorRefusal::NotFound)?;
            return Ok(preview(site, &view, params(body)?).await);
        }
        WriteRoute::Comment => {
            session.write(params::<Comment>(body)?).await.map(|reply| cards(site, &[reply.thread]))
        }
        WriteRoute::Reply => {
            session.write(params::<ReplyTo>(body)?).await.map(|reply| cards(site, &[reply.thread]))
        }
        WriteRoute::Edit => {
            session.write(params::<Edit>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Resolve => {
            session.write(params::<Resolve>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Reopen => {
            session.write(params::<Reopen>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Withdraw => {
            session.write(params::<Withdraw>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Move => {
            session.write(params::<Move>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Answer => {
            session.write(params::<AnswerProposals>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        WriteRoute::Apply => apply(site, params(body)?).await,
        WriteRoute::Undo => undo(site, &params::<String>(body)?).await,
        WriteRoute::Publish => session
            .write(params::<Publish>(body)?)
            .await
            .map(|reply| json!({ "published": reply.published.len(), "left": reply.left })),
        WriteRoute::Verdict => session
            .write(params::<ReviewVerdict>(body)?)
            .await
            .map(|reply| json!({ "review": reply.review.id })),
    };
    Ok(match done {
        Ok(told) => respond(JSON, told.to_string()),
        Err(error) => failed_part(&error),
    })
}

fn params<P: serde::de::DeserializeOwned>(body: &[u8]) -> Result<P, DoorRefusal> {
    serde_json::from_slice(body).map_err(|_| DoorRefusal::Malformed)
}

/// The threads that changed, as cards.
pub(super) fn cards(site: &PageSite, threads: &[ThreadView]) -> Value {
    let frame = frame(site);
    let html: String = threads
        .iter()
        .map(|thread| thread_card(thread, CardPlace::of(thread), &frame).into_string())
        .collect();
    let ids: Vec<&str> = threads.iter().map(|thread| thread.id.as_str()).collect();
    json!({ "threads": ids, "html": html })
}

/// Keeps what was typed so far: a name and a text.
async fn keep_typed(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let (name, text): (String, String) = params(body)?;
    if name.starts_with("setting:") {
        return Err(DoorRefusal::Malformed);
    }
    site.typed.keep(&name, &text).map_err(|_| DoorRefusal::TooLarge)?;
    keep_lines(site, &name, &text).await;
    Ok(respond(JSON, "{}"))
}

fn keep_theme(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let word: String = params(body)?;
    site.typed.keep(THEME, Theme::read(&word).word()).map_err(|_| DoorRefusal::TooLarge)?;
    Ok(respond(JSON, "{}"))
}

fn keep_layout(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let word: String = params(body)?;
    site.typed.keep(LAYOUT, Layout::read(&word).word()).map_err(|_| DoorRefusal::TooLarge)?;
    Ok(respond(JSON, "{}"))
}

/// Keeps that a version of a review was looked at, with the threads that were shown.
async fn keep_looked(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let (review, head, mark): (String, Hex, String) = params(body)?;
    let looked = vec![LookedHead { review: review.clone(), head }];
    let shown = Some(Mark::from(mark.as_str())).filter(|_| !mark.is_empty());
    Ok(
        match site
            .session
            .write(MarkRead { reviews: vec![review], shown, looked, ..MarkRead::default() })
            .await
        {
            Ok(_) => respond(JSON, "{}"),
            Err(error) => failed_part(&error),
        },
    )
}

/// Keeps which files were viewed: the branch, and for each file the change that was seen.
fn keep_viewed(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let (scope, marks): (String, Vec<(String, String)>) = params(body)?;
    site.viewed.mark(&scope, marks).map_err(|_| DoorRefusal::Malformed)?;
    Ok(respond(JSON, "{}"))
}
