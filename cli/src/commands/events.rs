//! What happens in a repository, as the daemon tells it: for `watch` and for `wait`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

use postil_protocol::{
    ByteText, Changed, Client, Event, Fated, Happened, HeadName, Hex, ReviewShow, Show, Subscribe, Topic,
    What,
};

use super::paths;
use crate::connect::{Missing, Session, Wanted, connect, refused};
use crate::failure::{Failure, Kind};
use crate::render::{Screen, line};

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
    /// What was told of threads just now, which have a new place by that alone.
    told: Vec<Hex>,
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
    /// What is listened to; fails where there is no such review, which would never be heard of.
    fn topic(&self, session: &mut Session) -> Result<Topic, Failure> {
        Ok(match (&self.file, &self.review) {
            (Some(file), _) => Topic::File(ByteText::new(paths::inside(&session.folder, file)?)),
            (None, Some(review)) => {
                let shown = session.ask(ReviewShow { review: Some(review.clone()) })?;
                Topic::Review(shown.review.id.to_string())
            }
            (None, None) => Topic::Repository,
        })
    }

    /// Says so where a file is meant that is not there: it may come, and it may be mistyped.
    pub fn doubt(&self, session: &Session, screen: &mut Screen) {
        if let Some(file) = &self.file
            && paths::is_mistyped(&session.folder, file)
        {
            screen.tell(format!("note: there is no file {}", line(file.as_bytes())));
        }
    }

    /// Begins to listen.
    pub fn listen(&self, session: &mut Session) -> Result<Listening, Failure> {
        if Wanted::in_folder(&session.folder) == Wanted::No {
            return Err(Failure::new(
                Kind::Unavailable,
                "only a daemon tells what happens, and it is turned off",
            )
            .hint("`git config --unset postil.daemon` turns it on, unless POSTIL_DAEMON turns it off"));
        }
        let topic = self.topic(session)?;
        let (mut client, _) = connect(Missing::Start).map_err(refused)?;
        let subscribe = Subscribe { repository: session.folder.name(), topic, work_tree: false };
        client.ask(&subscribe).map_err(|error| {
            Failure::new(Kind::Unavailable, "the daemon does not tell what happens")
                .because(error)
                .hint("`postil daemon restart` starts it anew")
        })?;
        Ok(Listening { client, told: Vec::new() })
    }
}

fn gone() -> Failure {
    Failure::new(Kind::Unavailable, "the repository is gone")
        .hint("where it is there again, give the same command again")
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

    /// Tells an event: one line of JSON, or a line for each thing that happened. Fails where nothing more will happen.
    pub fn tell(&mut self, session: &mut Session, screen: &mut Screen, event: &Event) -> Result<(), Failure> {
        if screen.is_json() {
            screen.event(event)?;
            return if matches!(event, Event::Ended(_)) { Err(gone()) } else { Ok(()) };
        }
        match event {
            Event::Resolving(_) => {
                self.told.clear();
                if screen.is_verbose() {
                    screen.tell("the head moved");
                }
            }
            Event::Resolved(resolved) => {
                let told = std::mem::take(&mut self.told);
                let moved = resolved.moved.iter().filter(|moved| !told.contains(&moved.thread));
                for moved in moved {
                    named(session, screen, "moved", &moved.thread)?;
                }
                // A thread that moved is told with what became of its suggestion.
                let told = |fated: &&Fated| resolved.moved.iter().any(|moved| moved.thread == fated.thread);
                for fated in resolved.fates.iter().filter(|fated| !told(fated)) {
                    named(session, screen, "fares otherwise", &fated.thread)?;
                }
            }
            Event::Ended(_) => return Err(gone()),
            Event::Changed(changed) => {
                self.told.clone_from(&changed.threads);
                happened(session, screen, changed)?;
            }
        }
        screen.flush()
    }
}

fn happened(session: &mut Session, screen: &mut Screen, changed: &Changed) -> Result<(), Failure> {
    let of = |id: &Hex| {
        let told: Vec<What> = changed
            .happened
            .iter()
            .filter(|told| told.of == *id)
            .map(|Happened { what, .. }| *what)
            .collect();
        // A daemon of before says that something happened, and not what.
        if told.is_empty() { vec![What::Changed] } else { told }
    };
    for thread in &changed.threads {
        match session.ask(Show { of: thread.to_string(), head: HeadName::WorkTree }) {
            Ok(shown) => of(thread).into_iter().try_for_each(|what| screen.happened(what, &shown.thread))?,
            // It may have been purged since.
            Err(_) => screen.line(format!("gone {thread}"))?,
        }
    }
    for review in &changed.reviews {
        match session.ask(ReviewShow { review: Some(review.to_string()) }) {
            Ok(shown) => {
                of(review).into_iter().try_for_each(|what| screen.happened_to_review(what, &shown.review))?;
            }
            Err(_) => screen.line(format!("changed review {review}"))?,
        }
    }
    Ok(())
}

fn named(session: &mut Session, screen: &mut Screen, word: &str, thread: &Hex) -> Result<(), Failure> {
    match session.ask(Show { of: thread.to_string(), head: HeadName::WorkTree }) {
        Ok(shown) => screen.named(word, &shown.thread),
        Err(_) => screen.line(format!("{word} {thread}")),
    }
}
