//! Blobs and trees that are written into the memory of a handle, on their way to disk.
//!
//! Everything made for a notes commit goes through here: gix's own ways to write leave out what they believe to be on
//! disk, and believe it of packs that `git gc` has removed since. When and how it gets to disk is `commit`'s work.

use gix::objs::tree::Editor;
use gix::objs::{Kind, Write as _};

use super::NotesError;
use crate::git::{BlobId, TreeId};

/// Writes a blob.
pub(super) fn put_blob(repo: &gix::Repository, bytes: &[u8]) -> Result<BlobId, NotesError> {
    repo.objects.write_buf(Kind::Blob, bytes).map(BlobId::from).map_err(NotesError::write_tree)
}

/// Begins to edit a tree; `None` is the empty one.
pub(super) fn edit_tree(repo: &gix::Repository, tree: Option<TreeId>) -> Result<Editor<'_>, NotesError> {
    let root = match tree {
        None => gix::objs::Tree::empty(),
        Some(tree_id) => {
            let unreadable = |source| NotesError::ReadTree { tree_id, source };
            repo.find_tree(tree_id.raw()).map_err(unreadable)?.decode().map_err(unreadable)?.into()
        }
    };
    Ok(Editor::new(root, &repo.objects, repo.object_hash()))
}

/// Writes a tree that was edited.
pub(super) fn put_tree(repo: &gix::Repository, mut editor: Editor<'_>) -> Result<TreeId, NotesError> {
    let written = editor.write(|tree| repo.objects.write(tree));
    written.map(TreeId::from).map_err(NotesError::write_tree)
}
