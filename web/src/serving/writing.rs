//! Everything that is written: the methods of the service that a page may use, by name, and what was typed so far.
//!
//! A page sends the parameters of the method as they are, and gets back the threads that changed as cards. What writes
//! files is in `applying`; what runs git is not among them.

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{
    AnswerProposals, Comment, Edit, Move, Publish, Reopen, ReplyTo, Resolve, ReviewVerdict, ThreadView,
    Withdraw,
};
use serde_json::{Value, json};

use super::applying::{apply, undo};
use super::page_body::PageBody;
use super::previewing::preview;
use super::reading::{LAYOUT, THEME, failed_part, frame};
use super::router::{JSON, respond};
use super::site::PageSite;
use crate::door::DoorRefusal;
use crate::pages::{CardPlace, Layout, Theme, thread_card};
use crate::shown_view::ShownView;

/// Writes what a page sent to a path below the prefix.
pub(super) async fn write(
    site: &PageSite,
    path: &str,
    body: &[u8],
) -> Result<Response<PageBody>, DoorRefusal> {
    match path.split_once('/') {
        None if path == "typed" => keep_typed(site, body),
        None if path == "theme" => keep_theme(site, body),
        None if path == "layout" => keep_layout(site, body),
        None if path == "viewed" => keep_viewed(site, body),
        Some(("preview", view)) => {
            let view = ShownView::read(view).ok_or(DoorRefusal::NotFound)?;
            Ok(preview(site, &view, params(body)?).await)
        }
        Some(("do", method)) => {
            let done = write_by(site, method, body).await?;
            Ok(match done {
                Ok(told) => respond(JSON, told.to_string()),
                Err(error) => failed_part(&error),
            })
        }
        _ => Err(DoorRefusal::NotFound),
    }
}

async fn write_by(
    site: &PageSite,
    method: &str,
    body: &[u8],
) -> Result<Result<Value, SessionError>, DoorRefusal> {
    let session = &site.session;
    Ok(match method {
        "comment" => session.write(params::<Comment>(body)?).await.map(|reply| cards(site, &[reply.thread])),
        "reply" => session.write(params::<ReplyTo>(body)?).await.map(|reply| cards(site, &[reply.thread])),
        "edit" => session.write(params::<Edit>(body)?).await.map(|reply| cards(site, &reply.threads)),
        "resolve" => session.write(params::<Resolve>(body)?).await.map(|reply| cards(site, &reply.threads)),
        "reopen" => session.write(params::<Reopen>(body)?).await.map(|reply| cards(site, &reply.threads)),
        "withdraw" => session.write(params::<Withdraw>(body)?).await.map(|reply| cards(site, &reply.threads)),
        "move" => session.write(params::<Move>(body)?).await.map(|reply| cards(site, &reply.threads)),
        "answer" => {
            session.write(params::<AnswerProposals>(body)?).await.map(|reply| cards(site, &reply.threads))
        }
        "apply" => apply(site, params(body)?).await,
        "undo" => undo(site, &params::<String>(body)?).await,
        "publish" => session
            .write(params::<Publish>(body)?)
            .await
            .map(|reply| json!({ "published": reply.published.len(), "left": reply.left })),
        "verdict" => session
            .write(params::<ReviewVerdict>(body)?)
            .await
            .map(|reply| json!({ "review": reply.review.id })),
        _ => return Err(DoorRefusal::NotFound),
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
fn keep_typed(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let (name, text): (String, String) = params(body)?;
    if name.starts_with("setting:") {
        return Err(DoorRefusal::Malformed);
    }
    site.typed.keep(&name, &text).map_err(|_| DoorRefusal::TooLarge)?;
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

/// Keeps which files were viewed: the branch, and for each file the change that was seen.
fn keep_viewed(site: &PageSite, body: &[u8]) -> Result<Response<PageBody>, DoorRefusal> {
    let (scope, marks): (String, Vec<(String, String)>) = params(body)?;
    site.viewed.mark(&scope, marks).map_err(|_| DoorRefusal::Malformed)?;
    Ok(respond(JSON, "{}"))
}
