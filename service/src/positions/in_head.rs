//! Where threads are in a head, whatever kind of head it is.

use postil_core::review::Thread;
use postil_protocol::{ByteText, Fault, Freshness, HeadName, HeadView};

use crate::changes::mark::FilesMark;
use crate::files::HeadFiles;
use crate::positions::in_files::in_files;
use crate::positions::positions_at::{Asked, Bases, Entries};
use crate::request::{Request, current_branch};
use crate::view::hex;

/// Where comments are, and for which head.
#[derive(Debug)]
pub(crate) struct Looked {
    /// By thread.
    pub entries: Entries,
    /// The head.
    pub head: HeadView,
    /// Whether these are the positions of an earlier head.
    pub resolving: bool,
    /// How files that are not committed differ from the commit.
    pub files: FilesMark,
    /// Where those comments are that were looked for in such files.
    pub moved: Entries,
}

/// Where these threads are.
pub(crate) fn positions_of<'a>(
    request: &Request,
    files: &HeadFiles<'_>,
    freshness: Freshness,
    threads: impl Iterator<Item = Thread<'a>>,
) -> Result<Looked, Fault> {
    let commit = files.commit();
    let threads: Vec<Thread<'a>> = threads.collect();
    let bases = match commit {
        Some(commit) => Bases::find(&request.work_tree, &threads, &request.branches, commit),
        None => Bases::default(),
    };
    let asked: Vec<Asked<'a>> = threads.into_iter().filter_map(|thread| Asked::of(thread, &bases)).collect();
    let mut resolving = false;
    let mut entries = match commit {
        None => Entries::new(),
        Some(commit) => {
            let placing = request.repository.placing(commit);
            let before = match freshness {
                Freshness::Wait => None,
                Freshness::Now => request.repository.placing_before(commit),
            };
            match before {
                Some(before) if placing.known(&asked).len() < asked.len() => {
                    resolving = true;
                    let mut old = before.remembered(&asked);
                    // New comments are few, and have no old position.
                    let new: Vec<Asked<'a>> =
                        asked.iter().filter(|asked| !old.contains_key(&asked.id)).copied().collect();
                    let (repository, notes) = (&request.repository, &request.notes);
                    old.extend(placing.place_at_once(repository, notes, &new, &request.stop)?);
                    old
                }
                _ => placing.place(&request.repository, &request.notes, &asked, &request.stop)?,
            }
        }
    };
    let (mut uncommitted, mut differing, mut moved) = (false, FilesMark::Committed, Entries::new());
    if files.is_work_tree() && !resolving && !asked.is_empty() {
        let found = in_files(request, files, &asked, entries)?;
        (entries, uncommitted) = (found.entries, found.uncommitted);
        if let Some(found) = found.differing {
            (differing, moved) = (FilesMark::Differing(found.hash), found.moved);
        }
    }
    let branch = match files.name() {
        HeadName::Rev(_) => None,
        HeadName::WorkTree | HeadName::Head => current_branch(request),
    };
    let branch = branch.map(|name| ByteText::new(name.as_bytes()));
    let buffers = if files.is_work_tree() { request.buffers.versions() } else { Vec::new() };
    let head = HeadView { commit: commit.map(hex), branch, uncommitted, buffers };
    Ok(Looked { entries, head, resolving, files: differing, moved })
}
