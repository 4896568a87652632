//! Whether a review is ready to be merged, and what is missing.
//!
//! The rule is read from the base, never from the branch under review. Whatever cannot be read counts as missing. How a
//! rule is written is `ready_rule`'s matter; which approvals count is in `ready_verdicts`.

use postil_core::git::{CommitId, RefName, RepoPath, history, tree};
use postil_core::record::Severity;
use postil_core::review::{Comment, Following, ReviewGroup, ThreadState};
use postil_protocol::{ByteText, Fault, MissingView, ReadyRuleView, ReadyView};

use crate::convert::fault::OrFault as _;
use crate::convert::hex::hex;
use crate::files::read_blob;
use crate::notes::names::is_open;
use crate::request::Request;
use crate::reviews::follow_up::followed;
use crate::reviews::ready_rule::{RULE_FILE, ReadyRule, ReadyRuleError};
use crate::reviews::ready_verdicts::{Approvals, PeopleOfBranch, key};

/// Where the rule is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleSource {
    /// The base of the review, as it is now.
    Base,
    /// The commit that a merge replaces; `None` if there is none.
    Replaced(Option<CommitId>),
}

/// Whether a review is ready.
pub(crate) fn readiness(
    request: &Request,
    group: ReviewGroup<'_>,
    source: RuleSource,
) -> Result<ReadyView, Fault> {
    let mut missing = Vec::new();
    if source == RuleSource::Base && !is_open(group) {
        missing.push(MissingView::Ended);
    }
    let unread = request.notes.unread();
    if !unread.is_empty() {
        missing.push(MissingView::Unread { why: unread.join(", ") });
    }
    let following = Following::new(&request.handle, &request.branches);
    let branch = followed(request, group)?.branch.map(|lead| lead.head);
    // A branch that is merged may be gone; its last head was judged, or it was never judged.
    let last = || group.verdicts().last().map_or(group.lead().said().head, |verdict| verdict.said.head);
    let head = match (branch, source) {
        (Some(head), _) => head,
        (None, RuleSource::Replaced(_)) => last(),
        (None, RuleSource::Base) => {
            let name = String::from_utf8_lossy(group.lead().branch()).into_owned();
            missing.push(MissingView::Unread { why: format!("branch {name} is not here") });
            return Ok(ReadyView { ready: false, rule: None, approvals: Vec::new(), missing });
        }
    };
    let sources = match source {
        RuleSource::Base => rule_commits(request, &following, group, head)?,
        RuleSource::Replaced(commit) => vec![commit],
    };
    let people = PeopleOfBranch::find(request, &following, group, head)?;
    let (mut shown, mut approvals): (Option<ReadyRuleView>, Option<Approvals>) = (None, None);
    for commit in sources {
        let found = match read_rule(request, commit) {
            Ok(found) => found,
            Err((path, ReadyRuleError { line, why })) => {
                let commit = commit.unwrap_or(head);
                missing.push(MissingView::InvalidRule { commit: hex(commit), path, line, why });
                continue;
            }
        };
        let (rule, path) = found;
        let found = Approvals::count(request, &following, group, head, &rule, &people);
        lacking(request, group, &rule, &found, &mut missing);
        shown.get_or_insert_with(|| rule_view(&rule, path, commit));
        approvals.get_or_insert(found);
    }
    let mut told: Vec<MissingView> = Vec::new();
    for one in missing {
        if !told.contains(&one) {
            told.push(one);
        }
    }
    let approvals = approvals.map(|approvals| approvals.views).unwrap_or_default();
    Ok(ReadyView { ready: told.is_empty(), rule: shown, approvals, missing: told })
}

/// What a rule asks for and a review does not have.
fn lacking(
    request: &Request,
    group: ReviewGroup<'_>,
    rule: &ReadyRule,
    approvals: &Approvals,
    missing: &mut Vec<MissingView>,
) {
    if approvals.is_unchecked {
        missing.push(MissingView::Unread { why: "signatures could not be checked in time".into() });
    }
    let have = u32::try_from(approvals.counting.len()).unwrap_or(u32::MAX);
    if have < rule.approvals {
        missing.push(MissingView::Approvals { have, need: rule.approvals });
    }
    let lacks = rule.required.iter().filter(|who| !approvals.counting.contains(*who));
    missing.extend(lacks.map(|who| MissingView::Required { who: who.clone() }));
    if !rule.changes_allowed {
        let who = approvals.requesting.iter().cloned();
        missing.extend(who.map(|who| MissingView::ChangesRequested { who }));
    }
    if !rule.blockers_allowed {
        let threads = open_blockers(request, group);
        if !threads.is_empty() {
            missing.push(MissingView::Blockers { threads });
        }
    }
}

