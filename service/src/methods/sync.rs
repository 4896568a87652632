//! Exchanges reviews with remotes for the person who asks.

use std::sync::Arc;

use postil_core::notes::Options;
use postil_core::sync::{Direction, Files};
use postil_protocol::{Fault, FaultCode, Mark, Sync, SyncDirection, SyncReply};

use crate::actor::Actor;
use crate::child::Leash;
use crate::fault::OrFault as _;
use crate::repository::ServiceOptions;
use crate::sharing::{Exchange, at_risk, meant_remotes};
use crate::transport::Manner;
use crate::work_tree::WorkTree;

/// Exchanges with each remote in turn; one that fails keeps no other from its turn.
pub fn sync(
    work_tree: &WorkTree,
    options: ServiceOptions,
    actor: &Actor,
    asked: &Sync,
) -> Result<SyncReply, Fault> {
    // Read anew: a service that lives long does not see edits of the settings.
    let repo = work_tree.repository().reopen().or_fault()?;
    let remotes = meant_remotes(&repo, asked).map_err(|error| {
        Fault::new(FaultCode::Refused, "there is nobody to exchange reviews with").because(&error)
    })?;
    let direction = match asked.direction {
        SyncDirection::Both => Direction::Both,
        SyncDirection::FetchOnly => Direction::FetchOnly,
        SyncDirection::PushOnly => Direction::PushOnly,
        SyncDirection::DryRun => Direction::DryRun,
    };
    let files = if asked.with_files { Files::All } else { Files::SentByGit };
    let warnings = at_risk(&repo);
    let options = Options { patience: options.patience, threads: options.threads };
    let leash = Arc::new(Leash::default());
    let mut exchange = Exchange::new(repo, options, actor.committer(), Manner::Attended, leash);
    let remotes = remotes.iter().map(|remote| exchange.with(remote, direction, files)).collect();
    Ok(SyncReply { remotes, warnings, mark: Mark::default() })
}
