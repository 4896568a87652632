//! Adds to each view who signed it.
//!
//! Whether one signature holds is `trust`'s work; here it is decided which records an answer rests on, and what
//! several findings come to.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use postil_core::record::{Record, RecordId, Timestamp};
use postil_core::review::{Comment, FollowedReview, Review, ReviewGroup, TextEdits, Threads};
use postil_protocol::{
    CommentTrust, Hex, ReviewView, SignatureState, SignatureView, ThreadLine, ThreadView, VerdictView,
};

use crate::notes::index::NotesIndex;
use crate::positions::positions_at::PositionsByThread;
use crate::request::Request;
use crate::trust::{Claim, Finding, KeyOwner, MAX_JUDGED, Settings};
use crate::view;

/// Of one record, so many signatures are looked at, those with the lowest ids; most of them only to know them again.
const MAX_SIGNATURES: usize = 4096;

/// So many signatures are judged in one go ahead of time: a daemon that stops waits for them.
const AHEAD_AT_ONCE: usize = 16;

/// What is needed of a signed record.
#[derive(Clone, Debug)]
pub(crate) struct Vouched {
    hash: [u8; 32],
    /// Whose keys count: the author's, and those of the person that a program works for.
    authors: Vec<String>,
    at: Timestamp,
}

impl Vouched {
    /// The records that have signatures, of all that there are.
    pub fn among<'a>(
        threads: &Threads,
        records: impl Iterator<Item = &'a Record>,
    ) -> BTreeMap<RecordId, Self> {
        if threads.signatures().is_empty() {
            return BTreeMap::new();
        }
        let signed = records.filter(|record| !threads.signatures_of(record.id()).is_empty());
        let vouched = signed.filter_map(|record| {
            let body = record.body().ok()?;
            let (author, at) = body.made_by()?;
            // Nobody's words become another's by naming a person that they work for.
            let via = body.via().filter(|via| via.author() == *author);
            let person = via.and_then(|via| via.person.as_ref());
            let authors = [author].into_iter().chain(person).map(|author| author.email.clone()).collect();
            Some((record.id(), Self { hash: record.full_hash(), authors, at }))
        });
        vouched.collect()
    }
}

/// Says of any record how far somebody vouches for it.
#[derive(Debug)]
pub(crate) struct Voucher<'a> {
    request: &'a Request,
    trusted: OnceCell<Settings>,
}

impl<'a> Voucher<'a> {
    pub fn new(request: &'a Request) -> Self {
        Self { request, trusted: OnceCell::new() }
    }

    /// Whether what rests on these records is signed or was written here.
    pub fn is_vouched(&self, rests: &[RecordId]) -> bool {
        let notes = &self.request.notes;
        let found = find_out_with(self.request, notes, &rests.iter().copied().collect(), &self.trusted);
        let trust = trust(found.signature_view(rests).as_ref(), rests, self.request.written_here());
        matches!(trust, CommentTrust::Signed | CommentTrust::Here)
    }
}

/// What was found out about some records.
#[derive(Debug, Default)]
struct Findings(BTreeMap<RecordId, Finding>);

/// Reports who vouches for what is said in these threads, as `notes` has them.
pub fn add_signatures(request: &Request, notes: &NotesIndex, views: &mut [ThreadView]) {
    let here = request.written_here();
    let shown = |view: &ThreadView| {
        let comments = view.comments.iter().flat_map(|comment| rests_of_comment(notes, &comment.id));
        comments.chain(rest_of_status(notes, view)).collect::<Vec<_>>()
    };
    let findings = find_out(request, notes, &views.iter().flat_map(shown).collect());
    for view in views {
        if let Some(status) = rest_of_status(notes, view) {
            let told = findings.signature_view(&[status]);
            view.status_by.iter_mut().for_each(|by| by.signature.clone_from(&told));
        }
        for comment in &mut view.comments {
            let rests = rests_of_comment(notes, &comment.id);
            comment.signature = findings.signature_view(&rests);
            comment.trust = trust(comment.signature.as_ref(), &rests, here);
        }
    }
}

/// Reports who vouches for the first comments of these lines, which are in the same order.
pub fn add_signatures_to_lines<'a>(
    request: &Request,
    roots: impl Iterator<Item = Option<&'a Comment>>,
    lines: &mut [ThreadLine],
) {
    let here = request.written_here();
    let rests: Vec<Vec<RecordId>> =
        roots.map(|root| root.map(|root| rests_of(root.id(), root.words())).unwrap_or_default()).collect();
    let findings = find_out(request, &request.notes, &rests.iter().flatten().copied().collect());
    for (line, rests) in lines.iter_mut().zip(&rests) {
        line.signature = findings.signature_view(rests).map(Box::new);
        line.trust = trust(line.signature.as_deref(), rests, here);
    }
}

