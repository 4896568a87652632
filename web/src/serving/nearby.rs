//! Places for a thread that lost its own, in its file or in another file of the diff.

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{ByteText, Diff, DiffExtent, Fault, FaultCode, Show};

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{HTML, respond};
use super::site::PageSite;
use crate::address::Query;
use crate::lines::nearby;
use crate::pages::nearby_list;
use crate::shown_view::ShownView;

/// The places that a thread may belong to: near where it stood, or where the words are that somebody types.
pub(super) async fn nearby_of(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    match places(site, view, query).await {
        Ok(html) => respond(HTML, html),
        Err(error) => failed_part(&error),
    }
}

async fn places(site: &PageSite, view: &ShownView, query: &Query) -> Result<String, SessionError> {
    let of = query.text("id").unwrap_or_default().to_owned();
    let thread = site.session.ask(Show { of, head: view.diff().head, syntax: false }).await?.thread;
    let refused = |what: &str| SessionError::from(Fault::new(FaultCode::NoSuchPlace, what));
    let anchor = thread.anchor.ok_or_else(|| refused("this thread is on no file"))?;
    let named = query.all("path").next().filter(|path| !path.is_empty()).map(ByteText::new);
    let path = named.unwrap_or_else(|| anchor.path.clone());
    let only = Some(DiffExtent { from: 0, to: 0 });
    let asked = Diff { paths: vec![literal(path.as_bytes())], only, content: true, ..view.diff() };
    let diff = site.session.ask(asked).await?;
    let file = diff.files.iter().find(|file| file.after.as_ref() == Some(&path));
    let content = file.and_then(|file| file.new.as_ref()?.content.as_ref());
    let content = content.ok_or_else(|| {
        refused(
            "no such file among those that changed; use \u{201c}Name a place\u{2026}\u{201d} for any other",
        )
    })?;
    let text = String::from_utf8_lossy(content.as_bytes());
    let lines: Vec<&str> = text.lines().collect();
    let was: Vec<&str> = anchor
        .lines
        .iter()
        .map(|line| line.as_ref().and_then(ByteText::as_str).unwrap_or_default())
        .collect();
    let found = nearby(&lines, &was, anchor.start.unwrap_or(1), query.text("words").unwrap_or_default());
    Ok(nearby_list(&path, &lines, &found).into_string())
}
