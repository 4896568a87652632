//! Where a comment was.

use postil_core::protocol::LogReply;

use super::colour::Ink;
use super::screen::Screen;
use super::{harmless, when, words};
use crate::failure::Failure;

impl Screen {
    /// Where a comment was at each commit, newest first.
    pub fn log(&mut self, reply: &LogReply) -> Result<(), Failure> {
        let Some(anchor) = &reply.thread.anchor else {
            self.tell("it is about the whole review, and so is nowhere in particular");
            return Ok(());
        };
        for step in &reply.steps {
            let commit = match &step.commit {
                Some(commit) => commit.as_str()[..commit.as_str().len().min(10)].to_owned(),
                None => "work tree ".to_owned(),
            };
            let place = words::place(&self.naming, Some(&step.position), Some(anchor));
            let date = if step.commit.is_some() { when::at(step.time) } else { String::new() };
            let state = match step.position.state {
                postil_core::protocol::PlaceState::Anchored => String::new(),
                _ => words::position(&self.naming, &step.position, anchor).unwrap_or_default(),
            };
            let subject = harmless::line(step.subject.as_bytes());
            self.line(
                format!(
                    "{}  {}  {subject}  {}",
                    self.ink(Ink::Id, commit),
                    self.ink(Ink::Place, place),
                    self.ink(Ink::Faint, date)
                )
                .trim_end(),
            )?;
            if !state.is_empty() {
                self.line(format!("            {}", self.ink(words::ink(step.position.state), state)))?;
            }
            if let Some(by) = &step.by {
                let name = harmless::line(by.name.as_bytes());
                self.line(format!("            put there by {name}"))?;
            }
        }
        if reply.truncated {
            self.tell("note: older commits were not looked at");
        }
        Ok(())
    }
}