/// A review in JSON, with who vouches for it, its end and the verdicts on it.
pub fn signed_review(
    request: &Request,
    group: ReviewGroup<'_>,
    followed: Option<&FollowedReview>,
    entries: Option<&PositionsByThread>,
) -> ReviewView {
    let mut view = view::review(&request.notes, group, followed, entries);
    if !request.notes.vouched.is_empty() {
        add_signatures_to_review(request, group.lead(), &mut view);
    }
    view
}

/// Who vouches for each of these records; those that nobody signed are left out.
pub fn signatures_of_records(
    request: &Request,
    records: &BTreeSet<RecordId>,
) -> BTreeMap<RecordId, SignatureView> {
    let findings = find_out(request, &request.notes, records);
    records.iter().filter_map(|id| Some((*id, findings.signature_view(&[*id])?))).collect()
}

/// Every verdict on a review in JSON, with who vouches for it.
pub fn verdict_views(request: &Request, group: ReviewGroup<'_>) -> Vec<VerdictView> {
    let facts = group.verdicts();
    let findings = find_out(request, &request.notes, &facts.iter().map(|fact| fact.id).collect());
    let told = facts.into_iter().map(|fact| VerdictView {
        signature: findings.signature_view(&[fact.id]),
        ..view::verdict(&request.notes, fact)
    });
    told.collect()
}

fn add_signatures_to_review(request: &Request, review: &Review, view: &mut ReviewView) {
    let of_review = rests_of(review.id(), review.words());
    let of_status = review.statuses().in_force().map(|status| status.id);
    let of_verdicts = view.verdicts.iter().filter_map(|verdict| id(&verdict.id));
    let all = of_review.iter().copied().chain(of_status).chain(of_verdicts).collect();
    let findings = find_out(request, &request.notes, &all);
    view.signature = findings.signature_view(&of_review);
    if let (Some(by), Some(status)) = (&mut view.status_by, of_status) {
        by.signature = findings.signature_view(&[status]);
    }
    for verdict in &mut view.verdicts {
        verdict.signature = id(&verdict.id).and_then(|id| findings.signature_view(&[id]));
    }
}

/// Checks some of the signatures that have not been requested yet; returns how many are left.
pub fn check_ahead(request: &Request) -> usize {
    let claims = claims(&request.notes, request.notes.vouched.iter().map(|(id, vouched)| (*id, vouched)));
    if claims.is_empty() {
        return 0;
    }
    request.repository.checker.check_ahead(&claims, &trusted_by(request), AHEAD_AT_ONCE)
}

/// Who is trusted; read again, since a service that lives long does not see edits.
fn trusted_by(request: &Request) -> Settings {
    match request.work_tree.repository().reopen() {
        Ok(repo) => Settings::of(&repo, request.now),
        Err(_) => Settings::of(request.work_tree.repository(), request.now),
    }
}

fn find_out(request: &Request, notes: &NotesIndex, records: &BTreeSet<RecordId>) -> Findings {
    find_out_with(request, notes, records, &OnceCell::new())
}

/// As [`find_out`], with who is trusted, which is read where it is needed first.
fn find_out_with(
    request: &Request,
    notes: &NotesIndex,
    records: &BTreeSet<RecordId>,
    trusted: &OnceCell<Settings>,
) -> Findings {
    let claims = claims(notes, records.iter().filter_map(|id| Some((*id, notes.vouched.get(id)?))));
    let mut findings = Findings::default();
    if claims.is_empty() {
        return findings;
    }
    let trusted = trusted.get_or_init(|| trusted_by(request));
    for (claim, finding) in claims.iter().zip(request.repository.checker.check(&claims, trusted)) {
        let stronger = match findings.0.remove(&claim.of) {
            Some(other) => other.stronger(finding),
            None => finding,
        };
        findings.0.insert(claim.of, stronger);
    }
    for (record, finding) in &mut findings.0 {
        let signatures = notes.threads.signatures_of(*record).len();
        if signatures > MAX_JUDGED && !finding.is_final() {
            *finding = too_many(signatures);
        }
    }
    findings
}

/// The finding for a record with so many signatures that the author's may not be among the checked ones.
fn too_many(signatures: usize) -> Finding {
    let why = format!("too many signatures: {signatures}; only {MAX_JUDGED} are checked");
    Finding::Unknown { why, key: None }
}

