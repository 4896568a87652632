//! `propose`: says that threads are dealt with or obsolete, or where one belongs; a person decides.

use postil_protocol::{MAX_BATCH, Place, Propose, Span};
use serde_json::Value;

use super::arguments::ToolArguments;
use super::failing::failed;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

/// What can be proposed besides a place, and whether nothing was done about it.
const WHAT: [(&str, bool); 2] = [("done", false), ("obsolete", true)];

pub(super) fn propose(asked: &mut Asked<'_>, draft: bool) -> ToolAnswer {
    let propose = match proposal(asked, draft) {
        Ok(propose) => propose,
        Err(refused) => return refused,
    };
    let what = match (&propose.place, propose.obsolete) {
        (Some(_), _) => "proposed a place for",
        (None, true) => "proposed as obsolete:",
        (None, false) => "proposed as done:",
    };
    match asked.session.write(propose) {
        Ok(reply) => {
            let named: Vec<&str> = reply.threads.iter().map(|thread| thread.short.as_str()).collect();
            let draft = if draft { ", as drafts that a person publishes" } else { "" };
            let decides = "A person accepts or declines it.";
            ToolAnswer::ok(format!("{what} {}{draft}. {decides}\nmark {}", named.join(" "), reply.mark))
        }
        Err(error) => failed(&error),
    }
}

fn proposal(asked: &Asked<'_>, draft: bool) -> Result<Propose, ToolAnswer> {
    let arguments = ToolArguments::of(&asked.call.arguments, &["ids", "what", "path", "lines", "note"])?;
    let ids = arguments.list("ids", MAX_BATCH)?;
    let threads = ids.iter().map(|id| match id {
        Value::String(id) if !id.is_empty() => Ok(id.clone()),
        _ => Err(ToolAnswer::error("`ids` must be a list of thread ids")),
    });
    let threads = threads.collect::<Result<Vec<_>, _>>()?;
    let what = arguments.one_of("what", &WHAT)?;
    let lines = arguments.lines("lines")?;
    let place = arguments.word("path")?.map(|path| {
        let span = lines.map(|lines| Span::lines(lines.start, lines.end));
        Place { span, ..Place::file(path) }
    });
    match (&place, what, lines) {
        (Some(_), Some(_), _) => return Err(ToolAnswer::error("give `what`, or a `path`, not both")),
        (None, _, Some(_)) => return Err(ToolAnswer::error("`lines` need a `path`")),
        _ => {}
    }
    let text = arguments.text("note")?.unwrap_or_default().to_owned();
    Ok(Propose { threads, obsolete: what.unwrap_or_default(), place, text, draft, ..Propose::default() })
}
