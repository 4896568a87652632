//! Whether a review is ready, and what is missing, in words.

use postil_protocol::{ApprovalView, MissingView, ReadyView, ReviewReadiness, VoidReason};

use super::branch;
use crate::failure::Failure;
use crate::render::colour::Ink;
use crate::render::screen::Screen;
use crate::render::thread::short;
use crate::render::{person, position_words};
use crate::sanitize;

impl Screen {
    /// The name of a review that is checked.
    pub fn review_name(&mut self, review: &ReviewReadiness) -> Result<(), Failure> {
        let title = sanitize::line(review.title.as_bytes());
        self.line(format!("review {}  {title}", self.ink(Ink::Id, &review.short)))?;
        let (from, to) = (branch(review.branch.as_bytes()), branch(review.base.as_bytes()));
        self.line(format!("{} into {}", self.ink(Ink::Place, from), self.ink(Ink::Place, to)))
    }

    /// Whether it is ready, what is missing, and by which rule.
    pub fn ready(&mut self, ready: &ReadyView) -> Result<(), Failure> {
        for approval in &ready.approvals {
            let who = self.ink(Ink::Person, person::name(&approval.who));
            match void_in_words(approval) {
                None => self.line(format!("approved by {who}"))?,
                Some(why) => {
                    let why = self.ink(Ink::Faint, format!("(does not count: {why})"));
                    self.line(format!("approved by {who}  {why}"))?;
                }
            }
        }
        self.ready_in_short(ready)?;
        let Some(rule) = &ready.rule else { return Ok(()) };
        let from = match (&rule.path, &rule.commit) {
            (Some(path), Some(commit)) => {
                format!("{} at {}", self.naming.path(path), short(commit.as_str()))
            }
            _ => "the usual one; the base has no .postil/ready".to_owned(),
        };
        self.line(self.ink(Ink::Faint, format!("rule: {from}")))
    }

    /// The same without the approvals, which are shown beside it.
    pub fn ready_in_short(&mut self, ready: &ReadyView) -> Result<(), Failure> {
        if ready.ready {
            return self.line(self.ink(Ink::Good, "ready to merge"));
        }
        let heading = self.ink(Ink::Doubt, "not ready");
        if let [only] = &ready.missing[..] {
            return self.line(format!("{heading}: {}", missing_in_words(only)));
        }
        self.line(format!("{heading}:"))?;
        for missing in &ready.missing {
            let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(4));
            let mut before = "  - ";
            for part in sanitize::wrap(&missing_in_words(missing), room) {
                self.line(format!("{before}{part}"))?;
                before = "    ";
            }
        }
        Ok(())
    }
}

/// Something that is missing, in words.
pub fn missing_in_words(missing: &MissingView) -> String {
    match missing {
        MissingView::Approvals { have: 0, need } => {
            let need = position_words::count(*need, "approval", "approvals");
            format!("{need} missing")
        }
        MissingView::Approvals { have, need } => {
            let need = position_words::count(*need, "approval", "approvals");
            format!("{have} of {need}")
        }
        MissingView::Required { who } => {
            format!("{} has to approve", sanitize::line(who.as_bytes()))
        }
        MissingView::ChangesRequested { who } => format!("{} requests changes", person::name(who)),
        MissingView::Blockers { threads } => {
            let count = position_words::count(threads.len() as u64, "open blocker", "open blockers");
            format!("{count}: {}", sanitize::line(threads.join(" ").as_bytes()))
        }
        MissingView::InvalidRule { commit, path, line, why } => {
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let path = sanitize::line(path.as_bytes());
            let commit = short(commit.as_str());
            format!("the rule is invalid: {path} at {commit}{line}: {}", sanitize::line(why.as_bytes()))
        }
        MissingView::Unread { why } => {
            format!("something could not be read: {}", sanitize::line(why.as_bytes()))
        }
        MissingView::Ended => "the review is merged or closed".to_owned(),
    }
}

fn void_in_words(approval: &ApprovalView) -> Option<&'static str> {
    Some(match approval.void? {
        VoidReason::Earlier => "for an earlier version",
        VoidReason::OwnReview => "their own review",
        VoidReason::OwnCommits => "they wrote commits of the branch",
        VoidReason::Program => "written by a program",
        VoidReason::Unsigned => "not signed by them with a trusted key",
        VoidReason::BadSignature => "its signature is bad",
        VoidReason::Outsider => "the rule counts other people",
    })
}
