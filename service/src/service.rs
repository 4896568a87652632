//! The one function of the service, and the repositories that it works on.
//!
//! A repository is opened when it is first asked for. One that was deleted, or made again at the same place, is opened
//! again; so is one whose configuration changed.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use postil_core::anchoring::Stop;
use postil_core::record::{StatusWord, Timestamp};
use postil_protocol::{
    ByteText, Call, Effect, Fault, FaultCode, List, Reply, RepositoryName, RepositoryRequest,
};

use crate::changes::changed_positions::files_that_matter;
use crate::changes::mark::{mark_here, mark_of};
use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::files::Buffers;
use crate::lists::answer_size::MAX_ANSWER_BYTES;
use crate::lists::list_cache::{JsonText, written};
use crate::methods::changes::changes;
use crate::methods::comments::answer::answer;
use crate::methods::comments::batch::batch;
use crate::methods::comments::comment::comment;
use crate::methods::comments::edit::edit;
use crate::methods::comments::move_to::move_to;
use crate::methods::comments::propose::propose;
use crate::methods::comments::publish::publish;
use crate::methods::comments::purge::purge;
use crate::methods::comments::reply::reply;
use crate::methods::comments::resolve::mark;
use crate::methods::comments::withdraw::withdraw;
use crate::methods::diff::diff;
use crate::methods::doctor::doctor;
use crate::methods::export::export;
use crate::methods::import::import;
use crate::methods::inbox::inbox;
use crate::methods::init::init;
use crate::methods::list::list;
use crate::methods::list_text::list_as_text;
use crate::methods::log::log;
use crate::methods::mark_read::mark_read;
use crate::methods::review::change::change_review;
use crate::methods::review::edit::edit_review;
use crate::methods::review::list::list_reviews;
use crate::methods::review::ready::ready;
use crate::methods::review::request::request_review;
use crate::methods::review::show::show_review;
use crate::methods::review::since;
use crate::methods::review::start::start_review;
use crate::methods::review::verdict::judge;
use crate::methods::show::show;
use crate::methods::stats::stats;
use crate::methods::status::status;
use crate::methods::suggestions::apply::apply;
use crate::methods::suggestions::apply_write::apply_write;
use crate::methods::suggestions::patch::patch;
use crate::methods::suggestions::undo::undo;
use crate::methods::sync::sync;
use crate::methods::write_positions::write_positions;
use crate::repository::config_stamp::DirStamp;
use crate::repository::state::{Healed, RepositoryState, ServiceOptions, lock};
use crate::repository::work_tree::WorkTree;
use crate::request::Request;
use crate::reviews::follow_up::{FollowUpAuthor, record_follow_ups};
use crate::trust::{AgentReads, rules};
use crate::view::signatures::check_ahead;
use crate::view::withheld::for_reader;
use crate::writing::records::read_for_answer;
use crate::writing::sign::Signer;
use crate::writing::status_record::NewStatus;

/// So many work trees are kept open; with more, all are opened again as they are asked for.
///
/// Work trees come and go by the dozen where programs make one for each task.
const MAX_WORK_TREES: usize = 256;

/// Answers requests about any number of repositories, from any number of threads.
#[derive(Debug)]
pub struct Service {
    options: ServiceOptions,
    signer: Option<Arc<dyn Signer>>,
    repositories: Mutex<HashMap<PathBuf, StampedRepository<RepositoryState>>>,
    work_trees: Mutex<HashMap<WorkTreeKey, StampedRepository<WorkTree>>>,
}

/// The git directory of a work tree, and where its files are if that is said.
type WorkTreeKey = (PathBuf, Option<PathBuf>);

/// Something that was opened, and the stamp that shows whether it is still the same on disk.
#[derive(Debug)]
struct StampedRepository<T> {
    what: Arc<T>,
    stamp: Arc<DirStamp>,
}

impl<T> Clone for StampedRepository<T> {
    fn clone(&self) -> Self {
        Self { what: self.what.clone(), stamp: self.stamp.clone() }
    }
}

impl Service {
    /// Makes a service that has opened nothing yet.
    pub fn new(options: ServiceOptions) -> Self {
        let (repositories, work_trees) = (Mutex::default(), Mutex::default());
        Self { options, signer: None, repositories, work_trees }
    }

