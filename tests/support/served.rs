//! The daemon of a world: found by its socket, talked to in the protocol, and ended with the test.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use postil_protocol::{
    ByteText, Client, Event, Hello, List, ListReply, Person, RepositoryName, RepositoryRequest, Subscribe,
    Topic,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::finished::Finished;
use super::postil::POSTIL;
use super::world::{Checkout, World, words};

/// Far longer than anything here takes, also on a loaded machine.
pub const TEN_SECONDS: Duration = Duration::from_secs(10);

/// Ends whatever daemon a world has, however the test ends.
pub struct Served<'world>(pub &'world World);

impl World {
    /// Where the daemon of this world listens.
    pub fn socket(&self) -> PathBuf {
        self.runtime().join("postil/socket")
    }

    /// Connects to the daemon of this world, which must run.
    #[track_caller]
    pub fn client(&self) -> Client {
        let stream = UnixStream::connect(self.socket()).expect("a daemon listens");
        stream.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
        Client::connect(stream, &Hello::new("test", env!("CARGO_PKG_VERSION"))).expect("hands are shaken").0
    }

    /// The process of the daemon of this world, if one runs.
    pub fn daemon(&self) -> Option<Pid> {
        let lock = std::fs::read_to_string(self.runtime().join("postil/daemon.lock")).ok()?;
        let pid = Pid::from_raw(lock.split(' ').next()?.parse().ok()?)?;
        test_kill_process(pid).is_ok().then_some(pid)
    }
}

impl Checkout<'_> {
    /// Runs postil in this repository, with a daemon.
    pub fn served(&self, line: &str) -> Finished {
        Finished::run(&mut self.served_command(line))
    }

    /// A command of postil in this repository, with a daemon.
    pub fn served_command(&self, line: &str) -> Command {
        let mut command = self.command(POSTIL);
        command.args(words(line));
        command
    }

    /// How a client names this repository.
    pub fn name(&self) -> RepositoryName {
        let git_dir =
            std::fs::canonicalize(self.folder.join(".git")).expect("a repository has a git directory");
        RepositoryName { git_dir: ByteText::new(git_dir.as_os_str().as_bytes()), work_tree: None }
    }

    /// A request about this repository, by its person.
    pub fn about<P>(&self, params: P) -> RepositoryRequest<P> {
        let (name, email) = (self.person().to_owned(), format!("{}@example.com", self.person()));
        RepositoryRequest {
            repository: self.name(),
            author: Some(Person { name, email, via: None }),
            at: None,
            via: None,
            utc_offset: 0,
            buffers: Vec::new(),
            params,
        }
    }

    /// All threads that are seen from here.
    #[track_caller]
    pub fn list(&self, client: &mut Client) -> ListReply {
        client.ask(&self.about(List::default())).expect("threads are listed")
    }

    /// Subscribes to this repository.
    #[track_caller]
    pub fn subscribe(&self, client: &mut Client, topic: Topic) -> u64 {
        let subscribe =
            Subscribe { repository: self.name(), topic, work_tree: false, since: None, via: None };
        client.ask(&subscribe).expect("anybody may subscribe").subscription
    }
}

/// Waits for an event that fulfils a condition; others are passed over.
#[track_caller]
pub fn until(client: &mut Client, wanted: impl Fn(&Event) -> bool) -> Event {
    let deadline = Instant::now() + TEN_SECONDS;
    while Instant::now() < deadline {
        let event = client.next_event().expect("events can be read").expect("the daemon goes on");
        if wanted(&event) {
            return event;
        }
    }
    panic!("other events only");
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        if let Some(pid) = self.0.daemon() {
            // It may have ended meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
