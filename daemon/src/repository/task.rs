//! The task of one repository: notices moves, sends events, and has positions written after a head came to rest.
//!
//! What moved is decided by comparing two snapshots, never by an event. Many moves in quick succession become one
//! computation; a move while that is under way makes it start over for the newer head.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use postil_protocol::Hex;
use tokio::time::{Instant, sleep_until};

use super::observation::{FileStamps, Observation, observe};
use super::work::{Announced, NotesWere, PendingWork, RepositoryWork, Urgency};
use crate::hub::{Hub, blocking};
use crate::sharing::keep_sharing;
use crate::watched_repository::WatchedRepository;
use crate::watching::ref_snapshot::{RefSnapshot, RepositoryGone, Rest};

/// How long a repository must be quiet before anything is computed: one git command moves several files.
const QUIET: Duration = Duration::from_millis(12);

/// The same during a rebase, which pauses while a person decides something.
const QUIET_UNDER_WAY: Duration = Duration::from_secs(2);

/// A repository that is never quiet is worked on all the same, after this.
const NEVER_QUIET: Duration = Duration::from_secs(1);

/// Starts the task of a repository, which runs until the repository is gone or the daemon stops.
pub(crate) fn spawn_task(hub: Arc<Hub>, repository: Arc<WatchedRepository>) {
    tokio::spawn(async move {
        let common_dir = repository.common_dir().display().to_string();
        let attendant = RepositoryTask {
            hub: Arc::clone(&hub),
            repository: Arc::clone(&repository),
            known: None,
            files: FileStamps::new(),
            pending: PendingWork::default(),
            pending_since: None,
        };
        let sharing =
            keep_sharing(repository.common_dir().to_owned(), Arc::clone(&repository.background_sync));
        let sharing = tokio::spawn(sharing);
        let ended = attendant.run().await;
        sharing.abort();
        repository.background_sync.stop();
        if let Err(gone) = ended {
            tracing::info!(repo = common_dir, "{gone}; no longer watching it");
            hub.forget(&gone.common_dir);
        }
    });
}

struct RepositoryTask {
    hub: Arc<Hub>,
    repository: Arc<WatchedRepository>,
    known: Option<RefSnapshot>,
    /// Files on disk that subscribers want events of.
    files: FileStamps,
    /// What is to be computed once there is quiet.
    pending: PendingWork,
    pending_since: Option<Instant>,
}

/// Why waiting ended.
enum Waited {
    News,
    Quiet,
    Stop,
}

impl RepositoryTask {
    async fn run(mut self) -> Result<(), RepositoryGone> {
        loop {
            self.check().await?;
            match self.wait().await {
                Waited::News => {}
                Waited::Stop => return Ok(()),
                Waited::Quiet => self.work().await?,
            }
        }
    }

