//! Many clients that ask the same at once are answered by one computation.
//!
//! Who asks joins a computation that has not begun yet, never one under way: their answer was true after
//! they asked. So for one question at most one computation runs and one waits.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as Turn, OnceCell};

/// The computations that wait or run, by question.
#[derive(Debug)]
pub(crate) struct SingleFlight<T> {
    lanes: Mutex<HashMap<Vec<u8>, Arc<Lane<T>>>>,
}

/// All computations for one question.
#[derive(Debug)]
struct Lane<T> {
    /// Held by the one that runs.
    running: Turn<()>,
    /// The one that has not begun.
    waiting: Mutex<Arc<OnceCell<T>>>,
}

/// One asker; the last one removes the question from the table, even if it does not wait for the answer.
struct PendingQuestion<'a, T> {
    flights: &'a SingleFlight<T>,
    question: &'a [u8],
    lane: Arc<Lane<T>>,
}

impl<T> Drop for PendingQuestion<'_, T> {
    fn drop(&mut self) {
        let mut lanes = hold(&self.flights.lanes);
        // One reference in the table and one here: no one else asks this.
        if Arc::strong_count(&self.lane) == 2 {
            lanes.remove(self.question);
        }
    }
}

impl<T: Clone> SingleFlight<T> {
    /// Nothing is asked yet.
    pub(crate) fn new() -> Self {
        Self { lanes: Mutex::default() }
    }

    /// Answers a question with `compute`, or with the result of another call that starts after now.
    pub(crate) async fn share(&self, question: &[u8], compute: impl Future<Output = T>) -> T {
        let asking = self.ask(question);
        let lane = &asking.lane;
        let flight = Arc::clone(&hold(&lane.waiting));
        let _turn = lane.running.lock().await;
        let answer = flight.get_or_init(|| async {
            // From here on it runs, and who asks now needs another one.
            *hold(&lane.waiting) = Arc::default();
            compute.await
        });
        answer.await.clone()
    }

    fn ask<'a>(&'a self, question: &'a [u8]) -> PendingQuestion<'a, T> {
        let lane = Arc::clone(hold(&self.lanes).entry(question.to_vec()).or_insert_with(|| {
            Arc::new(Lane { running: Turn::new(()), waiting: Mutex::new(Arc::default()) })
        }));
        PendingQuestion { flights: self, question, lane }
    }

    /// How many questions are being answered.
    #[cfg(test)]
    fn len(&self) -> usize {
        hold(&self.lanes).len()
    }
}

/// A table whose holder panicked is whole all the same.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use tokio::sync::Notify;
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn who_asks_while_one_runs_shares_the_next_one() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let flights = SingleFlight::new();
            let count = Cell::new(0);
            let (began, go_on) = (Notify::new(), Notify::new());
            let first = flights.share(b"q", async {
                count.set(count.get() + 1);
                began.notify_one();
                go_on.notified().await;
                1
            });
            let later = async {
                began.notified().await;
                let ask = || {
                    flights.share(b"q", async {
                        count.set(count.get() + 1);
                        2
                    })
                };
                let (a, b, c) = (ask(), ask(), ask());
                let answers = async { tokio::join!(a, b, c) };
                let other = flights.share(b"other", async { 3 });
                let (answers, other, ()) = tokio::join!(answers, other, async { go_on.notify_one() });
                (answers, other)
            };
            let (first, (later, other)) = tokio::join!(first, later);
            assert_eq!((first, later, other), (1, (2, 2, 2), 3));
            assert_eq!(count.get(), 2);
            assert_eq!(flights.len(), 0);
        });
    }

    #[test]
    fn a_question_that_was_taken_back_is_forgotten() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let flights: SingleFlight<u32> = SingleFlight::new();
            let never = flights.share(b"q", std::future::pending());
            assert!(timeout(Duration::ZERO, never).await.is_err());
            assert_eq!(flights.len(), 0);
        });
    }
}
