//! Attends to one repository: notices moves, tells who listens, and has positions written once a head is at rest.
//!
//! What moved is decided by comparing two surveys, never by an event. Many moves in quick succession become one
//! computation; a move while that is under way makes it start over for the newer head.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use postil_protocol::Hex;
use tokio::time::{Instant, sleep_until};

use crate::attended::Attended;
use crate::hub::{Hub, blocking};
use crate::look::{Files, Look, look};
use crate::sharing::keep_sharing;
use crate::survey::{Gone, Rest, Survey};
use crate::work::{Announced, NotesWere, Owed, Pace, Work};

/// How long a repository must be quiet before anything is computed: one git command moves several files.
const QUIET: Duration = Duration::from_millis(12);

/// How long, while a rebase is under way: it stands still where a person has to decide something.
const QUIET_UNDER_WAY: Duration = Duration::from_secs(2);

/// A repository that is never quiet is attended to all the same, after this.
const NEVER_QUIET: Duration = Duration::from_secs(1);

/// Begins to attend to a repository, until it is gone or the daemon stops.
pub(crate) fn attend(hub: Arc<Hub>, repository: Arc<Attended>) {
    tokio::spawn(async move {
        let common_dir = repository.common_dir().display().to_string();
        let attendant = Attendant {
            hub: Arc::clone(&hub),
            repository: Arc::clone(&repository),
            known: None,
            files: Files::new(),
            owed: Owed::default(),
            owed_since: None,
        };
        let sharing = keep_sharing(repository.common_dir().to_owned(), Arc::clone(&repository.errand));
        let sharing = tokio::spawn(sharing);
        let ended = attendant.run().await;
        sharing.abort();
        repository.errand.stop();
        if let Err(gone) = ended {
            tracing::info!(repo = common_dir, "{gone}; forgotten");
            hub.forget(&gone.common_dir);
        }
    });
}

struct Attendant {
    hub: Arc<Hub>,
    repository: Arc<Attended>,
    known: Option<Survey>,
    /// Files on disk that somebody wants to hear of.
    files: Files,
    /// What is to be computed once there is quiet.
    owed: Owed,
    owed_since: Option<Instant>,
}

/// Why waiting ended.
enum Waited {
    News,
    Quiet,
    Stop,
}

impl Attendant {
    async fn run(mut self) -> Result<(), Gone> {
        loop {
            self.look().await?;
            match self.wait().await {
                Waited::News => {}
                Waited::Stop => return Ok(()),
                Waited::Quiet => self.work().await?,
            }
        }
    }

    /// Compares what is known with what is there, and tells of heads that moved at once.
    async fn look(&mut self) -> Result<(), Gone> {
        let now = self.survey().await?;
        let before = self.known.replace(now.survey);
        let files = std::mem::replace(&mut self.files, now.files);
        let known = self.known.as_ref().expect("it was put there just now");
        let Some(before) = before else {
            let common_dir = self.repository.common_dir().display().to_string();
            tracing::info!(repo = common_dir, work_trees = known.heads.len(), "watching");
            // Nobody knows what happened while no daemon ran.
            self.owed.notes = Some(NotesWere(known.notes.clone()));
            self.owed.pace = Pace::Leisurely;
            self.owed.heads = known.heads.keys().map(|git_dir| (git_dir.clone(), Announced::No)).collect();
            self.owe();
            return Ok(());
        };
        if before.folder != known.folder || before.config != known.config {
            self.hub.give_back_memory_of(vec![self.repository.common_dir().to_owned()]);
            self.repository.errand.reconsider();
        }
        if before.notes != known.notes && self.owed.notes.is_none() {
            self.owed.notes = Some(NotesWere(before.notes));
        }
        // Whatever happened since the mark of whoever came is told as if it happened now.
        let came = self.repository.audience().take_newcomers();
        self.owed.telling |= came || before.drafts != known.drafts || files != self.files;
        if before.remotes != known.remotes {
            self.owed.remotes = true;
            self.repository.errand.remotes_moved();
        }
        let moved: BTreeMap<PathBuf, Option<String>> = known
            .heads
            .iter()
            .filter(|(git_dir, head)| before.heads.get(*git_dir).map(|old| &old.commit) != Some(&head.commit))
            .map(|(git_dir, head)| (git_dir.clone(), head.commit.clone()))
            .collect();
        // A rebase that has ended where it began owes nothing new, but what was put off is due now.
        self.owed.heads.retain(|git_dir, _| known.heads.contains_key(git_dir));
        for (git_dir, commit) in moved {
            tracing::debug!(git_dir = %git_dir.display(), to = commit.as_deref(), "head moved");
            self.announce(&git_dir, commit.as_deref());
            self.owed.heads.insert(git_dir, Announced::Yes);
        }
        // Another branch at the same commit moves nothing, and yet a review may go on under a new name.
        for (git_dir, head) in &known.heads {
            if before.heads.get(git_dir).is_some_and(|old| old.branch != head.branch) {
                self.owed.heads.entry(git_dir.clone()).or_insert(Announced::No);
            }
        }
        self.owe();
        Ok(())
    }

