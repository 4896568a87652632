//! Prints the events of a repository, for `watch` and `wait`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Instant;

use postil_client::{SessionError, SubscribeTo, Subscription};
use postil_protocol::{ByteText, Changed, Event, Hex, Mark, ReviewShow, Topic};

use crate::commands::input::paths;
use crate::connect::CommandSession;
use crate::failure::Failure;
use crate::render::{Screen, line};

/// What part of a repository is listened to.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TopicArgs {
    /// Only events of threads in this file
    #[arg(value_name = "FILE", conflicts_with = "review")]
    file: Option<OsString>,

    /// Only events of this review (ID or branch)
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,
}

/// A subscription that is listened to.
#[derive(Debug)]
pub struct Listening(Subscription);

impl TopicArgs {
    /// What is listened to; fails where there is no such review, which would never be heard of.
    fn topic(&self, session: &mut CommandSession) -> Result<Topic, Failure> {
        Ok(match (&self.file, &self.review) {
            (Some(file), _) => Topic::File(ByteText::new(paths::inside(session.checkout(), file)?)),
            (None, Some(review)) => {
                let shown = session.ask(ReviewShow { review: Some(review.clone()) })?;
                Topic::Review(shown.review.id.to_string())
            }
            (None, None) => Topic::Repository,
        })
    }

    /// Says so where a file is meant that is not there: it may come, and it may be mistyped.
    pub fn doubt(&self, session: &CommandSession, screen: &mut Screen) {
        if let Some(file) = &self.file
            && paths::is_mistyped(session.checkout(), file)
        {
            screen.print_message(format!("note: no such file: {}", line(file.as_bytes())));
        }
    }

    /// Begins to listen, to whatever happened since a mark if there is one.
    pub fn listen(&self, session: &mut CommandSession, since: Option<&str>) -> Result<Listening, Failure> {
        let topic = self.topic(session)?;
        let to = SubscribeTo { topic, work_tree: false, since: since.map(Mark::from) };
        session.subscribe(to).map(Listening)
    }
}

impl Listening {
    /// Waits for the next event, until `deadline` if there is one; `None` if nothing happened until then.
    pub fn next(
        &mut self,
        session: &CommandSession,
        deadline: Option<Instant>,
    ) -> Result<Option<Event>, Failure> {
        self.0.next_before(deadline).map_err(|error| session.failed(error))
    }
}

/// Prints an event: one line of JSON, or one line for each change. Fails if no more events will come.
pub fn print_event(session: &CommandSession, screen: &mut Screen, event: &Event) -> Result<(), Failure> {
    if screen.is_json() {
        screen.event(event)?;
        return match event {
            Event::Ended(_) => Err(session.failed(SessionError::SubscriptionEnded)),
            _ => Ok(()),
        };
    }
    match event {
        Event::Resolving(_) if screen.is_verbose() => screen.print_message("HEAD moved"),
        Event::Resolving(_) => {}
        Event::Placed(event) => event.placed.iter().try_for_each(|placed| screen.placed(placed))?,
        Event::Reset(_) => screen.line("too many changes to show; run `postil list`")?,
        Event::Ended(_) => return Err(session.failed(SessionError::SubscriptionEnded)),
        Event::Changed(changed) => happened(screen, changed)?,
    }
    screen.flush()
}

fn happened(screen: &mut Screen, changed: &Changed) -> Result<(), Failure> {
    for change in &changed.changes {
        let thread = changed.threads.iter().find(|thread| thread.id == change.of);
        let review = changed.reviews.iter().find(|review| review.id == change.of);
        match (thread, review) {
            (Some(thread), _) => screen.happened(change, thread)?,
            (None, Some(review)) => screen.happened_to_review(change, review)?,
            (None, None) => screen.happened_to_what_is_gone(change)?,
        }
    }
    // These threads changed without an action of a person, for example because a signature was checked.
    let is_told = |id: &Hex| changed.changes.iter().any(|change| change.of == *id);
    for thread in changed.threads.iter().filter(|thread| !is_told(&thread.id)) {
        screen.named("changed", thread)?;
    }
    Ok(())
}