/// What the signatures of these records claim.
fn claims<'a>(notes: &NotesIndex, records: impl Iterator<Item = (RecordId, &'a Vouched)>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (of, vouched) in records {
        for signature in notes.threads.signatures_of(of).iter().take(MAX_SIGNATURES) {
            claims.extend(vouched.authors.iter().map(|author| Claim {
                of,
                hash: vouched.hash,
                author: author.clone(),
                at: vouched.at,
                format: signature.said.format.clone(),
                signature: signature.said.signature.clone(),
            }));
        }
    }
    claims
}

impl Findings {
    /// The signature of something that depends on these records; `None` if none of them is signed.
    fn signature_view(&self, rests: &[RecordId]) -> Option<SignatureView> {
        let found: Vec<&Finding> = rests.iter().filter_map(|id| self.0.get(id)).collect();
        if found.is_empty() {
            return None;
        }
        let told = found.iter().copied().map(signature_view).min_by_key(rank)?;
        if found.len() < rests.len() && told.state == SignatureState::Verified {
            // An author who signs comments would have signed the edit too, so this edit may be anyone's.
            let why = Some("the comment or its edit is not signed".to_owned());
            return Some(SignatureView { state: SignatureState::Unknown, why, ..told });
        }
        Some(told)
    }
}

/// How far somebody vouches for the first comment of a thread, where nothing is signed.
pub fn trust_unsigned(request: &Request, root: Option<&Comment>) -> CommentTrust {
    let rests = root.map(|root| rests_of(root.id(), root.words())).unwrap_or_default();
    trust(None, &rests, request.written_here())
}

/// How far somebody vouches for what rests on these records.
fn trust(signature: Option<&SignatureView>, rests: &[RecordId], here: &HashSet<RecordId>) -> CommentTrust {
    match signature {
        Some(view) if view.state == SignatureState::Bad => CommentTrust::Bad,
        Some(view) if view.state == SignatureState::Verified && !view.author_differs => CommentTrust::Signed,
        _ if !rests.is_empty() && rests.iter().all(|id| here.contains(id)) => CommentTrust::Here,
        _ => CommentTrust::Unsigned,
    }
}

/// The weaker comes first: what rests on several records is as sure as the least sure of them.
fn rank(view: &SignatureView) -> u8 {
    match view.state {
        SignatureState::Bad => 0,
        SignatureState::Unchecked => 1,
        SignatureState::Unknown => 2,
        SignatureState::Verified if view.author_differs => 3,
        SignatureState::Verified => 4,
    }
}

fn signature_view(finding: &Finding) -> SignatureView {
    let none = SignatureView {
        state: SignatureState::Unchecked,
        signer: None,
        key: None,
        author_differs: false,
        why: None,
    };
    match finding {
        Finding::Verified { signer, key } => {
            let (name, author_differs) = match signer {
                KeyOwner::Author(name) => (name, false),
                KeyOwner::Other(name) => (name, true),
            };
            let state = SignatureState::Verified;
            SignatureView { state, signer: Some(name.clone()), key: key.clone(), author_differs, ..none }
        }
        Finding::Unknown { why, key } => {
            SignatureView { state: SignatureState::Unknown, key: key.clone(), why: Some(why.clone()), ..none }
        }
        Finding::Bad { why } => SignatureView { state: SignatureState::Bad, why: Some(why.clone()), ..none },
        Finding::Unchecked => none,
    }
}

/// The records that the words of a comment rest on.
fn rests_of_comment(notes: &NotesIndex, comment: &Hex) -> Vec<RecordId> {
    let comment = id(comment).and_then(|id| notes.threads.comment(id));
    comment.map(|comment| rests_of(comment.id(), comment.words())).unwrap_or_default()
}

pub(crate) fn rests_of(said: RecordId, words: &TextEdits) -> Vec<RecordId> {
    [said].into_iter().chain(words.edits().in_force().map(|edit| edit.id)).collect()
}

fn rest_of_status(notes: &NotesIndex, view: &ThreadView) -> Option<RecordId> {
    let thread = notes.threads.thread(id(&view.id)?)?;
    thread.statuses().in_force().map(|status| status.id)
}

fn id(hex: &Hex) -> Option<RecordId> {
    RecordId::from_hex(hex.as_str())
}

#[cfg(test)]
mod tests {
    use postil_core::git::ObjectId;
    use postil_core::record::{
        Author, Body, CommentRecord, Seq, SignatureFormat, SignatureRecord, Via, ViaKind,
    };

