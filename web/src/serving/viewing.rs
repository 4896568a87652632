//! The parts of a page that one that is open fetches anew.

use hyper::{Response, StatusCode};
use postil_client::{AsyncSession, SessionError};
use postil_protocol::{ByteText, Diff, DiffExtent, DiffLimit, FaultCode, ReviewShow, ReviewView};

use super::diff_pieces::{ask_part, limit, literal, piece_limit};
use super::page_body::PageBody;
use super::reading::{MAX_PARTS, failed_part, frame};
use super::router::{HTML, JSON, respond, with_status};
use super::site::PageSite;
use crate::address::Query;
use crate::looks::Looks;
use crate::pages::{
    PageFrame, Placeless, ReviewPage, file_lines, file_section, more_placeless, outline, review_parts,
};
use crate::shown_view::ShownView;

/// So many lines between others are fetched at once.
const MAX_LINES: u32 = 20_000;

/// So many lines of files are; a page fetches the others after them.
const FILES_LINES: u32 = 12_000;

/// The address of the images of a view, up to the file and the id.
pub(super) fn images_of(site: &PageSite, view: &ShownView, looks: &Looks) -> String {
    let query = looks.query();
    let mark = if query.is_empty() { "" } else { "&" };
    format!("{}image/{}?{query}{mark}", site.door.prefix(), view.path())
}

/// The review of a view; what is not under review has none.
pub(super) async fn review_of(
    session: &AsyncSession,
    view: &ShownView,
) -> Result<Option<ReviewView>, SessionError> {
    let review = match view {
        ShownView::Current => None,
        ShownView::Review(id) => Some(id.clone()),
        ShownView::Range { .. } => return Ok(None),
    };
    match session.ask(ReviewShow { review }).await {
        Ok(reply) => Ok(Some(reply.review)),
        Err(SessionError::Fault(fault))
            if fault.code == FaultCode::NotFound && *view == ShownView::Current =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

pub(super) async fn outline_of(site: &PageSite, view: &ShownView, looks: &Looks) -> Response<PageBody> {
    match site.session.ask(Diff { outline: true, ..looks.apply(view.diff()) }).await {
        Ok(diff) => {
            // With white space ignored, or for one commit, it is not all that is on disk.
            if *view == ShownView::Current && *looks == Looks::default() {
                site.live.given(&diff);
            }
            respond(JSON, outline(&diff).to_string())
        }
        Err(error) => failed_part(&error),
    }
}

pub(super) async fn parts_of(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    query: &Query,
) -> Response<PageBody> {
    // All files and counts, without a line.
    let asked = Diff { limit: Some(limit(0)), words: false, syntax: false, ..looks.apply(view.diff()) };
    let (diff, review) = tokio::join!(site.session.ask(asked), review_of(&site.session, view));
    match diff.and_then(|diff| Ok((diff, review?))) {
        Ok((diff, review)) => {
            let shown = ReviewPage { view, looks, review: review.as_ref(), diff: &diff, commits: &[] };
            let viewed = site.viewed.of(&shown.scope());
            let is_brief = query.text("brief").is_some();
            let frame = PageFrame { viewed: Some(&viewed), is_brief, ..frame(site) };
            respond(HTML, review_parts(&shown, &frame).into_string())
        }
        Err(error) => failed_part(&error),
    }
}

/// Files of the diff, by their paths.
pub(super) async fn files_of(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    query: &Query,
) -> Response<PageBody> {
    let paths: Vec<ByteText> = query.all("path").take(MAX_PARTS).map(literal).collect();
    if paths.is_empty() {
        return with_status(StatusCode::BAD_REQUEST, respond(HTML, ""));
    }
    let asked = Diff { paths, limit: Some(limit(FILES_LINES)), ..looks.apply(view.diff()) };
    match ask_part(&site.session, asked).await {
        Ok(diff) => {
            let viewed = query.text("scope").map(|scope| site.viewed.of(scope));
            let images = images_of(site, view, looks);
            let is_brief = query.text("brief").is_some();
            let frame = PageFrame { viewed: viewed.as_ref(), images: Some(&images), is_brief, ..frame(site) };
            let sections: String = diff.files.iter().map(|file| file_section(file, &frame)).collect();
            respond(HTML, sections)
        }
        Err(error) => failed_part(&error),
    }
}

/// Lines of one file that are not shown yet, by their offsets in its diff: those between others, or those near changes from
/// some line on.
pub(super) async fn lines_of(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    query: &Query,
) -> Response<PageBody> {
    let (Some(path), Some(from)) = (query.all("path").next(), query.number("from")) else {
        return with_status(StatusCode::BAD_REQUEST, respond(HTML, ""));
    };
    let asked = Diff { paths: vec![literal(path)], ..looks.apply(view.diff()) };
    let (asked, after) = match (query.number("to"), query.number("next")) {
        (Some(to), _) => {
            let only = Some(DiffExtent { from, to: to.min(from.saturating_add(MAX_LINES)) });
            (Diff { only, limit: Some(limit(MAX_LINES)), ..asked }, None)
        }
        (None, next) => {
            let limit = piece_limit(from, query.number("threads").unwrap_or_default());
            (Diff { limit: Some(limit), ..asked }, Some(next.unwrap_or(from)))
        }
    };
    match ask_part(&site.session, asked).await {
        Ok(diff) => {
            let frame = PageFrame { is_brief: query.text("brief").is_some(), ..frame(site) };
            let lines = diff.files.first().map(|file| file_lines(file, after, &frame));
            respond(HTML, lines.unwrap_or_default())
        }
        Err(error) => failed_part(&error),
    }
}

/// Threads that are at no line, after the first ones.
pub(super) async fn placeless_of(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    (of, from): (Placeless, u32),
    query: &Query,
) -> Response<PageBody> {
    let limit = Some(DiffLimit { threads: from, ..limit(0) });
    let asked = Diff { limit, words: false, syntax: false, ..looks.apply(view.diff()) };
    match site.session.ask(asked).await {
        Ok(diff) => {
            let shown = ReviewPage { view, looks, review: None, diff: &diff, commits: &[] };
            let frame = PageFrame { is_brief: query.text("brief").is_some(), ..frame(site) };
            respond(HTML, more_placeless(&shown, of, &frame).into_string())
        }
        Err(error) => failed_part(&error),
    }
}
