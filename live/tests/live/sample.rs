//! A document with two threads, and the changes that people make.

use std::ops::Range;

use postil_live::{LiveDocument, LivePlace, LiveRange, Verified};

/// The line of the first thread.
pub const T: u32 = 10;

/// The line of the second one.
pub const U: u32 = 20;

/// What a service would say of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub id: &'static str,
    pub range: Option<LiveRange>,
    pub orphaned: bool,
}

impl Verified for Said {
    fn id(&self) -> &str {
        self.id
    }

    fn range(&self) -> Option<LiveRange> {
        self.range.clone()
    }

    fn is_orphaned(&self) -> bool {
        self.orphaned
    }
}

/// A thread that stands at these lines.
pub fn at(id: &'static str, lines: Range<u32>) -> Said {
    Said { id, range: Some(LiveRange::whole(lines)), orphaned: false }
}

/// A thread that stands nowhere.
pub fn orphaned(id: &'static str) -> Said {
    Said { id, range: None, orphaned: true }
}

/// Sixty lines that differ.
pub fn lines() -> Vec<String> {
    (0..60).map(|line| format!("    let value_{line} = compute({line}, {});", line * 7)).collect()
}

/// The text of some lines.
pub fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The document, opened, with an answer for its threads.
pub fn opened() -> LiveDocument<Said> {
    let mut document = LiveDocument::open(text(&lines()));
    let (revision, _) = document.ask();
    document.answer(revision, vec![at("t", T..T + 1), at("u", U..U + 1)]);
    document
}

/// Where a thread is, in short: `10`, `10-12`, `10 edited`, `gone at 9`.
pub fn place(document: &LiveDocument<Said>, id: &str) -> String {
    let thread =
        document.threads().iter().find(|thread| thread.verified.id == id).expect("the thread is there");
    let lines = |range: &LiveRange| match range.lines.end - range.lines.start {
        1 => range.lines.start.to_string(),
        _ => format!("{}-{}", range.lines.start, range.lines.end - 1),
    };
    match thread.place.as_ref().expect("the thread has a place") {
        LivePlace::At(range) => lines(range),
        LivePlace::BeingEdited(range) => format!("{} edited", lines(range)),
        LivePlace::Gone(ghost) => format!("gone at {}", ghost.line),
    }
}
