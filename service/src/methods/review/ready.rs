//! Reports whether a review is ready to be merged.

use postil_core::git::{CommitId, history};
use postil_core::review::{Following, ReviewGroup, ReviewState};
use postil_protocol::{
    ByteText, Fault, FaultCode, Hex, ReviewMerge, ReviewReadiness, ReviewReady, ReviewReadyReply,
};

use crate::convert::fault::OrFault as _;
use crate::convert::hex::hex;
use crate::lists::filter::is_base;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::ready::{RuleSource, readiness};

/// Of the reviews that a merge may bring, this many are looked at, the newest first.
const MAX_MERGED: usize = 256;

/// Whether a review is ready, or all reviews that a merge brings.
pub fn ready(request: &Request, asked: &ReviewReady) -> Result<ReviewReadyReply, Fault> {
    let Some(merging) = &asked.merging else {
        let group = review_named(request, asked.review.as_deref())?;
        return Ok(reply(vec![one(request, group, RuleSource::Base)?]));
    };
    if asked.review.is_some() {
        return Err(Fault::new(FaultCode::InvalidParams, "`review` and `merging` cannot be combined"));
    }
    let (commit, onto) = ends(request, merging)?;
    let following = Following::new(&request.handle, &request.branches);
    let mut groups: Vec<ReviewGroup<'_>> = request
        .notes
        .threads
        .groups()
        .filter(|group| group.lead().state() != ReviewState::Closed)
        .filter(|group| is_base(group.lead().base(), &merging.into))
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.lead().said().at));
    let mut reviews = Vec::new();
    for group in groups.into_iter().take(MAX_MERGED) {
        let brings = following.has_work(group, commit).or_fault()?;
        let had = onto.map(|onto| following.has_work(group, onto)).transpose().or_fault()?.unwrap_or(false);
        if brings && !had {
            reviews.push(one(request, group, RuleSource::Replaced(onto))?);
        }
    }
    Ok(reply(reviews))
}

/// The commits of a merge, which must be here.
fn ends(request: &Request, merging: &ReviewMerge) -> Result<(CommitId, Option<CommitId>), Fault> {
    let here = |id: &Hex| {
        let commit = gix::ObjectId::from_hex(id.as_str().as_bytes()).map(CommitId::from);
        let commit = commit.map_err(|_| Fault::new(FaultCode::InvalidParams, format!("not an id: {id}")))?;
        history::commit(&request.handle, commit).or_fault()?;
        Ok::<_, Fault>(commit)
    };
    Ok((here(&merging.commit)?, merging.onto.as_ref().map(here).transpose()?))
}

fn one(request: &Request, group: ReviewGroup<'_>, source: RuleSource) -> Result<ReviewReadiness, Fault> {
    let lead = group.lead();
    Ok(ReviewReadiness {
        id: hex(group.id()),
        short: request.notes.prefixes.shorten(group.id()).to_string(),
        title: lead.title().to_owned(),
        branch: ByteText::new(lead.branch()),
        base: ByteText::new(lead.base()),
        state: readiness(request, group, source)?,
    })
}

fn reply(reviews: Vec<ReviewReadiness>) -> ReviewReadyReply {
    ReviewReadyReply { reviews, ..ReviewReadyReply::default() }
}