    /// Signs whatever is written; for a process that can ask the person who does so.
    #[must_use]
    pub fn signing(self, signer: Arc<dyn Signer>) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Answers a request.
    ///
    /// When an answer to a writing one is returned, what it says is on disk. Where `stop` is asked for meanwhile, it
    /// may be given up.
    pub fn answer(&self, now: Timestamp, call: &Call, stop: &Stop) -> Result<Reply, Fault> {
        let _span = tracing::debug_span!("request", method = call.name()).entered();
        if call.via().is_some() {
            rules::check(call, self.work_tree_named(call.repository())?.repository())?;
        }
        if let Some(reply) = self.answer_without_notes(now, call)? {
            return Ok(reply);
        }
        let request = self.request(now, call, stop)?;
        rules::check_own_drafts(call, &request)?;
        let answer = dispatch(&request, now, call).map_err(|fault| may_be_lost(&request, fault));
        // These say it themselves, with more.
        let says_it = matches!(call, Call::List(_) | Call::Status(_) | Call::Doctor(_));
        let lost = request.notes.lost_warning().filter(|_| !says_it);
        let answer = answer.map(|reply| {
            reply.with_mark(mark_of(&request)).with_warnings(request.warnings.take()).with_warnings(lost)
        });
        if request.reads == AgentReads::Trusted && call.traits().effect == Effect::Writes {
            // What was just written is told as it is now.
            let again = read_for_answer(&request);
            let again =
                again.map(|again| Request { asker: request.asker.clone(), reads: request.reads, ..again });
            return for_reader(again.as_ref().unwrap_or(&request), answer);
        }
        for_reader(&request, answer)
    }

    /// Answers a request that does not need the notes to be checked first.
    fn answer_without_notes(&self, now: Timestamp, call: &Call) -> Result<Option<Reply>, Fault> {
        if !matches!(call, Call::ApplyWrite(_) | Call::Sync(_) | Call::Undo(_)) {
            return Ok(None);
        }
        let work_tree = self.work_tree_named(call.repository())?;
        // The mark from before the request: a client that continues from it sees everything that the request
        // did.
        let mark = self.open(call.repository()).and_then(|(repository, here)| mark_here(&repository, &here));
        let reply = match call {
            Call::ApplyWrite(call) => {
                let email = call.author.as_ref().map(|author| author.email.as_str());
                Reply::ApplyWrite(apply_write(&work_tree, email, &call.params)?)
            }
            Call::Sync(call) => {
                let actor = Actor::of(call, now)?;
                Reply::Sync(sync(&work_tree, self.options, &actor, &call.params)?)
            }
            Call::Undo(call) => Reply::Undo(undo(&work_tree, &call.params)?),
            _ => return Ok(None),
        };
        // What can be done without the notes does not fail because of them.
        Ok(Some(reply.with_mark(mark.unwrap_or_default())))
    }

    /// Answers a request as JSON text.
    ///
    /// A list that was answered before is answered from the cache, if nothing that it depends on has changed.
    pub fn answer_json(&self, now: Timestamp, call: &Call, stop: &Stop) -> Result<JsonText, Fault> {
        let Call::List(list) = call else { return written(&self.answer(now, call, stop)?) };
        if self.reads(call)? != AgentReads::All {
            // What is kept is for those who get everything.
            return self.list_for_reader(now, list.clone(), stop);
        }
        let _span = tracing::debug_span!("request", method = call.name()).entered();
        list_as_text(&self.request(now, call, stop)?, &list.params)
    }

    /// Answers with a list for who does not get everything: with fewer threads where that would be too long to be sent.
    fn list_for_reader(
        &self,
        now: Timestamp,
        mut list: RepositoryRequest<List>,
        stop: &Stop,
    ) -> Result<JsonText, Fault> {
        loop {
            let reply = self.answer(now, &Call::List(list.clone()), stop)?;
            let text = written(&reply)?;
            let shown = match &reply {
                Reply::List(reply) => reply.threads.len().max(reply.lines.len()),
                _ => 0,
            };
            if text.len() <= MAX_ANSWER_BYTES || shown <= 1 {
                return Ok(text);
            }
            list.params.limit = u32::try_from(shown / 2).ok();
        }
    }

