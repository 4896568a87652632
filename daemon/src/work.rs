//! The work that a move asks for: mend the notes, tell who listens, write positions back.
//!
//! When that is done is decided elsewhere. Each step stands for itself: one that fails is told in the log and in the
//! status, and the others are done all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postil_core::notes::Checked;
use postil_protocol::{
    Call, Changes, ChangesReply, Fault, FaultCode, In, Mark, Person, Reply, RepositoryName, Settle, Topic,
};
use postil_service::person;

use crate::attended::Attended;
use crate::audience::Viewpoint;
use crate::hub::{Hub, blocking};
use crate::named;

/// What is to be computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owed {
    /// The notes moved, or may have.
    pub(crate) notes: Option<NotesWere>,
    /// Who listens may have something to hear: drafts or files moved, or somebody came.
    pub(crate) telling: bool,
    /// A remote-tracking ref moved.
    pub(crate) remotes: bool,
    /// These heads moved, by git directory.
    pub(crate) heads: BTreeMap<PathBuf, Announced>,
    /// How much it matters when.
    pub(crate) pace: Pace,
}

/// How much it matters when something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Somebody may wait for it.
    #[default]
    Prompt,
    /// Nobody does: the daemon has just begun to attend.
    Leisurely,
}

/// Whether who listens is still owed the places of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announced {
    /// They heard that it moved, and wait.
    Yes,
    /// Nobody waits.
    No,
}

/// Where the notes were when last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotesWere(pub(crate) Option<String>);

impl Owed {
    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.notes.is_none() && !self.telling && !self.remotes && self.heads.is_empty()
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// What failed.
    pub(crate) trouble: Option<String>,
}

/// Works on one repository.
pub(crate) struct Work {
    pub(crate) hub: Arc<Hub>,
    pub(crate) repository: Arc<Attended>,
}

impl Work {
    /// Does what is owed; positions are written back for the heads in `resting` only.
    pub(crate) async fn run(self, owed: Owed, resting: BTreeSet<PathBuf>) -> Done {
        let _leisure =
            if owed.pace == Pace::Leisurely { Some(self.hub.leisure.acquire().await) } else { None };
        let _turn = self.hub.background.acquire().await;
        let mut done = Done::default();
        if let Some(NotesWere(from)) = &owed.notes {
            self.heal(from.as_deref(), &mut done).await;
        }
        self.tell(&owed, &mut done).await;
        let mut settled: BTreeSet<PathBuf> = resting;
        if owed.remotes {
            settled.insert(self.repository.common_dir().to_owned());
        }
        for git_dir in settled {
            self.settle(&git_dir, &mut done).await;
        }
        let used = self.repository.condition().used.is_some();
        if used && owed.notes.is_some() {
            tokio::spawn(work_ahead(Arc::clone(&self.hub), Arc::clone(&self.repository)));
        }
        if !used && self.repository.audience().len() == 0 {
            // Nobody will ask soon, and what is kept for nobody is waste.
            self.hub.give_back_memory_of(vec![self.repository.common_dir().to_owned()]);
        }
        done
    }

    async fn heal(&self, from: Option<&str>, done: &mut Done) {
        let common_dir = self.repository.common_dir().to_owned();
        let repo = common_dir.display().to_string();
        let name = RepositoryName { git_dir: named::text(&common_dir), work_tree: None };
        let answers = Arc::clone(&self.hub.answers);
        match blocking(move || answers.heal(&name)).await {
            Ok(Ok(healed)) => {
                let to = healed.tip.map(|tip| tip.to_string());
                if from != to.as_deref() {
                    let (from, to) = (from.unwrap_or("none"), to.as_deref().unwrap_or("none"));
                    tracing::info!(repo, from, to, "notes moved");
                }
                if let Some(checked) = &healed.checked {
                    tell_healed(&repo, checked);
                }
            }
            Ok(Err(fault)) => self.fail("could not check the notes", &fault, done),
            Err(fault) => done.trouble = Some(fault.message.into()),
        }
    }