/// The short ids of the open blockers of a review that are not drafts.
pub(crate) fn open_blockers(request: &Request, group: ReviewGroup<'_>) -> Vec<String> {
    let blockers = group.threads().filter(|thread| {
        let severity = thread.root_comment().map(Comment::said).and_then(|root| root.severity.as_ref());
        thread.state() == ThreadState::Open
            && severity == Some(&Severity::Blocker)
            && !request.notes.drafts.contains(&thread.id())
    });
    blockers.map(|thread| request.notes.prefixes.shorten(thread.id()).to_string()).collect()
}

/// The commits of the base whose rules count: those that nothing newer of the base has, without the work under review.
///
/// Here and on a remote, a base may have gone apart; then both rules hold.
fn rule_commits(
    request: &Request,
    following: &Following<'_>,
    group: ReviewGroup<'_>,
    head: CommitId,
) -> Result<Vec<Option<CommitId>>, Fault> {
    let handle = &request.handle;
    let name = RefName::from_bytes(group.lead().base()).ok();
    let tips = name.map(|name| request.branches.base_tips(handle, &name)).unwrap_or_default();
    let leads = |from, to| history::is_ancestor(handle, from, to).or_fault();
    let mut found: Vec<CommitId> = Vec::new();
    for tip in &tips {
        // What was merged already may have brought a rule of its own.
        if leads(head, *tip)? {
            continue;
        }
        let mut is_old = false;
        for other in tips.iter().filter(|other| *other != tip) {
            is_old |= leads(*tip, *other)? && !leads(head, *other)?;
        }
        if !is_old && !found.contains(tip) {
            found.push(*tip);
        }
    }
    if found.is_empty() {
        found.push(following.fork(group, head).or_fault()?);
    }
    Ok(found.into_iter().map(Some).collect())
}

/// Reads the rule of a commit, with its file; the usual one, if the commit has no such file.
fn read_rule(
    request: &Request,
    commit: Option<CommitId>,
) -> Result<(ReadyRule, Option<ByteText>), (ByteText, ReadyRuleError)> {
    let path = RepoPath::new(RULE_FILE).expect("it is a path");
    let named = || ByteText::new(RULE_FILE);
    let broken = |why: String| (named(), ReadyRuleError { line: None, why });
    let Some(commit) = commit else { return Ok((ReadyRule::default(), None)) };
    let unreadable = |fault: Fault| broken(format!("it could not be read: {}", fault.message));
    let files = request.work_tree.tree_of(commit).map_err(unreadable)?;
    let entry = tree::entry_at(&request.handle, files, &path).or_fault().map_err(unreadable)?;
    let Some(entry) = entry else { return Ok((ReadyRule::default(), None)) };
    if !entry.mode.is_blob() {
        return Err(broken("it is not a file".into()));
    }
    let content = read_blob(&request.handle, entry.id.raw().into()).map_err(unreadable)?;
    match ReadyRule::read(&content) {
        Ok(rule) => Ok((rule, Some(named()))),
        Err(error) => Err((named(), error)),
    }
}

fn rule_view(rule: &ReadyRule, path: Option<ByteText>, commit: Option<CommitId>) -> ReadyRuleView {
    ReadyRuleView {
        commit: commit.map(hex),
        path,
        approvals: rule.approvals,
        from: rule.from.iter().cloned().collect(),
        required: rule.required.iter().cloned().collect(),
        signed: rule.signed,
        blockers_allowed: rule.blockers_allowed,
        changes_allowed: rule.changes_allowed,
    }
}

/// What to know before one's approval is counted on: a warning each.
pub(crate) fn approval_warnings(
    request: &Request,
    group: ReviewGroup<'_>,
    head: CommitId,
    email: &str,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let blockers = open_blockers(request, group);
    match &blockers[..] {
        [] => {}
        [one] => warnings.push(format!("a blocker is open: {one}")),
        all => warnings.push(format!("{} blockers are open: {}", all.len(), all.join(", "))),
    }
    let following = Following::new(&request.handle, &request.branches);
    // What cannot be found out is no reason to warn; `review.ready` tells it.
    if let Ok(people) = PeopleOfBranch::find(request, &following, group, head) {
        if people.started.contains(&key(email)) {
            warnings.push("this is your own review: your approval does not count".into());
        } else if people.wrote.contains(&key(email)) {
            warnings.push("you wrote commits of this branch: your approval does not count".into());
        }
    }
    if request.repository.looked.has_moved(group.id(), head) {
        warnings.push("the branch moved since you looked at it last".into());
    }
    warnings
}