    /// Brings back what other programs took out of the notes; waits for other writers no longer than this.
    pub fn heal(&self, now: Timestamp, name: &RepositoryName, patience: Duration) -> Result<Healed, Fault> {
        self.open(name)?.0.heal(now, patience).or_fault()
    }

    /// Checks some of the signatures that have not been requested yet; returns how many are left.
    pub fn check_ahead(&self, now: Timestamp, name: &RepositoryName) -> Result<usize, Fault> {
        let (repository, work_tree) = self.open(name)?;
        Ok(check_ahead(&Request::new(repository, work_tree, now)?))
    }

    /// The files on disk that decide where the comments of a work tree are, and what becomes of suggestions.
    pub fn files_that_matter(
        &self,
        now: Timestamp,
        name: &RepositoryName,
    ) -> Result<BTreeSet<ByteText>, Fault> {
        let (repository, work_tree) = self.open(name)?;
        files_that_matter(&Request::new(repository, work_tree, now)?)
    }

    /// Drops from the cache of a repository what no comment needs any more, if a review ended.
    pub fn sweep_if_due(&self, name: &RepositoryName) -> Result<(), Fault> {
        self.open(name)?.0.sweep_if_due();
        Ok(())
    }

    /// Gives back the memory of a repository that was not asked for in a while; the next request reads it again.
    pub fn forget(&self, common_dir: &Path) {
        if let Some(opened) = lock(&self.repositories).remove(common_dir) {
            opened.what.forget();
        }
        lock(&self.work_trees).retain(|_, opened| opened.what.repository().common_dir() != common_dir);
    }

    /// Writes down what was computed and is kept on disk, for a process that is about to end.
    pub fn save(&self) {
        for opened in lock(&self.repositories).values() {
            opened.what.save();
        }
    }

    /// The repositories that are open: their common directories, and how many threads each has in memory.
    pub fn repositories(&self) -> Vec<(PathBuf, Option<usize>)> {
        let repositories = lock(&self.repositories);
        let known =
            |repository: &RepositoryState| repository.last_book().map(|notes| notes.threads.iter().len());
        let mut all: Vec<_> =
            repositories.iter().map(|(dir, repository)| (dir.clone(), known(&repository.what))).collect();
        all.sort();
        all
    }

    /// What a call sees, after the notes were healed and the reviews followed, if its method asks for that.
    fn request(&self, now: Timestamp, call: &Call, stop: &Stop) -> Result<Request, Fault> {
        let (repository, work_tree) = self.open(call.repository())?;
        let (traits, buffers) = (call.traits(), Buffers::of(call.buffers())?);
        if traits.heals {
            repository.heal_if_moved(now);
        }
        let mut request = Request::new(repository, work_tree, now)?.with_buffers(buffers);
        let reads = AgentReads::of(call, request.work_tree.repository());
        request = request.asked_by(call.asker().0).for_reader(reads);
        if traits.follows_reviews {
            request = record_follow_ups(request, &FollowUpAuthor::of(call, now))?;
        }
        Ok(request.until(stop))
    }

    /// Which comments who asks gets.
    fn reads(&self, call: &Call) -> Result<AgentReads, Fault> {
        match call.via() {
            Some(_) => Ok(AgentReads::of(call, self.work_tree_named(call.repository())?.repository())),
            None => Ok(AgentReads::All),
        }
    }

    fn open(&self, name: &RepositoryName) -> Result<(Arc<RepositoryState>, Arc<WorkTree>), Fault> {
        let work_tree = self.work_tree_named(name)?;
        let repository = self.repository(work_tree.repository().common_dir())?;
        Ok((repository, work_tree))
    }

    fn work_tree_named(&self, name: &RepositoryName) -> Result<Arc<WorkTree>, Fault> {
        let work_tree = name.work_tree.as_ref().map(absolute).transpose()?;
        self.work_tree(absolute(&name.git_dir)?, work_tree)
    }

