//! The lines that somebody writes about: files on disk change meanwhile, and what is written goes where the lines went.
//!
//! What they were is kept with what is typed, from its first letter until it is sent or discarded, so that they are found
//! again after a reload as well.

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{Diff, DiffExtent, Fault, FaultCode, HeadName};
use serde_json::json;

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{JSON, respond};
use super::site::PageSite;
use crate::address::Query;
use crate::lines::LinesSeen;
use crate::shown_view::ShownView;

/// Before the name of a form: what its lines were.
const SEEN: &str = "seen\t";

/// The place that the name of a form has: the view, the file and the lines.
struct WrittenPlace {
    view: ShownView,
    path: String,
    start: u32,
    end: u32,
}

impl WrittenPlace {
    /// Reads a name, which a page makes (composer.js); none for what is not on lines of files on disk.
    fn read(form: &str) -> Option<Self> {
        let parts: Vec<&str> = form.split('\t').collect();
        let ["comment", view, path, "new", start, end, ..] = parts[..] else { return None };
        let view = ShownView::read(view)?;
        let is_on_disk = view.diff().head == HeadName::WorkTree;
        let (start, end) = (start.parse().ok()?, end.parse().ok()?);
        is_on_disk.then(|| Self { view, path: path.to_owned(), start, end })
    }

    /// The lines of the file as it is now; none if it did not change since the base, or is not shown.
    async fn file(&self, site: &PageSite) -> Result<Option<String>, SessionError> {
        let only = Some(DiffExtent { from: 0, to: 0 });
        let paths = vec![literal(self.path.as_bytes())];
        let diff = site.session.ask(Diff { paths, only, content: true, ..self.view.diff() }).await?;
        let is_it = |path: &postil_protocol::ByteText| path.as_bytes() == self.path.as_bytes();
        let file = diff.files.iter().find(|file| file.after.as_ref().is_some_and(is_it));
        let content = file.and_then(|file| file.new.as_ref()?.content.as_ref());
        Ok(content.map(|content| String::from_utf8_lossy(content.as_bytes()).into_owned()))
    }
}

/// Keeps what the lines of a form are once something is typed into it, and forgets it with the text.
pub(super) async fn keep_lines(site: &PageSite, form: &str, text: &str) {
    let Some(place) = WrittenPlace::read(form) else { return };
    let name = format!("{SEEN}{form}");
    if text.is_empty() {
        let _ = site.typed.keep(&name, "");
        return;
    }
    if site.typed.text(&name).is_some() {
        return;
    }
    // Without it, the lines are not looked for.
    let Ok(Some(file)) = place.file(site).await else { return };
    let lines: Vec<&str> = file.split('\n').collect();
    if let Some(LinesSeen { start, above, lines, below }) = LinesSeen::of(&lines, place.start, place.end) {
        let _ = site.typed.keep(&name, &json!([start, above, lines, below]).to_string());
    }
}

/// Where the lines of a form are now; nothing if that is not known.
pub(super) async fn where_now(site: &PageSite, query: &Query) -> Response<PageBody> {
    match found(site, query.text("name").unwrap_or_default()).await {
        Ok(Some((start, end))) => respond(JSON, json!({ "start": start, "end": end }).to_string()),
        Ok(None) => respond(JSON, "{}"),
        Err(error) => failed_part(&error),
    }
}

async fn found(site: &PageSite, form: &str) -> Result<Option<(u32, u32)>, SessionError> {
    let kept = site.typed.text(&format!("{SEEN}{form}"));
    let kept = kept
        .and_then(|kept| serde_json::from_str::<(u32, Vec<String>, Vec<String>, Vec<String>)>(&kept).ok());
    let (Some(place), Some((start, above, lines, below))) = (WrittenPlace::read(form), kept) else {
        return Ok(None);
    };
    let seen = LinesSeen { start, above, lines, below };
    let Some(file) = place.file(site).await? else { return Ok(None) };
    let now: Vec<&str> = file.split('\n').collect();
    let count = u32::try_from(seen.lines.len()).unwrap_or(u32::MAX);
    match seen.again(&now) {
        Some(start) => Ok(Some((start, start + count - 1))),
        None => Err(Fault::new(
            FaultCode::NoSuchPlace,
            "the lines that this is about changed meanwhile. Send it again to put it where it is shown now",
        )
        .into()),
    }
}
