//! What the process needs of the service: one function, and a way to forget.
//!
//! The daemon knows nothing about comments, and the service nothing about sockets and threads. The clock is
//! read here, and nowhere below.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::anchoring::Stop;
use postil_core::record::Timestamp;
use postil_protocol::{ByteText, Call, Fault, FaultCode, Reply, RepositoryName};

use postil_service::{Healed, JsonText, MAX_ANSWER_BYTES, Service, written};

/// How long healing waits for a git that holds a lock; the next look tries again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers requests, several at once.
pub trait Answers: Send + Sync + 'static {
    /// Answers one request; blocks for as long as it takes, or until `stop` is asked for.
    fn answer(&self, call: &Call, stop: &Stop) -> Result<Reply, Fault>;

    /// Answers one request as JSON text: writing it takes as long as finding it.
    fn answer_json(&self, call: &Call, stop: &Stop) -> Result<JsonText, Fault> {
        written(&self.answer(call, stop)?)
    }

    /// Brings back what other programs lost from the notes.
    fn heal(&self, _: &RepositoryName) -> Result<Healed, Fault> {
        Ok(Healed { tip: None, checked: None })
    }

    /// Does some work ahead, so that later answers are quick; returns how much is left.
    fn work_ahead(&self, _: &RepositoryName) -> Result<usize, Fault> {
        Ok(0)
    }

    /// The files on disk that decide where the comments of a work tree are.
    fn files(&self, _: &RepositoryName) -> Result<BTreeSet<ByteText>, Fault> {
        Ok(BTreeSet::new())
    }

    /// Gives back all memory of the repository with this common git directory, which may be another one by now.
    fn forget(&self, common_dir: &Path);

    /// How many threads of a repository are in memory, if any are.
    fn threads(&self, common_dir: &Path) -> Option<usize>;
}

impl Answers for Service {
    fn answer(&self, call: &Call, stop: &Stop) -> Result<Reply, Fault> {
        Self::answer(self, now(), call, stop)
    }

    fn answer_json(&self, call: &Call, stop: &Stop) -> Result<JsonText, Fault> {
        let answer = Self::answer_json(self, now(), call, stop)?;
        if answer.len() > MAX_ANSWER_BYTES {
            let message = format!("the answer is larger than {MAX_ANSWER_BYTES} bytes; ask for less");
            return Err(Fault::new(FaultCode::TooLarge, message));
        }
        Ok(answer)
    }

    fn heal(&self, repository: &RepositoryName) -> Result<Healed, Fault> {
        Self::heal(self, now(), repository, PATIENCE)
    }

    fn work_ahead(&self, repository: &RepositoryName) -> Result<usize, Fault> {
        self.sweep_if_due(repository)?;
        self.check_ahead(now(), repository)
    }

    fn files(&self, repository: &RepositoryName) -> Result<BTreeSet<ByteText>, Fault> {
        self.files_that_matter(now(), repository)
    }

    fn forget(&self, common_dir: &Path) {
        Self::forget(self, common_dir);
    }

    fn threads(&self, common_dir: &Path) -> Option<usize> {
        self.repositories().into_iter().find(|(known, _)| known == common_dir)?.1
    }
}

/// The time.
pub(crate) fn now() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX))
}