    fn owe(&mut self) {
        if !self.owed.is_empty() && self.owed_since.is_none() {
            self.owed_since = Some(Instant::now());
        }
    }

    async fn survey(&self) -> Result<Look, Gone> {
        let (hub, repository) = (Arc::clone(&self.hub), Arc::clone(&self.repository));
        let looked = blocking(move || look(&hub.watches, &repository)).await;
        // A repository that cannot be looked at by a defect is left alone until somebody asks for it again.
        looked.unwrap_or_else(|_| Err(Gone { common_dir: self.repository.common_dir().to_owned() }))
    }

    fn announce(&self, git_dir: &Path, commit: Option<&str>) {
        let to = commit.and_then(|digits| Hex::new(digits).ok());
        self.repository.audience().resolving(git_dir, to.as_ref());
    }

    async fn wait(&self) -> Waited {
        let quiet = self.quiet_until();
        let is_due = quiet.is_some();
        tokio::select! {
            biased;
            () = self.hub.stopping() => Waited::Stop,
            () = self.repository.news.notified() => Waited::News,
            () = sleep_until(quiet.unwrap_or_else(Instant::now)), if is_due => Waited::Quiet,
        }
    }

    /// When to begin with what is owed, if nothing happens until then; `None` if nothing can be done yet.
    fn quiet_until(&self) -> Option<Instant> {
        let now = Instant::now();
        let since = self.owed_since?;
        if self.due().is_empty() {
            return None;
        }
        let soonest = if self.only_under_way() { now + QUIET_UNDER_WAY } else { now + QUIET };
        Some(if self.only_under_way() { soonest } else { soonest.min(since + NEVER_QUIET) })
    }

    fn only_under_way(&self) -> bool {
        let due = self.due();
        due.notes.is_none()
            && !due.telling
            && !due.remotes
            && due.heads.keys().all(|git_dir| self.rest(git_dir) == Rest::UnderWay)
    }

    fn rest(&self, git_dir: &PathBuf) -> Rest {
        let head = self.known.as_ref().and_then(|known| known.heads.get(git_dir));
        head.map_or(Rest::AtRest, |head| head.rest)
    }

    /// What of that which is owed can be done now: for a head under way, telling who listens is all.
    fn due(&self) -> Owed {
        let listened = self.repository.audience().git_dirs();
        let mut due = self.owed.clone();
        due.heads.retain(|git_dir, announced| {
            self.rest(git_dir) == Rest::AtRest || (*announced == Announced::Yes && listened.contains(git_dir))
        });
        due
    }

