//! Changes the words of a comment.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::writing::records::{add_to, threads_done, words};
use postil_core::record::{Body, EditRecord, Record};
use postil_core::suggestion::Block;
use postil_protocol::{self, Advice, Fault, FaultCode};

/// Changes the words of a comment; another's are only proposed.
pub fn edit(
    request: &Request,
    actor: &Actor,
    edit: &postil_protocol::Edit,
) -> Result<postil_protocol::DoneReply, Fault> {
    let text = words(&edit.text, None)?;
    let comment = request.notes.comment_named(&edit.of)?;
    let of = comment.id();
    if Block::all_in(comment.text()) != Block::all_in(&text) {
        let what = "cannot edit a suggested change: others may have applied it";
        return Err(Fault::new(FaultCode::Refused, what).advise(Advice::KeepSuggestion));
    }
    if comment.text() == text && comment.said().author.email == actor.author.email {
        return Ok(threads_done(request, &[of], request.notes.version.notes));
    }
    let body = EditRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: request.notes.threads.next_seq(of).unwrap_or_default(),
        via: actor.via.clone(),
        of,
        over: comment.over_for_edit(&actor.author),
        text: Some(text),
        title: None,
        description: None,
        branch: None,
        base: None,
    };
    let record = Record::new(&Body::Edit(body)).or_fault()?;
    let message = format!("Edit {}", request.notes.prefixes.shorten(of));
    add_to(request, actor, &[of], vec![record], Vec::new(), &message)
}
