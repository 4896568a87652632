//! What must be there: everything that was acknowledged, by clone.
//!
//! Knows nothing of processes and files. A command that was killed may or may not have written; what it wrote is taken
//! in when it is first seen, and must stay from then on.

use std::collections::{BTreeMap, BTreeSet};

/// The id of a comment, as hex.
pub type Id = String;

/// A comment that was acknowledged.
struct Said {
    /// The clone it was made in; only there its text and status are changed.
    owner: usize,
    /// Its first comment, which is itself for the first one.
    thread: Id,
    /// Every text it had, the newest last.
    texts: Vec<String>,
    /// The status of its thread; none after somebody who changed it was killed.
    status: Option<&'static str>,
}

/// What a clone, or the remote, must have.
#[derive(Clone, Default)]
struct Holdings {
    shared: BTreeSet<Id>,
    purged: BTreeSet<Id>,
}

/// What was acknowledged so far.
pub struct Model {
    said: BTreeMap<Id, Said>,
    clones: Vec<Holdings>,
    drafts: Vec<BTreeSet<Id>>,
    remote: Holdings,
    /// Texts whose command failed without being killed: nothing of them may be seen.
    refused: BTreeSet<String>,
    /// Texts whose command was killed, or lost its daemon.
    uncertain: BTreeSet<String>,
}

/// One comment as a door shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub thread: Id,
    pub text: String,
    pub status: String,
    pub draft: bool,
}

impl Model {
    pub fn new(clones: usize) -> Self {
        Self {
            said: BTreeMap::new(),
            clones: vec![Holdings::default(); clones],
            drafts: vec![BTreeSet::new(); clones],
            remote: Holdings::default(),
            refused: BTreeSet::new(),
            uncertain: BTreeSet::new(),
        }
    }

    /// A comment was acknowledged.
    pub fn said(&mut self, owner: usize, id: Id, thread: Id, text: String, draft: bool) {
        let holds = if draft { &mut self.drafts[owner] } else { &mut self.clones[owner].shared };
        holds.insert(id.clone());
        self.said.insert(id, Said { owner, thread, texts: vec![text], status: Some("open") });
    }

    /// A command failed by itself.
    pub fn refused(&mut self, text: String) {
        self.refused.insert(text);
    }

    /// A command was killed, or could not know.
    pub fn uncertain(&mut self, text: String) {
        self.uncertain.insert(text);
    }

    /// A new text was acknowledged, or may have been written.
    pub fn edited(&mut self, id: &str, text: String) {
        if let Some(said) = self.said.get_mut(id) {
            said.texts.push(text);
        }
    }

    /// A status was acknowledged; none: it may have been written.
    pub fn status(&mut self, thread: &str, status: Option<&'static str>) {
        if let Some(said) = self.said.get_mut(thread) {
            said.status = status;
        }
    }

    /// All drafts of a clone were published.
    pub fn published(&mut self, clone: usize) {
        let drafts = std::mem::take(&mut self.drafts[clone]);
        self.clones[clone].shared.extend(drafts);
    }

    /// A thread was purged, with its replies.
    pub fn purged(&mut self, clone: usize, thread: &str) {
        let gone = self.said.iter().filter(|(_, said)| said.thread == thread).map(|(id, _)| id.clone());
        self.clones[clone].purged.extend(gone);
    }

    /// A clone exchanged everything with the remote.
    pub fn synced(&mut self, clone: usize) {
        let clone = &mut self.clones[clone];
        self.remote.shared.extend(clone.shared.iter().cloned());
        self.remote.purged.extend(clone.purged.iter().cloned());
        clone.clone_from(&self.remote);
    }

    /// The threads that a clone must show and that were begun there, oldest id first.
    pub fn own_threads(&self, clone: usize) -> Vec<Id> {
        let is_own = |id: &&Id| self.said[*id].owner == clone && self.said[*id].thread == **id;
        self.wanted(clone).filter(is_own).cloned().collect()
    }

    /// All threads that a clone must show and has not as drafts.
    pub fn threads(&self, clone: usize) -> Vec<Id> {
        self.wanted(clone).filter(|id| self.said[*id].thread == **id).cloned().collect()
    }

    /// How many drafts a clone has.
    pub fn drafts(&self, clone: usize) -> usize {
        self.drafts[clone].len()
    }

    /// How many comments were acknowledged.
    pub fn len(&self) -> usize {
        self.said.len()
    }

    fn wanted(&self, clone: usize) -> impl Iterator<Item = &Id> {
        let holdings = &self.clones[clone];
        holdings.shared.iter().filter(|id| {
            let thread = &self.said[*id].thread;
            !holdings.purged.contains(*id) && !holdings.purged.contains(thread)
        })
    }

    /// Compares what a door shows with what must be there; returns what is wrong.
    ///
    /// A door that shows first comments only is not asked for replies.
    pub fn compare(&mut self, clone: usize, shown: &BTreeMap<Id, Shown>, with_replies: bool) -> Vec<String> {
        self.take_in(clone, shown);
        let mut wrong = Vec::new();
        for id in self.wanted(clone).filter(|id| with_replies || self.said[*id].thread == **id) {
            match shown.get(id) {
                None => wrong.push(format!("{id} is lost: {:?}", self.said[id].texts.last())),
                Some(found) => wrong.extend(self.differs(clone, id, found, false)),
            }
        }
        for id in &self.drafts[clone] {
            match shown.get(id) {
                None => wrong.push(format!("the draft {id} is lost: {:?}", self.said[id].texts.last())),
                Some(found) => wrong.extend(self.differs(clone, id, found, true)),
            }
        }
        for (id, found) in shown {
            if self.clones[clone].purged.contains(id) {
                wrong.push(format!("{id} was purged, and is shown: {:?}", found.text));
            }
            if self.refused.contains(&found.text) {
                wrong.push(format!("{id} is shown, but its command failed: {:?}", found.text));
            }
        }
        wrong
    }

    /// What somebody who was killed had written.
    fn take_in(&mut self, clone: usize, shown: &BTreeMap<Id, Shown>) {
        for (id, found) in shown {
            if !self.said.contains_key(id) && self.uncertain.contains(&found.text) {
                self.said(clone, id.clone(), found.thread.clone(), found.text.clone(), found.draft);
            }
        }
    }

    fn differs(&self, clone: usize, id: &str, found: &Shown, draft: bool) -> Option<String> {
        let said = &self.said[id];
        let newest = said.texts.last();
        let is_own = said.owner == clone;
        let is_text = if is_own { newest == Some(&found.text) } else { said.texts.contains(&found.text) };
        // A text whose edit was killed may be the one before.
        let is_uncertain = newest.is_some_and(|text| self.uncertain.contains(text));
        let is_former = is_uncertain && said.texts.contains(&found.text);
        if !is_text && !is_former {
            return Some(format!("{id} says {:?} instead of {newest:?}", found.text));
        }
        let is_first = said.thread == *id;
        if is_own && is_first && said.status.is_some_and(|status| status != found.status) {
            return Some(format!("{id} is {} instead of {:?}", found.status, said.status));
        }
        (found.draft != draft).then(|| format!("{id} is a draft: {}, expected {draft}", found.draft))
    }
}
