//! What somebody types, as it will look: the text as Markdown, and a suggestion as a diff of the lines that are there.

use hyper::{Response, StatusCode};
use maud::{PreEscaped, html};
use postil_client::SessionError;
use postil_protocol::{ByteText, Diff, DiffMark, Fault, FaultCode, Side};
use serde_json::json;

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{JSON, respond, with_status};
use super::site::PageSite;
use crate::address::Query;
use crate::markdown;
use crate::pages::Snippet;
use crate::shown_view::ShownView;

/// With so many unchanged lines around each change, a whole file is in its diff.
pub(super) const WHOLE_FILE: u32 = 1_000_000;

/// Lines of a file, on one side of what is compared.
#[derive(Clone, Debug)]
struct LinesNamed {
    path: String,
    side: Side,
    start: u32,
    end: u32,
}

/// What somebody typed: the words, and the lines that are to be replaced (path, side, first, last) with what replaces them.
pub(super) type TypedDraft = (String, Option<(String, Side, u32, u32, String)>);

/// The text of lines, to be edited.
pub(super) async fn text_at(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    let (path, start, end) = (query.text("path"), query.number("start"), query.number("end"));
    let (Some(path), Some(start), Some(end)) = (path, start, end) else {
        return with_status(StatusCode::BAD_REQUEST, respond(JSON, "{}"));
    };
    let side = if query.text("side") == Some("old") { Side::Old } else { Side::New };
    let named = LinesNamed { path: path.to_owned(), side, start, end };
    match text_of(site, view, &named).await {
        Ok(text) => respond(JSON, json!({ "text": text }).to_string()),
        Err(error) => failed_part(&error),
    }
}

/// What was typed, as it will look.
pub(super) async fn preview(
    site: &PageSite,
    view: &ShownView,
    (typed, replaced): TypedDraft,
) -> Response<PageBody> {
    let snippet = match replaced {
        None => None,
        Some((path, side, start, end, with)) => {
            match text_of(site, view, &LinesNamed { path, side, start, end }).await {
                Ok(text) => Some(Snippet::between(text.as_bytes(), with.as_bytes())),
                Err(error) => return failed_part(&error),
            }
        }
    };
    let shown = html! {
        @if !typed.trim().is_empty() { div.text { (PreEscaped(markdown::to_html(&typed))) } }
        @if let Some(snippet) = snippet { (snippet.markup()) }
    };
    respond(JSON, json!({ "html": shown.into_string() }).to_string())
}

/// The text of lines, each with its end.
async fn text_of(site: &PageSite, view: &ShownView, named: &LinesNamed) -> Result<String, SessionError> {
    let paths = vec![literal(named.path.as_bytes())];
    let asked = Diff { paths, context: Some(WHOLE_FILE), words: false, resolved: false, ..view.diff() };
    let diff = site.session.ask(asked).await?;
    let wanted = ByteText::from(named.path.as_str());
    let mut text = String::new();
    let mut found = 0;
    for file in &diff.files {
        let path = if named.side == Side::Old { &file.before } else { &file.after };
        if path.as_ref() != Some(&wanted) {
            continue;
        }
        for line in &file.lines {
            let (number, gone) = match named.side {
                Side::Old => (line.before, DiffMark::Added),
                Side::New => (line.after, DiffMark::Deleted),
            };
            let is_wanted = number.is_some_and(|number| (named.start..=named.end).contains(&number));
            if is_wanted && line.mark != gone {
                let line = line.text.as_str().ok_or_else(|| {
                    Fault::new(
                        FaultCode::Refused,
                        "these lines are not text in UTF-8; suggest a patch instead",
                    )
                })?;
                text.push_str(line);
                text.push('\n');
                found += 1;
            }
        }
    }
    if found == 0 {
        return Err(Fault::new(FaultCode::NoSuchPlace, "these lines are not in the file any more").into());
    }
    Ok(text)
}
