//! Suggestions into the files on disk: what it would do, doing it, and undoing it.
//!
//! A page never sends a patch. It names suggestions, and the token of the plan that it showed; everything is planned
//! again, and refused if a file changed in between. The files are written by this process, in the name of its user.

use hyper::Response;
use postil_client::SessionError;
use postil_protocol::{Apply, ApplyWrite, ChangeInto, Fault, FaultCode, Resolve, ThreadView, Undo, UndoMode};
use serde_json::{Value, json};

use super::page_body::PageBody;
use super::reading::failed_part;
use super::router::{HTML, respond};
use super::site::PageSite;
use super::writing::cards;
use crate::address::Query;
use crate::pages::{ApplyPlan, apply_plan};

/// So many suggestions are applied at once.
const MAX_SUGGESTIONS: usize = 100;

/// What a person decided to apply: suggestions, by the ids of their comments; the token of the plan that was shown; and
/// whether to resolve their threads too.
pub(super) type ApplyChosen = (Vec<String>, String, bool);

/// What applying would do: the suggestions that are named, or all that can be applied.
pub(super) async fn plan(site: &PageSite, query: &Query) -> Response<PageBody> {
    match planned(site, query).await {
        Ok(html) => respond(HTML, html),
        Err(error) => failed_part(&error),
    }
}

async fn planned(site: &PageSite, query: &Query) -> Result<String, SessionError> {
    let named = query.all("id").filter_map(|id| std::str::from_utf8(id).ok());
    let named: Vec<String> = named.take(MAX_SUGGESTIONS).map(str::to_owned).collect();
    let all = site.session.ask(Apply { all: true, ..Apply::default() }).await?;
    let open = [all.suggestions.as_slice(), all.left_out.as_slice()].concat();
    let plan = if named.is_empty() {
        all
    } else {
        site.session.ask(Apply { comments: named, ..Apply::default() }).await?
    };
    // Where there is nothing to undo, that is no reason to show no plan.
    let last = site.session.ask(Undo { mode: UndoMode::Look }).await.ok();
    Ok(apply_plan(&ApplyPlan { plan: &plan, open: &open, last: last.as_ref() }).into_string())
}

/// Writes what was decided, if the plan is still the one that was shown.
pub(super) async fn apply(
    site: &PageSite,
    (comments, token, resolve): ApplyChosen,
) -> Result<Value, SessionError> {
    if comments.is_empty() || comments.len() > MAX_SUGGESTIONS {
        let message = format!("name between 1 and {MAX_SUGGESTIONS} suggestions");
        return Err(Fault::new(FaultCode::InvalidParams, message).into());
    }
    let asked = Apply { comments, ..Apply::default() };
    let plan = site.session.ask(asked).await?;
    let threads: Vec<String> = plan.suggestions.iter().map(|said| said.thread.to_string()).collect();
    let files = plan.files.len();
    let written = ApplyWrite { plan, expect: Some(token), into: ChangeInto::Files };
    let written = site.session.write(written).await?;
    let mut told = json!({ "what": written.what, "files": files });
    if resolve {
        let resolved: Result<Vec<ThreadView>, SessionError> = site
            .session
            .write(Resolve { threads, reason: Some("applied".to_owned()), by: None })
            .await
            .map(|reply| reply.threads);
        match resolved {
            Ok(threads) => told["cards"] = cards(site, &threads),
            // The files are written, and that is what the person is told first.
            Err(error) => told["unresolved"] = error.to_string().into(),
        }
    }
    Ok(told)
}

/// Undoes what was applied last, if that is what was shown.
pub(super) async fn undo(site: &PageSite, shown: &str) -> Result<Value, SessionError> {
    let last = site.session.ask(Undo { mode: UndoMode::Look }).await?;
    if last.what != shown {
        let message = format!("something else was applied since: {}", last.what);
        return Err(Fault::new(FaultCode::Conflict, message).into());
    }
    let undone = site.session.ask(Undo { mode: UndoMode::Restore }).await?;
    Ok(json!({ "what": undone.what, "files": undone.files.len() }))
}
