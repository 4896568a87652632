//! How things are, in a few lines.

use postil_protocol::{ReviewStatus, StatusReply};

use super::colour::Ink;
use super::screen::Screen;
use super::words;
use crate::advice;
use crate::failure::Failure;
use crate::harmless;

impl Screen {
    /// How things are.
    pub fn status(&mut self, reply: &StatusReply) -> Result<(), Failure> {
        let branch = reply.head.branch.as_ref().map(|name| {
            let name = harmless::line(name.as_bytes());
            name.strip_prefix("refs/heads/").map_or(name.clone(), str::to_owned)
        });
        let on = match (branch, &reply.head.commit) {
            (Some(branch), Some(_)) => format!("on branch {branch}"),
            (Some(branch), None) => format!("on branch {branch}, which has no commit yet"),
            (None, Some(commit)) => format!("at {}", &commit.as_str()[..commit.as_str().len().min(12)]),
            (None, None) => "nowhere yet".to_owned(),
        };
        self.line(on)?;
        if let Some(review) = &reply.review {
            let title = harmless::line(review.title.as_bytes());
            let ended = match review.status {
                ReviewStatus::Open => "",
                ReviewStatus::Merged => "  (merged)",
                ReviewStatus::Closed => "  (closed)",
            };
            self.line(format!("review {}  {title}{ended}", self.ink(Ink::Id, &review.short)))?;
            for verdict in &review.verdicts {
                self.verdict(verdict, review.tip.as_ref())?;
            }
        }
        let counts = reply.threads;
        let open = words::count(counts.open, "open thread", "open threads");
        let mut told = vec![self.ink(Ink::Strong, open)];
        let kinds = [
            (counts.shifted.unwrap_or_default(), Ink::Faint, "shifted"),
            (counts.outdated.unwrap_or_default(), Ink::Doubt, "outdated"),
            (counts.orphaned.unwrap_or_default(), Ink::Bad, "orphaned"),
            (counts.resolved, Ink::Good, "resolved"),
            (counts.withdrawn, Ink::Faint, "withdrawn"),
        ];
        for (count, ink, word) in kinds.into_iter().filter(|(count, ..)| *count > 0) {
            told.push(self.ink(ink, format!("{count} {word}")));
        }
        self.line(told.join(", "))?;
        let here = reply.drafts.saturating_sub(reply.drafts_elsewhere);
        if here > 0 {
            let drafts = words::count(here, "draft", "drafts");
            self.line(format!("{drafts}; `postil publish` shares them"))?;
        }
        if reply.drafts_elsewhere > 0 {
            let drafts = words::count(reply.drafts_elsewhere, "draft", "drafts");
            self.line(format!("{drafts} of other reviews; `postil publish --all` shares them"))?;
        }
        if reply.elsewhere > 0 {
            let elsewhere = words::count(reply.elsewhere, "thread", "threads");
            self.line(
                self.ink(Ink::Faint, format!("{elsewhere} elsewhere; `postil list --all` shows them")),
            )?;
        }
        if reply.resolving {
            self.tell("note: the head moved just now; these places are those of before");
        }
        if !reply.sync_trouble.is_empty() {
            let trouble: Vec<String> = reply.sync_trouble.iter().map(advice::warning).collect();
            let trouble = harmless::line(trouble.join("; ").as_bytes());
            self.tell(format!("warning: reviews were not exchanged in the background: {trouble}"));
        }
        for warning in &reply.warnings {
            self.tell(format!("warning: {}", harmless::line(advice::warning(warning).as_bytes())));
        }
        for damage in &reply.damage {
            self.tell(format!("warning: the notes hold {}", harmless::line(damage.as_bytes())));
        }
        Ok(())
    }
}
