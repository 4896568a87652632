//! Laws of words as the engine finds them, over random documents in a repository.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::prose::Document;
use super::{AnchorError, Head, PointedWords, Position, WordSelection, anchor_at_words, locate};
use crate::edit::markdown::samples::{block, document, hostile};
use crate::git::{BlobId, CommitId, RepoPath};
use crate::record::Anchor;

fn path() -> RepoPath {
    RepoPath::new("page.md").unwrap()
}

/// An empty repository that keeps what is written in memory.
fn repository(dir: &tempfile::TempDir) -> gix::Repository {
    gix::init_bare(dir.path()).unwrap().with_object_memory()
}

/// A commit of one file, after another.
fn commit(repo: &gix::Repository, content: &str, parent: Option<CommitId>) -> (Head, BlobId) {
    use gix::objs::tree::{Entry, EntryKind};
    let oid = repo.write_blob(content).unwrap().detach();
    let entries = vec![Entry { mode: EntryKind::Blob.into(), filename: "page.md".into(), oid }];
    let tree = repo.write_object(gix::objs::Tree { entries }).unwrap().detach();
    let nobody =
        gix::actor::SignatureRef { name: "n".into(), email: "n@example.org".into(), time: "0 +0000" };
    let parents = parent.map(CommitId::raw);
    let commit = repo.new_commit_as(nobody, nobody, "page", tree, parents).unwrap().id;
    (Head { tree: tree.into(), commit: Some(commit.into()) }, oid.into())
}

/// Comments on a selection of a page; `None` if nothing that can be seen is selected.
fn comment(head: Head, blob: BlobId, source: &str, start: usize, length: usize) -> Option<Anchor> {
    let page = Document::read(&path(), source.as_bytes()).ok()?;
    let text = page.text();
    let start = text.floor_char_boundary(start % (text.len() + 1));
    let place = start..text.ceil_char_boundary((start + length).min(text.len()));
    let (words, content) = (WordSelection::Selected(place), source.as_bytes());
    match anchor_at_words(&PointedWords { commit: head.commit, path: &path(), blob, content, words }) {
        Ok(anchor) => Some(anchor),
        Err(AnchorError::Unquotable { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn located(repo: &gix::Repository, anchor: &Anchor, head: Head) -> Position {
    let found = locate(repo, std::slice::from_ref(anchor), head, NonZeroUsize::MIN);
    found.into_iter().next().unwrap().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_selection_is_anchored_where_it_was_made(
        source in prop_oneof![document(), hostile()], start in any::<usize>(), length in 1..300_usize,
    ) {
        // A file with a NUL is not text.
        let source = source.replace('\0', " ");
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(&dir);
        let (head, blob) = commit(&repo, &source, None);
        let Some(anchor) = comment(head, blob, &source, start, length) else { return Ok(()) };
        let position = located(&repo, &anchor, head);
        prop_assert_eq!(position.state(), "anchored");
        let site = position.site().unwrap();
        prop_assert_eq!(site.range, anchor.range);
        let passage = site.passage.unwrap();
        let page = Document::read(&path(), source.as_bytes()).unwrap();
        let quote = anchor.quote.unwrap();
        prop_assert_eq!(&page.text()[passage.rendered.start..passage.rendered.end], quote.exact.as_str());
        prop_assert!(page.text()[..passage.rendered.start].ends_with(&quote.prefix));
        prop_assert!(page.text()[passage.rendered.end..].starts_with(&quote.suffix));
    }

    #[test]
    fn what_is_called_the_same_reads_the_same_whatever_is_edited(
        blocks in proptest::collection::vec(block(), 1..8), new in proptest::collection::vec(block(), 1..4),
        at in any::<usize>(), cut in any::<usize>(), start in any::<usize>(), length in 4..120_usize,
    ) {
        let source = blocks.join("\n\n") + "\n";
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(&dir);
        let (head, blob) = commit(&repo, &source, None);
        let Some(anchor) = comment(head, blob, &source, start, length) else { return Ok(()) };
        let mut edited = blocks.clone();
        edited.remove(cut % blocks.len());
        let at = at % (edited.len() + 1);
        edited.splice(at..at, new);
        let edited = edited.join("\n\n") + "\n";
        let (head, _) = commit(&repo, &edited, head.commit);
        let position = located(&repo, &anchor, head);
        if let (Position::Anchored { site, .. } | Position::Shifted { site, .. }, Ok(page)) =
            (&position, Document::read(&path(), edited.as_bytes()))
        {
            let passage = site.passage.expect("a page that can be read has a passage");
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let quote = anchor.quote.unwrap();
            let reads = &page.text()[passage.rendered.start..passage.rendered.end];
            prop_assert_eq!(words(reads), words(&quote.exact));
        }
    }
}
