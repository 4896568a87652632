//! What happened to a thread or a review, for who watches: one line each.

use postil_protocol::{
    ChangeKind, ChangeView, Person, PlaceState, PlacedAs, PlacedView, ReviewView, ThreadView, Verdict,
};

use super::colour::Ink;
use super::message_words::message_place;
use super::screen::Screen;
use super::site::ShownSite;
use crate::failure::Failure;
use crate::sanitize;

/// So many digits of an id name a thread, unless there are very many.
const SHORT: usize = 7;

impl Screen {
    /// What happened to a thread, where it is, and what was said or who did it.
    pub fn happened(&mut self, change: &ChangeView, thread: &ThreadView) -> Result<(), Failure> {
        let place = self.place_of(thread);
        let said = thread.comments.iter().find(|comment| Some(&comment.id) == change.record.as_ref());
        let edited = thread.comments.first().filter(|_| change.what == ChangeKind::Edited);
        let rest = match (said.or(edited), &change.by) {
            (Some(said), _) => {
                let text = said.text.lines().next().unwrap_or_default();
                Some(format!("{}: {}", name(&said.author), sanitize::line(text.as_bytes())))
            }
            (None, Some(by)) => Some(format!("by {}{}", name(by), others(change))),
            (None, None) => None,
        };
        let line = format!(
            "{} {} {}",
            change.what.word(),
            self.ink(Ink::Id, &thread.short),
            self.ink(Ink::Place, place)
        );
        self.line(rest.map_or(line.clone(), |rest| format!("{line}  {rest}")))
    }

    /// What happened to a review, and what it is called.
    pub fn happened_to_review(&mut self, change: &ChangeView, review: &ReviewView) -> Result<(), Failure> {
        let judged = review.verdicts.iter().find(|verdict| Some(&verdict.id) == change.record.as_ref());
        let word = match judged.map(|judged| judged.verdict) {
            Some(Verdict::Approve) => "approved",
            Some(Verdict::Changes) => "requested changes in",
            Some(Verdict::Comment) => "commented on",
            None => change.what.word(),
        };
        // A merge that postil noticed has no author.
        let by = change.by.as_ref().filter(|by| !by.name.is_empty());
        let by = by.map(|person| format!("  by {}", name(person))).unwrap_or_default();
        let title = sanitize::line(review.title.as_bytes());
        self.line(format!("{word} review {}  {title}{by}", self.ink(Ink::Id, &review.short)))
    }

    /// What happened to something that cannot be shown any more.
    pub fn happened_to_what_is_gone(&mut self, change: &ChangeView) -> Result<(), Failure> {
        let by = change.by.as_ref().map(|person| format!("  by {}{}", name(person), others(change)));
        let by = by.unwrap_or_default();
        self.line(format!("{} {}{by}", change.what.word(), self.ink(Ink::Id, change.of.as_str())))
    }

    /// A thread that is elsewhere.
    pub fn placed(&mut self, placed: &PlacedView) -> Result<(), Failure> {
        let word = match placed.what {
            PlacedAs::Moved | PlacedAs::Other => "moved",
            PlacedAs::Came => "now shown",
            PlacedAs::Left => "no longer shown",
            PlacedAs::Suggestion => "suggestion status changed",
        };
        if placed.what == PlacedAs::Suggestion {
            let id = placed.view.as_ref().map_or(placed.thread.as_str(), |view| view.short.as_str());
            let id = self.ink(Ink::Id, &id[..id.len().min(SHORT)]);
            return self.line(format!("{id}: {word}"));
        }
        if let Some(view) = &placed.view {
            return self.named(word, view);
        }
        let id = placed.thread.as_str();
        let id = self.ink(Ink::Id, &id[..id.len().min(SHORT)]);
        if let Some(site) = placed.to.as_ref().and_then(|to| to.message.as_ref()) {
            let lines = placed.to.as_ref().and_then(|to| to.range).map(|range| range.to_string());
            let place = message_place(&site.commit, lines.as_deref());
            let is_lost = placed.to.as_ref().is_some_and(|to| to.state == PlaceState::Orphaned);
            let word = if is_lost { "orphaned" } else { word };
            return self.line(format!("{word} {id} {}", self.ink(Ink::Place, place)));
        }
        match placed.to.as_ref().map(ShownSite::now) {
            Some(Some(site)) => {
                let place = self.ink(Ink::Place, self.naming.site(site));
                self.line(format!("{word} {id} {place}"))
            }
            Some(None) => self.line(format!("orphaned {id}")),
            None => self.line(format!("{word} {id}")),
        }
    }
}

fn name(person: &Person) -> String {
    super::person::name(person)
}

/// What is to be known of a purge of what others wrote.
fn others(change: &ChangeView) -> &'static str {
    if change.others { ", who did not write all of it" } else { "" }
}
