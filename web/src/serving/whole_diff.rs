//! A whole diff, also one that is larger than an answer may be: it is asked for in parts then.

use std::collections::{BTreeSet, VecDeque};

use postil_client::{AsyncSession, SessionError};
use postil_protocol::{ByteText, Detail, Diff, DiffFile, DiffReply, FaultCode, Filter, List, ThreadView};

/// So many files are asked for at once, at first.
const MAX_FILES: usize = 64;

/// Asks for a diff; only one that is not of some files is ever asked for in parts.
pub(super) async fn whole_diff(session: &AsyncSession, asked: Diff) -> Result<DiffReply, SessionError> {
    let answer = session.ask(asked.clone()).await;
    if asked.paths.is_empty() && answer.as_ref().is_err_and(is_too_large) {
        return in_parts(session, asked).await;
    }
    answer
}

/// A path that is no pattern, whatever it is made of.
pub(super) fn literal(path: &[u8]) -> ByteText {
    ByteText::new([b":(literal,top)", path].concat())
}

async fn in_parts(session: &AsyncSession, asked: Diff) -> Result<DiffReply, SessionError> {
    let mut whole = session.ask(Diff { outline: true, ..asked.clone() }).await?;
    let filter = Filter { review: asked.review.clone(), ..Filter::default() };
    let list = List { head: asked.head.clone(), detail: Detail::Full, filter, ..List::default() };
    let threads = session.ask(list).await?.threads;
    let mut paths: BTreeSet<ByteText> = whole.files.iter().filter_map(|file| known(file).cloned()).collect();
    // Files that did not change are there for their threads.
    paths.extend(threads.iter().filter_map(|thread| thread.position.as_ref()?.path.clone()));
    let paths: Vec<ByteText> = paths.into_iter().collect();
    let mut parts: VecDeque<Vec<ByteText>> = paths.chunks(MAX_FILES).map(<[ByteText]>::to_vec).collect();
    let mut files = Vec::new();
    while let Some(part) = parts.pop_front() {
        let literals = part.iter().map(|path| literal(path.as_bytes())).collect();
        match session.ask(Diff { paths: literals, ..asked.clone() }).await {
            Ok(reply) => files.extend(reply.files),
            Err(error) if !is_too_large(&error) => return Err(error),
            Err(_) if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.push_front(second.to_vec());
                parts.push_front(first.to_vec());
            }
            // One file that is too large by itself is named.
            Err(_) => files.extend(whole.files.iter().filter(|file| known(file) == part.first()).cloned()),
        }
    }
    let shown: BTreeSet<&str> = files.iter().flat_map(threads_of).map(|thread| thread.id.as_str()).collect();
    whole.threads = threads.iter().filter(|thread| !shown.contains(thread.id.as_str())).cloned().collect();
    whole.files = files;
    Ok(whole)
}

fn known(file: &DiffFile) -> Option<&ByteText> {
    file.after.as_ref().or(file.before.as_ref())
}

fn threads_of(file: &DiffFile) -> impl Iterator<Item = &ThreadView> {
    file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()))
}

fn is_too_large(error: &SessionError) -> bool {
    matches!(error, SessionError::Fault(fault) if fault.code == FaultCode::TooLarge)
}
