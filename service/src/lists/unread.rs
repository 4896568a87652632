//! What the person of a repository has not read: what others did in a thread, and their verdicts.
//!
//! Which records were read is a local list. What one wrote oneself is read.

use std::collections::HashSet;
use std::sync::Arc;

use postil_core::record::{Author, RecordId};
use postil_core::review::{Comment, Thread, TimelineEntry};

use crate::request::Request;

/// What a person has read, and who that is.
#[derive(Debug)]
pub(crate) struct ReadState {
    email: Option<String>,
    read: Arc<HashSet<RecordId>>,
}

impl ReadState {
    /// That of the person who asks.
    pub fn of(request: &Request) -> Self {
        Self {
            email: request.asker.as_ref().map(|asker| asker.email.clone()),
            read: request.repository.read.ids(),
        }
    }

    /// That of somebody else, in the same repository.
    pub fn of_person(request: &Request, email: &str) -> Self {
        Self { email: Some(email.to_owned()), read: request.repository.read.ids() }
    }

    /// Whether a record of this author is new to the person.
    pub fn is_new(&self, author: &Author, record: RecordId) -> bool {
        self.email.as_deref() != Some(author.email.as_str()) && !self.read.contains(&record)
    }

    /// Whether something in a thread is new to the person.
    pub fn is_unread(&self, thread: Thread<'_>) -> bool {
        any_record(thread, |author, record| self.is_new(author, record))
    }

    /// What is new to the person, oldest first.
    pub fn news<'a>(&self, thread: Thread<'a>) -> Vec<TimelineEntry<'a>> {
        if !self.is_unread(thread) {
            return Vec::new();
        }
        let mut entries = thread.timeline();
        entries.retain(|entry| self.is_new(entry.author, entry.record));
        entries
    }

    /// The records of a thread that are new to the person.
    pub fn new_in(&self, thread: Thread<'_>) -> Vec<RecordId> {
        let mut new = Vec::new();
        any_record(thread, |author, record| {
            if self.is_new(author, record) {
                new.push(record);
            }
            false
        });
        new
    }
}

/// Whether this is true of a record of a thread; looks no further then.
fn any_record(thread: Thread<'_>, mut is: impl FnMut(&Author, RecordId) -> bool) -> bool {
    thread.comments().any(|comment| any_record_of(comment, &mut is))
        || thread.statuses().changes().iter().any(|status| is(&status.said.author, status.id))
}

fn any_record_of(comment: &Comment, is: &mut impl FnMut(&Author, RecordId) -> bool) -> bool {
    let words = comment.words();
    is(&comment.said().author, comment.id())
        || words.edits().changes().iter().any(|edit| is(&edit.said.author, edit.id))
        || words.proposals().changes().iter().any(|edit| is(&edit.said.author, edit.id))
        || comment.moves().changes().iter().any(|moved| is(&moved.said.author, moved.id))
        || comment.statuses().changes().iter().any(|status| is(&status.said.author, status.id))
        || comment.proposals().iter().any(|proposal| is(&proposal.fact.said.author, proposal.fact.id))
}
