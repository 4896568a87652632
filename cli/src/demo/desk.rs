//! Where somebody in the story reviews: comments on lines, asks where they are now, takes in another's notes.
//!
//! Everything is done by `postil-core`; here is only what the story needs of it.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use postil_core::anchoring::{Head, Pointed, Position, anchor_at, locate};
use postil_core::git::{BlobId, CommitId, Patience, RepoPath, Repository, Settings, TreeId, history, tree};
use postil_core::notes::{Committer, Home, MergeKind, Options, Store};
use postil_core::record::{Anchor, Author, Body, Comment, LineSpan, Range, Record, Seq, Timestamp};
use postil_core::review::Threads;

use super::stage::{Person, WHEN_SECONDS};
use crate::failure::{Failure, Kind};

/// Somebody's store.
pub struct Desk {
    store: Store,
    author: Author,
}

/// A comment on the desk, and where it is now.
pub struct Found {
    /// What was said.
    pub text: String,
    /// Who said it.
    pub by: String,
    /// Where it is at the head.
    pub position: Position,
}

impl Found {
    /// The state and the place, in a few words.
    pub fn words(&self) -> String {
        let place = self.position.site().map(|site| {
            let lines = site.range.map(|range| (range.span().first(), range.span().last()));
            match lines {
                Some((first, last)) if first == last => format!(" at {}:{first}", site.path),
                Some((first, last)) => format!(" at {}:{first}-{last}", site.path),
                None => format!(" at {}", site.path),
            }
        });
        let state = match &self.position {
            Position::Anchored { .. } => "anchored",
            Position::Shifted { .. } => "shifted",
            Position::Outdated { .. } => "outdated",
            Position::Orphaned { .. } => "orphaned",
        };
        format!("{state}{}", place.unwrap_or_default())
    }
}

impl Desk {
    /// Opens the store of a person's clone, and brings back what was lost from it.
    pub fn of(person: &Person) -> Result<Self, Failure> {
        let repository = Repository::open(&person.folder, Settings::Isolated).map_err(broken)?;
        let patience = Patience::new(Duration::from_secs(5), thread::sleep);
        let store = Store::new(repository, Options { patience, threads: NonZeroUsize::MIN });
        let name = person.name.to_owned();
        let email = format!("{}@example.com", name.to_lowercase());
        let desk = Self { store, author: Author { name, email } };
        desk.store.check(&desk.committer()).map_err(broken)?;
        Ok(desk)
    }

    /// Comments on a line of a file at HEAD; returns the blob that was looked at.
    pub fn comment(&self, path: &str, line: u32, text: &str) -> Result<BlobId, Failure> {
        let head = self.head()?;
        let path = RepoPath::new(path).ok_or_else(|| missing(path))?;
        let handle = self.store.repository().handle();
        let entry = tree::entry_at(&handle, self.tree(head)?, &path).map_err(broken)?;
        let entry = entry.ok_or_else(|| missing(&path.to_string()))?;
        let content = handle.find_object(entry.id.raw()).map_err(broken)?.detach().data;
        let blob = BlobId::from(entry.id.raw());
        let range = LineSpan::from_numbers(line, line).map(Range::lines);
        let pointed = Pointed { commit: Some(head), path: &path, blob, content: &content, range };
        let comment = Comment {
            author: self.author.clone(),
            at: Timestamp(WHEN_SECONDS.unsigned_abs() * 1000),
            seq: Seq::default(),
            review: None,
            parent: None,
            anchor: Some(anchor_at(&pointed).map_err(broken)?),
            text: text.to_owned(),
            severity: None,
            tags: Vec::new(),
            suggestion: Vec::new(),
        };
        let record = Record::new(&Body::Comment(comment)).map_err(broken)?;
        let batch = self.store.batch().add(Home::Anchor { commit: Some(head), blob }, record);
        let message = format!("Comment on {path}:{line}");
        batch.pin(blob, Some(head)).write(&self.committer(), &message).map_err(broken)?;
        Ok(blob)
    }

    /// Where every comment is at HEAD, by its text.
    pub fn comments(&self) -> Result<Vec<Found>, Failure> {
        let head = self.head()?;
        let head = Head { tree: self.tree(head)?, commit: Some(head) };
        let snapshot = self.store.read().map_err(broken)?;
        let threads = Threads::fold(snapshot.records());
        let mut comments: Vec<_> =
            threads.comments().iter().filter(|comment| comment.anchor().is_some()).collect();
        comments.sort_by_key(|comment| comment.text());
        let anchors: Vec<Anchor> = comments.iter().filter_map(|comment| comment.anchor().cloned()).collect();
        let positions = locate(&self.store.repository().handle(), &anchors, head, NonZeroUsize::MIN);
        comments
            .into_iter()
            .zip(positions)
            .map(|(comment, position)| {
                let position = position.map_err(broken)?;
                let by = comment.said().author.name.clone();
                Ok(Found { text: comment.text().to_owned(), by, position })
            })
            .collect()
    }

    /// Takes in the notes at `theirs`, a ref of this clone.
    pub fn merge(&self, theirs: CommitId) -> Result<MergeKind, Failure> {
        Ok(self.store.merge(theirs, &self.committer()).map_err(broken)?.how)
    }

    fn head(&self) -> Result<CommitId, Failure> {
        let handle = self.store.repository().handle();
        let head = handle.head_id().map_err(broken)?;
        Ok(CommitId::from(head.detach()))
    }

    fn tree(&self, commit: CommitId) -> Result<TreeId, Failure> {
        Ok(history::commit(&self.store.repository().handle(), commit).map_err(broken)?.tree)
    }

    fn committer(&self) -> Committer {
        Committer::new(&self.author, WHEN_SECONDS, 0)
    }
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::new(Kind::CheckFailed, "the demo could not go on").because(error)
}

fn missing(path: &str) -> Failure {
    Failure::new(Kind::CheckFailed, format!("the demo misses its own file {path}"))
}
