//! Takes over what was said elsewhere.

use postil_protocol::{Advice, Fault, FaultCode, Import, ImportReply, MAX_IMPORT};

use crate::convert::actor::Actor;
use crate::import::importing::Importing;
use crate::import::read_files::read_files;
use crate::import::report_finding::{is_finding, is_on_review};
use crate::methods::comments::comment::review_for;
use crate::request::Request;

/// Takes over what was said elsewhere.
pub fn import(request: &Request, actor: &Actor, asked: &Import) -> Result<ImportReply, Fault> {
    let (import, mut refused) = read_files(&request.work_tree, asked)?;
    let count = import.comments.len().max(import.reviews.len());
    if count > MAX_IMPORT {
        let message = format!("too many entries: {count}; the limit is {MAX_IMPORT}");
        return Err(Fault::new(FaultCode::TooLarge, message).advise(Advice::ImportInParts));
    }
    let mut importing = Importing::begin(request, actor)?;
    if importing.current.is_none()
        && let Some(on_review) = import.comments.iter().find(|comment| is_on_review(comment))
    {
        match review_for(request, actor, None, false) {
            Ok((review, opening)) => importing.in_review(review, opening),
            Err(fault) => importing.note_refusal(&on_review.id, Err(fault))?,
        }
    }
    for review in &import.reviews {
        let taken = importing.review(review);
        importing.note_refusal(&review.id, taken)?;
    }
    let left_out = importing.findings(&import.comments, import.max)?;
    for comment in import.comments.iter().filter(|comment| !is_finding(comment)) {
        let taken = match comment.verdict {
            Some(verdict) => importing.verdict(comment, verdict),
            None if is_on_review(comment) => importing.on_review(comment, false),
            None => importing.comment(comment),
        };
        importing.note_refusal(&comment.id, taken)?;
    }
    importing.rest(&left_out, &import.comments)?;
    if import.retire {
        importing.retire(&import)?;
    }
    let mut reply = importing.write(&import.sources)?;
    refused.append(&mut reply.refused);
    Ok(ImportReply { refused, ..reply })
}
