//! The threads of a document, as an extension is told: all of them once, and after that only where they are.

use std::sync::Arc;

use postil_live::LivePlace;
use postil_protocol::ThreadView;
use serde_json::{Value, json};

use crate::documents::document::OpenDocument;
use crate::extension::bodies::with_bodies;
use crate::server::Server;
use crate::uri::uri_of;

/// What an extension was told about the threads of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToldThreads {
    views: Vec<Arc<ThreadView>>,
    places: Vec<ToldPlace>,
}

/// Where a thread is: how that is known, and its lines, the last one excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ToldPlace {
    kind: &'static str,
    lines: Option<(u32, u32)>,
}

impl ToldThreads {
    /// Those of a document, as it is now.
    pub(crate) fn of(document: &OpenDocument) -> Self {
        let threads = document.live.threads();
        let place = |place: Option<&LivePlace>| match place {
            Some(LivePlace::At(range)) => ToldPlace::at("at", &range.lines),
            Some(LivePlace::BeingEdited(range)) => ToldPlace::at("being-edited", &range.lines),
            Some(LivePlace::Gone(ghost)) => ToldPlace::at("gone", &(ghost.line..ghost.line + 1)),
            None => ToldPlace { kind: "file", lines: None },
        };
        Self {
            views: threads.iter().map(|thread| Arc::clone(&thread.verified.view)).collect(),
            places: threads.iter().map(|thread| place(thread.place.as_ref())).collect(),
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Whether these are the same threads, wherever they are.
    fn has_same_threads(&self, other: &Self) -> bool {
        let is_same = |(one, two): (&Arc<ThreadView>, &Arc<ThreadView>)| {
            one == two || without_lines(one) == without_lines(two)
        };
        self.views.len() == other.views.len() && self.views.iter().zip(&other.views).all(is_same)
    }

    fn places(&self) -> Vec<Value> {
        self.places.iter().map(|place| json!([place.kind, place.lines])).collect()
    }
}

/// A thread without the lines that it is at, which are told as places.
fn without_lines(view: &ThreadView) -> ThreadView {
    let mut view = view.clone();
    if let Some(position) = &mut view.position {
        (position.start, position.end, position.range) = (None, None, None);
    }
    view
}

impl ToldPlace {
    fn at(kind: &'static str, lines: &std::ops::Range<u32>) -> Self {
        Self { kind, lines: Some((lines.start, lines.end)) }
    }
}

impl Server {
    /// Tells an extension about the threads of a document. If they are the same as before, only their places are sent, in the
    /// order of the threads: that happens at every key, and the threads are long.
    pub(crate) fn tell_extension(
        &self,
        uri: &str,
        version: Option<i32>,
        before: &ToldThreads,
        now: &ToldThreads,
    ) {
        let mut told = json!({ "uri": uri, "version": version, "places": now.places() });
        if before.has_same_threads(now) && !now.is_empty() {
            return self.notify("postil/places", told);
        }
        let threads = now.views.iter().map(|view| with_bodies(json!(&**view)));
        told["threads"] = threads.collect::<Vec<Value>>().into();
        let root = |document: &OpenDocument| uri_of(&self.repositories[document.repository].root);
        told["root"] = self.documents.get(uri).map(root).into();
        self.notify("postil/threads", told);
    }
}
