//! Whether anybody misses anything: many write, list and listen at once, while the daemon is killed now and then.
//!
//! Nothing is measured but that; it fails if a write that was acknowledged is not told to somebody who listens since an
//! earlier mark.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{
    ClientError, Comment, Detail, Event, HeadName, List, Mark, Person, Place, RepositoryRequest, Resolve,
    Scope, Span, Subscribe, Topic,
};

use super::served::{Commented, Daemon};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::table::BenchRow;

const WRITERS: usize = 4;
const LISTENERS: usize = 6;

/// So many writes come between two deaths of the daemon.
const BETWEEN_DEATHS: usize = 1_000;

/// Somebody to whom nothing is told for so long has missed something.
const PATIENCE: Duration = Duration::from_mins(2);

/// What everybody knows of each other.
struct Race<'a> {
    daemon: &'a Mutex<Daemon>,
    repo: &'a Commented,
    left: AtomicUsize,
    acknowledged: Mutex<BTreeSet<String>>,
    is_over: AtomicBool,
    told: AtomicUsize,
    resets: AtomicUsize,
}

type Lost = Box<dyn std::error::Error + Send + Sync>;

/// Writes so many comments, and holds what listeners hear against them.
pub fn measure(laboratory: &Laboratory, program: &Path, writes: usize) -> BenchResult<Vec<BenchRow>> {
    let repo = Commented::new(laboratory, "races", 10, 10)?;
    let daemon = Mutex::new(Daemon::start(laboratory, program)?);
    let race = Race {
        daemon: &daemon,
        repo: &repo,
        left: AtomicUsize::new(writes),
        acknowledged: Mutex::default(),
        is_over: AtomicBool::new(false),
        told: AtomicUsize::new(0),
        resets: AtomicUsize::new(0),
    };
    let mark = race.list().map_err(|error| error.to_string())?.0;
    let began = Instant::now();
    let deaths = thread::scope(|scope| -> BenchResult<usize> {
        let listeners: Vec<_> = (0..LISTENERS)
            .map(|n| {
                let (race, mark) = (&race, mark.clone());
                scope.spawn(move || {
                    // Some come late; what they know is as old.
                    while race.left.load(Ordering::SeqCst) > writes - n * writes / LISTENERS / 2 {
                        thread::sleep(Duration::from_millis(1));
                    }
                    race.listen(mark)
                })
            })
            .collect();
        let writers: Vec<_> = (0..WRITERS).map(|n| (n, &race)).collect();
        let writers: Vec<_> =
            writers.into_iter().map(|(n, race)| scope.spawn(move || race.write(n))).collect();
        let mut deaths = 0;
        while writers.iter().any(|writer| !writer.is_finished()) {
            let done = writes - race.left.load(Ordering::SeqCst).min(writes);
            if done / BETWEEN_DEATHS > deaths {
                deaths += 1;
                hold(&daemon).restart()?;
            }
            thread::sleep(Duration::from_millis(5));
        }
        race.is_over.store(true, Ordering::SeqCst);
        for outcome in writers.into_iter().chain(listeners) {
            outcome.join().map_err(|_| "somebody panicked")?.map_err(|error| error.to_string())?;
        }
        Ok(deaths)
    })?;
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    Ok(vec![
        BenchRow::figure(
            "writes that every listener heard of".to_owned(),
            number(hold(&race.acknowledged).len()),
            "",
        ),
        BenchRow::figure("deaths of the daemon meanwhile".to_owned(), number(deaths), ""),
        BenchRow::figure("changes that were told".to_owned(), number(race.told.load(Ordering::SeqCst)), ""),
        BenchRow::figure(
            "times that somebody had to list again".to_owned(),
            number(race.resets.load(Ordering::SeqCst)),
            "",
        ),
        BenchRow::figure("seconds".to_owned(), began.elapsed().as_secs_f64(), "s"),
    ])
}

