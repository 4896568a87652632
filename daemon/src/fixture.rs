//! A service that answers as a test wants it, repositories made of a few files, and a hub around both.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use postil_core::anchoring::Stop;
use postil_protocol::{
    ByteText, Call, ChangesReply, Confidence, Event, Fault, FaultCode, HeadView, Hex, Incoming, ListReply,
    Mark, PlaceState, PlacedAs, PlacedView, PositionView, Reply, RepositoryName, Side, ThreadStatus,
    ThreadView, WritePositionsReply,
};
use postil_socket::RuntimeDirs;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::answers::Answers;
use crate::hub::Hub;
use crate::watched_repository::WatchedRepository;
use crate::watching::repository_paths;

/// Far longer than anything here takes, also on a loaded machine.
pub(crate) const TEN_SECONDS: Duration = Duration::from_secs(10);

/// What is asked of it is written down; what it says of a thread is its head's first digit as a line.
#[derive(Default)]
pub(crate) struct Fake {
    asked: Mutex<Vec<String>>,
    called: Notify,
    /// Held by a test that wants lists and what came since a verdict to take a while.
    pub(crate) slow: Arc<Slow>,
    /// How many bytes longer lists are than they need to be.
    pub(crate) wordy: AtomicUsize,
}

/// Whether answers take a while.
#[derive(Default)]
pub(crate) struct Slow {
    is_slow: Mutex<bool>,
    changed: Condvar,
}

/// Makes answers wait until it is dropped.
pub(crate) struct HeldAnswers(Arc<Slow>);

impl HeldAnswers {
    /// From now on.
    pub(crate) fn of(slow: Arc<Slow>) -> Self {
        *slow.is_slow.lock().unwrap() = true;
        Self(slow)
    }
}

impl Drop for HeldAnswers {
    fn drop(&mut self) {
        *self.0.is_slow.lock().unwrap() = false;
        self.0.changed.notify_all();
    }
}

impl Answers for Fake {
    fn answer(&self, call: &Call, stop: &Stop) -> Result<Reply, Fault> {
        let git_dir = PathBuf::from(call.repository().git_dir.as_str().unwrap());
        let head = head_of(&git_dir);
        let log = |word: &str| {
            let digit = head.as_deref().map_or("-", |head| &head[..1]);
            self.asked.lock().unwrap().push(format!("{word} {digit}"));
            self.called.notify_one();
        };
        let take_a_while = || {
            drop(self.slow.changed.wait_while(self.slow.is_slow.lock().unwrap(), |slow| *slow));
            if stop.is_asked() {
                log("stopped");
            }
        };
        match call {
            Call::List(_) => {
                log("list");
                take_a_while();
                let mut list = list(head.as_deref());
                list.threads[0].short.push_str(&"x".repeat(self.wordy.load(Ordering::SeqCst)));
                Ok(Reply::List(list))
            }
            Call::Changes(call) => {
                log("changes");
                take_a_while();
                Ok(Reply::Changes(changes(head.as_deref(), call.params.since.as_ref())))
            }
            Call::ReviewSince(_) => {
                log("since");
                take_a_while();
                Err(Fault::new(FaultCode::Refused, "no verdict in this test"))
            }
            Call::WritePositions(_) => {
                log("write-positions");
                Ok(Reply::WritePositions(WritePositionsReply {
                    notes: None,
                    positions: 1,
                    pins: 0,
                    mark: Mark::default(),
                    warnings: Vec::new(),
                }))
            }
            Call::Status(_) => panic!("a defect"),
            _ => Err(Fault::new(FaultCode::Refused, "not in this test")),
        }
    }

    fn forget(&self, _: &Path) {
        self.asked.lock().unwrap().push("forget".into());
        self.called.notify_one();
    }

    fn threads(&self, _: &Path) -> Option<usize> {
        Some(1)
    }
}

impl Fake {
    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until what was asked fulfils a condition.
    pub(crate) async fn until(&self, holds: impl Fn(&[String]) -> bool) {
        let waited = timeout(TEN_SECONDS, async {
            while !holds(&self.asked()) {
                self.called.notified().await;
            }
        });
        assert!(waited.await.is_ok(), "only {:?}", self.asked());
    }
}

/// A commit's id of one digit.
pub(crate) fn commit(digit: u8) -> String {
    char::from(b'0' + digit).to_string().repeat(40)
}

/// A repository with a branch at commit 1, and a hub that has a fake for a service.
pub(crate) struct World {
    root: tempfile::TempDir,
    pub(crate) fake: Arc<Fake>,
    pub(crate) hub: Arc<Hub>,
}