    /// Compares what is known with what is there, and announces heads that moved at once.
    async fn check(&mut self) -> Result<(), RepositoryGone> {
        let now = self.observe().await?;
        let before = self.known.replace(now.refs);
        let files = std::mem::replace(&mut self.files, now.files);
        let known = self.known.as_ref().expect("it was put there just now");
        let Some(before) = before else {
            let common_dir = self.repository.common_dir().display().to_string();
            tracing::info!(repo = common_dir, work_trees = known.heads.len(), "watching");
            // It is not known what happened while no daemon ran.
            self.pending.notes = Some(NotesWere(known.notes.clone()));
            self.pending.urgency = Urgency::Leisurely;
            self.pending.heads = known.heads.keys().map(|git_dir| (git_dir.clone(), Announced::No)).collect();
            self.start_clock();
            return Ok(());
        };
        if before.folder != known.folder || before.config != known.config {
            self.hub.give_back_memory_of(vec![self.repository.common_dir().to_owned()]);
            self.repository.background_sync.reconsider();
        }
        if before.notes != known.notes && self.pending.notes.is_none() {
            self.pending.notes = Some(NotesWere(before.notes));
        }
        // What happened since the mark of a new subscriber is sent as if it happened now.
        let came = self.repository.subscribers().take_newcomers();
        self.pending.notify |= came || before.drafts != known.drafts || files != self.files;
        if before.remotes != known.remotes {
            self.pending.remotes = true;
            self.repository.background_sync.remotes_moved();
        }
        let moved: BTreeMap<PathBuf, Option<String>> = known
            .heads
            .iter()
            .filter(|(git_dir, head)| before.heads.get(*git_dir).map(|old| &old.commit) != Some(&head.commit))
            .map(|(git_dir, head)| (git_dir.clone(), head.commit.clone()))
            .collect();
        // A rebase that has ended where it began owes nothing new, but what was put off is due now.
        self.pending.heads.retain(|git_dir, _| known.heads.contains_key(git_dir));
        for (git_dir, commit) in moved {
            tracing::debug!(git_dir = %git_dir.display(), to = commit.as_deref(), "head moved");
            self.announce(&git_dir, commit.as_deref());
            self.pending.heads.insert(git_dir, Announced::Yes);
        }
        // Another branch at the same commit moves nothing, and yet a review may go on under a new name.
        for (git_dir, head) in &known.heads {
            if before.heads.get(git_dir).is_some_and(|old| old.branch != head.branch) {
                self.pending.heads.entry(git_dir.clone()).or_insert(Announced::No);
            }
        }
        self.start_clock();
        Ok(())
    }

    fn start_clock(&mut self) {
        if !self.pending.is_empty() && self.pending_since.is_none() {
            self.pending_since = Some(Instant::now());
        }
    }

    async fn observe(&self) -> Result<Observation, RepositoryGone> {
        let (hub, repository) = (Arc::clone(&self.hub), Arc::clone(&self.repository));
        let looked = blocking(move || observe(&hub.watches, &repository)).await;
        // If a bug prevents reading a repository, it is left alone until the next request for it.
        looked.unwrap_or_else(|_| Err(RepositoryGone { common_dir: self.repository.common_dir().to_owned() }))
    }

    fn announce(&self, git_dir: &Path, commit: Option<&str>) {
        let to = commit.and_then(|digits| Hex::new(digits).ok());
        self.repository.subscribers().resolving(git_dir, to.as_ref());
    }

    async fn wait(&self) -> Waited {
        let quiet = self.quiet_until();
        let is_due = quiet.is_some();
        tokio::select! {
            biased;
            () = self.hub.stopping() => Waited::Stop,
            () = self.repository.waker.notified() => Waited::News,
            () = sleep_until(quiet.unwrap_or_else(Instant::now)), if is_due => Waited::Quiet,
        }
    }

    /// When to begin with the pending work, if nothing happens until then; `None` if nothing can be done yet.
    fn quiet_until(&self) -> Option<Instant> {
        let now = Instant::now();
        let since = self.pending_since?;
        if self.ready().is_empty() {
            return None;
        }
        let soonest = if self.only_under_way() { now + QUIET_UNDER_WAY } else { now + QUIET };
        Some(if self.only_under_way() { soonest } else { soonest.min(since + NEVER_QUIET) })
    }

    fn only_under_way(&self) -> bool {
        let ready = self.ready();
        ready.notes.is_none()
            && !ready.notify
            && !ready.remotes
            && ready.heads.keys().all(|git_dir| self.rest(git_dir) == Rest::UnderWay)
    }

    fn rest(&self, git_dir: &PathBuf) -> Rest {
        let head = self.known.as_ref().and_then(|known| known.heads.get(git_dir));
        head.map_or(Rest::AtRest, |head| head.rest)
    }

    /// The pending work that can be done now: for a head under way, only sending events.
    fn ready(&self) -> PendingWork {
        let listened = self.repository.subscribers().git_dirs();
        let mut ready = self.pending.clone();
        ready.heads.retain(|git_dir, announced| {
            self.rest(git_dir) == Rest::AtRest || (*announced == Announced::Yes && listened.contains(git_dir))
        });
        ready
    }