impl Race<'_> {
    /// Comments and resolves until all is written; whoever loses the daemon finds the next one.
    fn write(&self, writer: usize) -> Result<(), Lost> {
        let mut said = 0;
        while self.left.load(Ordering::SeqCst) > 0 {
            let Ok(mut client) = Daemon::client_of(self.daemon) else { continue };
            loop {
                said += 1;
                let line = u32::try_from(1 + said % 100)?;
                let comment = Comment {
                    message: None,
                    place: Some(Place { span: Some(Span::lines(line, line)), ..Place::file("file7.txt") }),
                    text: format!("{writer} says {said}"),
                    severity: None,
                    tags: Vec::new(),
                    review: None,
                    suggestion: None,
                    draft: false,
                };
                let Ok(written) = client.ask(&self.about(comment)?) else { break };
                hold(&self.acknowledged).insert(written.id.to_string());
                if said % 10 == 0 {
                    let resolve = Resolve { threads: vec![written.id.to_string()], reason: None, by: None };
                    if client.ask(&self.about(resolve)?).is_err() {
                        break;
                    }
                }
                let left =
                    self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
                if matches!(left, Err(_) | Ok(1)) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Listens since a mark until everything is heard that was acknowledged.
    fn listen(&self, mut mark: Mark) -> Result<(), Lost> {
        let mut heard: BTreeSet<String> = BTreeSet::new();
        let mut last = Instant::now();
        loop {
            let Ok(mut client) = Daemon::client_of(self.daemon) else { continue };
            client.stream().set_read_timeout(Some(PATIENCE))?;
            let repository = self.repo.name().map_err(|error| error.to_string())?;
            let (topic, since) = (Topic::Repository, Some(mark.clone()));
            if client.ask(&Subscribe { repository, topic, work_tree: false, since, via: None }).is_err() {
                continue;
            }
            client.stream().set_read_timeout(Some(Duration::from_millis(200)))?;
            loop {
                if self.is_over.load(Ordering::SeqCst) && heard.is_superset(&hold(&self.acknowledged)) {
                    return Ok(());
                }
                match client.next_event() {
                    Ok(Some(event)) => {
                        last = Instant::now();
                        self.note_event(&event, &mut heard)?;
                        mark = event.mark().cloned().unwrap_or(mark);
                    }
                    Err(error) if error.is_timeout() && last.elapsed() < PATIENCE => {}
                    Err(error) if error.is_timeout() => {
                        let missed = hold(&self.acknowledged).difference(&heard).count();
                        return Err(format!("{missed} writes were never told").into());
                    }
                    Ok(None) | Err(_) => break,
                }
            }
        }
    }

    fn note_event(&self, event: &Event, heard: &mut BTreeSet<String>) -> Result<(), Lost> {
        match event {
            Event::Changed(changed) => {
                self.told.fetch_add(changed.changes.len(), Ordering::SeqCst);
                heard.extend(
                    changed.changes.iter().filter_map(|change| Some(change.record.as_ref()?.to_string())),
                );
            }
            Event::Reset(_) => {
                self.resets.fetch_add(1, Ordering::SeqCst);
                heard.extend(self.list()?.1);
            }
            _ => {}
        }
        Ok(())
    }

    /// All threads, and the mark of the first page of them: the earliest one.
    fn list(&self) -> Result<(Mark, Vec<String>), Lost> {
        let mut list =
            List { head: HeadName::Head, scope: Scope::All, detail: Detail::Brief, ..List::default() };
        let (mut first, mut ids): (Option<Mark>, Vec<String>) = (None, Vec::new());
        loop {
            let asked = Daemon::client_of(self.daemon)
                .and_then(|mut client| client.ask(&self.about(list.clone())?).map_err(Lost::from));
            let Ok(page) = asked else { continue };
            first.get_or_insert(page.mark);
            ids.extend(page.threads.iter().map(|thread| thread.id.to_string()));
            match page.next {
                Some(next) => list.cursor = Some(next),
                None => return Ok((first.unwrap_or_default(), ids)),
            }
        }
    }

    fn about<P>(&self, params: P) -> Result<RepositoryRequest<P>, ClientError> {
        let person = Person { name: "A U Thor".into(), email: "author@example.com".into(), via: None };
        let about = self.repo.about(params).map_err(|_| ClientError::Ended)?;
        Ok(RepositoryRequest { author: Some(person), ..about })
    }
}

fn hold<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
