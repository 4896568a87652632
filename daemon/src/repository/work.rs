//! The work after something moved: heals the notes, sends events to subscribers, writes positions back.
//!
//! `task` decides when this is done. Each step is independent: a failure is reported in the log and in the
//! status, and the other steps are done anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postil_core::notes::Checked;
use postil_protocol::{
    Call, Changes, ChangesReply, Fault, FaultCode, Mark, Person, Reply, RepositoryName, RepositoryRequest,
    Topic, ViaView, WritePositions,
};
use postil_service::person;

use crate::events::subscribers::WatchedView;
use crate::hub::{Hub, blocking};
use crate::watched_repository::WatchedRepository;
use crate::watching::repository_paths;

/// What is to be computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingWork {
    /// The notes moved, or may have.
    pub(crate) notes: Option<NotesWere>,
    /// Subscribers may need events: drafts or files moved, or there is a new subscriber.
    pub(crate) notify: bool,
    /// A remote-tracking ref moved.
    pub(crate) remotes: bool,
    /// These heads moved, by git directory.
    pub(crate) heads: BTreeMap<PathBuf, Announced>,
    /// How much it matters when.
    pub(crate) urgency: Urgency,
}

/// How much it matters when something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A client may be waiting for it.
    #[default]
    Prompt,
    /// No client is waiting: the daemon has just started to watch the repository.
    Leisurely,
}

/// Whether subscribers still wait for the positions at a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announced {
    /// They know that it moved, and wait.
    Yes,
    /// No client is waiting.
    No,
}

/// Where the notes were when last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotesWere(pub(crate) Option<String>);

impl PendingWork {
    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.notes.is_none() && !self.notify && !self.remotes && self.heads.is_empty()
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct WorkResult {
    /// What failed.
    pub(crate) trouble: Option<String>,
}

/// Works on one repository.
pub(crate) struct RepositoryWork {
    pub(crate) hub: Arc<Hub>,
    pub(crate) repository: Arc<WatchedRepository>,
}

impl RepositoryWork {
    /// Does the pending work; positions are written back for the heads in `resting` only.
    pub(crate) async fn run(self, pending: PendingWork, resting: BTreeSet<PathBuf>) -> WorkResult {
        let _leisure =
            if pending.urgency == Urgency::Leisurely { Some(self.hub.leisure.acquire().await) } else { None };
        let _turn = self.hub.background.acquire().await;
        let mut result = WorkResult::default();
        if let Some(NotesWere(from)) = &pending.notes {
            self.heal(from.as_deref(), &mut result).await;
        }
        self.send_changes(&pending, &mut result).await;
        let mut written: BTreeSet<PathBuf> = resting;
        if pending.remotes {
            written.insert(self.repository.common_dir().to_owned());
        }
        for git_dir in written {
            self.write_positions(&git_dir, &mut result).await;
        }
        let used = self.repository.condition().used.is_some();
        if used && pending.notes.is_some() {
            tokio::spawn(work_ahead(Arc::clone(&self.hub), Arc::clone(&self.repository)));
        }
        if !used && self.repository.subscribers().len() == 0 {
            // No request is expected soon, so the memory is released.
            self.hub.give_back_memory_of(vec![self.repository.common_dir().to_owned()]);
        }
        result
    }

    async fn heal(&self, from: Option<&str>, result: &mut WorkResult) {
        let common_dir = self.repository.common_dir().to_owned();
        let repo = common_dir.display().to_string();
        let name = RepositoryName { git_dir: repository_paths::text(&common_dir), work_tree: None };
        let answers = Arc::clone(&self.hub.answers);
        match blocking(move || answers.heal(&name)).await {
            Ok(Ok(healed)) => {
                let to = healed.tip.map(|tip| tip.to_string());
                if from != to.as_deref() {
                    let (from, to) = (from.unwrap_or("none"), to.as_deref().unwrap_or("none"));
                    tracing::info!(repo, from, to, "notes moved");
                }
                if let Some(checked) = &healed.checked {
                    log_healed(&repo, checked);
                }
            }
            Ok(Err(fault)) => self.fail("could not check the notes", &fault, result),
            Err(fault) => result.trouble = Some(fault.message.into()),
        }
    }

    /// Sends every subscriber what changed since their mark.
    async fn send_changes(&self, pending: &PendingWork, result: &mut WorkResult) {
        let questions = self.repository.subscribers().questions();
        let mut moved = pending.notify;
        for question in questions {
            let via = question.via.as_ref();
            match self.changes(&question.viewpoint, &question.topic, Some(&question.mark), via).await {
                Ok(reply) => {
                    moved |= reply.mark != question.mark;
                    self.repository.subscribers().send(&question, &reply);
                }
                Err(fault) => self.fail("could not send events to subscribers", &fault, result),
            }
        }
        if moved && !self.repository.subscribers().work_trees().is_empty() {
            self.watch_files().await;
        }
    }