    /// Does what is ready; gives up when a head moves meanwhile.
    async fn work(&mut self) -> Result<(), RepositoryGone> {
        let ready = self.ready();
        let resting: BTreeSet<PathBuf> =
            ready.heads.keys().filter(|git_dir| self.rest(git_dir) == Rest::AtRest).cloned().collect();
        let work = RepositoryWork { hub: Arc::clone(&self.hub), repository: Arc::clone(&self.repository) };
        let mut doing = pin!(work.run(ready.clone(), resting.clone()));
        let mut woken = false;
        let done = loop {
            tokio::select! {
                biased;
                done = &mut doing => break done,
                () = self.repository.waker.notified() => {
                    woken = true;
                    let now = self.observe().await?.refs;
                    if self.known.as_ref().is_some_and(|known| known.heads != now.heads) {
                        // Dropping the work ends it, between two comments.
                        self.repository.waker.notify_one();
                        return Ok(());
                    }
                }
            }
        };
        self.mark_done(&ready, &resting);
        // What the work itself wrote is checked too: another process may have written in between.
        self.repository.condition().trouble = done.trouble;
        if woken {
            self.repository.waker.notify_one();
        }
        Ok(())
    }

    fn mark_done(&mut self, ready: &PendingWork, resting: &BTreeSet<PathBuf>) {
        if ready.notes.is_some() {
            self.pending.notes = None;
        }
        self.pending.notify &= !ready.notify;
        self.pending.remotes &= !ready.remotes;
        self.pending.urgency = Urgency::Prompt;
        for git_dir in ready.heads.keys() {
            if resting.contains(git_dir) {
                self.pending.heads.remove(git_dir);
            } else if let Some(announced) = self.pending.heads.get_mut(git_dir) {
                // Subscribers know; to be written down it has to come to rest.
                *announced = Announced::No;
            }
        }
        self.pending_since = (!self.pending.is_empty()).then(Instant::now);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::future::Future;

    use postil_protocol::{Event, Topic};
    use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream, Lines};
    use tokio::time::timeout;

    use super::*;
    use crate::events::outbox::outbox;
    use crate::events::subscribers::{ChangesQuery, PositionScope, Subscriber, Subscribers};
    use crate::fixture::{HeldAnswers, TEN_SECONDS, World, commit, event, run};

    struct Listener {
        lines: Lines<BufReader<DuplexStream>>,
    }

    impl Listener {
        async fn to(world: &World) -> Self {
            Self::to_earlier(world, async {}).await
        }

        /// Has something happen between looking and listening.
        async fn to_earlier(world: &World, meanwhile: impl Future<Output = ()>) -> Self {
            let (outbox, sending) = outbox();
            let (near, far) = tokio::io::duplex(1 << 20);
            tokio::spawn(sending.run(far));
            let repository = world.hub.by_name(&world.name()).await.unwrap();
            let viewpoint = world.hub.viewpoint(world.name(), PositionScope::Head).await.unwrap();
            let work = RepositoryWork { hub: Arc::clone(&world.hub), repository: Arc::clone(&repository) };
            let now = work.changes(&viewpoint, &Topic::Repository, None, None).await.unwrap();
            meanwhile.await;
            let question = ChangesQuery { viewpoint, topic: Topic::Repository, mark: now.mark, via: None };
            repository.subscribers().add(Subscriber::new(7, question, now.head.commit, outbox));
            repository.waker.notify_one();
            Self { lines: BufReader::new(near).lines() }
        }

        async fn next(&mut self) -> Event {
            let line = timeout(TEN_SECONDS, self.lines.next_line()).await.expect("an event comes in time");
            event(line.unwrap().unwrap().as_bytes())
        }

