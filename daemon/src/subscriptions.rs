//! What one client wants to hear of, from when it says so until it goes.
//!
//! What is told, and when, is `audience`'s and `work`'s business.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use postil_protocol::{Fault, FaultCode, Subscribe, Subscribed, Unsubscribe};

use crate::attended::Attended;
use crate::audience::{PlacesFor, Question, Subscriber};
use crate::hub::Hub;
use crate::outbox::Outbox;
use crate::work::Work;

/// One more subscription of the same connection is refused with `busy`.
const MAX_SUBSCRIPTIONS: usize = 64;

/// What one client wants to hear of.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<State>);

#[derive(Default)]
struct State {
    /// The client is not listened to any more, and is told nothing.
    ended: bool,
    repositories: BTreeMap<u64, Arc<Attended>>,
}

impl Subscriptions {
    /// Has the client told of what happens from now on.
    pub(crate) async fn add(
        &self,
        hub: &Arc<Hub>,
        outbox: &Outbox,
        subscribe: Subscribe,
    ) -> Result<Subscribed, Fault> {
        let repository = hub.named(&subscribe.repository).await?;
        repository.touch();
        let places = if subscribe.work_tree { PlacesFor::WorkTree } else { PlacesFor::Head };
        let viewpoint = hub.viewpoint(subscribe.repository, places).await?;
        let work = Work { hub: Arc::clone(hub), repository: Arc::clone(&repository) };
        let mark = match subscribe.since {
            Some(mark) => mark,
            None => work.changes(&viewpoint, &subscribe.topic, None).await?.mark,
        };
        let number = hub.next_subscription();
        let question = Question { viewpoint, topic: subscribe.topic, mark: mark.clone() };
        let subscriber = Subscriber::new(number, question, outbox.clone());
        {
            let mut state = self.state();
            // A subscriber who went meanwhile would be told for ever, and nobody would take it off the list.
            if state.ended {
                return Err(Fault::new(FaultCode::Cancelled, "the client has gone"));
            }
            if state.repositories.len() >= MAX_SUBSCRIPTIONS {
                return Err(Fault::new(FaultCode::Busy, "too many subscriptions on one connection"));
            }
            repository.audience().add(subscriber);
            state.repositories.insert(number, Arc::clone(&repository));
        }
        // What happened since its mark is to be told, and the files that it wants to hear of are to be watched.
        repository.news.notify_one();
        Ok(Subscribed { subscription: number, mark })
    }

    /// Has the client told no more of one of them.
    pub(crate) fn remove(&self, unsubscribe: &Unsubscribe) -> Result<(), Fault> {
        let number = unsubscribe.subscription;
        let Some(repository) = self.state().repositories.remove(&number) else {
            return Err(Fault::new(FaultCode::NotFound, format!("there is no subscription {number} here")));
        };
        repository.audience().remove(&BTreeSet::from([number]));
        repository.news.notify_one();
        Ok(())
    }

    /// Takes no more, and has the client told nothing any more.
    pub(crate) fn end(&self) {
        let repositories = {
            let mut state = self.state();
            state.ended = true;
            std::mem::take(&mut state.repositories)
        };
        for (number, repository) in repositories {
            repository.audience().remove(&BTreeSet::from([number]));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
