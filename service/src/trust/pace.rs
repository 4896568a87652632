//! How fast an agent may write: so many comments a minute, as its person says, whatever way they come in.
//!
//! Counted in the records themselves, so that no process has to remember it.

use postil_core::record::{Timestamp, ViaKind};
use postil_protocol::{Fault, FaultCode};

use crate::convert::actor::Actor;
use crate::request::Request;
use crate::trust::rules::own_text;

/// Where a person says how many comments an agent may write in a minute.
const SETTING: &str = "postil.agentsPerMinute";

/// The limit if nothing says otherwise: more than a batch, and more than anybody reads.
const USUAL_PACE: usize = 120;

const MINUTE: u64 = 60_000;

/// Checks that an agent may write so many more comments, replies and proposals now.
pub(crate) fn check_pace(request: &Request, actor: &Actor, more: usize) -> Result<(), Fault> {
    let Some(via) = actor.via.as_ref().filter(|via| via.kind == ViaKind::Agent) else { return Ok(()) };
    let most = match own_text(request.work_tree.repository(), SETTING) {
        None => USUAL_PACE,
        Some(said) => said.trim().parse().map_err(|_| {
            let message = format!("invalid value of {SETTING}: {said:?}; it is a number");
            Fault::new(FaultCode::Refused, message)
        })?,
    };
    let earliest = actor.at.0.saturating_sub(MINUTE);
    let is_recent = |at: Timestamp| at.0 > earliest && at.0 <= actor.at.0.saturating_add(MINUTE);
    let mut recent: Vec<u64> = Vec::new();
    for comment in request.notes.threads.comments() {
        let own = |email: &str, at: Timestamp| (email == actor.author.email && is_recent(at)).then_some(at.0);
        recent.extend(own(&comment.said().author.email, comment.said().at));
        let edits = comment.words().edits().changes().iter();
        recent.extend(edits.filter_map(|edit| own(&edit.said.author.email, edit.said.at)));
        let proposals = comment.proposals().into_iter().map(|proposal| &proposal.fact.said);
        recent.extend(proposals.filter_map(|said| own(&said.author.email, said.at)));
    }
    let Some(next) = what_to_do(&mut recent, more, most, actor.at.0) else { return Ok(()) };
    let (program, before) = (&via.program, recent.len());
    let message = format!(
        "agent {program} wrote {before} comments in the last minute and may write {most}: {more} more are too many; {next}"
    );
    let mut fault = Fault::new(FaultCode::Refused, message);
    fault.data.reason = Some("too-fast".into());
    Err(fault)
}

/// What an agent does that wants to write too many more, given when it wrote in the last minute; `None` if it may.
fn what_to_do(recent: &mut [u64], more: usize, most: usize, now: u64) -> Option<String> {
    let over = (recent.len() + more).saturating_sub(most);
    if over == 0 {
        return None;
    }
    // The oldest are forgotten first.
    recent.sort_unstable();
    Some(match recent.get(over - 1) {
        Some(at) => {
            let wait = (at + MINUTE).saturating_sub(now).div_ceil(1000).max(1);
            format!("wait {wait} seconds, or raise {SETTING} in your own git configuration")
        }
        None => format!("write fewer at once, or raise {SETTING} in your own git configuration"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_waits_until_enough_of_what_it_wrote_is_a_minute_old() {
        let check = |recent: &[u64], more: usize, expected: Option<&str>| {
            let told = what_to_do(&mut recent.to_vec(), more, 5, 100_000);
            assert_eq!(
                told.as_deref().and_then(|told| told.split(", or raise").next()),
                expected,
                "{recent:?}"
            );
        };
        check(&[], 5, None);
        check(&[90_000, 95_000], 3, None);
        check(&[95_000, 70_500, 90_000], 3, Some("wait 31 seconds"));
        check(&[95_000, 70_500, 90_000], 4, Some("wait 50 seconds"));
        check(&[100_000; 5], 1, Some("wait 60 seconds"));
        check(&[95_000], 9, Some("write fewer at once"));
        check(&[], 6, Some("write fewer at once"));
    }
}
