//! Writes blobs and trees into the memory of a handle, from where `commit` puts them on disk.
//!
//! Everything for a notes commit is written here: gix itself skips objects that it believes to be on disk, even in
//! packs that `git gc` has removed since.

use gix::objs::tree::Editor;
use gix::objs::{Kind, Write as _};

use crate::git::{BlobId, TreeId};
use crate::notes::NotesError;

/// Writes a blob.
pub(in crate::notes) fn put_blob(repo: &gix::Repository, bytes: &[u8]) -> Result<BlobId, NotesError> {
    repo.objects.write_buf(Kind::Blob, bytes).map(BlobId::from).map_err(NotesError::write_tree)
}

/// Starts editing a tree; `None` is the empty one.
pub(in crate::notes) fn edit_tree(
    repo: &gix::Repository,
    tree: Option<TreeId>,
) -> Result<Editor<'_>, NotesError> {
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
pub(in crate::notes) fn put_tree(
    repo: &gix::Repository,
    mut editor: Editor<'_>,
) -> Result<TreeId, NotesError> {
    let written = editor.write(|tree| repo.objects.write(tree));
    written.map(TreeId::from).map_err(NotesError::write_tree)
}