    fn work_tree(&self, git_dir: PathBuf, work_tree: Option<PathBuf>) -> Result<Arc<WorkTree>, Fault> {
        let key = (git_dir, work_tree);
        // The lock is not held while the disk is read.
        let known = lock(&self.work_trees).get(&key).cloned();
        if let Some(opened) = known.filter(|opened| opened.stamp.holds()) {
            return Ok(opened.what);
        }
        let (repo, stamp) = DirStamp::open(&key.0, self.options.settings)?;
        let what = Arc::new(WorkTree::new(repo, key.1.clone()));
        let mut work_trees = lock(&self.work_trees);
        if work_trees.len() >= MAX_WORK_TREES {
            work_trees.clear();
        }
        work_trees.insert(key, StampedRepository { what: what.clone(), stamp: stamp.into() });
        Ok(what)
    }

    fn repository(&self, common_dir: &Path) -> Result<Arc<RepositoryState>, Fault> {
        let known = lock(&self.repositories).get(common_dir).cloned();
        if let Some(opened) = known.filter(|opened| opened.stamp.holds()) {
            return Ok(opened.what);
        }
        // Opening reads whole caches, perhaps from a slow disk: other repositories do not wait for it.
        let (repo, stamp) = DirStamp::open(common_dir, self.options.settings)?;
        let what = Arc::new(RepositoryState::new(repo, self.options, self.signer.clone()));
        let mut repositories = lock(&self.repositories);
        match repositories.get(common_dir) {
            // Of several who open it at once, all take the first one's.
            Some(opened) if *opened.stamp == stamp => Ok(opened.what.clone()),
            _ => {
                repositories.insert(
                    common_dir.to_owned(),
                    StampedRepository { what: what.clone(), stamp: stamp.into() },
                );
                Ok(what)
            }
        }
    }
}

