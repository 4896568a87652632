//! Exchanges reviews with remotes for the person who asks.

use std::sync::Arc;

use postil_core::notes::StoreOptions;
use postil_core::sync::{ExchangeDirection, FilesToSend};
use postil_protocol::{Fault, FaultCode, Mark, Sync, SyncDirection, SyncReply};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::process::child::KillHandle;
use crate::repository::state::ServiceOptions;
use crate::repository::work_tree::WorkTree;
use crate::sharing::Interaction;
use crate::sharing::{Exchange, at_risk, meant_remotes};

/// Exchanges with each remote in turn; one that fails keeps no other from its turn.
pub fn sync(
    work_tree: &WorkTree,
    options: ServiceOptions,
    actor: &Actor,
    asked: &Sync,
) -> Result<SyncReply, Fault> {
    // Reopened, because a long-lived handle does not see edits of the settings.
    let repo = work_tree.repository().reopen().or_fault()?;
    let remotes = meant_remotes(&repo, asked)
        .map_err(|error| Fault::new(FaultCode::Refused, "no remote to sync with").because(&error))?;
    let direction = match asked.direction {
        SyncDirection::Both => ExchangeDirection::Both,
        SyncDirection::FetchOnly => ExchangeDirection::FetchOnly,
        SyncDirection::PushOnly => ExchangeDirection::PushOnly,
        SyncDirection::DryRun => ExchangeDirection::DryRun,
    };
    let files = if asked.with_files { FilesToSend::All } else { FilesToSend::SentByGit };
    let warnings = at_risk(&repo);
    let options = StoreOptions { patience: options.patience, threads: options.threads };
    let kill_handle = Arc::new(KillHandle::default());
    let mut exchange = Exchange::new(repo, options, actor.committer(), Interaction::Attended, kill_handle);
    let remotes = remotes.iter().map(|remote| exchange.with(remote, direction, files)).collect();
    Ok(SyncReply { remotes, warnings, mark: Mark::default() })
}
