//! How the daemon is, for people and programs that ask.

use std::sync::atomic::Ordering;

use postil_protocol::{ByteText, DaemonRepository, DaemonStatusReply, PROTOCOL_VERSION};

use crate::hub::Hub;
use crate::process::memory::resident_bytes;
use crate::watching::repository_paths;
use crate::watching::watches::Coverage;

/// How it is now.
pub(crate) fn status(hub: &Hub) -> DaemonStatusReply {
    let repositories = hub.repositories();
    let subscriptions = repositories.iter().map(|repository| repository.subscribers().len()).sum::<usize>();
    let watched_repository = repositories.iter().map(|repository| {
        let condition = repository.condition().clone();
        DaemonRepository {
            git_dir: repository_paths::text(repository.common_dir()),
            watched: condition.coverage == Coverage::Events,
            threads: hub.answers.threads(repository.common_dir()).and_then(|count| u32::try_from(count).ok()),
            trouble: condition.trouble,
        }
    });
    DaemonStatusReply {
        pid: std::process::id(),
        version: hub.version.clone(),
        protocol: PROTOCOL_VERSION,
        uptime: hub.began.elapsed().as_secs(),
        socket: hub
            .place
            .socket()
            .map_or_else(|_| ByteText::new(""), |socket| repository_paths::text(&socket)),
        connections: hub.connections.load(Ordering::SeqCst),
        subscriptions: u32::try_from(subscriptions).unwrap_or(u32::MAX),
        memory: resident_bytes(),
        repositories: watched_repository.collect(),
    }
}
