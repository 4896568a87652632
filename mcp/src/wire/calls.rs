//! Calls that are being answered: most in turn, on one thread; those that wait for others beside them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::era::Envelope;
use super::message::result_line;
use super::outlet::Outlet;
use super::toolbox::{CallInProgress, Pace, ToolAnswer, ToolCall, Toolbox};

/// So many calls wait for their turn; a client that sends more is not read until one is answered.
const MAX_QUEUE: usize = 64;

/// So many calls wait for others at the same time; one more is refused.
const MAX_WAITING: usize = 4;

/// Calls that are being answered.
pub(crate) struct Calls {
    toolbox: Arc<dyn Toolbox>,
    outlet: Outlet,
    running: Arc<Mutex<RunningCalls>>,
    /// `None` once no more calls come.
    queue: Option<SyncSender<AnsweredCall>>,
    worker: Option<JoinHandle<()>>,
}

/// By the ids of their requests.
type RunningCalls = HashMap<String, RunningCall>;

struct RunningCall {
    cancelled: Arc<AtomicBool>,
    pace: Pace,
}

/// A call, and how it is answered.
struct AnsweredCall {
    id: Value,
    call: ToolCall,
    envelope: Envelope,
    cancelled: Arc<AtomicBool>,
}

impl Calls {
    pub fn new(toolbox: Arc<dyn Toolbox>, outlet: Outlet) -> Self {
        Self { toolbox, outlet, running: Arc::default(), queue: None, worker: None }
    }

    /// Answers a call, sooner or later.
    pub fn begin(&mut self, id: Value, call: ToolCall, envelope: Envelope, pace: Pace) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = running.values().filter(|call| call.pace == Pace::Waits).count();
        if pace == Pace::Waits && waiting >= MAX_WAITING {
            drop(running);
            let told =
                format!("{MAX_WAITING} calls of `{}` wait already; let one of them end first", call.name);
            return self.outlet.send(answer_line(&id, &envelope, &ToolAnswer::error(told)));
        }
        running.insert(id.to_string(), RunningCall { cancelled: cancelled.clone(), pace });
        drop(running);
        let answered = AnsweredCall { id, call, envelope, cancelled };
        match pace {
            Pace::InTurn => {
                let queue = self.queue();
                // The thread ends with its queue, and not before.
                let _ = queue.send(answered);
            }
            Pace::Waits => {
                let (toolbox, outlet, running) = self.shared();
                thread::spawn(move || answer(&*toolbox, &outlet, &running, &answered));
            }
        }
    }

    /// Forgets a call that the client does not wait for any more.
    pub fn cancel(&self, id: &Value) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = running.get(&id.to_string()) {
            call.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Answers what is left, but for what waits for others.
    pub fn end(mut self) {
        {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = running.values().filter(|call| call.pace == Pace::Waits);
            waiting.for_each(|call| call.cancelled.store(true, Ordering::Relaxed));
        }
        self.queue = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }

    /// The queue of the thread that answers in turn, which is started for the first call.
    fn queue(&mut self) -> &SyncSender<AnsweredCall> {
        if self.queue.is_none() {
            let (queue, calls): (_, Receiver<AnsweredCall>) = sync_channel(MAX_QUEUE);
            let (toolbox, outlet, running) = self.shared();
            self.worker = Some(thread::spawn(move || {
                for call in calls {
                    answer(&*toolbox, &outlet, &running, &call);
                }
            }));
            self.queue = Some(queue);
        }
        self.queue.as_ref().expect("it was made above")
    }

    fn shared(&self) -> (Arc<dyn Toolbox>, Outlet, Arc<Mutex<RunningCalls>>) {
        (self.toolbox.clone(), self.outlet.clone(), self.running.clone())
    }
}

fn answer(toolbox: &dyn Toolbox, outlet: &Outlet, running: &Mutex<RunningCalls>, call: &AnsweredCall) {
    let AnsweredCall { id, call, envelope, cancelled } = call;
    if !cancelled.load(Ordering::Relaxed) {
        let told = CallInProgress::new(outlet.clone(), envelope.progress.clone(), cancelled.clone());
        // A bug in one tool is told to its caller, and ends nothing else.
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| toolbox.call(call, &told)));
        let given = caught.unwrap_or_else(|_| {
            ToolAnswer::error("postil failed; this is a bug. Other calls still work; see its standard error")
        });
        // Who cancelled it expects no answer.
        if !cancelled.load(Ordering::Relaxed) {
            outlet.send(answer_line(id, envelope, &given));
        }
    }
    running.lock().unwrap_or_else(PoisonError::into_inner).remove(&id.to_string());
}

fn answer_line(id: &Value, envelope: &Envelope, answer: &ToolAnswer) -> String {
    let mut result = json!({ "content": [{ "type": "text", "text": answer.text }] });
    if answer.is_error {
        result["isError"] = json!(true);
    }
    result_line(id, &envelope.complete(result))
}
