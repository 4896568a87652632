//! How things are, in a few lines.

use postil_protocol::{RemoteNotes, ReviewStatus, StatusReply};

use super::colour::Ink;
use super::screen::Screen;
use super::{person, position_words, review};
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
            let base = self.ink(Ink::Place, review::branch(review.base.as_bytes()));
            let branch = self.ink(Ink::Place, review::branch(review.branch.as_bytes()));
            self.line(format!("{branch} into {base}"))?;
            for verdict in &review.verdicts {
                self.verdict(verdict, review.tip.as_ref())?;
            }
        }
        for asked in &reply.to_judge {
            let (who, by) = (self.ink(Ink::Person, person::name(&asked.who)), person::name(&asked.author));
            self.line(format!("{} {who} (asked by {by})", self.ink(Ink::Doubt, "waiting for")))?;
        }
        if let Some(ready) = &reply.ready {
            self.ready_in_short(ready)?;
        }
        let counts = reply.threads;
        let open = position_words::count(counts.open, "open thread", "open threads");
        let mut told = vec![self.ink(Ink::Strong, open)];
        let kinds = [
            (reply.blockers, Ink::Bad, if reply.blockers == 1 { "blocker" } else { "blockers" }),
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
        if reply.unread > 0 {
            self.line(format!("{} unread (use `postil list --unread` to show)", reply.unread))?;
        }
        let here = reply.drafts.saturating_sub(reply.drafts_elsewhere);
        if here > 0 {
            let drafts = position_words::count(here, "draft", "drafts");
            self.line(format!("{drafts} (use `postil publish` to share)"))?;
        }
        if reply.drafts_elsewhere > 0 {
            let drafts = position_words::count(reply.drafts_elsewhere, "draft", "drafts");
            self.line(format!("{drafts} of other reviews (use `postil publish --all` to share)"))?;
        }
        self.remotes(&reply.remotes)?;
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

    /// What the remotes lack and what they have more, as of the last fetch or push.
    fn remotes(&mut self, remotes: &[RemoteNotes]) -> Result<(), Failure> {
        for remote in remotes {
            let name = sanitize::line(remote.name.as_bytes());
            if remote.unmerged > 0 {
                let count = remote.unmerged;
                self.line(format!("{count} fetched from {name} and not merged (use `postil sync`)"))?;
            }
            match (remote.unsent, remote.known) {
                (0, true) if remote.unmerged == 0 => {
                    let told = format!("{name} had the same reviews at the last sync");
                    self.line(self.ink(Ink::Faint, told))?;
                }
                (0, _) => {}
                (unsent, true) => self.line(format!("{unsent} unsent to {name} (use `postil sync`)"))?,
                (_, false) => {
                    self.line(format!("not synced with {name} yet (use `postil sync`)"))?;
                }
            }
        }
        Ok(())
    }

    /// The numbers alone, in one line, for a prompt; nothing if there is nothing to tell.
    pub fn status_short(&mut self, reply: &StatusReply) -> Result<(), Failure> {
        let unsent = reply.remotes.iter().map(|remote| remote.unsent).max().unwrap_or(0);
        let numbers = [
            (reply.threads.open, Ink::Strong, "open", "open"),
            (reply.blockers, Ink::Bad, "blocker", "blockers"),
            (reply.unread, Ink::Strong, "unread", "unread"),
            (reply.drafts, Ink::Doubt, "draft", "drafts"),
            (unsent, Ink::Doubt, "unsent", "unsent"),
        ];
        let mut told: Vec<String> = numbers
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, ink, one, many)| self.ink(ink, position_words::count(count, one, many)))
            .collect();
        if reply.incomplete {
            told.push(self.ink(Ink::Bad, "incomplete"));
        }
        if told.is_empty() { Ok(()) } else { self.line(told.join(", ")) }
    }
}
