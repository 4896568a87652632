//! The session of a program that has a runtime: many requests at once, over one connection.
//!
//! The same rules as in `session`: a read never fails because the daemon stopped, a write only if the daemon may have
//! read it. What is answered in this process blocks, and goes to the runtime's threads for that.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use postil_protocol::{
    Buffer, ClientError, FaultCode, Method, Person, RepositoryName, RepositoryRequest, RunsIn, ServiceMethod,
    ViaView,
};
use postil_socket::ConnectError;
use tokio::task::spawn_blocking;

use crate::async_connection::{AskError, AsyncConnection};
use crate::caller::{Caller, Purpose};
use crate::checkout::Checkout;
use crate::daemon::{ClientProgram, DaemonSetting, IfNotRunning};
use crate::error::SessionError;
use crate::identity::now;
use crate::in_process::LocalService;
use crate::repository_args::RepositoryArgs;
use crate::retry::Retry;
use crate::session::DAEMONS_ASKED;
use crate::session_start::SessionStart;

/// A repository, a person, and the service; clones share one connection.
#[derive(Clone, Debug)]
pub struct AsyncSession {
    inner: Arc<Inner>,
    /// Texts that are not saved, which go along with each request.
    buffers: Arc<[Buffer]>,
}

#[derive(Debug)]
struct Inner {
    args: RepositoryArgs,
    /// Who asks, as git's settings said when somebody wrote last.
    caller: Mutex<Arc<Caller>>,
    program: ClientProgram,
    daemon: DaemonSetting,
    link: Mutex<AsyncBackend>,
    /// Made when it is needed.
    local: OnceLock<Arc<LocalService>>,
}

#[derive(Debug)]
struct AsyncBackend {
    connection: Option<AsyncConnection>,
    retry: Retry,
}

impl AsyncSession {
    /// Finds the repository and the service; the repository is returned too, for what is read of it directly.
    pub async fn open(
        args: RepositoryArgs,
        program: ClientProgram,
    ) -> Result<(Self, Checkout), SessionError> {
        let opening = blocking({
            let (args, program) = (args.clone(), program.clone());
            move || SessionStart::find(&args, &program)
        });
        let SessionStart { checkout, caller, daemon, client } = opening.await?;
        let connection = client.and_then(|client| AsyncConnection::new(&client).ok());
        let link = Mutex::new(AsyncBackend { retry: Retry::of_session(connection.is_some()), connection });
        let caller = Mutex::new(Arc::new(caller));
        let inner = Arc::new(Inner { args, caller, program, daemon, link, local: OnceLock::new() });
        Ok((Self { inner, buffers: Arc::new([]) }, checkout))
    }

    /// The same session, with unsaved texts over the files on disk.
    #[must_use]
    pub fn with_buffers(&self, buffers: Vec<Buffer>) -> Self {
        Self { inner: Arc::clone(&self.inner), buffers: buffers.into() }
    }

    /// The person in whose name is written, if git knows them.
    pub fn person(&self) -> Option<Person> {
        self.caller().identity.person().cloned()
    }

    /// The program that acts in their name, if it is not a person by hand.
    pub fn via(&self) -> Option<ViaView> {
        self.caller().program().cloned()
    }

    /// The moment that it is for the person, in milliseconds since 1970.
    pub fn now(&self) -> u64 {
        self.caller().identity.at().unwrap_or_else(now)
    }

    /// Reads git's settings again: who asks, and whether they sign.
    ///
    /// If the repository no longer exists, everything stays as it was.
    pub async fn reload(&self) {
        let (args, program) = (self.inner.args.clone(), self.inner.program.clone());
        let read = blocking(move || args.find().map(|checkout| Caller::of(&checkout, &program)));
        if let Ok(caller) = read.await {
            *self.inner.caller.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(caller);
        }
    }

