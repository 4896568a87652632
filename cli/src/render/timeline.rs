//! What happened in a thread: who said, edited, resolved, reopened, moved or withdrew what, and why.

use std::fmt::Write as _;

use postil_protocol::{ChangeKind, CommentView, ProposalStatus, ThreadView, TimelineView};

use super::colour::Ink;
use super::screen::Screen;
use super::site::CommentedOn;
use super::thread::short;
use super::{person, position_words, signature, when};
use crate::failure::Failure;
use crate::sanitize;

impl Screen {
    /// The comments of a thread with what happened between them, oldest first.
    pub fn thread_story(&mut self, thread: &ThreadView, timeline: &[TimelineView]) -> Result<(), Failure> {
        for entry in timeline {
            self.line("")?;
            let is_said =
                |comment: &&CommentView| comment.id == entry.record && entry.what != ChangeKind::Applied;
            match thread.comments.iter().find(is_said) {
                Some(comment) => self.comment(comment, thread)?,
                None => self.timeline_entry(entry, thread, Texts::Reasons)?,
            }
        }
        Ok(())
    }

    /// Everything that happened in a thread, oldest first, each with the words of that time.
    pub fn timeline(&mut self, thread: &ThreadView, timeline: &[TimelineView]) -> Result<(), Failure> {
        timeline.iter().try_for_each(|entry| self.timeline_entry(entry, thread, Texts::All))
    }

    /// One entry: a line, and the text below it unless it is a short reason.
    fn timeline_entry(
        &mut self,
        entry: &TimelineView,
        thread: &ThreadView,
        texts: Texts,
    ) -> Result<(), Failure> {
        let name = self.ink(Ink::Person, person::name(&entry.author));
        let commit = entry.commit.as_ref().map(|commit| format!(" in {}", short(commit.as_str())));
        let proposal = thread.proposals.iter().find(|proposal| proposal.id == entry.record);
        let is_obsolete = proposal.is_some_and(|proposal| proposal.obsolete);
        let what = if is_obsolete { "proposed as obsolete" } else { word(entry) };
        let is_uncommitted = proposal.is_some_and(|proposal| proposal.uncommitted);
        let commit = commit.filter(|_| !is_uncommitted);
        let what =
            what.to_owned() + commit.as_deref().unwrap_or(if is_uncommitted { ", uncommitted," } else { "" });
        let mut line = format!("{what} by {name}, {}", when::date_time(entry.at));
        if entry.of != thread.id && (entry.of != entry.record || entry.what == ChangeKind::Applied) {
            let reply = thread.comments.iter().find(|comment| comment.id == entry.of);
            let short = reply.map_or(entry.of.as_str(), |reply| reply.short.as_str());
            let _ = write!(line, " (reply {})", self.ink(Ink::Id, short));
        }
        let on = CommentedOn::either(entry.anchor.as_deref(), entry.message.as_deref());
        if on.is_some() {
            let place = position_words::place(&self.naming, None, on);
            let _ = write!(line, " to {}", self.ink(Ink::Place, place));
        }
        if let Some(source) = &entry.source {
            let _ = write!(line, " (source {})", sanitize::line(source.as_bytes()));
        }
        if entry.draft {
            line.push_str(" (draft)");
        }
        if let Some(proposal) = proposal {
            let (ink, state) = state(proposal.state);
            line.push_str(&self.ink(ink, format!("  ({state})")));
        }
        let is_reason = match entry.what {
            ChangeKind::Resolved
            | ChangeKind::Retired
            | ChangeKind::Reopened
            | ChangeKind::Withdrawn
            | ChangeKind::Declined => true,
            // What is proposed for a thread has its reason; another text is shown with its comment.
            ChangeKind::Proposed => entry.commit.is_some() || on.is_some(),
            _ => false,
        };
        let text = entry.text.as_deref().filter(|_| is_reason || texts == Texts::All).unwrap_or_default();
        let is_short = is_reason && !text.contains('\n');
        if is_short && !text.is_empty() {
            let _ = write!(line, ": {}", sanitize::line(text.as_bytes()));
        }
        if let Some((ink, told)) = signature::long(entry.signature.as_ref()) {
            line.push_str(&self.ink(ink, format!("  ({told})")));
        }
        self.line(line)?;
        if !is_short {
            for line in sanitize::paragraph(text) {
                self.line(format!("    {line}").trim_end())?;
            }
        }
        Ok(())
    }
}

/// Which texts are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    /// Reasons; the texts of comments are shown elsewhere.
    Reasons,
    /// Every one.
    All,
}

/// What became of a proposal.
fn state(state: ProposalStatus) -> (Ink, &'static str) {
    match state {
        ProposalStatus::Pending => (Ink::Doubt, "pending"),
        ProposalStatus::Accepted => (Ink::Good, "accepted"),
        ProposalStatus::Declined => (Ink::Bad, "declined"),
        ProposalStatus::Replaced | ProposalStatus::Settled => (Ink::Faint, "no longer pending"),
        ProposalStatus::Overtaken => (Ink::Faint, "the lines changed since"),
    }
}

fn word(entry: &TimelineView) -> &'static str {
    match entry.what {
        ChangeKind::Proposed if entry.commit.is_some() => "proposed as done",
        ChangeKind::Proposed if entry.anchor.is_some() || entry.message.is_some() => "move proposed",
        ChangeKind::Declined => "proposal declined",
        ChangeKind::Commented => "commented",
        ChangeKind::Replied => "replied",
        ChangeKind::Suggested => "suggested",
        ChangeKind::Edited => "edited",
        ChangeKind::Proposed => "another text proposed",
        ChangeKind::Moved => "moved",
        ChangeKind::Resolved => "resolved",
        ChangeKind::Retired => "retired",
        ChangeKind::Applied => "suggestion applied",
        ChangeKind::Reopened => "reopened",
        ChangeKind::Withdrawn => "withdrawn",
        _ => "changed",
    }
}
