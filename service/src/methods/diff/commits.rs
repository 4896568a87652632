//! The commits of a diff, from its base to its head.

use postil_core::git::{CommitId, history};
use postil_protocol::{ByteText, Diff, DiffCommit, Fault, Person};

use crate::convert::fault::{OrFault as _, damaged};
use crate::files::HeadFiles;
use crate::request::Request;
use crate::view::hex;

/// Of more commits, the newest are told.
const MAX_COMMITS: usize = 500;

/// Of a longer message, the beginning is told.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// The commits from `base` to the head, oldest first; none if they were not asked for.
pub(super) fn commits(
    request: &Request,
    asked: &Diff,
    base: Option<CommitId>,
    new: &HeadFiles<'_>,
) -> Result<Vec<DiffCommit>, Fault> {
    let Some(head) = new.commit().filter(|_| asked.commits) else { return Ok(Vec::new()) };
    let found = history::between(&request.handle, base, head).or_fault()?.commits;
    let newest = &found[..found.len().min(MAX_COMMITS)];
    newest.iter().rev().map(|commit| told(request, *commit)).collect()
}

fn told(request: &Request, id: CommitId) -> Result<DiffCommit, Fault> {
    let failed = |error: gix::Error| damaged("could not read a commit", &error);
    let commit = request.handle.find_commit(id.raw()).map_err(failed)?;
    let message: &[u8] = commit.message_raw().map_err(failed)?;
    let author = commit.author().map_err(failed)?;
    let seconds = author.time().map_or(0, |time| time.seconds);
    Ok(DiffCommit {
        commit: hex(id),
        message: ByteText::new(&message[..message.len().min(MAX_MESSAGE_BYTES)]),
        author: Person::new(author.name.to_string(), author.email.to_string()),
        at: u64::try_from(seconds).unwrap_or_default().saturating_mul(1000),
    })
}
