//! Threads as text, for somebody to take along.

use hyper::Response;
use postil_protocol::{Show, ThreadStatus, ThreadView};

use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{TEXT, respond};
use super::site::PageSite;
use super::whole_diff::whole_diff;
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
    match whole_diff(&site.session, view.diff()).await {
        Ok(diff) => {
            let in_files = diff.files.iter().flat_map(|file| {
                file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()))
            });
            let open = |thread: &&ThreadView| thread.status == ThreadStatus::Open;
            let threads: Vec<&ThreadView> = diff.threads.iter().chain(in_files).filter(open).collect();
            respond(TEXT, copied(&threads))
        }
        Err(error) => failed_part(&error),
    }
}
