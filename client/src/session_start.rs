//! How every session begins: the repository, who asks, and a daemon if one is wanted.

use postil_protocol::Client;

use crate::caller::Caller;
use crate::checkout::Checkout;
use crate::daemon::{ClientProgram, DaemonSetting, IfNotRunning};
use crate::error::SessionError;
use crate::repository_args::RepositoryArgs;

/// What a session begins with.
pub(crate) struct SessionStart {
    pub(crate) checkout: Checkout,
    pub(crate) caller: Caller,
    pub(crate) daemon: DaemonSetting,
    pub(crate) client: Option<Client>,
}

impl SessionStart {
    /// Finds the repository, and starts a daemon if one is wanted and none runs.
    pub(crate) fn find(args: &RepositoryArgs, program: &ClientProgram) -> Result<Self, SessionError> {
        // The daemon answers while the repository is looked for; if none is wanted after all, it received a hello.
        let begun = (DaemonSetting::in_environment() != Some(DaemonSetting::Off)).then(|| program.begin());
        let checkout = args.find()?;
        let caller = Caller::of(&checkout, program);
        let daemon = DaemonSetting::of_checkout(&checkout);
        let client = match (daemon, begun) {
            // Without a daemon the service runs in this process, so clients need not care whether there is
            // one.
            (DaemonSetting::On, Some(begun)) => program.finish(begun, IfNotRunning::Start).ok(),
            _ => None,
        };
        Ok(Self { checkout, caller, daemon, client: client.map(|(client, _)| client) })
    }
}