    use super::*;

    fn record(number: u8) -> RecordId {
        RecordId::from_array([number; 16])
    }

    fn verified() -> Finding {
        Finding::Verified { signer: KeyOwner::Author("ann".to_owned()), key: None }
    }

    fn state(found: &[Option<Finding>]) -> Option<SignatureState> {
        let rests: Vec<RecordId> = (0..).take(found.len()).map(record).collect();
        let known = rests.iter().zip(found).filter_map(|(id, finding)| Some((*id, finding.clone()?)));
        Findings(known.collect()).signature_view(&rests).map(|view| view.state)
    }

    #[test]
    fn the_person_of_an_agent_vouches_for_it_and_for_nobody_else_who_names_them() {
        let ann = Author { name: "ann".into(), email: "ann@example.com".into() };
        let bob = Author { name: "bob".into(), email: "bob@example.com".into() };
        let (kind, program) = (ViaKind::Agent, "helper".to_owned());
        let via = Via { kind, program, version: None, model: None, person: Some(ann.clone()) };
        let authors = |author: &Author, via: Option<&Via>| {
            let comment = CommentRecord {
                author: author.clone(),
                at: Timestamp(1),
                seq: Seq::default(),
                via: via.cloned().map(Box::new),
                review: None,
                parent: None,
                anchor: None,
                text: "why?".into(),
                severity: None,
                tags: Vec::new(),
                suggestion: Vec::new(),
            };
            let comment = Record::new(&Body::Comment(comment)).unwrap();
            let (of, format, signature) = (comment.id(), SignatureFormat::Ssh, b"x".to_vec());
            let signature = Record::new(&Body::Signature(SignatureRecord { of, format, signature })).unwrap();
            let page = ObjectId::from_bytes(&[1; 20]).unwrap();
            let all = [comment, signature];
            let threads = Threads::fold(all.iter().map(|record| (page, record)));
            Vouched::among(&threads, all.iter()).remove(&of).unwrap().authors
        };
        assert_eq!(authors(&ann, None), ["ann@example.com"]);
        assert_eq!(
            authors(&via.author(), Some(&via)),
            ["helper+ann=example.com@agent.invalid", "ann@example.com"]
        );
        assert_eq!(authors(&bob, Some(&via)), ["bob@example.com"], "bob's words are not ann's");
    }

    #[test]
    fn what_is_trusted_depends_on_the_signature_then_on_the_list_of_this_machine() {
        let view = |state: SignatureState, author_differs: bool| {
            let (signer, key, why) = (None, None, None);
            Some(SignatureView { state, signer, key, author_differs, why })
        };
        let check = |signature: Option<SignatureView>, here: &[u8], expected: CommentTrust| {
            let here: HashSet<RecordId> = here.iter().copied().map(record).collect();
            assert_eq!(trust(signature.as_ref(), &[record(1), record(2)], &here), expected);
        };
        check(None, &[], CommentTrust::Unsigned);
        check(None, &[1, 2, 3], CommentTrust::Here);
        check(None, &[1], CommentTrust::Unsigned);
        check(view(SignatureState::Verified, false), &[], CommentTrust::Signed);
        check(view(SignatureState::Verified, true), &[], CommentTrust::Unsigned);
        check(view(SignatureState::Unknown, false), &[1, 2], CommentTrust::Here);
        check(view(SignatureState::Unchecked, false), &[], CommentTrust::Unsigned);
        check(view(SignatureState::Bad, false), &[1, 2], CommentTrust::Bad);
        assert_eq!(trust(None, &[], &HashSet::new()), CommentTrust::Unsigned);
    }

    #[test]
    fn edited_words_are_as_sure_as_the_edit() {
        let bad = Finding::Bad { why: String::new() };
        assert_eq!(state(&[None, None]), None);
        assert_eq!(state(&[Some(verified()), Some(verified())]), Some(SignatureState::Verified));
        assert_eq!(state(&[Some(verified()), None]), Some(SignatureState::Unknown));
        assert_eq!(state(&[None, Some(verified())]), Some(SignatureState::Unknown));
        assert_eq!(state(&[Some(verified()), Some(bad.clone())]), Some(SignatureState::Bad));
        assert_eq!(state(&[Some(bad), None]), Some(SignatureState::Bad));
        assert_eq!(state(&[Some(Finding::Unchecked), Some(verified())]), Some(SignatureState::Unchecked));
    }
}
