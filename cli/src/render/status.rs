//! How things are, in a few lines.

use postil_protocol::{ReviewStatus, StatusReply};

use super::colour::Ink;
use super::position_words;
use super::screen::Screen;
use crate::advice;
use crate::failure::Failure;
use crate::sanitize;

impl Screen {
    /// How things are.
    pub fn status(&mut self, reply: &StatusReply) -> Result<(), Failure> {
        let branch = reply.head.branch.as_ref().map(|name| {
            let name = sanitize::line(name.as_bytes());
            name.strip_prefix("refs/heads/").map_or(name.clone(), str::to_owned)
        });
        let on = match (branch, &reply.head.commit) {
            (Some(branch), Some(_)) => format!("on branch {branch}"),
            (Some(branch), None) => format!("on branch {branch} (no commits yet)"),
            (None, Some(commit)) => {
                format!("HEAD detached at {}", &commit.as_str()[..commit.as_str().len().min(12)])
            }
            (None, None) => "no commits yet".to_owned(),
        };
        self.line(on)?;
        if let Some(review) = &reply.review {
            let title = sanitize::line(review.title.as_bytes());
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
        let open = position_words::count(counts.open, "open thread", "open threads");
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
            let drafts = position_words::count(here, "draft", "drafts");
            self.line(format!("{drafts} (use `postil publish` to share)"))?;
        }
        if reply.drafts_elsewhere > 0 {
            let drafts = position_words::count(reply.drafts_elsewhere, "draft", "drafts");
            self.line(format!("{drafts} of other reviews (use `postil publish --all` to share)"))?;
        }
        if reply.elsewhere > 0 {
            let elsewhere = position_words::count(reply.elsewhere, "thread", "threads");
            self.line(self.ink(
                Ink::Faint,
                format!("{elsewhere} on other branches (use `postil list --all` to show)"),
            ))?;
        }
        if reply.resolving {
            self.print_message("note: HEAD has just moved; positions are not updated yet");
        }
        if !reply.sync_trouble.is_empty() {
            let trouble: Vec<String> = reply.sync_trouble.iter().map(advice::warning).collect();
            let trouble = sanitize::line(trouble.join("; ").as_bytes());
            self.print_message(format!("warning: background sync failed: {trouble}"));
        }
        self.warnings(&reply.warnings);
        for damage in &reply.damage {
            self.print_message(format!("warning: the notes contain {}", sanitize::line(damage.as_bytes())));
        }
        Ok(())
    }
}
