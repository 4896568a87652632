//! Runs a child process, with a time limit.

use std::io::{self, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::child_output::StreamReader;

/// How a child ended, and what it said.
#[derive(Debug)]
pub struct ChildExit {
    /// How it ended.
    pub status: ExitStatus,
    /// Its results.
    pub stdout: String,
    /// What it wrote on standard error.
    pub stderr: String,
}

/// Why a child did not end by itself.
#[derive(Debug)]
pub enum Failed {
    /// It did not begin.
    Start(io::Error),
    /// It was ended when its time was over.
    TimedOut,
    /// It was killed by its handle.
    Killed,
}

/// How long a child may run.
#[derive(Clone, Copy, Debug)]
pub enum ChildLimit<'a> {
    /// As long as it likes.
    Any,
    /// The child and all processes that it started are killed after this time.
    Limited(Duration),
    /// The same, and as soon as the handle kills it.
    Cancellable(Duration, &'a KillHandle),
}

impl ChildLimit<'_> {
    fn limit(self) -> Option<Duration> {
        match self {
            Self::Any => None,
            Self::Limited(limit) | Self::Cancellable(limit, _) => Some(limit),
        }
    }
}

/// Kills a child that another thread waits for; one child at a time.
#[derive(Debug, Default)]
pub struct KillHandle(Mutex<Hold>);

#[derive(Debug, Default)]
enum Hold {
    #[default]
    Nothing,
    Group(Pid),
    Killed,
}

impl KillHandle {
    /// Ends what runs, and whatever is begun later.
    pub fn kill(&self) {
        if let Hold::Group(group) = std::mem::replace(&mut *self.hold(), Hold::Killed) {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Whether it has killed.
    pub fn is_killed(&self) -> bool {
        matches!(*self.hold(), Hold::Killed)
    }

    fn attach(&self, group: Pid) {
        let mut hold = self.hold();
        match *hold {
            Hold::Killed => drop(kill_process_group(group, Signal::KILL)),
            Hold::Nothing | Hold::Group(_) => *hold = Hold::Group(group),
        }
    }

    fn detach(&self) {
        let mut hold = self.hold();
        if let Hold::Group(_) = *hold {
            *hold = Hold::Nothing;
        }
    }

    fn hold(&self) -> MutexGuard<'_, Hold> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `command` for its term.
pub fn run(command: &mut Command, term: ChildLimit<'_>) -> Result<ChildExit, Failed> {
    command.stdin(Stdio::null());
    start(command, &[], term)
}

/// As [`run`], for a child that reads `input`: a few bytes, which a pipe holds whole.
pub fn run_with(command: &mut Command, input: &[u8], term: ChildLimit<'_>) -> Result<ChildExit, Failed> {
    command.stdin(Stdio::piped());
    start(command, input, term)
}

fn start(command: &mut Command, input: &[u8], term: ChildLimit<'_>) -> Result<ChildExit, Failed> {
    if term.limit().is_some() {
        own_group(command);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Failed::Start)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Who ends without reading does not want to know.
        let _ = stdin.write_all(input);
    }
    let (stdout, stderr) = match listen(&mut child) {
        Ok(both) => both,
        Err(error) => {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(Failed::Start(error));
        }
    };
    let status = wait(child, term)?;
    Ok(ChildExit { status, stdout: stdout.words(), stderr: stderr.words() })
}

fn listen(child: &mut Child) -> io::Result<(StreamReader, StreamReader)> {
    let stdout = child.stdout.take().expect("standard output was asked for");
    let stderr = child.stderr.take().expect("standard error was asked for");
    Ok((StreamReader::of(stdout)?, StreamReader::of(stderr)?))
}

fn wait(mut child: Child, term: ChildLimit<'_>) -> Result<ExitStatus, Failed> {
    let Some(limit) = term.limit() else { return child.wait().map_err(Failed::Start) };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let kill_handle = match (term, group) {
        (ChildLimit::Cancellable(_, kill_handle), Some(group)) => {
            kill_handle.attach(group);
            Some(kill_handle)
        }
        _ => None,
    };
    let (done, ended) = mpsc::channel();
    let waiting = std::thread::spawn(move || {
        let status = child.wait();
        // After the limit, the receiver is gone.
        let _ = done.send(status);
    });
    let ended = ended.recv_timeout(limit);
    kill_handle.inspect(|kill_handle| kill_handle.detach());
    match ended {
        _ if kill_handle.is_some_and(KillHandle::is_killed) => Err(Failed::Killed),
        Ok(status) => status.map_err(Failed::Start),
        Err(_) => {
            // Also what git started: an ssh that waits for ever would keep the pipes open.
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            let _ = waiting.join();
            Err(Failed::TimedOut)
        }
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::child_output::MAX_SAID;

    #[test]
    fn a_child_that_says_much_ends_and_what_it_said_is_bounded() {
        let mut command = Command::new("sh");
        command.args(["-c", "yes word | head -c 1000000; echo done >&2; exit 3"]);
        let ended = run(&mut command, ChildLimit::Limited(Duration::from_mins(1))).expect("it ends");
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.stdout.len(), MAX_SAID);
        assert_eq!(ended.stderr, "done\n");
    }

    #[test]
    fn a_child_that_hangs_is_ended_with_all_that_it_started() {
        let mut command = Command::new("sh");
        // The grandchild holds the pipes: only its end lets the reading end.
        command.args(["-c", "sleep 1000 & sleep 1000"]);
        let limited = ChildLimit::Limited(Duration::from_millis(50));
        assert!(matches!(run(&mut command, limited), Err(Failed::TimedOut)));
    }

    #[test]
    fn what_a_child_leaves_behind_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("go on");
        std::fs::write(&file, "").expect("a file can be written");
        let mut command = Command::new("sh");
        // It holds the pipes as long as the file is there.
        command
            .arg("-c")
            .arg("(while [ -e \"$0\" ]; do sleep 0.05; done) & echo done; echo so >&2")
            .arg(&file);
        for term in [ChildLimit::Any, ChildLimit::Limited(Duration::from_mins(1))] {
            let ended = run(&mut command, term).expect("it ends");
            assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("done\n", "so\n"));
        }
    }

    #[test]
    fn who_cuts_the_leash_ends_the_child_and_every_later_one() {
        let kill_handle = KillHandle::default();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let begun = folder.path().join("begun");
        let mut command = Command::new("sh");
        command.arg("-c").arg("sleep 1000 & : >\"$0\"; sleep 1000").arg(&begun);
        let cancellable = ChildLimit::Cancellable(Duration::from_mins(10), &kill_handle);
        std::thread::scope(|scope| {
            let running = scope.spawn(|| run(&mut command, cancellable));
            postil_testkit::wait_until("the child begins", || begun.exists());
            kill_handle.kill();
            assert!(matches!(running.join().expect("it does not panic"), Err(Failed::Killed)));
        });
        let mut later = Command::new("sleep");
        assert!(matches!(run(later.arg("1000"), cancellable), Err(Failed::Killed)));
    }

    #[test]
    fn a_child_reads_what_it_is_given() {
        let ended = run_with(&mut Command::new("cat"), b"word", ChildLimit::Limited(Duration::from_mins(1)))
            .expect("it ends");
        assert_eq!(ended.stdout, "word");
        let ended = run_with(&mut Command::new("true"), b"word", ChildLimit::Any).expect("it ends");
        assert!(ended.status.success());
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_started() {
        assert!(matches!(
            run(&mut Command::new("postil-no-such-program"), ChildLimit::Any),
            Err(Failed::Start(_))
        ));
    }
}