    /// Asks for something that changes nothing. If the future is dropped, the request is taken back.
    pub async fn ask<P>(&self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod + Send + 'static,
        <RepositoryRequest<P> as Method>::Answer: Send + 'static,
    {
        self.send(params, Purpose::Read).await
    }

    /// Asks for something to be written, and signed if the person signs; git must know who asks.
    ///
    /// A session may be open for days, so git's settings count as they are now.
    pub async fn write<P>(&self, params: P) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod + Send + 'static,
        <RepositoryRequest<P> as Method>::Answer: Send + 'static,
    {
        self.reload().await;
        self.send(params, Purpose::Write).await
    }

    async fn send<P>(
        &self,
        params: P,
        purpose: Purpose,
    ) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod + Send + 'static,
        <RepositoryRequest<P> as Method>::Answer: Send + 'static,
    {
        let caller = self.caller();
        let request = caller.request(params, &self.buffers, purpose)?;
        if let Some(service) = caller.signing_for(purpose) {
            return answer(Arc::clone(service), request).await;
        }
        let asked = if <RepositoryRequest<P> as ServiceMethod>::TRAITS.runs == RunsIn::Client {
            0
        } else {
            DAEMONS_ASKED
        };
        for _ in 0..asked {
            let Some(connection) = self.running().await else { break };
            let answered = connection
                .ask(&request)
                .await
                .and_then(|text| serde_json::from_str(&text).map_err(|error| AskError::Lost(error.into())));
            match answered {
                Ok(answer) => return Ok(answer),
                Err(AskError::Fault(fault)) if fault.code != FaultCode::Stopping => return Err(fault.into()),
                Err(AskError::Lost(error)) if purpose == Purpose::Write => {
                    self.give_up();
                    return Err(SessionError::MaybeSaved(Box::new(error)));
                }
                // One that hung would only be waited for again.
                Err(AskError::Lost(error)) if error.is_timeout() => {
                    self.give_up();
                    break;
                }
                Err(_) => self.link().connection = None,
            }
        }
        let service = self.inner.local.get_or_init(|| Arc::new(LocalService::new()));
        answer(Arc::clone(service), request).await
    }

    /// The connection to a daemon that runs; while it is looked for, others do without.
    async fn running(&self) -> Option<AsyncConnection> {
        {
            let mut link = self.link();
            match &link.connection {
                Some(connection) if !connection.is_closed() => return Some(connection.clone()),
                _ => link.connection = None,
            }
            let now = Instant::now();
            if self.inner.daemon == DaemonSetting::Off || !link.retry.is_due(now) {
                return None;
            }
            link.retry.failed(now);
        }
        self.connect(IfNotRunning::Leave).await.ok()
    }

    /// Connects, and uses that connection from now on.
    pub(crate) async fn connect(&self, missing: IfNotRunning) -> Result<AsyncConnection, SessionError> {
        let program = self.inner.program.clone();
        let (client, _) = blocking(move || program.connect(missing)).await?;
        let refused = |error| ConnectError::Refused(ClientError::Frame(error));
        let connection = AsyncConnection::new(&client).map_err(|error| refused(error.into()))?;
        let mut link = self.link();
        link.retry.succeeded();
        link.connection = Some(connection.clone());
        Ok(connection)
    }

    /// The connection that is used, if one is.
    pub(crate) fn connection(&self) -> Option<AsyncConnection> {
        self.link().connection.clone().filter(|connection| !connection.is_closed())
    }

    pub(crate) fn repository(&self) -> RepositoryName {
        self.caller().repository.clone()
    }

    pub(crate) fn daemon(&self) -> DaemonSetting {
        self.inner.daemon
    }

    /// Does without a daemon for a while.
    fn give_up(&self) {
        let mut link = self.link();
        link.connection = None;
        link.retry.failed(Instant::now());
    }

    fn caller(&self) -> Arc<Caller> {
        Arc::clone(&self.inner.caller.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn link(&self) -> MutexGuard<'_, AsyncBackend> {
        self.inner.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has a service of this process answer, on a thread that may block.
async fn answer<P>(
    service: Arc<LocalService>,
    request: RepositoryRequest<P>,
) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
where
    RepositoryRequest<P>: ServiceMethod + Send + 'static,
    <RepositoryRequest<P> as Method>::Answer: Send + 'static,
{
    blocking(move || service.answer(request)).await
}

/// Does something on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only a runtime that ends takes work back, and polls nothing after that.
            Err(_) => std::future::pending().await,
        },
    }
}
