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
    /// The program that reads, if it is not a person by hand.
    reader: Option<ViaView>,
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
        // What is not understood is told to who writes.
        let via = program.declaration();
        let reader = DeclaredVia::of_reader(&via);
        Self { identity, via, reader, repository: checkout.name(), signing }
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
            (_, Purpose::Read) => self.reader.clone(),
            (Ok(via), Purpose::Write) => via.program().cloned(),
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
        self.reader.as_ref()
    }

    /// The service that signs, if this request is to be signed.
    pub(crate) fn signing_for(&self, purpose: Purpose) -> Option<&Arc<LocalService>> {
        self.signing.as_ref().filter(|_| purpose == Purpose::Write)
    }
}
