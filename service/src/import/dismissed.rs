//! Findings that a person dismissed: they stay dismissed until their lines change or they become more severe.
//!
//! Then they are asked again, once, as a new thread that names the one before: what a person decided is never changed.

use postil_core::record::RecordId;
use postil_core::review::{Comment, Thread, ThreadState};
use postil_protocol::{ImportedComment, SeverityView};

use crate::convert::severity;

/// Before the thread that was dismissed before this one.
pub(crate) const AFTER: &str = "after:";

/// How many digits of an id a text has.
const SHOWN_DIGITS: usize = 12;

/// Why a finding is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedAgain {
    after: RecordId,
    why: &'static str,
    what: &'static str,
}

/// What begins the sentence that is added to the text.
const BEGINNING: &str = "\n\n(Asked again: ";

impl AskedAgain {
    /// Whether a finding that was dismissed is asked again.
    pub fn of(
        thread: Thread<'_>,
        root: &Comment,
        finding: &ImportedComment,
        has_changed: bool,
    ) -> Option<Self> {
        let before = root.said().severity.as_ref().map(severity::shown);
        let why = if has_changed {
            "its lines have changed"
        } else if weight(finding.severity.as_ref()) > weight(before.as_ref()) {
            "it is more severe now"
        } else {
            return None;
        };
        let what = if thread.state() == ThreadState::Withdrawn { "withdrawn" } else { "resolved" };
        Some(Self { after: thread.id(), why, what })
    }

    /// The key of the new thread: everybody who asks again after this one makes the same.
    pub fn name(&self, name: &str) -> String {
        format!("{name}~after-{}", &self.after.to_string()[..SHOWN_DIGITS])
    }

    /// The tag that names the thread before.
    pub fn tag(&self) -> String {
        format!("{AFTER}{}", self.after)
    }

    /// The text of the new thread.
    pub fn said(&self, text: &str) -> String {
        let (why, what, after) = (self.why, self.what, &self.after.to_string()[..SHOWN_DIGITS]);
        format!("{text}{BEGINNING}{why} since thread {after} was {what}.)")
    }

    /// New words for a thread, with what its old words said about being asked again.
    pub fn kept_in(old: &str, new: String) -> String {
        match old.rfind(BEGINNING) {
            Some(at) => format!("{new}{}", &old[at..]),
            None => new,
        }
    }
}

/// How much a severity weighs; the most severe weighs most.
pub(crate) fn weight(severity: Option<&SeverityView>) -> u8 {
    match severity {
        Some(SeverityView::Blocker) => 4,
        Some(SeverityView::Issue) => 3,
        Some(SeverityView::Nit) => 2,
        Some(SeverityView::Note | SeverityView::Question) => 1,
        Some(SeverityView::Praise | SeverityView::Other(_)) | None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_words_keep_the_sentence_about_the_thread_before() {
        let after = RecordId::from_array([0xab; 16]);
        let again = AskedAgain { after, why: "its lines have changed", what: "resolved" };
        let said = again.said("too long");
        assert_eq!(
            said,
            "too long\n\n(Asked again: its lines have changed since thread abababababab was resolved.)"
        );
        assert_eq!(AskedAgain::kept_in(&said, "shorten".into()), again.said("shorten"));
        assert_eq!(AskedAgain::kept_in("too long", "shorten".into()), "shorten");
        assert_eq!(again.name("k"), "k~after-abababababab");
    }
}
