//! What purges from elsewhere took away, kept for a while.
//!
//! Anybody who can push can purge. `refs/postil/purged` leads to a tree of
//! `<second of the merge>/<annotated object>/<record>`, and what is older than 90 days goes.

use gix::bstr::BString;
use gix::objs::tree::EntryKind;

use super::pages::read_blob;
use super::session::Session;
use super::store::Store;
use super::{NotesError, refs};
use crate::git::tree::{self, Entry};
use crate::git::{ObjectId, history};
use crate::record::Record;

/// How long what a purge took away can be looked at.
pub const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

/// A record that a purge from elsewhere took away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// When that was noticed, in seconds since 1970.
    pub since: i64,
    /// The object in whose note it stood.
    pub object: ObjectId,
    /// The record.
    pub record: Record,
}

impl Store {
    /// What purges from elsewhere took away in the last 90 days.
    pub fn aside(&self) -> Result<Vec<Aside>, NotesError> {
        let handle = self.repository().handle();
        let Some(tip) = self.repository().read_ref(&refs::name(refs::PURGED))? else { return Ok(Vec::new()) };
        let tree = history::commit(&handle, tip.raw().into())?.tree;
        let mut kept = Vec::new();
        let mut buffer = Vec::new();
        for (path, entry) in tree::list(&handle, tree)?.entries {
            let Some((since, object)) = read_path(path.as_bytes()) else { continue };
            let bytes = read_blob(&handle, entry.id.raw().into(), &mut buffer)?;
            if let Ok(record) = Record::from_bytes(bytes) {
                kept.push(Aside { since, object, record });
            }
        }
        Ok(kept)
    }
}

impl Session<'_> {
    /// Keeps records that a purge is about to take away; forgets those that were kept long enough.
    pub fn keep_aside(&mut self, dropped: &[(ObjectId, Record)]) -> Result<(), NotesError> {
        if dropped.is_empty() {
            return Ok(());
        }
        let tip = self.read_ref(refs::PURGED)?;
        let now = self.seconds();
        let mut editor = self.tree_editor(None)?;
        if let Some(tree) = self.tree_of(tip)? {
            for (path, entry) in tree::list(&self.repo, tree)?.entries {
                if read_path(path.as_bytes()).is_some_and(|(since, _)| now - since < KEPT_SECONDS) {
                    keep(&mut editor, path.as_bytes().split(|b| *b == b'/').map(BString::from), entry)?;
                }
            }
        }
        for (object, record) in dropped {
            let blob = self.repo.write_blob(record.as_bytes()).map_err(NotesError::write_tree)?.detach();
            let path = [now.to_string().into(), object.to_string().into(), record.id().to_string().into()];
            let entry = Entry { mode: EntryKind::Blob.into(), id: blob.into() };
            keep(&mut editor, path, entry)?;
        }
        let tree = self.write_edited(editor)?;
        self.move_aside(refs::PURGED, tip, tree, &[], "Keep what purges from elsewhere took away")
    }
}

fn keep(
    editor: &mut gix::objs::tree::Editor<'_>,
    path: impl IntoIterator<Item = BString>,
    entry: Entry,
) -> Result<(), NotesError> {
    editor.upsert(path, entry.mode.kind(), entry.id.raw()).map(drop).map_err(NotesError::write_tree)
}

fn read_path(path: &[u8]) -> Option<(i64, ObjectId)> {
    let mut parts = path.split(|b| *b == b'/');
    let since = std::str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    let object = ObjectId::from_hex(parts.next()?)?;
    Some((since, object))
}
