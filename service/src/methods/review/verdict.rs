//! Records a verdict on a review.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::follow_up::followed;
use crate::reviews::ready::approval_warnings;
use crate::reviews::review::say_of;
use postil_core::record::{Body, Judgement, Record};
use postil_protocol::{Advice, Fault, FaultCode, ReviewReply, ReviewVerdict, Verdict};

/// Judges a review at the head that its branch has now.
pub fn judge(request: &Request, actor: &Actor, judged: &ReviewVerdict) -> Result<ReviewReply, Fault> {
    let group = review_named(request, judged.review.as_deref())?;
    let head = followed(request, group)?.branch.map_or(group.lead().said().head, |lead| lead.head);
    let verdict = match judged.verdict {
        Verdict::Approve => Judgement::Approve,
        Verdict::Changes => Judgement::Changes,
        Verdict::Comment => Judgement::Comment,
    };
    let text = judged.text.trim().to_owned();
    if verdict == Judgement::Comment && text.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "the text is empty").advise(Advice::SayText));
    }
    let body = postil_core::record::VerdictRecord {
        author: actor.author.clone(),
        at: actor.at,
        seq: group.next_seq(),
        via: actor.via.clone(),
        review: group.id(),
        head,
        verdict,
        text,
    };
    let record = Record::new(&Body::Verdict(body)).or_fault()?;
    let word = match judged.verdict {
        Verdict::Approve => "Approve",
        Verdict::Changes => "Request changes in",
        Verdict::Comment => "Comment on",
    };
    if verdict == Judgement::Approve {
        for warning in approval_warnings(request, group, head, &actor.author.email) {
            request.warnings.say(warning);
        }
    }
    request.repository.looked.add(group.id(), head);
    let message = format!("{word} the review of {}", String::from_utf8_lossy(group.lead().branch()));
    say_of(request, actor, group, record, judged.draft, &message)
}
