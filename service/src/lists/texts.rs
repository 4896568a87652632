//! The JSON of threads, kept for as long as it says what is so.
//!
//! Whoever asks for a list asks for mostly the same threads as before, or as somebody else did: with another filter, at
//! another head, after one more comment. What a thread's text rests on is kept with it and compared each time. Threads
//! whose text rests on more than that, such as a suggestion or a draft, are told anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use postil_core::record::{Entry, RecordId};
use postil_core::review::{HeldThread, MIN_SHORT_DIGITS, Why};
use postil_protocol::{Detail, Fault, List, ListReply};
use serde_json::value::RawValue;

use crate::lists::kept::{Ground, JsonText, unwritten, written};
use crate::methods::list::{Chosen, Ranked, listed, suggests, thread_views};
use crate::notes_index::NotesIndex;
use crate::repository::lock;
use crate::request::Request;
use crate::view;

/// Beyond so many bytes all are forgotten, and those that are asked for from then on are kept.
const MAX_BYTES: usize = 4 << 20;

/// What stands around the threads of a list is shorter.
const ROOM_AROUND: usize = 512;

/// The JSON of threads that were told.
#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    texts: HashMap<(RecordId, Full), Arc<Text>>,
    bytes: usize,
}

/// Whether all comments of a thread are told.
type Full = bool;

/// A thread as it was told.
#[derive(Debug)]
struct Text {
    /// `None` for a thread that is not usual.
    rests_on: Option<RestsOn>,
    json: Box<RawValue>,
}

/// What the text of a usual thread rests on.
#[derive(Debug)]
struct RestsOn {
    thread: HeldThread,
    entry: Option<Arc<Entry>>,
    review: Option<RecordId>,
    seen: Option<Why>,
}

impl RestsOn {
    fn of(notes: &NotesIndex, one: &Ranked<'_>, seen: Option<Why>) -> Self {
        let review = view::review_of(notes, one.thread);
        Self { thread: one.thread.hold(), entry: one.entry.cloned(), review, seen }
    }

    fn holds(&self, notes: &NotesIndex, one: &Ranked<'_>, seen: Option<Why>) -> bool {
        let same_place = match (&self.entry, one.entry) {
            (None, None) => true,
            (Some(known), Some(entry)) => Arc::ptr_eq(known, entry) || known == entry,
            _ => false,
        };
        self.thread.is(one.thread)
            && same_place
            && self.seen == seen
            && self.review == view::review_of(notes, one.thread)
            && is_usual(notes, one)
    }
}

impl Texts {
    /// Gives memory back.
    pub fn forget(&self) {
        *lock(&self.0) = Shelf::default();
    }

    fn keep(&self, id: RecordId, detail: Detail, text: Arc<Text>) {
        let mut shelf = lock(&self.0);
        let bytes = text.json.get().len();
        if shelf.bytes + bytes > MAX_BYTES {
            *shelf = Shelf::default();
        }
        shelf.bytes += bytes;
        if let Some(before) = shelf.texts.insert((id, detail == Detail::Full), text) {
            shelf.bytes -= before.json.get().len();
        }
    }
}

/// Lists threads as JSON text, and says what of the files on disk that rests on.
pub fn listed_text(request: &Request, list: &List) -> Result<(JsonText, Ground), Fault> {
    let (reply, ground) = listed(request, list, |chosen| thread_texts(request, list, chosen))?;
    let ListReply { threads: texts, lines, total, next, resolving, head, notes, elsewhere } = reply;
    let threads: Vec<&RawValue> = texts.iter().map(|text| &*text.json).collect();
    let room = threads.iter().map(|text| text.get().len() + 1).sum::<usize>() + ROOM_AROUND;
    let reply = ListReply { threads, lines, total, next, resolving, head, notes, elsewhere };
    Ok((written(&reply, room)?, ground))
}

/// The texts of the chosen threads, and whether any of them suggests something.
fn thread_texts(
    request: &Request,
    list: &List,
    chosen: &Chosen<'_>,
) -> Result<(Vec<Arc<Text>>, bool), Fault> {
    let seen = |one: &Ranked<'_>| chosen.seen.threads.get(&one.thread.id()).copied();
    let mut texts: Vec<Option<Arc<Text>>> = {
        let shelf = lock(&request.repository.texts.0);
        let known = |one: &Ranked<'_>| shelf.texts.get(&(one.thread.id(), list.detail == Detail::Full));
        chosen.threads.iter().map(|one| known(one).cloned()).collect()
    };
    for (text, one) in texts.iter_mut().zip(&chosen.threads) {
        let rests_on = text.as_ref().and_then(|text| text.rests_on.as_ref());
        if !rests_on.is_some_and(|rests_on| rests_on.holds(&request.notes, one, seen(one))) {
            *text = None;
        }
    }
    let missing = || chosen.threads.iter().zip(&texts).filter(|(_, text)| text.is_none()).map(|(one, _)| one);
    let views = thread_views(request, list, chosen, missing())?;
    let suggests = suggests(&views);
    let mut told = Vec::with_capacity(views.len());
    for (one, view) in missing().zip(&views) {
        let rests_on = is_usual(&request.notes, one).then(|| RestsOn::of(&request.notes, one, seen(one)));
        let json = serde_json::value::to_raw_value(view).map_err(|error| unwritten(&error))?;
        let text = Arc::new(Text { rests_on, json });
        if text.rests_on.is_some() {
            request.repository.texts.keep(one.thread.id(), list.detail, Arc::clone(&text));
        }
        told.push(text);
    }
    let mut told = told.into_iter();
    let all = texts.into_iter().map(|text| text.or_else(|| told.next()));
    Ok((all.map(|text| text.expect("what was missing was told")).collect(), suggests))
}

/// Whether what a thread says rests on nothing but what is compared.
fn is_usual(notes: &NotesIndex, one: &Ranked<'_>) -> bool {
    let plain =
        |id: RecordId| !notes.drafts.contains(&id) && notes.prefixes.shorten(id).digits() == MIN_SHORT_DIGITS;
    // Signatures rest on whom one believes, and words of rendered prose on the page that they are on.
    notes.vouched.is_empty()
        && one.entry.is_none_or(|entry| entry.source.is_none())
        && plain(one.thread.id())
        && one.thread.comments().all(|said| said.said().suggestion.is_empty() && plain(said.id()))
}
