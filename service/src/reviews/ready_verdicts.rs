//! Which approvals count: of whom, for which version, signed by whom.
//!
//! People are their emails, in any case. Whoever can push notes can write any verdict under any name; only a rule that
//! asks for signatures keeps them from it.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::{CommitId, history};
use postil_core::record::{Judgement, VerdictRecord};
use postil_core::review::{Fact, Following, ReviewGroup};
use postil_protocol::{ApprovalView, Fault, Person, SignatureState, SignatureView, VoidReason};

use crate::convert::fault::{OrFault as _, damaged};
use crate::request::Request;
use crate::reviews::ready_rule::ReadyRule;
use crate::view::person;
use crate::view::signatures::verdict_views;

/// Who made what is reviewed, by their emails in lower case.
pub(crate) struct PeopleOfBranch {
    /// Who started the review, or whose program did.
    pub started: BTreeSet<String>,
    /// Who wrote a commit of the branch.
    pub wrote: BTreeSet<String>,
}

/// An email as people are compared.
pub(crate) fn key(email: &str) -> String {
    email.trim().to_lowercase()
}

impl PeopleOfBranch {
    /// Reads the commits of the branch.
    pub fn find(
        request: &Request,
        following: &Following<'_>,
        group: ReviewGroup<'_>,
        head: CommitId,
    ) -> Result<Self, Fault> {
        let mut started = BTreeSet::new();
        for review in group.reviews() {
            let said = review.said();
            started.insert(key(&said.author.email));
            let person = said.via.as_deref().and_then(|via| via.person.as_ref());
            started.extend(person.map(|person| key(&person.email)));
        }
        let fork = following.fork(group, head).or_fault()?;
        let mut wrote = BTreeSet::new();
        for commit in history::between(&request.handle, Some(fork), head).or_fault()?.commits {
            let failed = |error: gix::Error| damaged("could not read a commit", &error);
            let commit = request.handle.find_commit(commit.raw()).map_err(failed)?;
            let author = commit.author().map_err(failed)?;
            wrote.insert(key(&author.email.to_string()));
        }
        Ok(Self { started, wrote })
    }
}

/// The approvals of a review, by one rule.
pub(crate) struct Approvals {
    /// Emails of those whose approval counts, in lower case.
    pub counting: BTreeSet<String>,
    /// Everybody who approved, oldest first.
    pub views: Vec<ApprovalView>,
    /// Who requests changes.
    pub requesting: Vec<Person>,
    /// Whether a signature that matters could not be checked.
    pub is_unchecked: bool,
}

impl Approvals {
    /// Counts them for `head`.
    pub fn count(
        request: &Request,
        following: &Following<'_>,
        group: ReviewGroup<'_>,
        head: CommitId,
        rule: &ReadyRule,
        people: &PeopleOfBranch,
    ) -> Self {
        let mut found = Self {
            counting: BTreeSet::new(),
            views: Vec::new(),
            requesting: Vec::new(),
            is_unchecked: false,
        };
        let facts = group.verdicts();
        let views = verdict_views(request, group);
        let mut last: BTreeMap<String, (&Fact<VerdictRecord>, Option<VoidReason>)> = BTreeMap::new();
        let mut set_aside: BTreeMap<String, (&Fact<VerdictRecord>, VoidReason)> = BTreeMap::new();
        for (fact, view) in facts.into_iter().zip(&views) {
            if fact.said.verdict == Judgement::Comment || request.notes.drafts.contains(&fact.id) {
                continue;
            }
            let who = key(&fact.said.author.email);
            let signature = view.signature.as_ref();
            found.is_unchecked |=
                rule.signed && signature.is_some_and(|signed| signed.state == SignatureState::Unchecked);
            // What nobody stands for must not replace what somebody stands for.
            match unfounded(fact, signature, rule) {
                Some(void) => _ = set_aside.insert(who, (fact, void)),
                None => _ = last.insert(who, (fact, None)),
            }
        }
        let mut told: Vec<(&Fact<VerdictRecord>, Option<VoidReason>)> = Vec::new();
        for (who, (fact, _)) in &last {
            match fact.said.verdict {
                Judgement::Changes => {
                    found.requesting.push(person(&fact.said.author, fact.said.via.as_deref()));
                }
                Judgement::Approve => {
                    let void = void(request, following, group, head, rule, people, who, fact);
                    if void.is_none() {
                        found.counting.insert(who.clone());
                    }
                    told.push((fact, void));
                }
                Judgement::Comment => {}
            }
        }
        let aside = set_aside.into_iter().filter(|(who, _)| !last.contains_key(who));
        let aside = aside.filter(|(_, (fact, _))| fact.said.verdict == Judgement::Approve);
        told.extend(aside.map(|(_, (fact, void))| (fact, Some(void))));
        told.sort_by_key(|(fact, _)| (fact.said.at, fact.said.seq, fact.id));
        let view = |(fact, void): (&Fact<VerdictRecord>, Option<VoidReason>)| ApprovalView {
            who: person(&fact.said.author, fact.said.via.as_deref()),
            void,
        };
        found.views = told.into_iter().map(view).collect();
        found
    }
}

/// Why nobody stands for a verdict, so that it is as if it were not there.
fn unfounded(
    fact: &Fact<VerdictRecord>,
    signature: Option<&SignatureView>,
    rule: &ReadyRule,
) -> Option<VoidReason> {
    let is_signed =
        |signed: &SignatureView| signed.state == SignatureState::Verified && !signed.author_differs;
    if fact.said.via.is_some() {
        Some(VoidReason::Program)
    } else if signature.is_some_and(|signed| signed.state == SignatureState::Bad) {
        Some(VoidReason::BadSignature)
    } else if rule.signed && !signature.is_some_and(is_signed) {
        Some(VoidReason::Unsigned)
    } else {
        None
    }
}

/// Why an approval that somebody stands for does not count.
#[allow(clippy::too_many_arguments, reason = "one question, asked in one place")]
fn void(
    request: &Request,
    following: &Following<'_>,
    group: ReviewGroup<'_>,
    head: CommitId,
    rule: &ReadyRule,
    people: &PeopleOfBranch,
    who: &str,
    fact: &Fact<VerdictRecord>,
) -> Option<VoidReason> {
    if people.started.contains(who) {
        Some(VoidReason::OwnReview)
    } else if people.wrote.contains(who) {
        Some(VoidReason::OwnCommits)
    } else if !rule.from.is_empty() && !rule.from.contains(who) {
        Some(VoidReason::Outsider)
    } else if !is_same_work(request, following, group, fact.said.head, head) {
        Some(VoidReason::Earlier)
    } else {
        None
    }
}

/// Whether the branch does what it did at a verdict: a rebase onto a newer base, or another message, changes nothing.
fn is_same_work(
    request: &Request,
    following: &Following<'_>,
    group: ReviewGroup<'_>,
    judged: CommitId,
    head: CommitId,
) -> bool {
    judged == head
        || (history::commit(&request.handle, judged).is_ok()
            && following.since(group, judged, head).is_ok_and(|since| since.files.is_empty()))
}
