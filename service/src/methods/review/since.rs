//! What changed in a review since a verdict, or since it was looked at.

use postil_core::git::{CommitId, history};
use postil_core::record::VerdictRecord;
use postil_core::review::{
    Fact, FileSince, Following, HunkRow, PatchLine, PatchMark, ReviewGroup, Row, Since, SinceHunk, SinceWhat,
    Stretch,
};
use postil_protocol::{
    Advice, ByteText, DiffMark, Fault, FaultCode, Mark, ReviewSince, SinceChange, SinceFile, SinceHunkView,
    SinceLine, SinceReply, StretchView,
};

use crate::convert::fault::OrFault as _;
use crate::notes::names::review_named;
use crate::request::Request;
use crate::reviews::follow_up::followed;
use crate::reviews::review::review_view;
use crate::view::{self, hex};

/// Where a comparison begins.
enum Begin<'a> {
    /// At the head that a verdict is for.
    Verdict(&'a Fact<VerdictRecord>),
    /// At the version that was looked at last.
    Looked(CommitId),
}

/// Reports what changed since a person's last verdict, or since the version that was looked at last.
///
/// Without a name, the verdict is that of the author of the request; if there is none, the last look counts.
pub fn since(request: &Request, email: Option<&str>, asked: &ReviewSince) -> Result<SinceReply, Fault> {
    let group = review_named(request, asked.review.as_deref())?;
    let followed = followed(request, group)?;
    let tip = followed.branch.as_ref().map(|lead| lead.head);
    let begin = begin(request, group, email, asked, tip)?;
    let (judged, verdict) = match begin {
        Begin::Verdict(verdict) => (verdict.said.head, Some(verdict)),
        Begin::Looked(head) => (head, None),
    };
    let handle = request.work_tree.repository().handle();
    if history::commit(&handle, judged).is_err() {
        let who = verdict.map_or("you", |verdict| &verdict.said.author.name);
        let did = if verdict.is_some() { "reviewed" } else { "looked at" };
        let message = format!("{who} {did} {}, which is no longer in this repository", short(judged));
        return Err(Fault::new(FaultCode::NoSuchPlace, message).advise(Advice::GetJudgedCommit));
    }
    let Some(lead) = &followed.branch else {
        let branch = String::from_utf8_lossy(group.lead().branch());
        let message = format!("branch {branch} no longer exists");
        return Err(Fault::new(FaultCode::NoSuchPlace, message).advise(Advice::GetBranchOrClose));
    };
    let following = Following::new(&handle, &request.branches);
    let Since { old, new, files } = following.since(group, judged, lead.head).or_fault()?;
    // With another base, the diff of the heads would have what came from there.
    let only_added = old.base == new.base && history::is_ancestor(&handle, old.head, new.head).or_fault()?;
    Ok(SinceReply {
        only_added,
        mark: Mark::default(),
        review: review_view(request, group, &followed)?,
        verdict: verdict.map(|verdict| view::verdict(&request.notes, verdict)),
        then: stretch(old),
        now: stretch(new),
        files: files.into_iter().map(file).collect(),
        warnings: Vec::new(),
    })
}

/// Where to begin: at a verdict, if there is one and nothing else was asked for; else at the last look.
fn begin<'a>(
    request: &Request,
    group: ReviewGroup<'a>,
    email: Option<&str>,
    asked: &ReviewSince,
    tip: Option<CommitId>,
) -> Result<Begin<'a>, Fault> {
    let looked = tip.and_then(|tip| request.repository.looked.last_before(group.id(), tip));
    if asked.looked {
        if asked.by.is_some() {
            let message = "`by` and `looked` exclude each other";
            return Err(Fault::new(FaultCode::InvalidParams, message));
        }
        let branch = branch_of(group);
        let message = format!("you have not looked at the review of {branch} yet");
        return looked
            .map(Begin::Looked)
            .ok_or_else(|| Fault::new(FaultCode::Refused, message).advise(Advice::ListVerdicts));
    }
    let verdict = verdict_of(group, email, asked.by.as_deref());
    match (verdict, looked) {
        (Err(fault), Some(head)) if asked.by.is_none() && fault.code == FaultCode::Refused => {
            Ok(Begin::Looked(head))
        }
        (verdict, _) => verdict.map(Begin::Verdict),
    }
}

