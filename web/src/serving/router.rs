//! Which answer belongs to which request, once it was let in.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, SET_COOKIE};
use hyper::{Method, Request, Response, StatusCode};
use tokio::time::timeout;

use super::image::ImageAnswer;
use super::page_body::PageBody;
use super::reading::read;
use super::site::{PageSite, Writable};
use super::writing::write;
use crate::address::Query;
use crate::door::{Admitted, DoorRefusal, MAX_BODY_BYTES, secure};
use crate::shown_view::ShownView;

/// A body that takes longer is not waited for.
const BODY_TIME: Duration = Duration::from_secs(20);

pub(super) const HTML: &str = "text/html; charset=utf-8";
pub(super) const JSON: &str = "application/json";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// Answers a request.
pub(super) async fn answer(site: &Arc<PageSite>, request: Request<Incoming>) -> Response<PageBody> {
    let (parts, body) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let answered = match site.door.admit(&parts) {
        Err(refusal) => Err(refusal),
        Ok(Admitted::Open(word)) => open(site, &word),
        Ok(Admitted::Link) => link(site, body).await,
        Ok(Admitted::Read(path)) => {
            site.note_look();
            let query = Query::read(parts.uri.query().unwrap_or_default());
            read(site, &path, &query, &parts.headers).await
        }
        Ok(Admitted::Write(_)) if site.writable == Writable::No => Err(DoorRefusal::ReadOnly),
        Ok(Admitted::Write(path)) => {
            site.note_look();
            match whole(body).await {
                Ok(body) => write(site, &path, &body).await,
                Err(refusal) => Err(refusal),
            }
        }
    };
    let mut response = answered.unwrap_or_else(refused);
    if is_head {
        *response.body_mut() = PageBody::of(Bytes::new());
    }
    let is_image = response.extensions().get::<ImageAnswer>().is_some();
    secure(response.headers_mut());
    if is_image {
        ImageAnswer::secure(response.headers_mut());
    }
    response
}

/// A text of some type.
pub(super) fn respond(kind: &'static str, text: impl Into<Bytes>) -> Response<PageBody> {
    let mut response = Response::new(PageBody::of(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn refused(refusal: DoorRefusal) -> Response<PageBody> {
    let mut response = respond(TEXT, format!("{}\n", refusal.text()));
    *response.status_mut() = refusal.status();
    response
}

/// The page that a one-time address opens: it makes the browser known, and goes on by itself.
///
/// A cookie of this kind is not sent along a redirect that began in a file, and is sent by a page that goes on.
fn open(site: &PageSite, word: &str) -> Result<Response<PageBody>, DoorRefusal> {
    let leads_to = site.take_link(word).ok_or(DoorRefusal::UsedLink)?;
    let address = format!("{}{leads_to}", site.door.prefix());
    let page = maud::html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content={ "0;url=" (address) };
                title { "postil" }
                link rel="icon" href="data:,";
            }
            body { p { a href=(address) { "Open the review page" } } }
        }
    };
    let mut response = respond(HTML, page.into_string());
    let cookie = HeaderValue::from_str(&site.door.set_cookie()).map_err(|_| DoorRefusal::Malformed)?;
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}

/// A fresh link for another process of the same person.
async fn link(site: &PageSite, body: Incoming) -> Result<Response<PageBody>, DoorRefusal> {
    let body = whole(body).await?;
    let leads_to: String = serde_json::from_slice(&body).map_err(|_| DoorRefusal::Malformed)?;
    let is_known = leads_to == "reviews" || ShownView::read(&leads_to).is_some();
    let address = if is_known { site.link(&leads_to).ok() } else { None };
    Ok(respond(TEXT, address.ok_or(DoorRefusal::Malformed)?))
}

/// The whole body, within its limits.
async fn whole(body: Incoming) -> Result<Bytes, DoorRefusal> {
    let limited = Limited::new(body, MAX_BODY_BYTES as usize);
    match timeout(BODY_TIME, limited.collect()).await {
        Err(_) => Err(DoorRefusal::TooSlow),
        Ok(Err(_)) => Err(DoorRefusal::TooLarge),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// The same with another status.
pub(super) fn with_status(status: StatusCode, mut response: Response<PageBody>) -> Response<PageBody> {
    *response.status_mut() = status;
    response
}
