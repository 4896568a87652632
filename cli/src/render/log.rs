//! Where a comment was.

use postil_protocol::{LogReply, PlaceState, PositionView};

use super::colour::Ink;
use super::screen::Screen;
use super::site::CommentedOn;
use super::{position_words, when};
use crate::failure::Failure;
use crate::sanitize;

impl Screen {
    /// Where a comment was at each commit, newest first, and what happened in its thread.
    pub fn log(&mut self, reply: &LogReply) -> Result<(), Failure> {
        let Some(on) = CommentedOn::of(&reply.thread) else {
            self.print_message("the comment is on the whole review, so it has no position");
            return self.timeline(&reply.thread, &reply.timeline);
        };
        for (at, step) in reply.steps.iter().enumerate() {
            let before = reply.steps.get(at + 1);
            let commit = match &step.commit {
                Some(commit) => commit.as_str()[..commit.as_str().len().min(10)].to_owned(),
                None => "on disk   ".to_owned(),
            };
            let on = CommentedOn::either(step.anchor.as_ref(), step.message.as_ref()).unwrap_or(on);
            let place = position_words::place(&self.naming, Some(&step.position), Some(on));
            let date = if step.time == 0 { String::new() } else { when::at(step.time) };
            let state = match (step.position.state, before) {
                _ if step.position.computed_elsewhere => {
                    position_words::position(&self.naming, &step.position, on)
                }
                (PlaceState::Anchored, _) if step.by.is_some() => None,
                (PlaceState::Anchored, Some(before)) => self.followed(&step.position, &before.position),
                (PlaceState::Anchored, None) => None,
                _ => position_words::position(&self.naming, &step.position, on),
            };
            let mut subject = sanitize::line(step.subject.as_bytes());
            if step.rewritten {
                subject = format!("{subject} {}", self.ink(Ink::Doubt, "(rewritten)")).trim_start().into();
            }
            self.line(
                format!(
                    "{}  {}  {subject}  {}",
                    self.ink(Ink::Id, commit),
                    self.ink(Ink::Place, place),
                    self.ink(Ink::Faint, date)
                )
                .trim_end(),
            )?;
            if let Some(state) = state {
                self.line(format!(
                    "            {}",
                    self.ink(position_words::ink(step.position.state), state)
                ))?;
            }
            if let Some(by) = &step.by {
                let name = super::person::name(by);
                self.line(format!("            moved here by {name}"))?;
            }
        }
        if reply.truncated {
            self.print_message("note: older commits were not searched");
        }
        self.line("")?;
        self.timeline(&reply.thread, &reply.timeline)
    }

    /// Why unchanged text is at another place than in the step before.
    fn followed(&self, now: &PositionView, before: &PositionView) -> Option<String> {
        let came_back = matches!(before.state, PlaceState::Outdated | PlaceState::Orphaned);
        let text = if came_back { "same text again" } else { "same text" };
        if now.message != before.message {
            return Some(format!("{text}, in the rewritten commit"));
        }
        if now.path != before.path
            && let Some(was) = before.path.as_ref().filter(|_| !came_back)
        {
            return Some(format!("{text}, file renamed from {}", self.naming.path(was)));
        }
        match (now.start?, before.start?) {
            (now, then) if now > then => {
                Some(format!("{text}, {} further down", position_words::count(now - then, "line", "lines")))
            }
            (now, then) if now < then => {
                Some(format!("{text}, {} further up", position_words::count(then - now, "line", "lines")))
            }
            _ if came_back => Some(text.into()),
            _ => None,
        }
    }
}
