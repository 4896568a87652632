//! The message of a commit with the threads on it, for a page that shows that commit.

use hyper::Response;
use postil_protocol::{Diff, HeadName};

use super::page_body::PageBody;
use super::reading::{failed_part, frame};
use super::router::{HTML, respond};
use super::site::PageSite;
use crate::looks::Looks;
use crate::pages::message_section;

/// The message of the commit that is looked at; nothing if there is none.
pub(super) async fn message_of(site: &PageSite, looks: &Looks) -> Response<PageBody> {
    let Some(commit) = &looks.commit else { return respond(HTML, "") };
    let (base, head) = (Some(format!("{commit}^")), HeadName::Rev(commit.clone()));
    let asked = Diff { base, head, resolved: true, commits: true, ..Diff::default() };
    match site.session.ask(asked).await {
        Ok(diff) => {
            let is_it = |id: &str| id.starts_with(commit.as_str());
            let found = diff.commits.iter().find(|found| is_it(found.commit.as_str()));
            let section = found.map(|found| message_section(found, &diff.threads, &frame(site)));
            respond(HTML, section.unwrap_or_default().into_string())
        }
        Err(error) => failed_part(&error),
    }
}
