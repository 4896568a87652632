//! The threads that stand at no line: those about the whole review, and those without a place.

use maud::{Markup, html};
use postil_protocol::{DiffLeft, DiffReply, PlaceState, ThreadView, ThreadsLeft};

use super::thread_card::{CardPlace, thread_card};
use crate::pages::shell::PageFrame;

/// The two kinds of threads that are at no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placeless {
    /// About the whole review, or a commit's message.
    Review,
    /// Without a place.
    Orphans,
}

impl Placeless {
    fn word(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Orphans => "orphans",
        }
    }

    /// Reads it from an address.
    pub(crate) fn read(word: Option<&str>) -> Option<Self> {
        [Self::Review, Self::Orphans].into_iter().find(|kind| word == Some(kind.word()))
    }
}

/// The threads of a diff, by where they are shown.
#[derive(Debug, Default)]
pub(crate) struct ThreadGroups<'a> {
    /// About the whole review, or a commit's message.
    pub review: Vec<&'a ThreadView>,
    /// Without a place.
    pub orphans: Vec<&'a ThreadView>,
    /// All of them, whatever their place.
    pub all: Vec<&'a ThreadView>,
    /// Those that did not come with the diff: of its lines, and at no line.
    pub left: DiffLeft,
    /// Those of them that are at no line.
    placeless: ThreadsLeft,
}

impl<'a> ThreadGroups<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len() + count(&self.left)
    }

    /// Takes them out of a diff.
    pub fn of(diff: &'a DiffReply) -> Self {
        let in_files = diff.files.iter().flat_map(|file| {
            file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()))
        });
        let mut groups = Self { placeless: diff.left.unwrap_or_default(), ..Self::default() };
        let placeless = diff.threads.iter().map(|thread| (thread, true));
        for (thread, is_placeless) in placeless.chain(in_files.map(|thread| (thread, false))) {
            groups.all.push(thread);
            match CardPlace::of(thread) {
                CardPlace::Review => groups.review.push(thread),
                CardPlace::Orphans => groups.orphans.push(thread),
                // Its file is not in the diff any more, and nothing says where it went.
                _ if is_placeless => groups.orphans.push(thread),
                CardPlace::Line | CardPlace::File => {}
            }
        }
        let of_files = diff.files.iter().filter_map(|file| file.left);
        for left in of_files.chain([groups.placeless.review, groups.placeless.orphans]) {
            groups.left.open += left.open;
            groups.left.outdated += left.outdated;
            groups.left.resolved += left.resolved;
            groups.left.drafts += left.drafts;
            groups.left.suggestions += left.suggestions;
        }
        groups
    }

    fn of_kind(&self, kind: Placeless) -> (&[&'a ThreadView], DiffLeft) {
        match kind {
            Placeless::Review => (&self.review, self.placeless.review),
            Placeless::Orphans => (&self.orphans, self.placeless.orphans),
        }
    }
}

fn count(left: &DiffLeft) -> usize {
    (left.open + left.resolved) as usize
}

/// The cards of one kind, and the place of those that did not come with the diff.
pub(crate) fn placeless_cards(groups: &ThreadGroups<'_>, kind: Placeless, frame: &PageFrame<'_>) -> Markup {
    let (threads, left) = groups.of_kind(kind);
    let at = match kind {
        Placeless::Review => CardPlace::Review,
        Placeless::Orphans => CardPlace::Orphans,
    };
    html! {
        @for thread in threads { (thread_card(thread, at, frame)) }
        @if left.threads > 0 {
            div.later data-of=(kind.word()) data-threads=(left.threads) { p { (count(&left)) " more threads" } }
        }
    }
}

/// Whether a thread is shown in its file, and not among those without a place.
pub(crate) fn is_in_file(thread: &ThreadView) -> bool {
    thread.position.as_ref().is_none_or(|position| position.state != PlaceState::Orphaned)
}

/// The panel of threads without a place.
pub(crate) fn orphans(groups: &ThreadGroups<'_>, frame: &PageFrame<'_>) -> Markup {
    let (threads, left) = groups.of_kind(Placeless::Orphans);
    html! {
        section.panel.orphans id="orphans" aria-labelledby="orphans-title" hidden[threads.is_empty()] {
            h2 id="orphans-title" { "Without a place " span.count { (threads.len() + count(&left)) } }
            p.quiet { "Nothing in the files is close enough to what these were put on. Choose a place, or resolve them." }
            (placeless_cards(groups, Placeless::Orphans, frame))
        }
    }
}

/// The threads about the whole review.
pub(crate) fn about_review(groups: &ThreadGroups<'_>, frame: &PageFrame<'_>) -> Markup {
    let (threads, left) = groups.of_kind(Placeless::Review);
    html! {
        section.panel.about id="about" aria-labelledby="about-title" hidden[threads.is_empty() && left.threads == 0] {
            h2 id="about-title" { "About the whole review " span.count { (threads.len() + count(&left)) } }
            (placeless_cards(groups, Placeless::Review, frame))
        }
    }
}
