//! Who wants to hear of a repository, and what each of them knows.
//!
//! Of what somebody knows only the mark is kept: what changed since is the service's to say, and it is asked once for all
//! who know the same. Nothing here asks for it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use postil_protocol::{ChangesReply, Ended, Event, HeadName, Hex, Mark, RepositoryName, Resolving, Topic};

use crate::outbox::Outbox;

/// One subscription of one client.
#[derive(Debug)]
pub(crate) struct Subscriber {
    /// The number that its events have.
    pub(crate) number: u64,
    /// What it wants to hear of, and what it knows.
    pub(crate) question: Question,
    /// Where its events go.
    pub(crate) outbox: Outbox,
    /// Whether it was told that places are being computed, and has not heard of them yet.
    announced: bool,
}

/// What is asked for somebody: those who ask the same hear the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question {
    /// From where the repository is looked at.
    pub(crate) viewpoint: Viewpoint,
    /// Which part of it.
    pub(crate) topic: Topic,
    /// What is known already.
    pub(crate) mark: Mark,
}

/// From where a repository is looked at: a work tree, and whether its files on disk count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Viewpoint {
    /// As the client names it, which is how it is told.
    pub(crate) name: RepositoryName,
    /// Its git directory as a survey names it, found once: whoever tells of it waits for no disk.
    pub(crate) git_dir: PathBuf,
    /// What places are for.
    pub(crate) places: PlacesFor,
}

/// What places are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlacesFor {
    /// The commit that is checked out.
    Head,
    /// The files on disk.
    WorkTree,
}

impl PlacesFor {
    /// As the service calls it.
    pub(crate) fn head(self) -> HeadName {
        match self {
            Self::Head => HeadName::Head,
            Self::WorkTree => HeadName::WorkTree,
        }
    }
}

/// A longer event becomes a reset: a client would be cut off that has another one waiting.
const MAX_EVENT_BYTES: usize = 2 << 20;

/// All subscribers of one repository.
#[derive(Debug, Default)]
pub(crate) struct Audience {
    subscribers: Vec<Subscriber>,
    /// Whether somebody came who has not been told yet what happened since their mark.
    has_newcomers: bool,
}

impl Subscriber {
    /// Somebody who knows what the mark in `question` says.
    pub(crate) fn new(number: u64, question: Question, outbox: Outbox) -> Self {
        Self { number, question, outbox, announced: false }
    }

    /// Tells what happened since the mark, and that it is known from then on.
    fn tell(&mut self, reply: &ChangesReply) {
        let git_dir = &self.question.viewpoint.name.git_dir;
        for event in reply.events(self.number, git_dir, &self.question.mark, self.announced) {
            self.outbox.event(&event);
        }
        self.announced = false;
        self.question.mark.clone_from(&reply.mark);
    }
}

impl Audience {
    /// Adds a subscriber, who is owed what happened since their mark.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        self.subscribers.push(subscriber);
        self.has_newcomers = true;
    }

    /// Removes the subscribers with these numbers.
    pub(crate) fn remove(&mut self, numbers: &BTreeSet<u64>) {
        self.subscribers.retain(|subscriber| !numbers.contains(&subscriber.number));
    }

    /// Tells everybody that there is nothing more to tell: the repository is gone.
    pub(crate) fn end(&mut self) {
        for subscriber in self.subscribers.drain(..) {
            let (subscription, git_dir) = (subscriber.number, subscriber.question.viewpoint.name.git_dir);
            subscriber.outbox.event(&Event::Ended(Ended { subscription, git_dir }));
        }
    }

    /// Whether somebody came since this was last asked.
    pub(crate) fn take_newcomers(&mut self) -> bool {
        std::mem::take(&mut self.has_newcomers)
    }

    /// The git directories that somebody listens to.
    pub(crate) fn git_dirs(&self) -> BTreeSet<PathBuf> {
        self.subscribers.iter().map(|subscriber| subscriber.question.viewpoint.git_dir.clone()).collect()
    }

    /// What is to be asked for all of them, each question once.
    pub(crate) fn questions(&self) -> BTreeSet<Question> {
        self.subscribers.iter().map(|subscriber| subscriber.question.clone()).collect()
    }

    /// The viewpoints from which files on disk count.
    pub(crate) fn work_trees(&self) -> BTreeSet<RepositoryName> {
        let live = |subscriber: &&Subscriber| subscriber.question.viewpoint.places == PlacesFor::WorkTree;
        let live = self.subscribers.iter().filter(live);
        live.map(|subscriber| subscriber.question.viewpoint.name.clone()).collect()
    }

    /// How many subscribers there are.
    pub(crate) fn len(&self) -> usize {
        self.subscribers.len()
    }

    /// Tells everybody who looks from there that places are being computed.
    pub(crate) fn resolving(&mut self, git_dir: &Path, to: Option<&Hex>) {
        let there = |subscriber: &&mut Subscriber| subscriber.question.viewpoint.git_dir == git_dir;
        for subscriber in self.subscribers.iter_mut().filter(there) {
            subscriber.announced = true;
            subscriber.outbox.event(&Event::Resolving(Resolving {
                subscription: subscriber.number,
                git_dir: subscriber.question.viewpoint.name.git_dir.clone(),
                to: to.cloned(),
            }));
        }
    }

    /// Tells everybody for whom this was asked what came of it.
    pub(crate) fn tell(&mut self, question: &Question, reply: &ChangesReply) {
        let reset;
        let reply = if fits(reply) {
            reply
        } else {
            reset = reply.without_words();
            &reset
        };
        for subscriber in self.subscribers.iter_mut().filter(|subscriber| subscriber.question == *question) {
            subscriber.tell(reply);
        }
    }
}

/// Whether an answer is small enough to be sent to everybody who subscribed.
fn fits(reply: &ChangesReply) -> bool {
    serde_json::to_vec(reply).is_ok_and(|text| text.len() <= MAX_EVENT_BYTES)
}
