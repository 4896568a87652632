//! Who asks, about which repository: what every request of a session says besides its parameters.

use std::sync::Arc;

use postil_protocol::{Buffer, RepositoryName, RepositoryRequest};

use crate::checkout::Checkout;
use crate::error::SessionError;
use crate::identity::Identity;
use crate::in_process::LocalService;
use crate::signing::GitSigner;

/// Who asks, about which repository.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) identity: Identity,
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
    pub(crate) fn of(checkout: &Checkout) -> Self {
        let identity = Identity::of(checkout);
        let signer = GitSigner::wanted(checkout.repository(), &checkout.settings(), identity.person());
        let signing = signer.map(|signer| Arc::new(LocalService::signing(Arc::new(signer))));
        Self { identity, repository: checkout.name(), signing }
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
        Ok(RepositoryRequest {
            repository: self.repository.clone(),
            author,
            utc_offset: self.identity.utc_offset(),
            at: self.identity.at(),
            buffers: buffers.to_vec(),
            params,
        })
    }

    /// The service that signs, if this request is to be signed.
    pub(crate) fn signing_for(&self, purpose: Purpose) -> Option<&Arc<LocalService>> {
        self.signing.as_ref().filter(|_| purpose == Purpose::Write)
    }
}
