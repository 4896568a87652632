//! Who was asked to review and has still to judge.

use postil_core::git::CommitId;
use postil_core::record::{Judgement, RequestRecord, VerdictRecord};
use postil_core::review::{Change, Fact, ReviewGroup};

use crate::notes::names::is_open;
use crate::request::Request;
use crate::reviews::follow_up::known_of;

/// The requests on an open review whose people have not judged its current head, oldest first.
///
/// Where the head is not known here, a verdict after the request is enough.
pub(crate) fn to_judge<'a>(request: &Request, group: ReviewGroup<'a>) -> Vec<&'a Change<RequestRecord>> {
    if !is_open(group) {
        return Vec::new();
    }
    let tip = known_of(request, group).and_then(|known| known.branch.as_ref()).map(|branch| branch.head);
    let verdicts = group.judgements();
    let mut asked = group.asked();
    asked.retain(|asked| !verdicts.iter().any(|verdict| answers(verdict, asked, tip)));
    asked
}

fn answers(verdict: &Fact<VerdictRecord>, asked: &Change<RequestRecord>, tip: Option<CommitId>) -> bool {
    let (verdict, asked) = (&verdict.said, &asked.said);
    verdict.verdict != Judgement::Comment
        && verdict.author.email == asked.who.email
        && tip.map_or(verdict.at >= asked.at, |tip| verdict.head == tip)
}