    /// Does what is due; gives up when a head moves meanwhile.
    async fn work(&mut self) -> Result<(), Gone> {
        let due = self.due();
        let resting: BTreeSet<PathBuf> =
            due.heads.keys().filter(|git_dir| self.rest(git_dir) == Rest::AtRest).cloned().collect();
        let work = Work { hub: Arc::clone(&self.hub), repository: Arc::clone(&self.repository) };
        let mut doing = pin!(work.run(due.clone(), resting.clone()));
        let mut looked_away = false;
        let done = loop {
            tokio::select! {
                biased;
                done = &mut doing => break done,
                () = self.repository.news.notified() => {
                    looked_away = true;
                    let now = self.survey().await?.survey;
                    if self.known.as_ref().is_some_and(|known| known.heads != now.heads) {
                        // Dropping the work ends it, between two comments.
                        self.repository.news.notify_one();
                        return Ok(());
                    }
                }
            }
        };
        self.pay(&due, &resting);
        // What the work itself wrote is news as well: somebody else may have written in between.
        self.repository.condition().trouble = done.trouble;
        if looked_away {
            self.repository.news.notify_one();
        }
        Ok(())
    }

    fn pay(&mut self, due: &Owed, resting: &BTreeSet<PathBuf>) {
        if due.notes.is_some() {
            self.owed.notes = None;
        }
        self.owed.telling &= !due.telling;
        self.owed.remotes &= !due.remotes;
        self.owed.pace = Pace::Prompt;
        for git_dir in due.heads.keys() {
            if resting.contains(git_dir) {
                self.owed.heads.remove(git_dir);
            } else if let Some(announced) = self.owed.heads.get_mut(git_dir) {
                // It was told; to be written down it has to come to rest.
                *announced = Announced::No;
            }
        }
        self.owed_since = (!self.owed.is_empty()).then(Instant::now);
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
    use crate::audience::{PlacesFor, Question, Subscriber};
    use crate::fixture::{Held, TEN_SECONDS, World, commit, event, run};
    use crate::outbox::outbox;

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
            let repository = world.hub.named(&world.name()).await.unwrap();
            let viewpoint = world.hub.viewpoint(world.name(), PlacesFor::Head).await.unwrap();
            let work = Work { hub: Arc::clone(&world.hub), repository: Arc::clone(&repository) };
            let mark = work.changes(&viewpoint, &Topic::Repository, None).await.unwrap().mark;
            meanwhile.await;
            let question = Question { viewpoint, topic: Topic::Repository, mark };
            repository.audience().add(Subscriber::new(7, question, outbox));
            repository.news.notify_one();
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
            let world = World::new(attend);
            world.attended().await;
            let mut listener = Listener::to(&world).await;
            world.move_head(2);
            let Event::Resolving(resolving) = listener.next().await else { panic!("announced first") };
            assert_eq!(resolving.to.unwrap().as_str(), commit(2));
            let Event::Placed(resolved) = listener.next().await else { panic!("then placed") };
            let [moved] = &resolved.placed[..] else { panic!("{resolved:?}") };
            let line = |place: &Option<postil_protocol::PositionView>| place.as_ref().unwrap().start;
            assert_eq!((line(&moved.from), line(&moved.to)), (Some(1), Some(2)));
            world.fake.until(|asked| asked.iter().any(|what| what == "settle 2")).await;
        });
    }

    #[test]
    fn who_subscribes_while_a_head_moves_hears_of_it() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let mut listener = Listener::to_earlier(&world, async {
                world.move_head(2);
                world.fake.until(|asked| asked.iter().any(|what| what == "settle 2")).await;
            })
            .await;
            let Event::Placed(resolved) = listener.next().await else { panic!("told of it") };
            assert_eq!((resolved.head.unwrap().as_str(), resolved.placed.len()), (commit(2).as_str(), 1));
        });
    }

    #[test]
    fn a_branch_that_was_renamed_is_settled_although_its_head_did_not_move() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let git_dir = world.git_dir();
            fs::copy(git_dir.join("refs/heads/main"), git_dir.join("refs/heads/other")).unwrap();
            fs::write(git_dir.join("HEAD.lock"), "ref: refs/heads/other\n").unwrap();
            fs::rename(git_dir.join("HEAD.lock"), git_dir.join("HEAD")).unwrap();
            let twice = |asked: &[String]| asked.iter().filter(|what| *what == "settle 1").count() == 2;
            world.fake.until(twice).await;
        });
    }

    #[test]
    fn a_burst_of_moves_is_resolved_once_for_the_last_head() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let mut listener = Listener::to(&world).await;
            for n in 0..200 {
                world.move_head(n % 8 + 1);
            }
            world.move_head(9);
            let (_, resolved) = listener.until_resolved_at(9).await;
            assert_eq!(resolved, 1);
            world.fake.until(|asked| asked.iter().any(|what| what == "settle 9")).await;
            let settled = world.fake.asked().iter().filter(|what| what.starts_with("settle")).count();
            assert_eq!(settled, 2, "{:?}", world.fake.asked());
        });
    }

    #[test]
    fn a_later_move_makes_the_work_start_over() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let mut listener = Listener::to(&world).await;
            let slow = Arc::clone(&world.fake.slow);
            let held = Held::of(slow);
            world.move_head(2);
            world.fake.until(|asked| asked.iter().any(|what| what == "changes 2")).await;
            world.move_head(3);
            world.fake.until(|asked| asked.iter().any(|what| what == "changes 3")).await;
            drop(held);
            // The work for the head before was told to end.
            world.fake.until(|asked| asked.iter().any(|what| what == "stopped 2")).await;
            assert_eq!(listener.until_resolved_at(3).await, (2, 1));
            world.fake.until(|asked| asked.iter().any(|what| what == "settle 3")).await;
            assert!(!world.fake.asked().contains(&"settle 2".to_owned()));
        });
    }

    #[test]
    fn nothing_is_settled_while_a_rebase_is_under_way() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let rebase = world.git_dir().join("rebase-merge");
            fs::create_dir(&rebase).unwrap();
            for n in 2..9 {
                world.move_head(n);
            }
            // A listener is told all the same, once git stands still.
            let mut listener = Listener::to(&world).await;
            world.move_head(9);
            listener.until_resolved_at(9).await;
            assert!(!world.fake.asked().iter().any(|what| what == "settle 9"));
            fs::remove_dir(&rebase).unwrap();
            world.fake.until(|asked| asked.iter().any(|what| what == "settle 9")).await;
            let settled = world.fake.asked().iter().filter(|what| what.starts_with("settle")).count();
            assert_eq!(settled, 2, "{:?}", world.fake.asked());
        });
    }

    #[test]
    fn a_repository_that_vanishes_is_forgotten_and_one_that_moved_is_found_again() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let elsewhere = world.git_dir().with_file_name("elsewhere");
            fs::rename(world.git_dir(), &elsewhere).unwrap();
            world.fake.until(|_| world.hub.repositories().is_empty()).await;
            assert_eq!(world.hub.watches.count(), 0);
            world.hub.register(&elsewhere).await;
            let twice = |asked: &[String]| asked.iter().filter(|what| *what == "settle 1").count() == 2;
            world.fake.until(twice).await;
            let [found] = &world.hub.repositories()[..] else { panic!("one repository") };
            assert_eq!(found.common_dir(), elsewhere);
        });
    }

    #[test]
    fn another_repository_at_the_same_path_is_read_anew() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let git_dir = world.git_dir();
            let (aside, copy) = (git_dir.with_file_name("aside"), git_dir.with_file_name("copy"));
            let other = World::new(attend);
            other.move_head(5);
            copy_folder(&other.git_dir(), &copy);
            fs::rename(&git_dir, aside).unwrap();
            fs::rename(copy, &git_dir).unwrap();
            world.hub.register(&git_dir).await;
            world.fake.until(|asked| asked.iter().any(|what| what == "settle 5")).await;
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
