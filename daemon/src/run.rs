//! The daemon's whole life: claim the place, serve, finish, go.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use postil_core::git::{ConfigScope, Patience};
use postil_socket::{DaemonInstance, RuntimeDirs, SocketError, claim, passed};
use tokio::net::UnixListener;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::clients::server;
use crate::housekeeping::run_housekeeping;
use crate::hub::Hub;
use crate::process::log::LogTarget;
use crate::process::malloc_trim::keep_at_hand;
use crate::process::sd_notify::SdNotify;
use crate::process::signals::{self, SignalRequest};
use crate::repository::task::spawn_task;
use postil_service::{Service, ServiceOptions};

/// So many requests are worked on at once, over all repositories.
const THREADS: usize = 16;

/// A thread that has nothing to do for so long ends, and its memory goes with it.
const IDLE_THREAD: Duration = Duration::from_secs(5);

/// How long a request waits for a git that holds a lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long background work may continue after the last client is gone.
const LAST_WORK: Duration = Duration::from_secs(10);

/// How the daemon is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// By a person or a service manager, with the log on standard error.
    Foreground,
    /// By a client that goes on: in a session of its own, with the log in the state folder.
    Detached,
}

/// Why the daemon could not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no place for it.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The log cannot be written.
    #[error("could not write the log")]
    Log(#[source] io::Error),
    /// The system refuses something that the daemon needs.
    #[error("the operating system refused to start the daemon")]
    System(#[source] io::Error),
}

/// Runs the daemon of this user until SIGTERM or SIGINT, or until a client asks it to end.
///
/// `ready` is called once clients can connect. What was acknowledged is on disk, and what was asked is answered,
/// before this returns.
pub fn run(
    place: RuntimeDirs,
    version: &str,
    mode: RunMode,
    here: Option<&Path>,
    ready: impl FnOnce(),
) -> Result<(), RunError> {
    let mut claim = claim(&place, version, passed()?)?;
    keep_at_hand();
    place.prepare_state()?;
    let log = match mode {
        RunMode::Foreground => LogTarget::Stderr,
        RunMode::Detached => LogTarget::File(place.log()),
    };
    log.begin().map_err(RunError::Log)?;
    let requests = signals::listen().map_err(RunError::System)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .thread_keep_alive(IDLE_THREAD)
        .thread_name("work")
        .build()
        .map_err(RunError::System)?;
    let threads = NonZeroUsize::MIN;
    let patience = Patience::new(PATIENCE, thread::sleep);
    let service = Service::new(ServiceOptions { patience, threads, settings: ConfigScope::AsGit });
    let hub = Hub::new(place, version, Arc::new(service), spawn_task);
    let served = runtime.block_on(live(&hub, &mut claim, requests, here, ready));
    // Threads that still work have their last chance; the claim goes after them.
    let began = Instant::now();
    runtime.shutdown_timeout(LAST_WORK);
    tracing::info!(seconds = began.elapsed().as_secs(), "stopped");
    drop(claim);
    served.map_err(RunError::System)
}

async fn live(
    hub: &Arc<Hub>,
    claim: &mut DaemonInstance,
    requests: UnboundedReceiver<SignalRequest>,
    here: Option<&Path>,
    ready: impl FnOnce(),
) -> io::Result<()> {
    let listener = claim.listener()?;
    listener.set_nonblocking(true)?;
    let listener = UnixListener::from_std(listener)?;
    let sd_notify = Arc::new(SdNotify::of_this_process());
    hub.watch_known();
    if let Some(here) = here {
        hub.register(here).await;
    }
    let signals_task = tokio::spawn(handle_signals(Arc::clone(hub), Arc::clone(&sd_notify), requests));
    tokio::spawn(run_housekeeping(Arc::clone(hub)));
    tracing::info!(pid = std::process::id(), version = hub.version, "ready");
    sd_notify.ready("serving");
    ready();
    server::serve(hub, listener, || {
        sd_notify.stopping();
        claim.close();
    })
    .await;
    // Here, since the task of a repository may be in the middle of something, and is then just dropped.
    for repository in hub.repositories() {
        repository.background_sync.stop();
    }
    if tokio::time::timeout(LAST_WORK, hub.at_rest()).await.is_err() {
        tracing::warn!("stopped before all positions were stored; the next daemon stores them");
    }
    signals_task.abort();
    Ok(())
}

/// Does what signals ask for, and says now and then that the daemon lives.
async fn handle_signals(
    hub: Arc<Hub>,
    sd_notify: Arc<SdNotify>,
    mut requests: UnboundedReceiver<SignalRequest>,
) {
    let pulse = sd_notify.pulse();
    loop {
        let beat = pulse.unwrap_or(Duration::MAX);
        tokio::select! {
            request = requests.recv() => match request {
                Some(SignalRequest::Reload) => {
                    tracing::info!("reloading");
                    sd_notify.reloading();
                    hub.reload();
                    sd_notify.ready("serving");
                }
                Some(SignalRequest::Stop) | None => {
                    tracing::info!("stopping");
                    hub.stop();
                    return;
                }
            },
            () = tokio::time::sleep(beat), if pulse.is_some() => sd_notify.alive(),
        }
    }
}