    /// Tells everybody who listens what happened since they last heard.
    async fn tell(&self, owed: &Owed, done: &mut Done) {
        let questions = self.repository.audience().questions();
        let mut moved = owed.telling;
        for question in questions {
            match self.changes(&question.viewpoint, &question.topic, Some(&question.mark)).await {
                Ok(reply) => {
                    moved |= reply.mark != question.mark;
                    self.repository.audience().tell(&question, &reply);
                }
                Err(fault) => self.fail("could not tell what happened", &fault, done),
            }
        }
        if moved && !self.repository.audience().work_trees().is_empty() {
            self.watch_files().await;
        }
    }

    /// What happened since a mark, seen from there; without one, the mark of now.
    pub(crate) async fn changes(
        &self,
        viewpoint: &Viewpoint,
        topic: &Topic,
        since: Option<&Mark>,
    ) -> Result<ChangesReply, Fault> {
        let head = viewpoint.places.head();
        let changes = Changes { since: since.cloned(), head, topic: topic.clone() };
        match self.hub.ask(&self.repository, Call::Changes(about(&viewpoint.name, changes))).await? {
            Reply::Changes(reply) => Ok(reply),
            _ => Err(Fault::new(FaultCode::Internal, "changes were answered with something else")),
        }
    }

    /// Finds out anew which files on disk somebody wants to hear of.
    async fn watch_files(&self) {
        let work_trees = self.repository.audience().work_trees();
        let mut files = BTreeSet::new();
        for name in work_trees {
            let (answers, of) = (Arc::clone(&self.hub.answers), name.clone());
            match blocking(move || answers.files(&of)).await {
                Ok(Ok(found)) => files.extend(found.into_iter().map(|file| (name.clone(), file))),
                Ok(Err(fault)) | Err(fault) => {
                    tracing::warn!(why = fault.message, "could not find out which files matter");
                }
            }
        }
        let repository = Arc::clone(&self.repository);
        if blocking(move || repository.watched().replace(files)).await.unwrap_or(false) {
            self.repository.news.notify_one();
        }
    }

    async fn settle(&self, git_dir: &Path, done: &mut Done) {
        let repo = git_dir.display().to_string();
        let name = RepositoryName { git_dir: named::text(git_dir), work_tree: None };
        let mut call = about(&name, Settle::default());
        let git_dir = git_dir.to_owned();
        match blocking(move || person(&git_dir)).await {
            Ok(Ok(author)) => call.author = Some(Person { name: author.name, email: author.email }),
            Ok(Err(error)) => {
                let fault =
                    Fault::new(FaultCode::NoRepository, "the repository cannot be opened").because(&error);
                return self.fail("could not write positions back", &fault, done);
            }
            Err(fault) => return self.fail("could not write positions back", &fault, done),
        }
        match self.hub.ask(&self.repository, Call::Settle(call)).await {
            Ok(Reply::Settle(settled)) => {
                let (positions, pins) = (settled.positions, settled.pins);
                tracing::info!(repo, positions, pins, "settled");
            }
            Ok(_) => {}
            Err(fault) => self.fail("could not write positions back", &fault, done),
        }
    }

    fn fail(&self, what: &str, fault: &Fault, done: &mut Done) {
        let repo = self.repository.common_dir().display().to_string();
        let causes = fault.data.causes.join(": ");
        tracing::warn!(repo, code = fault.code.name(), why = fault.message, causes, "{what}");
        done.trouble = Some(format!("{what}: {}", fault.message));
    }
}

/// Does what later requests will ask for, in small steps, until nothing of it is left.
///
/// On its own: whoever waits for news of this repository does not wait for this.
async fn work_ahead(hub: Arc<Hub>, repository: Arc<Attended>) {
    // Another one at work sees what is new as well.
    let Ok(_alone) = Arc::clone(&repository.ahead).try_acquire_owned() else { return };
    let name = RepositoryName { git_dir: named::text(repository.common_dir()), work_tree: None };
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

fn about<P>(name: &RepositoryName, params: P) -> In<P> {
    In { repository: name.clone(), author: None, at: None, utc_offset: 0, buffers: Vec::new(), params }
}

fn tell_healed(repo: &str, checked: &Checked) {
    if checked.healed() {
        let (records, pins) = (checked.records, checked.pins);
        tracing::warn!(repo, records, pins, restored = checked.restored, "brought back what was lost");
    }
}
