//! An open document: its text, and where its threads are for the moment.
//!
//! The text changes with every key, and places move along at once. Now and then somebody asks the service about a text
//! ([`LiveDocument::ask`]) and brings its answer ([`LiveDocument::answer`]); only that changes what is known of a thread.

use std::collections::HashMap;

use postil_core::edit::Text;

use crate::ghost::Ghost;
use crate::place::{LivePlace, LiveRange};
use crate::text_step::TextStep;
use crate::verified_texts::VerifiedTexts;

/// What the service says of a thread, for one text.
pub trait Verified: Clone {
    /// The thread.
    fn id(&self) -> &str;

    /// Where it is in this document; `None` if it is about the whole file, or orphaned.
    fn range(&self) -> Option<LiveRange>;

    /// Whether no place can be defended.
    fn is_orphaned(&self) -> bool;
}

/// A thread of a document.
#[derive(Clone, Debug)]
pub struct LiveThread<V> {
    /// The last answer about it that counts.
    pub verified: V,
    /// Where it is now; `None` if it has no lines.
    pub place: Option<LivePlace>,
    /// An answer said that it is orphaned. That counts if the next one says so too: in the middle of a cut and a paste,
    /// lines are gone for a moment.
    doubted: bool,
}

/// Whether a change of the text changed what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacesMoved {
    /// Every thread is where it was, in a line that is the same.
    Nothing,
    /// A place changed, or the line of one.
    Something,
}

/// What to do after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAnswer {
    /// Everything is known about the present text.
    Done,
    /// The text changed meanwhile, or a thread seems to be gone: ask again, after a pause.
    AskAgain,
}

/// A document that somebody edits.
#[derive(Clone, Debug)]
pub struct LiveDocument<V> {
    text: Text,
    /// Counts the texts.
    revision: u64,
    threads: Vec<LiveThread<V>>,
    known: VerifiedTexts<Vec<V>>,
    /// The text that the service was asked about.
    asked: Option<(u64, Text)>,
}

impl<V: Verified> LiveDocument<V> {
    /// A document that was just opened; nothing is known of its threads yet.
    pub fn open(text: impl Into<Vec<u8>>) -> Self {
        Self {
            text: Text::new(text),
            revision: 0,
            threads: Vec::new(),
            known: VerifiedTexts::default(),
            asked: None,
        }
    }

    /// The present text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Its threads, in the order of the last answer.
    pub fn threads(&self) -> &[LiveThread<V>] {
        &self.threads
    }

    /// Takes the text after a notification of the editor, and moves the places.
    pub fn change(&mut self, text: impl Into<Vec<u8>>) -> PlacesMoved {
        self.change_to(Text::new(text))
    }

    /// The same, for a text whose lines are known.
    pub fn change_to(&mut self, text: Text) -> PlacesMoved {
        if text.bytes() == self.text.bytes() {
            return PlacesMoved::Nothing;
        }
        let before = std::mem::replace(&mut self.text, text);
        self.revision += 1;
        if let Some(answers) = self.known.get(self.text.bytes()) {
            self.threads = answers.iter().cloned().map(LiveThread::new).collect();
            return PlacesMoved::Something;
        }
        let step = TextStep::between(&before, &self.text);
        let mut moved = PlacesMoved::Nothing;
        for thread in &mut self.threads {
            thread.doubted = false;
            if let Some(place) = &thread.place {
                let next = place.moved(&before, &self.text, &step);
                if next != *place || !matches!(next, LivePlace::At(_)) {
                    moved = PlacesMoved::Something;
                    thread.place = Some(next);
                }
            } else if !step.is_nothing() {
                // It is shown at the first line, which may have changed.
                moved = PlacesMoved::Something;
            }
        }
        moved
    }

    /// Begins to ask the service about the present text; the number goes along with the answer.
    pub fn ask(&mut self) -> (u64, &Text) {
        let (_, text) = self.asked.insert((self.revision, self.text.clone()));
        (self.revision, text)
    }

    /// Forgets what was answered for earlier texts: comments, the commit or settings changed.
    pub fn forget_answers(&mut self) {
        self.known.clear();
    }

    /// Takes what the service says of all threads of this document, for the text of [`Self::ask`].
    ///
    /// What was typed meanwhile is carried over. An answer to an older question is left out.
    pub fn answer(&mut self, revision: u64, answers: Vec<V>) -> AfterAnswer {
        let Some((_, asked)) = self.asked.take_if(|(asked, _)| *asked == revision) else {
            return AfterAnswer::AskAgain;
        };
        let is_current = revision == self.revision;
        let step = TextStep::between(&asked, &self.text);
        let mut next = if is_current { AfterAnswer::Done } else { AfterAnswer::AskAgain };
        let known = is_current.then(|| answers.clone());
        let mut threads = Vec::with_capacity(answers.len());
        let known_before: HashMap<&str, &LiveThread<V>> =
            self.threads.iter().map(|thread| (thread.verified.id(), thread)).collect();
        for verified in answers {
            let earlier = known_before.get(verified.id());
            if let Some(doubted) = earlier.and_then(|earlier| earlier.if_lost(&verified, &asked, &step)) {
                threads.push(doubted);
                next = AfterAnswer::AskAgain;
                continue;
            }
            let mut thread = LiveThread::new(verified);
            if let Some(place) = thread.place.take() {
                thread.place = Some(if is_current { place } else { place.moved(&asked, &self.text, &step) });
            }
            threads.push(thread);
        }
        self.threads = threads;
        if let Some(known) = known.filter(|_| next == AfterAnswer::Done) {
            self.known.put(self.text.bytes(), known);
        }
        next
    }
}

impl<V: Verified> LiveThread<V> {
    fn new(verified: V) -> Self {
        let place = verified.range().map(LivePlace::At);
        Self { verified, place, doubted: false }
    }

    /// Whether its lines changed, or are gone, since the last answer.
    pub fn is_being_edited(&self) -> bool {
        matches!(self.place, Some(LivePlace::BeingEdited(_) | LivePlace::Gone(_)))
    }

    /// The thread as it was, with doubts, if an answer says for the first time that it is orphaned.
    fn if_lost(&self, verified: &V, asked: &Text, step: &TextStep) -> Option<Self> {
        if !verified.is_orphaned() || self.verified.is_orphaned() || self.doubted {
            return None;
        }
        let place = self.place.as_ref()?;
        let place = match place {
            LivePlace::At(range) | LivePlace::BeingEdited(range) => {
                LivePlace::Gone(Ghost::new(range, asked, step))
            }
            LivePlace::Gone(_) => place.clone(),
        };
        Some(Self { verified: self.verified.clone(), place: Some(place), doubted: true })
    }
}
