//! Threads as text, for somebody to take along.

use std::collections::BTreeSet;

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{Diff, Show, ThreadStatus, ThreadView};

use super::diff_pieces::{DiffPiece, first_of, pieces};
use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{TEXT, respond};
use super::site::PageSite;
use crate::address::Query;
use crate::pages::copied;
use crate::shown_view::ShownView;

/// The threads that are named, or all open ones of the view, as Markdown.
pub(super) async fn copy_of(site: &PageSite, view: &ShownView, query: &Query) -> Response<PageBody> {
    if let Some(id) = query.text("id") {
        let shown = Show { of: id.to_owned(), head: view.diff().head, syntax: false };
        return match site.session.ask(shown).await {
            Ok(reply) => respond(TEXT, copied(&[&reply.thread])),
            Err(error) => failed_part(&error),
        };
    }
    match open_threads(site, view).await {
        Ok(threads) => respond(TEXT, copied(&threads.iter().collect::<Vec<_>>())),
        Err(error) => failed_part(&error),
    }
}

/// All open threads of a view, in the order of the page.
async fn open_threads(site: &PageSite, view: &ShownView) -> Result<Vec<ThreadView>, SessionError> {
    let asked = Diff { words: false, syntax: false, enclosing: false, context: Some(0), ..view.diff() };
    let first = first_of(&site.session, &asked).await?;
    let mut threads = first.threads;
    let mut pieces = pieces(site.session.clone(), asked, first.files, u32::MAX);
    while let Some(piece) = pieces.recv().await {
        let (DiffPiece::File(file, _) | DiffPiece::More(file, ..)) = piece?;
        threads.extend(file.threads);
        threads.extend(file.lines.into_iter().flat_map(|line| line.threads));
    }
    let mut seen = BTreeSet::new();
    threads.retain(|thread| thread.status == ThreadStatus::Open && seen.insert(thread.id.clone()));
    Ok(threads)
}
