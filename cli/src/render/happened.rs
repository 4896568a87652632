//! What happened to a thread or a review, for who watches: one line each.

use postil_protocol::{Person, ReviewView, ThreadView, Verdict, What};

use super::colour::Ink;
use super::screen::Screen;
use super::words;
use crate::failure::Failure;
use crate::harmless;

impl Screen {
    /// What happened to a thread, where it is, and what was said or who did it.
    pub fn happened(&mut self, what: What, thread: &ThreadView) -> Result<(), Failure> {
        let place = words::place(&self.naming, thread.position.as_ref(), thread.anchor.as_ref());
        let told = match what {
            What::Commented | What::Edited => thread.comments.first(),
            What::Replied => thread.comments.last(),
            _ => None,
        };
        let rest = match (what, told) {
            (_, Some(said)) => {
                let text = said.text.lines().next().unwrap_or_default();
                Some(format!("{}: {}", name(&said.author), harmless::line(text.as_bytes())))
            }
            (What::Resolved | What::Reopened | What::Withdrawn, _) => {
                thread.status_by.as_ref().map(|by| format!("by {}", name(&by.author)))
            }
            _ => None,
        };
        let line =
            format!("{} {} {}", word(what), self.ink(Ink::Id, &thread.short), self.ink(Ink::Place, place));
        self.line(rest.map_or(line.clone(), |rest| format!("{line}  {rest}")))
    }

    /// What happened to a review, and what it is called.
    pub fn happened_to_review(&mut self, what: What, review: &ReviewView) -> Result<(), Failure> {
        let newest = review.verdicts.iter().max_by_key(|verdict| verdict.at);
        let (word, by) = match (what, newest) {
            (What::Judged, Some(judged)) => {
                let word = match judged.verdict {
                    Verdict::Approve => "approved",
                    Verdict::Changes => "requested changes of",
                    Verdict::Comment => "commented on",
                };
                (word, Some(&judged.author))
            }
            (What::Started, _) => (word(what), Some(&review.author)),
            (What::Closed | What::Merged | What::Reopened, _) => {
                (word(what), review.status_by.as_ref().map(|by| &by.author))
            }
            _ => (word(what), None),
        };
        let by = by.map(|person| format!("  by {}", name(person))).unwrap_or_default();
        let title = harmless::line(review.title.as_bytes());
        self.line(format!("{word} review {}  {title}{by}", self.ink(Ink::Id, &review.short)))
    }
}

fn name(person: &Person) -> String {
    harmless::line(person.name.as_bytes())
}

fn word(what: What) -> &'static str {
    match what {
        What::Commented => "commented",
        What::Replied => "replied",
        What::Edited => "edited",
        What::Moved => "moved",
        What::Resolved => "resolved",
        What::Reopened => "reopened",
        What::Withdrawn => "withdrew",
        What::Published => "published",
        What::Seen => "came into view",
        What::Gone => "went out of view",
        What::Started => "began",
        What::Judged => "judged",
        What::Closed => "closed",
        What::Merged => "merged",
        What::Changed => "changed",
    }
}