impl World {
    /// Makes it; to be called inside a runtime.
    pub(crate) fn new(spawn_task: fn(Arc<Hub>, Arc<WatchedRepository>)) -> Self {
        let root = tempfile::tempdir().unwrap();
        let place = RuntimeDirs::at(root.path().join("run"), root.path().join("state"));
        place.prepare_state().unwrap();
        let fake = Arc::new(Fake::default());
        let answers: Arc<dyn Answers> = Arc::clone(&fake) as _;
        let hub = Hub::new(place, "1.0.0", answers, spawn_task);
        let world = Self { root, fake, hub };
        let git_dir = world.git_dir();
        for part in ["refs/heads", "objects"] {
            fs::create_dir_all(git_dir.join(part)).unwrap();
        }
        let config = "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n";
        fs::write(git_dir.join("config"), config).unwrap();
        world.move_head(1);
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        world
    }

    /// Where the repository is.
    pub(crate) fn git_dir(&self) -> PathBuf {
        fs::canonicalize(self.root.path()).unwrap().join("repository")
    }

    /// How a client names it.
    pub(crate) fn name(&self) -> RepositoryName {
        RepositoryName { git_dir: repository_paths::text(&self.git_dir()), work_tree: None }
    }

    /// Moves the branch as git does: by a file that is renamed.
    pub(crate) fn move_head(&self, digit: u8) {
        let file = self.git_dir().join("refs/heads/main");
        let lock = file.with_extension("lock");
        fs::write(&lock, commit(digit) + "\n").unwrap();
        fs::rename(lock, file).unwrap();
    }

    /// Begins to watch the repository, and waits until its positions are written.
    pub(crate) async fn watched_repository(&self) {
        self.hub.register(&self.git_dir()).await;
        self.fake.until(|asked| asked.iter().any(|what| what == "write-positions 1")).await;
    }
}

/// Runs a test on a runtime as the daemon has it.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(future);
    runtime.shutdown_timeout(TEN_SECONDS);
    outcome
}

/// Reads a line that was sent as an event.
pub(crate) fn event(line: &[u8]) -> Event {
    match Incoming::parse(line).unwrap() {
        Incoming::Event(event) => event,
        other => panic!("{other:?}"),
    }
}

fn head_of(git_dir: &Path) -> Option<String> {
    fs::read_to_string(git_dir.join("refs/heads/main")).ok().map(|id| id.trim_end().to_owned())
}

fn position(head: Option<&str>) -> PositionView {
    let line = head.and_then(|head| head[..1].parse().ok());
    PositionView {
        state: PlaceState::Anchored,
        side: Side::New,
        path: Some(ByteText::new("a.rs")),
        message: None,
        start: line,
        end: line,
        range: None,
        source: None,
        rendered: None,
        confidence: Confidence::from_per_mille(1000),
        reason: "kept".into(),
        candidates: Vec::new(),
        computed_elsewhere: false,
    }
}

/// No one writes anything, and the only thread moves with the head.
fn changes(head: Option<&str>, since: Option<&Mark>) -> ChangesReply {
    let mark = Mark::new("0.0", head.unwrap_or("none"));
    let moved = since.filter(|since| since.places() != mark.places()).map(|since| PlacedView {
        thread: Hex::new("ab").unwrap(),
        what: PlacedAs::Moved,
        from: Some(position(Some(since.places()))),
        to: Some(position(head)),
        seen: Some("history".into()),
        suggestion: None,
        view: None,
    });
    ChangesReply {
        mark,
        reset: false,
        head: head_view(head),
        changes: Vec::new(),
        threads: Vec::new(),
        reviews: Vec::new(),
        gone: Vec::new(),
        placed: moved.into_iter().collect(),
        warnings: Vec::new(),
    }
}

fn head_view(head: Option<&str>) -> HeadView {
    HeadView {
        commit: head.and_then(|head| Hex::new(head).ok()),
        branch: None,
        uncommitted: false,
        buffers: Vec::new(),
    }
}

fn list(head: Option<&str>) -> ListReply {
    let thread = ThreadView {
        id: Hex::new("ab").unwrap(),
        short: "ab".into(),
        status: ThreadStatus::Open,
        status_by: None,
        review: None,
        severity: None,
        tags: Vec::new(),
        draft: false,
        seen: "history".into(),
        position: Some(position(head)),
        anchor: None,
        message: None,
        proposals: Vec::new(),
        replies: 0,
        updated: 0,
        disputed: Vec::new(),
        suggestion: None,
        depends_on: Vec::new(),
        code: Vec::new(),
        copies: Vec::new(),
        comments: Vec::new(),
        cut: false,
    };
    ListReply {
        lines: Vec::new(),
        threads: vec![thread],
        total: 1,
        next: None,
        resolving: false,
        head: head_view(head),
        notes: None,
        elsewhere: 0,
        incomplete: false,
        warnings: Vec::new(),
        advice: None,
        mark: Mark::default(),
    }
}
