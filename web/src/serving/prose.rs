//! Markdown files as they read, and the words that somebody selects there.

use hyper::{Response, StatusCode};
use postil_client::SessionError;
use postil_protocol::{ByteText, Diff, DiffFile, DiffMark, Fault, FaultCode, PlaceState, ThreadView};
use serde_json::json;

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::previewing::WHOLE_FILE;
use super::reading::failed_part;
use super::router::{HTML, JSON, respond, with_status};
use super::site::PageSite;
use crate::address::Query;
use crate::markdown::{ProsePage, WordsMark};
use crate::pages::{ProseSides, prose_sides};
use crate::shown_view::ShownView;

/// One side of a file, and which of its lines the change touches.
#[derive(Debug, Default)]
struct FileSide {
    content: Vec<u8>,
    changed: Vec<u32>,
}

/// A file as it reads, now and before.
pub(super) async fn prose_of(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    let Some(path) = query.all("path").next() else {
        return with_status(StatusCode::BAD_REQUEST, respond(HTML, ""));
    };
    match whole_file(site, view, path).await.and_then(|file| sides_of(&file)) {
        Ok(sides) => respond(HTML, prose_sides(&sides).into_string()),
        Err(error) => failed_part(&error),
    }
}

/// The words at a place of the page that was shown, so that they are found again.
pub(super) async fn words_of(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    let place = query.number("start").zip(query.number("end"));
    let (Some(path), Some((start, end))) = (query.all("path").next(), place) else {
        return with_status(StatusCode::BAD_REQUEST, respond(JSON, "{}"));
    };
    let words = async {
        let page = rendered(&side(&whole_file(site, view, path).await?, DiffMark::Deleted).content)?;
        if query.text("digest") != Some(page.digest().as_str()) {
            let message = "the file changed since this page was shown; select the words again";
            return Err(Fault::new(FaultCode::Conflict, message).into());
        }
        page.words(start as usize..end as usize).ok_or_else(|| {
            SessionError::from(Fault::new(FaultCode::NoSuchPlace, "there are no words at this place"))
        })
    };
    match words.await {
        Ok(words) => {
            let told = json!({ "quote": words.exact, "prefix": words.prefix, "suffix": words.suffix });
            respond(JSON, told.to_string())
        }
        Err(error) => failed_part(&error),
    }
}

/// All lines of a file, on both sides.
async fn whole_file(site: &PageSite, view: &ShownView, path: &[u8]) -> Result<DiffFile, SessionError> {
    let asked = Diff { paths: vec![literal(path)], context: Some(WHOLE_FILE), words: false, ..view.diff() };
    let diff = site.session.ask(asked).await?;
    let wanted = ByteText::new(path);
    let is_wanted =
        |file: &DiffFile| [&file.after, &file.before].into_iter().flatten().any(|path| *path == wanted);
    let found = diff.files.into_iter().find(is_wanted);
    Ok(found.ok_or_else(|| Fault::new(FaultCode::NoSuchPlace, "this file is not in the changes any more"))?)
}

fn sides_of(file: &DiffFile) -> Result<ProseSides, SessionError> {
    let path = file.after.as_ref().or(file.before.as_ref());
    let path = path.map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned()).unwrap_or_default();
    let mut sides = ProseSides { path, new: None, old: None, digest: String::new() };
    if file.after.is_some() {
        let new = side(file, DiffMark::Deleted);
        let page = rendered(&new.content)?;
        sides.digest = page.digest();
        sides.new = Some(page.html(&marks(file), &new.changed));
    }
    if file.before.is_some() {
        let old = side(file, DiffMark::Added);
        sides.old = Some(rendered(&old.content)?.html(&[], &old.changed));
    }
    Ok(sides)
}

fn rendered(content: &[u8]) -> Result<ProsePage, SessionError> {
    Ok(ProsePage::new(content).map_err(|error| Fault::new(FaultCode::Refused, error.to_string()))?)
}

/// The lines of a file that have not the mark of the other side.
fn side(file: &DiffFile, other: DiffMark) -> FileSide {
    let mut side = FileSide::default();
    for line in file.lines.iter().filter(|line| line.mark != other) {
        side.content.extend_from_slice(line.text.as_bytes());
        side.content.push(b'\n');
        let number = if other == DiffMark::Deleted { line.after } else { line.before };
        side.changed.extend(number.filter(|_| line.mark != DiffMark::Kept));
    }
    if file.lines.iter().rev().find(|line| line.mark != other).is_some_and(|line| line.no_newline) {
        side.content.pop();
    }
    side
}

/// The words that threads are on now.
fn marks(file: &DiffFile) -> Vec<WordsMark> {
    let threads = file.threads.iter().chain(file.lines.iter().flat_map(|line| &line.threads));
    let mark = |thread: &ThreadView| {
        let position = thread.position.as_ref().filter(|position| position.state != PlaceState::Orphaned)?;
        let place = position.rendered?;
        let place = usize::try_from(place.start).ok()?..usize::try_from(place.end).ok()?;
        Some(WordsMark { place, thread: thread.short.clone() })
    };
    threads.filter_map(mark).collect()
}
