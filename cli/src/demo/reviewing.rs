//! What people in the demo do with reviews, through the library.
//!
//! Each step opens the repository anew, as a command would, and with nothing of the machine's configuration.

use std::fs;
use std::num::NonZeroUsize;
use std::time::Duration;

use postil_core::git::{BlobId, CommitId, Patience, RepoPath, Repository, Settings};
use postil_core::notes::{Committer, Home, Options, Store};
use postil_core::record::{
    Anchor, Author, Body, CONTEXT_LINES, Comment, Line, LineSpan, Range, Record, RecordId, Seq, Side,
    Timestamp,
};
use postil_core::review::{Thread, ThreadState, Threads};

use super::stage::{Person, Stage, WHEN};
use crate::failure::{Failure, Kind};

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(5);

impl Stage<'_> {
    /// Comments on one line of the person's HEAD, and tells so.
    pub fn comment(
        &mut self,
        person: &Person,
        path: &str,
        line: u32,
        text: &str,
    ) -> Result<RecordId, Failure> {
        self.tell(&format!("   {} comments on {path}:{line}: {text}", person.name))?;
        let commit = CommitId::from_hex(self.ask_git(person, &["rev-parse", "HEAD"])?.trim_end().as_bytes());
        let blob = self.ask_git(person, &["rev-parse", &format!("HEAD:{path}")])?;
        let blob = BlobId::from_hex(blob.trim_end().as_bytes()).ok_or_else(|| wrong("git printed no id"))?;
        let content = fs::read_to_string(person.folder.join(path)).map_err(wrong)?;
        let anchor =
            anchor(commit, blob, path, &content, line).ok_or_else(|| wrong("there is no such line"))?;
        let comment = Comment { anchor: Some(anchor), ..said(person, text) };
        let record = Record::new(&Body::Comment(comment)).map_err(wrong)?;
        let id = record.id();
        let store = store(person)?;
        let batch = store.batch().add(Home::Anchor { commit, blob }, record).pin(blob, commit);
        batch.write(&committer(person), &format!("Comment on {path}:{line}")).map_err(wrong)?;
        Ok(id)
    }

    /// The only comment that the person has.
    pub fn only_comment(&mut self, person: &Person) -> Result<RecordId, Failure> {
        let lines = self.threads(person)?;
        match threads(&store(person)?)?.comments() {
            [comment] => Ok(comment.id()),
            _ => Err(wrong(format!("one comment was expected, not {lines:?}"))),
        }
    }

    /// Answers a comment, and tells so.
    pub fn reply(&mut self, person: &Person, to: RecordId, text: &str) -> Result<(), Failure> {
        self.tell(&format!("   {} answers: {text}", person.name))?;
        let store = store(person)?;
        let threads = threads(&store)?;
        let (Some(home), Some(seq)) = (threads.home(to), threads.next_seq(to)) else {
            return Err(wrong("there is no such comment"));
        };
        let reply = Comment { parent: Some(to), seq, ..said(person, text) };
        let record = Record::new(&Body::Comment(reply)).map_err(wrong)?;
        store
            .batch()
            .add(Home::On(home), record)
            .write(&committer(person), "Answer a comment")
            .map_err(wrong)?;
        Ok(())
    }

    /// Merges the notes that `rev` names into the person's own, and tells so.
    pub fn merge_notes(&mut self, person: &Person, rev: &str) -> Result<(), Failure> {
        self.tell(&format!("   {} merges the notes of {rev}", person.name))?;
        let theirs = self.ask_git(person, &["rev-parse", rev])?;
        let theirs =
            CommitId::from_hex(theirs.trim_end().as_bytes()).ok_or_else(|| wrong("git printed no id"))?;
        store(person)?.merge(theirs, &committer(person)).map_err(wrong)?;
        Ok(())
    }

    /// Tells the threads that the person has, and returns what was told of each.
    pub fn threads(&mut self, person: &Person) -> Result<Vec<String>, Failure> {
        let mut lines: Vec<String> = threads(&store(person)?)?.iter().map(shown).collect();
        lines.sort();
        self.tell(&format!("   {} has:", person.name))?;
        for line in &lines {
            self.tell(&format!("     {line}"))?;
        }
        Ok(lines)
    }
}

fn store(person: &Person) -> Result<Store, Failure> {
    let repo = Repository::open(&person.folder, Settings::Isolated).map_err(wrong)?;
    let patience = Patience::new(PATIENCE, std::thread::sleep);
    Ok(Store::new(repo, Options { patience, threads: NonZeroUsize::MIN }))
}

fn threads(store: &Store) -> Result<Threads, Failure> {
    Ok(Threads::fold(store.read().map_err(wrong)?.records()))
}

fn shown(thread: Thread<'_>) -> String {
    let place = thread.anchor().map_or_else(String::new, |anchor| {
        let line = anchor.range.map_or_else(String::new, |range| format!(":{}", range.span().first()));
        format!("{}{line}", anchor.path)
    });
    let state = match thread.state() {
        ThreadState::Open => "open",
        ThreadState::Resolved => "resolved",
        ThreadState::Withdrawn => "withdrawn",
    };
    let words: Vec<String> = thread
        .comments()
        .map(|comment| format!("{}: {}", comment.said().author.name, comment.text()))
        .collect();
    format!("{place}  {state}  {}", words.join(" / "))
}

/// An anchor on one line of a file whose content is given; `None` when it has no such line.
fn anchor(commit: Option<CommitId>, blob: BlobId, path: &str, content: &str, line: u32) -> Option<Anchor> {
    let all: Vec<Line> = content.lines().map(|line| Line::new(line.as_bytes())).collect();
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let commented = all.get(at)?.clone();
    Some(Anchor {
        commit,
        path: RepoPath::new(path)?,
        blob: Some(blob),
        side: Side::New,
        range: Some(Range::lines(LineSpan::from_numbers(line, line)?)),
        lines: vec![commented],
        before: all[at.saturating_sub(CONTEXT_LINES)..at].to_vec(),
        after: all[at + 1..].iter().take(CONTEXT_LINES).cloned().collect(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    })
}

fn said(person: &Person, text: &str) -> Comment {
    Comment {
        author: author(person),
        at: Timestamp(WHEN.unsigned_abs() * 1000),
        seq: Seq::default(),
        review: None,
        parent: None,
        anchor: None,
        text: text.to_owned(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    }
}

fn author(person: &Person) -> Author {
    Author { name: person.name.to_owned(), email: person.email() }
}

fn committer(person: &Person) -> Committer {
    Committer::new(&author(person), WHEN, 0)
}

fn wrong(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    Failure::new(Kind::CheckFailed, "a step of the demo failed").because(cause)
}
