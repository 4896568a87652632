//! What happens in a repository, as the daemon tells it: for `watch` and for `wait`.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use postil_core::protocol::{ByteText, Client, Event, Fated, HeadName, Show, Subscribe, Topic};

use super::paths;
use crate::connect::{Folder, Missing, Session, connect, refused};
use crate::failure::{Failure, Kind};
use crate::render::Screen;

/// What part of a repository is listened to.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TopicArgs {
    /// Only what is about threads in this file
    #[arg(value_name = "FILE", conflicts_with = "review")]
    file: Option<OsString>,

    /// Only what is about this review, named by its id or its branch
    #[arg(long, value_name = "REVIEW")]
    review: Option<String>,
}

/// A subscription that is listened to.
#[derive(Debug)]
pub struct Listening {
    client: Client,
}

/// What listening brought.
#[derive(Debug)]
pub enum Heard {
    /// Something happened.
    Event(Event),
    /// Nothing did, for as long as was asked.
    Nothing,
}

impl TopicArgs {
    fn topic(&self, folder: &Folder) -> Result<Topic, Failure> {
        Ok(match (&self.file, &self.review) {
            (Some(file), _) => Topic::File(ByteText::new(paths::inside(folder, file)?)),
            (None, Some(review)) => Topic::Review(review.clone()),
            (None, None) => Topic::Repository,
        })
    }

    /// Begins to listen.
    pub fn listen(&self, folder: &Folder) -> Result<Listening, Failure> {
        let (mut client, _) = connect(Missing::Start).map_err(refused)?;
        let topic = self.topic(folder)?;
        let subscribe = Subscribe { repository: folder.name(), topic, work_tree: false };
        client.ask(&subscribe).map_err(|error| {
            Failure::new(Kind::Unavailable, "the daemon does not tell what happens").because(error)
        })?;
        Ok(Listening { client })
    }
}

impl Listening {
    /// Waits for the next event, until `deadline` if there is one.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Heard, Failure> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(Heard::Nothing);
        }
        let lost = |error: Box<dyn std::error::Error + Send + Sync>| {
            Failure::new(Kind::Unavailable, "the daemon ended")
                .because(error)
                .hint("start it again: any command does")
        };
        self.client.stream().set_read_timeout(left).map_err(|error| lost(error.into()))?;
        match self.client.next_event() {
            Ok(Some(event)) => Ok(Heard::Event(event)),
            Ok(None) => Err(lost("it closed the connection".into())),
            Err(error) if error.is_timeout() => Ok(Heard::Nothing),
            Err(error) => Err(lost(error.into())),
        }
    }
}

/// Tells an event: one line of JSON, or a line for each thread.
pub fn tell(session: &mut Session, screen: &mut Screen, event: &Event) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.event(event);
    }
    match event {
        Event::Resolving(_) => {
            if screen.is_verbose() {
                screen.tell("the head moved");
            }
        }
        Event::Resolved(resolved) => {
            for moved in &resolved.moved {
                named(session, screen, "moved", moved.thread.as_str())?;
            }
            // A thread that moved is told with what became of its suggestion.
            let told = |fated: &&Fated| resolved.moved.iter().any(|moved| moved.thread == fated.thread);
            for fated in resolved.fates.iter().filter(|fated| !told(fated)) {
                named(session, screen, "fares otherwise", fated.thread.as_str())?;
            }
        }
        Event::Changed(changed) => {
            for thread in &changed.threads {
                named(session, screen, "changed", thread.as_str())?;
            }
            for review in &changed.reviews {
                screen.line(format!("changed review {review}"))?;
            }
        }
    }
    screen.flush()
}

fn named(session: &mut Session, screen: &mut Screen, word: &str, thread: &str) -> Result<(), Failure> {
    match session.ask(Show { of: thread.to_owned(), head: HeadName::WorkTree }) {
        Ok(shown) => screen.named(word, &shown.thread),
        // It may have been purged since.
        Err(_) => screen.line(format!("{word} {thread}")),
    }
}
