//! Runs a child to its end, or for so long and no longer.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// What of a child's words is kept of each stream; a server may send any number of them.
const MAX_SAID: u64 = 64 << 10;

/// How a child ended, and what it said.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Its results.
    pub stdout: String,
    /// What it said beside.
    pub stderr: String,
}

/// Why there is no end to tell of.
#[derive(Debug)]
pub enum Failed {
    /// It did not begin.
    Start(io::Error),
    /// It was ended when its time was over.
    TimedOut,
}

/// Runs `command`; with a limit, it and all that it started are ended when the limit is over.
pub fn run(command: &mut Command, limit: Option<Duration>) -> Result<Ended, Failed> {
    command.stdin(Stdio::null());
    start(command, &[], limit)
}

/// As [`run`], for a child that reads `input`: a few bytes, which a pipe holds whole.
pub fn run_with(command: &mut Command, input: &[u8], limit: Option<Duration>) -> Result<Ended, Failed> {
    command.stdin(Stdio::piped());
    start(command, input, limit)
}

fn start(command: &mut Command, input: &[u8], limit: Option<Duration>) -> Result<Ended, Failed> {
    if limit.is_some() {
        own_group(command);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Failed::Start)?;
    if let Some(mut stdin) = child.stdin.take() {
        // Who ends without reading does not want to know.
        let _ = stdin.write_all(input);
    }
    let said = [heard(child.stdout.take()), heard(child.stderr.take())];
    let mut said = said.into_iter();
    let mut listen = || said.next().and_then(|stream| stream.join().ok()).unwrap_or_default();
    let status = wait(child, limit)?;
    Ok(Ended { status, stdout: listen(), stderr: listen() })
}

/// What a stream says, read beside so that nobody waits for a full pipe.
fn heard(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What cannot be read was not said.
            let _ = stream.by_ref().take(MAX_SAID).read_to_end(&mut bytes);
            let _ = io::copy(&mut stream, &mut io::sink());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(mut child: Child, limit: Option<Duration>) -> Result<ExitStatus, Failed> {
    let Some(limit) = limit else { return child.wait().map_err(Failed::Start) };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (done, ended) = mpsc::channel();
    let waiting = std::thread::spawn(move || {
        let status = child.wait();
        // Nobody listens any more after the limit.
        let _ = done.send(status);
    });
    match ended.recv_timeout(limit) {
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

    #[test]
    fn a_child_that_says_much_ends_and_what_it_said_is_bounded() {
        let mut command = Command::new("sh");
        command.args(["-c", "yes word | head -c 1000000; echo done >&2; exit 3"]);
        let ended = run(&mut command, Some(Duration::from_mins(1))).expect("it ends");
        assert_eq!(ended.status.code(), Some(3));
        assert_eq!(ended.stdout.len() as u64, MAX_SAID);
        assert_eq!(ended.stderr, "done\n");
    }

    #[test]
    fn a_child_that_hangs_is_ended_with_all_that_it_started() {
        let mut command = Command::new("sh");
        // The grandchild holds the pipes: only its end lets the reading end.
        command.args(["-c", "sleep 1000 & sleep 1000"]);
        assert!(matches!(run(&mut command, Some(Duration::from_millis(50))), Err(Failed::TimedOut)));
    }

    #[test]
    fn a_child_reads_what_it_is_given() {
        let ended =
            run_with(&mut Command::new("cat"), b"word", Some(Duration::from_mins(1))).expect("it ends");
        assert_eq!(ended.stdout, "word");
        let ended = run_with(&mut Command::new("true"), b"word", None).expect("it ends");
        assert!(ended.status.success());
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_started() {
        assert!(matches!(run(&mut Command::new("postil-no-such-program"), None), Err(Failed::Start(_))));
    }
}
