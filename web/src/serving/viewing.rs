//! The page of a view, and the parts of it that a page that is open fetches anew.

use hyper::{Response, StatusCode};
use postil_client::{AsyncSession, SessionError};
use postil_protocol::{ByteText, Diff, DiffExtent, DiffReply, FaultCode, ReviewShow, ReviewView};

use super::page_body::PageBody;
use super::reading::{MAX_PARTS, failed, failed_part, frame};
use super::router::{HTML, JSON, respond, with_status};
use super::site::PageSite;
use super::whole_diff::{literal, whole_diff};
use crate::address::Query;
use crate::looks::Looks;
use crate::pages::{PageFrame, ReviewPage, file_lines, file_section, outline, review_page, review_parts};
use crate::shown_view::ShownView;

/// So many lines are fetched at once.
const MAX_LINES: u32 = 20_000;

/// The page of a review.
pub(super) async fn review(site: &PageSite, view: &ShownView, looks: &Looks) -> Response<PageBody> {
    let commits = site.session.ask(Diff { ends_only: true, commits: true, ..view.diff() });
    let (asked, commits) = tokio::join!(asked_for(&site.session, view, looks.apply(view.diff())), commits);
    match asked {
        Ok((diff, review)) => {
            let commits = commits.map(|ends| ends.commits).unwrap_or_default();
            let shown = ReviewPage { view, looks, review: review.as_ref(), diff: &diff, commits: &commits };
            let viewed = site.viewed.of(&shown.scope());
            let images = images_of(site, view, looks);
            let frame = PageFrame { viewed: Some(&viewed), images: Some(&images), ..frame(site) };
            respond(HTML, review_page(&shown, &frame))
        }
        Err(error) => failed(site, &error),
    }
}

/// The address of the images of a view, up to the file and the id.
fn images_of(site: &PageSite, view: &ShownView, looks: &Looks) -> String {
    let query = looks.query();
    let mark = if query.is_empty() { "" } else { "&" };
    format!("{}image/{}?{query}{mark}", site.door.prefix(), view.path())
}

/// The diff and the review of a view; what is not under review has none.
pub(super) async fn asked_for(
    session: &AsyncSession,
    view: &ShownView,
    diff: Diff,
) -> Result<(DiffReply, Option<ReviewView>), SessionError> {
    let named = match view {
        ShownView::Current => Some(None),
        ShownView::Review(id) => Some(Some(id.clone())),
        ShownView::Range { .. } => None,
    };
    let review = async {
        let Some(review) = named else { return Ok(None) };
        match session.ask(ReviewShow { review }).await {
            Ok(reply) => Ok(Some(reply.review)),
            Err(SessionError::Fault(fault))
                if fault.code == FaultCode::NotFound && *view == ShownView::Current =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    };
    let (diff, review) = tokio::join!(whole_diff(session, diff), review);
    Ok((diff?, review?))
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

pub(super) async fn parts_of(site: &PageSite, view: &ShownView, looks: &Looks) -> Response<PageBody> {
    // The counts of all files and their threads, without a line.
    let only = Some(DiffExtent { from: 0, to: 0 });
    match asked_for(&site.session, view, Diff { only, ..looks.apply(view.diff()) }).await {
        Ok((diff, review)) => {
            let shown = ReviewPage { view, looks, review: review.as_ref(), diff: &diff, commits: &[] };
            let viewed = site.viewed.of(&shown.scope());
            let frame = PageFrame { viewed: Some(&viewed), ..frame(site) };
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
    let asked = Diff { paths, ..looks.apply(view.diff()) };
    match site.session.ask(asked).await {
        Ok(diff) => {
            let viewed = query.text("scope").map(|scope| site.viewed.of(scope));
            let images = images_of(site, view, looks);
            let frame = PageFrame { viewed: viewed.as_ref(), images: Some(&images), ..frame(site) };
            let sections: String =
                diff.files.iter().map(|file| file_section(file, &frame).into_string()).collect();
            respond(HTML, sections)
        }
        Err(error) => failed_part(&error),
    }
}

/// Lines of one file that are not shown yet, by their offsets in its diff.
pub(super) async fn lines_of(
    site: &PageSite,
    view: &ShownView,
    looks: &Looks,
    query: &Query,
) -> Response<PageBody> {
    let extent = query.number("from").zip(query.number("to"));
    let (Some(path), Some((from, to))) = (query.all("path").next(), extent) else {
        return with_status(StatusCode::BAD_REQUEST, respond(HTML, ""));
    };
    let only = Some(DiffExtent { from, to: to.min(from.saturating_add(MAX_LINES)) });
    match site.session.ask(Diff { paths: vec![literal(path)], only, ..looks.apply(view.diff()) }).await {
        Ok(diff) => {
            let frame = frame(site);
            let lines = diff.files.first().map(|file| file_lines(file, &frame).into_string());
            respond(HTML, lines.unwrap_or_default())
        }
        Err(error) => failed_part(&error),
    }
}
