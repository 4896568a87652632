//! What happens in a repository, as the daemon tells it: for `watch` and for `wait`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Instant;

use postil_client::{DaemonSetting, Delivery, SessionError, SubscribeTo, Subscription};
use postil_protocol::{
    ByteText, Changed, Event, Fated, Happened, HeadName, Hex, ReviewShow, Show, Topic, What,
};

use super::paths;
use crate::connect::CommandSession;
use crate::failure::Failure;
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

/// A subscription, and what was shown of it.
#[derive(Debug)]
pub struct Listening {
    subscription: Subscription,
    /// The threads of the last event, which have a new place by that alone.
    told: Vec<Hex>,
}

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
            screen.tell(format!("note: there is no file {}", line(file.as_bytes())));
        }
    }

    /// Begins to listen.
    pub fn listen(&self, session: &mut CommandSession) -> Result<Listening, Failure> {
        // Said first: a review that does not exist is looked for in vain without a daemon too.
        if DaemonSetting::of_checkout(session.checkout()) == DaemonSetting::Off {
            return Err(session.failed(SessionError::DaemonOff));
        }
        let topic = self.topic(session)?;
        let subscription = session.subscribe(SubscribeTo { topic, work_tree: false })?;
        Ok(Listening { subscription, told: Vec::new() })
    }
}

impl Listening {
    /// Waits for the next event, until `deadline` if there is one; `None` if nothing happened until then.
    pub fn next(
        &mut self,
        session: &CommandSession,
        screen: &mut Screen,
        deadline: Option<Instant>,
    ) -> Result<Option<Event>, Failure> {
        loop {
            let delivery = self.subscription.next_before(deadline).map_err(|error| session.failed(error))?;
            match delivery {
                None => return Ok(None),
                Some(Delivery::Event(event)) => return Ok(Some(event)),
                Some(Delivery::Reconnected) => {
                    self.told.clear();
                    screen.tell("note: the daemon was restarted, and what happened meanwhile is not shown");
                }
            }
        }
    }

    /// Tells an event: one line of JSON, or a line for each thing that happened. Fails where nothing more will happen.
    pub fn tell(
        &mut self,
        session: &mut CommandSession,
        screen: &mut Screen,
        event: &Event,
    ) -> Result<(), Failure> {
        if screen.is_json() {
            screen.event(event)?;
            return match event {
                Event::Ended(_) => Err(session.failed(SessionError::SubscriptionEnded)),
                _ => Ok(()),
            };
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
            Event::Ended(_) => return Err(session.failed(SessionError::SubscriptionEnded)),
            Event::Changed(changed) => {
                self.told.clone_from(&changed.threads);
                happened(session, screen, changed)?;
            }
        }
        screen.flush()
    }
}

fn happened(session: &mut CommandSession, screen: &mut Screen, changed: &Changed) -> Result<(), Failure> {
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

fn named(session: &mut CommandSession, screen: &mut Screen, word: &str, thread: &Hex) -> Result<(), Failure> {
    match session.ask(Show { of: thread.to_string(), head: HeadName::WorkTree }) {
        Ok(shown) => screen.named(word, &shown.thread),
        Err(_) => screen.line(format!("{word} {thread}")),
    }
}