        /// The heads that were announced, and what was resolved at last.
        async fn until_resolved_at(&mut self, digit: u8) -> (usize, usize) {
            let (mut resolving, mut resolved) = (0, 0);
            loop {
                match self.next().await {
                    Event::Resolving(_) => resolving += 1,
                    Event::Placed(event) => {
                        resolved += 1;
                        if event.head.is_some_and(|head| head.as_str() == commit(digit)) {
                            return (resolving, resolved);
                        }
                    }
                    Event::Changed(_) | Event::Reset(_) | Event::Ended(_) => {
                        panic!("nobody said anything, and it is there")
                    }
                }
            }
        }
    }

    #[test]
    fn a_move_is_announced_then_resolved_then_settled() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let mut listener = Listener::to(&world).await;
            world.move_head(2);
            let Event::Resolving(resolving) = listener.next().await else { panic!("announced first") };
            assert_eq!(resolving.to.unwrap().as_str(), commit(2));
            let Event::Placed(resolved) = listener.next().await else { panic!("then placed") };
            let [moved] = &resolved.placed[..] else { panic!("{resolved:?}") };
            let line = |place: &Option<postil_protocol::PositionView>| place.as_ref().unwrap().start;
            assert_eq!((line(&moved.from), line(&moved.to)), (Some(1), Some(2)));
            world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 2")).await;
        });
    }

    #[test]
    fn who_subscribes_while_a_head_moves_hears_of_it() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let mut listener = Listener::to_earlier(&world, async {
                world.move_head(2);
                world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 2")).await;
            })
            .await;
            // The task has announced the move already, to others.
            let Event::Resolving(resolving) = listener.next().await else { panic!("announced first") };
            assert_eq!(resolving.to.unwrap().as_str(), commit(2));
            let Event::Placed(resolved) = listener.next().await else { panic!("then placed") };
            assert_eq!((resolved.head.unwrap().as_str(), resolved.placed.len()), (commit(2).as_str(), 1));
        });
    }

    #[test]
    fn a_move_that_was_answered_before_the_task_saw_it_is_told_once_whether_it_moves_threads_or_not() {
        run(told_once(1));
        run(told_once(0));
    }

    /// Moves a head, and a thread or none, between two looks of the task.
    async fn told_once(threads: usize) {
        let world = World::new(|_, _| {});
        let repository = world.hub.by_name(&world.name()).await.unwrap();
        let viewpoint = world.hub.viewpoint(world.name(), PositionScope::Head).await.unwrap();
        let work = RepositoryWork { hub: Arc::clone(&world.hub), repository };
        let now = work.changes(&viewpoint, &Topic::Repository, None, None).await.unwrap();
        let question = ChangesQuery {
            viewpoint: viewpoint.clone(),
            topic: Topic::Repository,
            mark: now.mark,
            via: None,
        };
        let (outbox, sending) = outbox();
        let (near, far) = tokio::io::duplex(1 << 20);
        tokio::spawn(sending.run(far));
        let mut listener = Listener { lines: BufReader::new(near).lines() };
        let mut subscribers = Subscribers::default();
        subscribers.add(Subscriber::new(7, question.clone(), now.head.commit, outbox));

        world.move_head(2);
        let mut found =
            work.changes(&viewpoint, &Topic::Repository, Some(&question.mark), None).await.unwrap();
        found.placed.truncate(threads);
        subscribers.send(&question, &found);
        // Now the task sees it as well.
        let to = found.head.commit;
        subscribers.resolving(&viewpoint.git_dir, to.as_ref());
        subscribers.end();
        let Event::Resolving(resolving) = listener.next().await else { panic!("announced first") };
        assert_eq!(resolving.to, to);
        let Event::Placed(placed) = listener.next().await else { panic!("then placed") };
        assert_eq!((placed.head, placed.placed.len()), (to, threads));
        let last = listener.next().await;
        assert!(matches!(last, Event::Ended(_)), "nothing more was announced: {last:?}");
    }

    #[test]
    fn a_branch_that_was_renamed_is_settled_although_its_head_did_not_move() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let git_dir = world.git_dir();
            fs::copy(git_dir.join("refs/heads/main"), git_dir.join("refs/heads/other")).unwrap();
            fs::write(git_dir.join("HEAD.lock"), "ref: refs/heads/other\n").unwrap();
            fs::rename(git_dir.join("HEAD.lock"), git_dir.join("HEAD")).unwrap();
            let twice =
                |asked: &[String]| asked.iter().filter(|what| *what == "write-positions 1").count() == 2;
            world.fake.until(twice).await;
        });
    }

    #[test]
    fn a_burst_of_moves_is_resolved_once_for_the_last_head() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let mut listener = Listener::to(&world).await;
            for n in 0..200 {
                world.move_head(n % 8 + 1);
            }
            world.move_head(9);
            let (_, resolved) = listener.until_resolved_at(9).await;
            assert_eq!(resolved, 1);
            world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 9")).await;
            let settled =
                world.fake.asked().iter().filter(|what| what.starts_with("write-positions")).count();
            assert_eq!(settled, 2, "{:?}", world.fake.asked());
        });
    }

    #[test]
    fn a_later_move_makes_the_work_start_over() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let mut listener = Listener::to(&world).await;
            let slow = Arc::clone(&world.fake.slow);
            let held = HeldAnswers::of(slow);
            world.move_head(2);
            world.fake.until(|asked| asked.iter().any(|what| what == "changes 2")).await;
            world.move_head(3);
            world.fake.until(|asked| asked.iter().any(|what| what == "changes 3")).await;
            drop(held);
            // The work for the previous head was stopped.
            world.fake.until(|asked| asked.iter().any(|what| what == "stopped 2")).await;
            assert_eq!(listener.until_resolved_at(3).await, (2, 1));
            world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 3")).await;
            assert!(!world.fake.asked().contains(&"write-positions 2".to_owned()));
        });
    }

    #[test]
    fn nothing_is_settled_while_a_rebase_is_under_way() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let rebase = world.git_dir().join("rebase-merge");
            fs::create_dir(&rebase).unwrap();
            for n in 2..9 {
                world.move_head(n);
            }
            // A subscriber gets its events anyway, once git is done.
            let mut listener = Listener::to(&world).await;
            world.move_head(9);
            listener.until_resolved_at(9).await;
            assert!(!world.fake.asked().iter().any(|what| what == "write-positions 9"));
            fs::remove_dir(&rebase).unwrap();
            world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 9")).await;
            let settled =
                world.fake.asked().iter().filter(|what| what.starts_with("write-positions")).count();
            assert_eq!(settled, 2, "{:?}", world.fake.asked());
        });
    }

    #[test]
    fn a_repository_that_vanishes_is_forgotten_and_one_that_moved_is_found_again() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let elsewhere = world.git_dir().with_file_name("elsewhere");
            fs::rename(world.git_dir(), &elsewhere).unwrap();
            world.fake.until(|_| world.hub.repositories().is_empty()).await;
            assert_eq!(world.hub.watches.count(), 0);
            world.hub.register(&elsewhere).await;
            let twice =
                |asked: &[String]| asked.iter().filter(|what| *what == "write-positions 1").count() == 2;
            world.fake.until(twice).await;
            let [found] = &world.hub.repositories()[..] else { panic!("one repository") };
            assert_eq!(found.common_dir(), elsewhere);
        });
    }

    #[test]
    fn another_repository_at_the_same_path_is_read_anew() {
        run(async {
            let world = World::new(spawn_task);
            world.watched_repository().await;
            let git_dir = world.git_dir();
            let (aside, copy) = (git_dir.with_file_name("aside"), git_dir.with_file_name("copy"));
            let other = World::new(spawn_task);
            other.move_head(5);
            copy_folder(&other.git_dir(), &copy);
            fs::rename(&git_dir, aside).unwrap();
            fs::rename(copy, &git_dir).unwrap();
            world.hub.register(&git_dir).await;
            world.fake.until(|asked| asked.iter().any(|what| what == "write-positions 5")).await;
            assert!(world.fake.asked().contains(&"forget".to_owned()));
        });
    }

    fn copy_folder(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy_folder(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
}
