//! The lines where threads are now.

use std::collections::BTreeMap;

use postil_core::edit::Text;
use postil_core::git::{BlobId, CommitId, RepoPath, tree};
use postil_core::record::{AnchorSide, PositionEntry, PositionState};
use postil_core::review::Thread;
use postil_protocol::{ByteText, Fault, ThreadView};

use crate::convert::fault::OrFault as _;
use crate::files::{HeadFiles, read_blob};
use crate::pointing::message::message_of;
use crate::positions::positions_at::{Bases, ThreadToLocate};
use crate::request::Request;

/// A longer line is cut: it may be from a minified file.
const MAX_LINE_BYTES: usize = 2000;

/// So many lines of a thread at most, whatever is asked for.
const MAX_LINES_OF_THREAD: u32 = 200;

/// How much may be added to an answer.
#[derive(Clone, Copy, Debug)]
pub struct CodeRoom {
    /// So many lines of each thread.
    pub lines: u32,
    /// So many bytes of all of them; the threads after them get none.
    pub bytes: usize,
}

/// Adds to each view the lines where its thread is now.
///
/// Costs one read of each file.
pub fn add_code<'t>(
    request: &Request,
    files: &HeadFiles<'_>,
    threads: impl Iterator<Item = (Thread<'t>, Option<&'t PositionEntry>)>,
    views: &mut [ThreadView],
    room: CodeRoom,
) -> Result<(), Fault> {
    let most = room.lines.min(MAX_LINES_OF_THREAD);
    let (mut texts, mut bytes): (BTreeMap<&RepoPath, Option<Text>>, usize) = (BTreeMap::new(), 0);
    for ((thread, entry), view) in threads.zip(views) {
        if bytes > room.bytes {
            break;
        }
        let Some(entry) = entry.filter(|entry| entry.state != PositionState::Orphaned) else { continue };
        let Some(range) = entry.range else { continue };
        let mut add = |text: &Text| {
            let last = range.span().last().min(text.len()).min(range.span().first().saturating_add(most - 1));
            let cut = |line: &[u8]| ByteText::new(&line[..line.len().min(MAX_LINE_BYTES)]);
            view.code = (range.span().first()..=last).map(|number| cut(text.line(number - 1))).collect();
            bytes += view.code.iter().map(|line| line.as_bytes().len()).sum::<usize>();
        };
        if let Some(site) = &entry.message {
            add(&Text::new(message_of(request, site.commit)?));
            continue;
        }
        let Some(path) = &entry.path else { continue };
        if is_on_deleted_lines(thread) {
            if let Some(content) = content_at(request, files, thread, path)? {
                add(&Text::new(content));
            }
            continue;
        }
        if !texts.contains_key(path) {
            texts.insert(path, content_at(request, files, thread, path)?.map(Text::new));
        }
        if let Some(Some(text)) = texts.get(path) {
            add(text);
        }
    }
    Ok(())
}

fn is_on_deleted_lines(thread: Thread<'_>) -> bool {
    thread.anchor().is_some_and(|anchor| matches!(anchor.side, AnchorSide::Old(_)))
}

/// What is at a path for a thread: the file of the head, or of the base if the thread is on deleted lines.
pub(crate) fn content_at(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    path: &RepoPath,
) -> Result<Option<Vec<u8>>, Fault> {
    let Some(anchor) = thread.anchor() else { return Ok(None) };
    let handle = &request.handle;
    Ok(match &anchor.side {
        // Deleted lines are those of the base that the review has now, else of the one that they were seen in.
        AnchorSide::Old(old) => {
            let bases = match files.commit() {
                Some(commit) => Bases::find(&request.work_tree, &[thread], &request.branches, commit),
                None => Bases::default(),
            };
            let base = ThreadToLocate::of(thread, &bases).and_then(|asked| asked.base());
            match base.and_then(|base| blob_in(request, base, path).transpose()).transpose()? {
                Some(blob) => Some(read_blob(handle, blob)?),
                None => read_blob(handle, old.blob).ok(),
            }
        }
        AnchorSide::New => files.read(path)?,
    })
}

/// The file that a commit has at a path.
pub(crate) fn blob_in(request: &Request, commit: CommitId, path: &RepoPath) -> Result<Option<BlobId>, Fault> {
    let entry = tree::entry_at(&request.handle, request.work_tree.tree_of(commit)?, path);
    let entry = entry.or_fault()?.filter(|entry| entry.mode.is_blob_or_symlink());
    Ok(entry.map(|entry| BlobId::from(entry.id.raw())))
}
