//! The threads that stand at no line: those about the whole review, and those without a place.

use maud::{Markup, html};
use postil_protocol::{DiffLeft, DiffReply, PlaceState, ThreadView};

use super::thread_card::{CardPlace, thread_card};
use crate::pages::shell::PageFrame;

/// The threads of a diff, by where they are shown.
#[derive(Debug, Default)]
pub(crate) struct ThreadGroups<'a> {
    /// About the whole review, or a commit's message.
    pub review: Vec<&'a ThreadView>,
    /// Without a place.
    pub orphans: Vec<&'a ThreadView>,
    /// All of them, whatever their place.
    pub all: Vec<&'a ThreadView>,
    /// Those of lines that did not come with the diff.
    pub left: DiffLeft,
}

impl<'a> ThreadGroups<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len() + (self.left.open + self.left.resolved) as usize
    }

    /// Takes them out of a diff.
    pub fn of(diff: &'a DiffReply) -> Self {
        let in_files = diff.files.iter().flat_map(|file| {
            file.threads.iter().chain(file.lines.iter().flat_map(|line| line.threads.iter()))
        });
        let mut groups = Self::default();
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
        for left in diff.files.iter().filter_map(|file| file.left) {
            groups.left.open += left.open;
            groups.left.outdated += left.outdated;
            groups.left.resolved += left.resolved;
            groups.left.drafts += left.drafts;
            groups.left.suggestions += left.suggestions;
        }
        groups
    }
}

/// Whether a thread is shown in its file, and not among those without a place.
pub(crate) fn is_in_file(thread: &ThreadView) -> bool {
    thread.position.as_ref().is_none_or(|position| position.state != PlaceState::Orphaned)
}

/// The panel of threads without a place.
pub(crate) fn orphans(groups: &ThreadGroups<'_>, frame: &PageFrame<'_>) -> Markup {
    html! {
        section.panel.orphans id="orphans" aria-labelledby="orphans-title" hidden[groups.orphans.is_empty()] {
            h2 id="orphans-title" { "Without a place " span.count { (groups.orphans.len()) } }
            p.quiet { "Nothing in the files is close enough to what these were put on. Choose a place, or resolve them." }
            @for thread in &groups.orphans { (thread_card(thread, CardPlace::Orphans, frame)) }
        }
    }
}

/// The threads about the whole review.
pub(crate) fn about_review(groups: &ThreadGroups<'_>, frame: &PageFrame<'_>) -> Markup {
    html! {
        section.panel.about id="about" aria-labelledby="about-title" hidden[groups.review.is_empty()] {
            h2 id="about-title" { "About the whole review " span.count { (groups.review.len()) } }
            @for thread in &groups.review { (thread_card(thread, CardPlace::Review, frame)) }
        }
    }
}