/// Answers a request with the function of its method.
fn dispatch(request: &Request, now: Timestamp, call: &Call) -> Result<Reply, Fault> {
    Ok(match call {
        Call::Init(call) => Reply::Init(init(request, &call.params)?),
        Call::Comment(call) => Reply::Comment(comment(request, &Actor::of(call, now)?, &call.params)?),
        Call::CommentBatch(call) => {
            Reply::CommentBatch(batch(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::Reply(call) => Reply::Reply(reply(request, &Actor::of(call, now)?, &call.params)?),
        Call::Edit(call) => Reply::Edit(edit(request, &Actor::of(call, now)?, &call.params)?),
        Call::Resolve(call) => {
            let by = call.params.by.as_deref().map(|rev| request.work_tree.commit_named(rev)).transpose()?;
            let new = NewStatus::new(StatusWord::Resolved, call.params.reason.as_deref());
            let new = NewStatus { by, ..new };
            Reply::Resolve(mark(request, &Actor::of(call, now)?, &call.params.threads, new)?)
        }
        Call::Reopen(call) => {
            let new = NewStatus::new(StatusWord::Open, call.params.reason.as_deref());
            Reply::Reopen(mark(request, &Actor::of(call, now)?, &call.params.threads, new)?)
        }
        Call::Withdraw(call) => Reply::Withdraw(withdraw(request, &Actor::of(call, now)?, &call.params)?),
        Call::Move(call) => Reply::Move(move_to(request, &Actor::of(call, now)?, &call.params)?),
        Call::Apply(call) => Reply::Apply(apply(request, &call.params)?),
        Call::Patch(call) => Reply::Patch(patch(request, &call.params)?),
        Call::ApplyWrite(_) | Call::Undo(_) | Call::Sync(_) => {
            unreachable!("answered without the notes")
        }
        Call::List(call) => Reply::List(list(request, &call.params)?),
        Call::Changes(call) => Reply::Changes(changes(request, &call.params)?),
        Call::Show(call) => Reply::Show(show(request, &call.params)?),
        Call::Log(call) => Reply::Log(log(request, &call.params)?),
        Call::Diff(call) => Reply::Diff(diff(request, &call.params)?),
        Call::ReviewStart(call) => {
            Reply::ReviewStart(start_review(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::ReviewList(call) => Reply::ReviewList(list_reviews(request, &call.params)),
        Call::ReviewShow(call) => Reply::ReviewShow(show_review(request, &call.params)?),
        Call::ReviewReady(call) => Reply::ReviewReady(ready(request, &call.params)?),
        Call::ReviewSince(call) => {
            let email = call.author.as_ref().map(|author| author.email.as_str());
            Reply::ReviewSince(since::since(request, email, &call.params)?)
        }
        Call::ReviewVerdict(call) => {
            Reply::ReviewVerdict(judge(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::ReviewChange(call) => {
            Reply::ReviewChange(change_review(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::ReviewEdit(call) => {
            Reply::ReviewEdit(edit_review(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::ReviewAsk(call) => {
            Reply::ReviewAsk(request_review(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::Propose(call) => Reply::Propose(propose(request, &Actor::of(call, now)?, &call.params)?),
        Call::AnswerProposals(call) => {
            Reply::AnswerProposals(answer(request, &Actor::of(call, now)?, &call.params)?)
        }
        Call::Publish(call) => Reply::Publish(publish(request, &Actor::of(call, now)?, &call.params)?),
        Call::Import(call) => Reply::Import(import(request, &Actor::of(call, now)?, &call.params)?),
        Call::Export(call) => Reply::Export(export(request, &call.params)?),
        Call::Status(call) => Reply::Status(status(request, &call.params)?),
        Call::Inbox(_) => Reply::Inbox(inbox(request)),
        Call::Stats(call) => Reply::Stats(stats(request, &call.params)?),
        Call::MarkRead(call) => Reply::MarkRead(mark_read(request, &call.params)?),
        Call::Purge(call) => Reply::Purge(purge(request, &Actor::of(call, now)?, &call.params)?),
        Call::Doctor(call) => Reply::Doctor(doctor(request, &Actor::of(call, now)?, &call.params)?),
        Call::WritePositions(call) => {
            Reply::WritePositions(write_positions(request, &Actor::of(call, now)?)?)
        }
    })
}

/// Says of something that was not found that it may be among what cannot be read.
fn may_be_lost(request: &Request, mut fault: Fault) -> Fault {
    if fault.code == FaultCode::NotFound
        && let Some(lost) = request.notes.lost_warning()
    {
        fault.data.causes.push(lost.what);
    }
    fault
}

fn absolute(path: &ByteText) -> Result<PathBuf, Fault> {
    let path = PathBuf::from(OsStr::from_bytes(path.as_bytes()));
    if path.is_absolute() {
        return Ok(path);
    }
    let message = format!("not an absolute path: {}", path.display());
    Err(Fault::new(FaultCode::InvalidParams, message))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use postil_core::git::{ConfigScope, Patience};

    use super::*;

    #[test]
    fn however_many_work_trees_are_asked_for_few_are_kept_open() {
        let root = tempfile::tempdir().unwrap();
        gix::init_bare(root.path()).unwrap();
        let options = ServiceOptions {
            patience: Patience::new(Duration::ZERO, std::thread::sleep),
            threads: NonZeroUsize::MIN,
            settings: ConfigScope::Isolated,
        };
        let service = Service::new(options);
        let git_dir = ByteText::new(root.path().as_os_str().as_bytes());
        let name = |n: usize| {
            let work_tree = root.path().join(format!("tree{n}"));
            let work_tree = Some(ByteText::new(work_tree.as_os_str().as_bytes()));
            RepositoryName { git_dir: git_dir.clone(), work_tree }
        };
        let kept = || lock(&service.work_trees).len();
        let mut most = 0;
        for n in 0..2 * MAX_WORK_TREES + 10 {
            let (_, work_tree) = service.open(&name(n)).unwrap();
            assert_eq!(work_tree.work_tree(), Some(root.path().join(format!("tree{n}")).as_path()));
            most = most.max(kept());
        }
        assert_eq!(most, MAX_WORK_TREES, "as many as there may be, and never more");
        let before = kept();
        let (_, work_tree) = service.open(&name(0)).unwrap();
        assert_eq!(kept(), before + 1, "the first was given up, and is opened again");
        let (_, again) = service.open(&name(0)).unwrap();
        assert!(Arc::ptr_eq(&work_tree, &again), "and then kept");
    }
}
