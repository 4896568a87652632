//! Who asks, about which repository: what every request of a session says besides its parameters.

use std::sync::Arc;

use postil_protocol::{Buffer, RepositoryName, RepositoryRequest, ViaView};

use crate::checkout::Checkout;
use crate::daemon::ClientProgram;
use crate::error::SessionError;
use crate::identity::Identity;
use crate::in_process::LocalService;
use crate::signing::GitSigner;
use crate::via::DeclaredVia;

/// Who asks, about which repository.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) identity: Identity,
    /// The program that acts in their name, as it is declared.
    via: Result<DeclaredVia, String>,
    pub(crate) repository: RepositoryName,
    /// The in-process service of a person who signs: the daemon cannot ask for a passphrase.
    pub(crate) signing: Option<Arc<LocalService>>,
}

/// Whether the service must know who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It need not.
    Read,
    /// It must.
    Write,
}

impl Caller {
    /// Asks git's settings.
    pub(crate) fn of(checkout: &Checkout, program: &ClientProgram) -> Self {
        let identity = Identity::of(checkout);
        let signer = GitSigner::wanted(checkout.repository(), &checkout.settings(), identity.person());
        let signing = signer.map(|signer| Arc::new(LocalService::signing(Arc::new(signer))));
        // What is not understood is told to who writes; reading needs no declaration.
        let declared = program.via().cloned().map_or_else(DeclaredVia::in_environment, Ok);
        let via = declared.map_err(|error| match error {
            SessionError::InvalidVia { text } => text,
            other => other.to_string(),
        });
        Self { identity, via, repository: checkout.name(), signing }
    }

    /// A whole request; fails if something is to be written and git does not know by whom.
    pub(crate) fn request<P>(
        &self,
        params: P,
        buffers: &[Buffer],
        purpose: Purpose,
    ) -> Result<RepositoryRequest<P>, SessionError> {
        let author = match purpose {
            Purpose::Read => self.identity.person().cloned(),
            Purpose::Write => Some(self.identity.author()?.clone()),
        };
        let via = match (&self.via, purpose) {
            (Ok(via), _) => via.program().cloned(),
            (Err(_), Purpose::Read) => None,
            (Err(text), Purpose::Write) => return Err(SessionError::InvalidVia { text: text.clone() }),
        };
        Ok(RepositoryRequest {
            repository: self.repository.clone(),
            author,
            via,
            utc_offset: self.identity.utc_offset(),
            at: self.identity.at(),
            buffers: buffers.to_vec(),
            params,
        })
    }

    /// The program that acts, if it is one.
    pub(crate) fn program(&self) -> Option<&ViaView> {
        self.via.as_ref().ok().and_then(DeclaredVia::program)
    }

    /// The service that signs, if this request is to be signed.
    pub(crate) fn signing_for(&self, purpose: Purpose) -> Option<&Arc<LocalService>> {
        self.signing.as_ref().filter(|_| purpose == Purpose::Write)
    }
}
