//! The subscriptions of one client, until it unsubscribes or goes.
//!
//! What is sent, and when, is decided in `subscribers` and `work`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use postil_protocol::{Fault, FaultCode, Subscribe, Subscribed, Unsubscribe};

use crate::events::outbox::Outbox;
use crate::events::subscribers::{ChangesQuery, PositionScope, Subscriber};
use crate::hub::Hub;
use crate::repository::work::RepositoryWork;
use crate::watched_repository::WatchedRepository;

/// One more subscription of the same connection is refused with `busy`.
const MAX_SUBSCRIPTIONS: usize = 64;

/// The subscriptions of one client.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<SubscriptionState>);

#[derive(Default)]
struct SubscriptionState {
    /// The client is gone, and gets nothing.
    ended: bool,
    repositories: BTreeMap<u64, Arc<WatchedRepository>>,
}

impl Subscriptions {
    /// Subscribes the client to what happens from now on.
    pub(crate) async fn add(
        &self,
        hub: &Arc<Hub>,
        outbox: &Outbox,
        subscribe: Subscribe,
    ) -> Result<Subscribed, Fault> {
        let repository = hub.by_name(&subscribe.repository).await?;
        repository.touch();
        let places = if subscribe.work_tree { PositionScope::WorkTree } else { PositionScope::Head };
        let viewpoint = hub.viewpoint(subscribe.repository, places).await?;
        let work = RepositoryWork { hub: Arc::clone(hub), repository: Arc::clone(&repository) };
        // A topic that makes no sense is refused at once, also with a mark.
        let now = work.changes(&viewpoint, &subscribe.topic, None, subscribe.via.as_ref()).await?;
        let mark = subscribe.since.unwrap_or(now.mark);
        let number = hub.next_subscription();
        let question =
            ChangesQuery { viewpoint, topic: subscribe.topic, mark: mark.clone(), via: subscribe.via };
        let subscriber = Subscriber::new(number, question, now.head.commit, outbox.clone());
        {
            let mut state = self.state();
            // A subscriber who went meanwhile would stay on the list for ever.
            if state.ended {
                return Err(Fault::new(FaultCode::Cancelled, "the client has disconnected"));
            }
            if state.repositories.len() >= MAX_SUBSCRIPTIONS {
                return Err(Fault::new(FaultCode::Busy, "too many subscriptions on one connection"));
            }
            repository.subscribers().add(subscriber);
            state.repositories.insert(number, Arc::clone(&repository));
        }
        // What happened since its mark is to be sent, and the files that it wants events of are to be watched.
        repository.waker.notify_one();
        Ok(Subscribed { subscription: number, mark })
    }

    /// Ends one of them.
    pub(crate) fn remove(&self, unsubscribe: &Unsubscribe) -> Result<(), Fault> {
        let number = unsubscribe.subscription;
        let Some(repository) = self.state().repositories.remove(&number) else {
            return Err(Fault::new(FaultCode::NotFound, format!("no such subscription: {number}")));
        };
        repository.subscribers().remove(&BTreeSet::from([number]));
        repository.waker.notify_one();
        Ok(())
    }

    /// Takes no more, and ends all of them.
    pub(crate) fn end(&self) {
        let repositories = {
            let mut state = self.state();
            state.ended = true;
            std::mem::take(&mut state.repositories)
        };
        for (number, repository) in repositories {
            repository.subscribers().remove(&BTreeSet::from([number]));
        }
    }

    fn state(&self) -> MutexGuard<'_, SubscriptionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