    /// What happened since a mark, seen from there; without one, the mark of now.
    pub(crate) async fn changes(
        &self,
        viewpoint: &WatchedView,
        topic: &Topic,
        since: Option<&Mark>,
        via: Option<&ViaView>,
    ) -> Result<ChangesReply, Fault> {
        let head = viewpoint.places.head();
        let changes = Changes { since: since.cloned(), head, topic: topic.clone() };
        let call = RepositoryRequest { via: via.cloned(), ..about(&viewpoint.name, changes) };
        match self.hub.ask(&self.repository, Call::Changes(call)).await? {
            Reply::Changes(reply) => Ok(reply),
            _ => Err(Fault::new(FaultCode::Internal, "unexpected answer to a request for changes")),
        }
    }

    /// Finds again which files on disk subscribers want events of.
    async fn watch_files(&self) {
        let work_trees = self.repository.subscribers().work_trees();
        let mut files = BTreeSet::new();
        for name in work_trees {
            let (answers, of) = (Arc::clone(&self.hub.answers), name.clone());
            match blocking(move || answers.files(&of)).await {
                Ok(Ok(found)) => files.extend(found.into_iter().map(|file| (name.clone(), file))),
                Ok(Err(fault)) | Err(fault) => {
                    tracing::warn!(why = fault.message, "could not find the files to watch");
                }
            }
        }
        let repository = Arc::clone(&self.repository);
        if blocking(move || repository.watched().replace(files)).await.unwrap_or(false) {
            self.repository.waker.notify_one();
        }
    }

    async fn write_positions(&self, git_dir: &Path, result: &mut WorkResult) {
        let repo = git_dir.display().to_string();
        let name = RepositoryName { git_dir: repository_paths::text(git_dir), work_tree: None };
        let mut call = about(&name, WritePositions::default());
        let git_dir = git_dir.to_owned();
        match blocking(move || person(&git_dir)).await {
            Ok(Ok(author)) => {
                call.author = Some(Person { name: author.name, email: author.email, via: None });
            }
            Ok(Err(error)) => {
                let fault =
                    Fault::new(FaultCode::NoRepository, "could not open the repository").because(&error);
                return self.fail("could not store positions", &fault, result);
            }
            Err(fault) => return self.fail("could not store positions", &fault, result),
        }
        match self.hub.ask(&self.repository, Call::WritePositions(call)).await {
            Ok(Reply::WritePositions(written)) => {
                let (positions, pins) = (written.positions, written.pins);
                tracing::info!(repo, positions, pins, "settled");
            }
            Ok(_) => {}
            Err(fault) => self.fail("could not store positions", &fault, result),
        }
    }

    fn fail(&self, what: &str, fault: &Fault, result: &mut WorkResult) {
        let repo = self.repository.common_dir().display().to_string();
        let causes = fault.data.causes.join(": ");
        tracing::warn!(repo, code = fault.code.name(), why = fault.message, causes, "{what}");
        result.trouble = Some(format!("{what}: {}", fault.message));
    }
}

/// Does what later requests will ask for, in small steps, until nothing of it is left.
///
/// In its own task, so that events of this repository do not wait for it.
async fn work_ahead(hub: Arc<Hub>, repository: Arc<WatchedRepository>) {
    // Another one at work sees what is new as well.
    let Ok(_alone) = Arc::clone(&repository.ahead).try_acquire_owned() else { return };
    let name = RepositoryName { git_dir: repository_paths::text(repository.common_dir()), work_tree: None };
    let mut left = usize::MAX;
    loop {
        let turn = Arc::clone(&repository.turns).acquire_owned().await;
        let (answers, name) = (Arc::clone(&hub.answers), name.clone());
        let step = blocking(move || {
            let _turn = turn;
            answers.work_ahead(&name)
        });
        let still = tokio::select! {
            biased;
            () = hub.stopping() => return,
            still = step => still,
        };
        match still {
            Ok(Ok(still)) if still > 0 && still < left => left = still,
            // Done, or nothing comes of trying again.
            _ => return,
        }
    }
}

fn about<P>(name: &RepositoryName, params: P) -> RepositoryRequest<P> {
    RepositoryRequest {
        repository: name.clone(),
        author: None,
        at: None,
        via: None,
        utc_offset: 0,
        buffers: Vec::new(),
        params,
    }
}

fn log_healed(repo: &str, checked: &Checked) {
    if checked.healed() {
        let (records, pins) = (checked.records, checked.pins);
        tracing::warn!(
            repo,
            records,
            pins,
            restored = checked.restored,
            "restored records that another program removed"
        );
    }
}
