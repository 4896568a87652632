//! The service in the process of its client: for those who use no daemon, and for what is signed.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use postil_core::anchoring::Stop;
use postil_core::git::{ConfigScope, Patience};
use postil_core::record::Timestamp;
use postil_protocol::{Fault, FaultCode, Method, RepositoryRequest, ServiceMethod};
use postil_service::{Service, ServiceOptions, Signer};

use crate::error::SessionError;
use crate::identity::now;

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(10);

/// More threads than this do not make one answer faster.
const MAX_THREADS: usize = 8;

/// A service of this process, which saves what it computed when it ends.
#[derive(Debug)]
pub(crate) struct LocalService(Service);

impl LocalService {
    /// One that signs nothing.
    pub(crate) fn new() -> Self {
        Self(service())
    }

    /// One that signs what it writes.
    pub(crate) fn signing(signer: Arc<dyn Signer>) -> Self {
        Self(service().signing(signer))
    }

    /// Saves what it computed.
    pub(crate) fn save(&self) {
        self.0.save();
    }

    /// Answers a request.
    pub(crate) fn answer<P>(
        &self,
        request: RepositoryRequest<P>,
    ) -> Result<<RepositoryRequest<P> as Method>::Answer, SessionError>
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let reply = self.0.answer(Timestamp(now()), &request.into_call(), &Stop::default())?;
        let answer = <RepositoryRequest<P> as ServiceMethod>::answer_in(reply);
        Ok(answer.ok_or_else(|| Fault::new(FaultCode::Internal, "unexpected answer from the service"))?)
    }
}

impl Drop for LocalService {
    fn drop(&mut self) {
        self.save();
    }
}

fn service() -> Service {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    Service::new(ServiceOptions {
        patience: Patience::new(PATIENCE, thread::sleep),
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        settings: ConfigScope::AsGit,
    })
}
