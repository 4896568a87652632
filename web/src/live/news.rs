//! One event as a page receives it: what changed by name, never its text.

use postil_protocol::{ChangeKind, ChangeView, Event, Hex, Mark};
use serde_json::{Value, json};

/// So many things are named; of more, a page fetches everything anew.
const MAX_NAMED: usize = 1000;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct News {
    /// What a page that missed the rest goes on from.
    pub mark: Option<Mark>,
    /// What it is told.
    pub told: Value,
}

impl News {
    /// Of an event of the service.
    pub(crate) fn of(event: &Event) -> Self {
        let told = match event {
            Event::Resolving(_) => json!({ "kind": "resolving" }),
            Event::Placed(placed) if placed.placed.len() > MAX_NAMED => {
                json!({ "kind": "placed", "threads": Value::Null })
            }
            Event::Placed(placed) => {
                let threads: Vec<&str> = placed.placed.iter().map(|placed| placed.thread.as_str()).collect();
                json!({ "kind": "placed", "threads": threads })
            }
            Event::Changed(changed) if changed.threads.len() > MAX_NAMED => json!({ "kind": "reset" }),
            Event::Changed(changed) => {
                let threads: Vec<&str> = changed.threads.iter().map(|thread| thread.id.as_str()).collect();
                let gone: Vec<&str> = changed.gone.iter().map(Hex::as_str).collect();
                let records: Vec<&str> = changed
                    .changes
                    .iter()
                    .filter_map(|change| change.record.as_ref())
                    .map(Hex::as_str)
                    .collect();
                json!({
                    "kind": "changed",
                    "threads": threads,
                    "gone": gone,
                    "records": records,
                    "reviews": !changed.reviews.is_empty(),
                    "said": said(&changed.changes),
                })
            }
            Event::Reset(_) => json!({ "kind": "reset" }),
            Event::Ended(_) => json!({ "kind": "ended" }),
        };
        Self { mark: event.mark().cloned(), told }
    }

    /// Everything is to be fetched anew.
    pub(crate) fn reset() -> Self {
        Self { mark: None, told: json!({ "kind": "reset" }) }
    }

    /// The repository is gone.
    pub(crate) fn ended() -> Self {
        Self { mark: None, told: json!({ "kind": "ended" }) }
    }

    /// Files on disk changed.
    pub(crate) fn files() -> Self {
        Self { mark: None, told: json!({ "kind": "files" }) }
    }

    /// As a stream of events writes it.
    pub(crate) fn text(&self) -> String {
        // JSON has no line ends of its own.
        match &self.mark {
            Some(mark) => format!("id: {mark}\ndata: {}\n\n", self.told),
            None => format!("data: {}\n\n", self.told),
        }
    }
}

/// What happened, in a sentence for who cannot see it.
fn said(changes: &[ChangeView]) -> String {
    let Some(last) = changes.last() else { return String::new() };
    let who = last.by.as_ref().map_or("Somebody", |by| by.name.as_str());
    let what = match last.what {
        ChangeKind::Commented => "commented",
        ChangeKind::Replied => "replied",
        ChangeKind::Suggested => "suggested a change",
        ChangeKind::Edited => "edited a comment",
        ChangeKind::Resolved => "resolved a thread",
        ChangeKind::Reopened => "reopened a thread",
        ChangeKind::Withdrawn => "withdrew a comment",
        ChangeKind::Moved => "moved a thread",
        ChangeKind::Judged => "gave a verdict",
        ChangeKind::Published => "published drafts",
        _ => "changed something",
    };
    match changes.len() {
        1 => format!("{who} {what}."),
        count => format!("{who} {what}, and {} more changes.", count - 1),
    }
}
