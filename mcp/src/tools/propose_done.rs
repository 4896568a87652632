//! `propose_done`: says that threads are dealt with; a person decides.

use postil_protocol::Propose;
use serde_json::Value;

use super::arguments::ToolArguments;
use super::definitions::MAX_ITEMS;
use super::failing::failed;
use super::review_tools::Asked;
use crate::wire::toolbox::ToolAnswer;

pub(super) fn propose_done(asked: &mut Asked<'_>, draft: bool) -> ToolAnswer {
    let propose = match proposal(asked, draft) {
        Ok(propose) => propose,
        Err(refused) => return refused,
    };
    match asked.session.write(propose) {
        Ok(reply) => {
            let named: Vec<&str> = reply.threads.iter().map(|thread| thread.short.as_str()).collect();
            let draft = if draft { ", as drafts that a person publishes" } else { "" };
            ToolAnswer::ok(format!(
                "proposed as done: {}{draft}. A person resolves.\nmark {}",
                named.join(" "),
                reply.mark
            ))
        }
        Err(error) => failed(&error),
    }
}

fn proposal(asked: &Asked<'_>, draft: bool) -> Result<Propose, ToolAnswer> {
    let arguments = ToolArguments::of(&asked.call.arguments, &["ids", "note"])?;
    let ids = arguments.list("ids", MAX_ITEMS)?;
    let threads = ids.iter().map(|id| match id {
        Value::String(id) if !id.is_empty() => Ok(id.clone()),
        _ => Err(ToolAnswer::error("`ids` must be a list of thread ids")),
    });
    let threads = threads.collect::<Result<Vec<_>, _>>()?;
    let text = arguments.text("note")?.unwrap_or_default().to_owned();
    Ok(Propose { threads, text, draft, ..Propose::default() })
}