fn branch_of(group: ReviewGroup<'_>) -> String {
    let branch = String::from_utf8_lossy(group.lead().branch());
    branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned()
}

/// The last verdict of a person: named by a part of their name or email, else the one with this email.
fn verdict_of<'a>(
    group: ReviewGroup<'a>,
    email: Option<&str>,
    by: Option<&str>,
) -> Result<&'a Fact<VerdictRecord>, Fault> {
    let verdicts = group.judgements();
    let branch = branch_of(group);
    let found: Vec<_> = match (by, email) {
        (Some(by), _) => {
            let by = by.to_lowercase();
            let has = |words: &str| words.to_lowercase().contains(&by);
            let named = verdicts
                .into_iter()
                .filter(|verdict| has(&verdict.said.author.name) || has(&verdict.said.author.email));
            named.collect()
        }
        (None, Some(email)) => {
            verdicts.into_iter().filter(|verdict| verdict.said.author.email == email).collect()
        }
        (None, None) => {
            let message = "`author` or `by` is required";
            return Err(Fault::new(FaultCode::InvalidParams, message));
        }
    };
    match found[..] {
        [verdict] => Ok(verdict),
        [] => {
            let who =
                by.map_or_else(|| "you have not".to_owned(), |by| format!("nobody matching {by:?} has"));
            Err(Fault::new(
                FaultCode::Refused,
                format!("{who} given a verdict on the review of {branch} yet"),
            )
            .advise(Advice::ListVerdicts))
        }
        _ => {
            let people = found.iter().map(|verdict| verdict.said.author.email.clone());
            let message = format!("several people with this name gave a verdict on the review of {branch}");
            Err(Fault::new(FaultCode::Ambiguous, message).perhaps(people))
        }
    }
}

fn stretch(stretch: Stretch) -> StretchView {
    StretchView { base: hex(stretch.base), head: hex(stretch.head) }
}

fn file(file: FileSince) -> SinceFile {
    let (lines, hunks) = match file.what {
        SinceWhat::Lines { rows, hunks } => {
            (Some(rows.into_iter().map(line).collect()), hunks.into_iter().map(hunk).collect())
        }
        SinceWhat::Whole => (None, Vec::new()),
    };
    let was = file.was.map(|was| ByteText::new(was.as_bytes()));
    SinceFile { path: ByteText::new(file.path.as_bytes()), was, lines, hunks }
}

fn hunk(hunk: SinceHunk) -> SinceHunkView {
    let lines = hunk.rows.into_iter().map(|row| match row {
        HunkRow::Patch(row) => line(row),
        HunkRow::Around(number, text) => {
            let (change, mark) = (SinceChange::Same, DiffMark::Kept);
            SinceLine { change, mark, line: number, text: ByteText::new(text) }
        }
    });
    SinceHunkView {
        before: hunk.before.0,
        before_count: hunk.before.1,
        after: hunk.after.0,
        after_count: hunk.after.1,
        function: hunk.function.map(ByteText::new),
        lines: lines.collect(),
    }
}

fn line(row: Row) -> SinceLine {
    let (change, PatchLine { mark, number, text }) = match row {
        Row::Same(line) => (SinceChange::Same, line),
        Row::Gone(line) => (SinceChange::Gone, line),
        Row::Came(line) => (SinceChange::Came, line),
    };
    let mark = match mark {
        PatchMark::Removed => DiffMark::Deleted,
        PatchMark::Added => DiffMark::Added,
    };
    SinceLine { change, mark, line: number, text: ByteText::new(text) }
}

fn short(commit: CommitId) -> String {
    commit.to_string().chars().take(12).collect()
}
