//! Reviews.

use postil_protocol::{
    ByteText, Hex, ReviewListReply, ReviewProposedView, ReviewReply, ReviewStatus, ReviewView, SignatureView,
    Verdict, VerdictView,
};

mod ready;

pub use ready::missing_in_words;

use super::colour::Ink;
use super::screen::Screen;
use super::{person, position_words, signature, when};
use crate::failure::Failure;
use crate::sanitize;

impl Screen {
    /// A list of reviews.
    pub fn reviews(&mut self, reply: &ReviewListReply) -> Result<(), Failure> {
        for review in &reply.reviews {
            let is_current = reply.current.as_ref() == Some(&review.id);
            let mark = if is_current { "*" } else { " " };
            let title = sanitize::line(review.title.as_bytes());
            let open = position_words::count(review.threads.open, "open thread", "open threads");
            let word = status_word(review);
            let line = format!(
                "{mark} {}  {}  {}  {title}  [{open}]",
                self.ink(Ink::Id, &review.short),
                self.ink(status_ink(review), word),
                self.ink(Ink::Place, branch(review.renamed.as_ref().unwrap_or(&review.branch).as_bytes())),
            );
            self.line(line)?;
        }
        if reply.reviews.is_empty() {
            self.print_message("nothing to show");
        }
        Ok(())
    }

    /// One review whole.
    pub fn review(&mut self, reply: &ReviewReply) -> Result<(), Failure> {
        let review = &reply.review;
        let title = sanitize::line(review.title.as_bytes());
        let word = self.ink(status_ink(review), status_word(review));
        self.line(format!(
            "{}  {word}  {}",
            self.ink(Ink::Id, format!("review {}", review.id)),
            self.ink(Ink::Strong, title)
        ))?;
        let (from, to) = (branch(review.branch.as_bytes()), branch(review.base.as_bytes()));
        self.line(format!("{} into {}", self.ink(Ink::Place, from), self.ink(Ink::Place, to)))?;
        if let Some(renamed) = &review.renamed {
            self.line(format!("renamed to {}", branch(renamed.as_bytes())))?;
        }
        let ended = ended(review);
        let is_told = ended.is_some() && review.status != ReviewStatus::Open;
        if let Some(ended) = ended {
            self.line(ended)?;
        }
        if let Some(how) = review.merged.as_ref().filter(|_| !is_told) {
            self.line(format!(
                "merged into {} ({})",
                branch(review.base.as_bytes()),
                sanitize::line(how.as_bytes())
            ))?;
        }
        let name = person::name(&review.author);
        let signed = self.signed(review.signature.as_ref());
        self.line(format!(
            "started by {}, {}{signed}",
            self.ink(Ink::Person, name),
            when::date_time(review.at)
        ))?;
        let counts = review.threads;
        self.line(format!("{} open, {} resolved", counts.open, counts.resolved))?;
        for asked in &review.requested {
            let (who, by) = (self.ink(Ink::Person, person::name(&asked.who)), person::name(&asked.author));
            self.line(format!("{who} is asked to review, by {by}"))?;
        }
        for verdict in &review.verdicts {
            self.verdict(verdict, review.tip.as_ref())?;
        }
        if self.is_verbose() {
            self.replaced(review)?;
        }
        if let Some(ready) = &reply.ready {
            self.ready_in_short(ready)?;
        }
        if !review.description.trim().is_empty() {
            self.line("")?;
            for line in sanitize::paragraph(&review.description) {
                self.line(format!("    {line}").trim_end())?;
            }
        }
        review.proposed.iter().try_for_each(|proposed| self.review_proposed(proposed))
    }

    /// An edit of a review that another person proposes.
    fn review_proposed(&mut self, proposed: &ReviewProposedView) -> Result<(), Failure> {
        let name = person::name(&proposed.author);
        self.line("")?;
        self.line(format!("{} proposes, {}:", self.ink(Ink::Person, name), when::date_time(proposed.at)))?;
        let title = proposed.title.as_ref().map(|title| sanitize::line(title.as_bytes()));
        let name = |name: &Option<ByteText>| name.as_ref().map(|name| branch(name.as_bytes()));
        let words = [("title", title), ("branch", name(&proposed.branch)), ("base", name(&proposed.base))];
        for (what, word) in words {
            if let Some(word) = word {
                self.line(format!("    {what}: {word}"))?;
            }
        }
        for line in proposed.description.iter().flat_map(|text| sanitize::paragraph(text)) {
            self.line(format!("    {line}").trim_end())?;
        }
        Ok(())
    }

    /// The verdicts that later ones of the same people replaced.
    fn replaced(&mut self, review: &ReviewView) -> Result<(), Failure> {
        let counts = |verdict: &VerdictView| review.verdicts.iter().any(|other| other.id == verdict.id);
        let mut replaced = review.history.iter().filter(|verdict| !counts(verdict)).peekable();
        if replaced.peek().is_some() {
            self.line("earlier verdicts:")?;
        }
        replaced.try_for_each(|verdict| self.verdict(verdict, review.tip.as_ref()))
    }

    fn signed(&self, signature: Option<&SignatureView>) -> String {
        let told = signature::long(signature);
        told.map(|(ink, told)| self.ink(ink, format!("  ({told})"))).unwrap_or_default()
    }

    /// A person's verdict on a review.
    pub fn verdict(&mut self, verdict: &VerdictView, tip: Option<&Hex>) -> Result<(), Failure> {
        let (ink, word) = match verdict.verdict {
            Verdict::Approve => (Ink::Good, "approved"),
            Verdict::Changes => (Ink::Bad, "changes requested"),
            Verdict::Comment => (Ink::Faint, "commented"),
        };
        let name = person::name(&verdict.author);
        let old = tip.is_some_and(|tip| *tip != verdict.head);
        let since = if old { self.ink(Ink::Faint, "  (for an earlier version)") } else { String::new() };
        let draft = if verdict.draft { self.ink(Ink::Faint, "  (draft)") } else { String::new() };
        let signed = self.signed(verdict.signature.as_ref());
        let by = self.ink(Ink::Person, name);
        self.line(format!("{} by {by}{draft}{since}{signed}", self.ink(ink, word)))?;
        for line in sanitize::paragraph(&verdict.text) {
            self.line(format!("    {line}").trim_end())?;
        }
        Ok(())
    }
}

/// How a review ended or was reopened, and by whom; a merge that postil noticed has no author.
fn ended(review: &ReviewView) -> Option<String> {
    let by = review.status_by.as_ref()?;
    let reason = by.reason.as_deref().map(|reason| sanitize::line(reason.as_bytes()));
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    if by.author.email.is_empty() {
        return Some(format!("merged into {}{reason}", branch(review.base.as_bytes())));
    }
    let word = if review.status == ReviewStatus::Open { "reopened" } else { status_word(review) };
    Some(format!("{word} by {}{reason}", person::name(&by.author)))
}

fn status_word(review: &ReviewView) -> &'static str {
    match (review.status, review.draft) {
        (ReviewStatus::Open, true) => "draft",
        (ReviewStatus::Open, false) => "open",
        (ReviewStatus::Merged, _) => "merged",
        (ReviewStatus::Closed, _) => "closed",
    }
}

fn status_ink(review: &ReviewView) -> Ink {
    match review.status {
        ReviewStatus::Open => Ink::Good,
        ReviewStatus::Merged => Ink::Doubt,
        ReviewStatus::Closed => Ink::Faint,
    }
}

/// A branch as people call it.
pub(super) fn branch(name: &[u8]) -> String {
    sanitize::line(name.strip_prefix(b"refs/heads/").unwrap_or(name))
}
