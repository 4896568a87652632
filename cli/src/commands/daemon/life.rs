//! `postil daemon start`, `stop` and `restart`.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use postil_core::protocol::DaemonStop;
use postil_daemon::socket::{DialError, Owner, Place};
use rustix::process::{Pid, Signal, kill_process};

use super::install::{Managed, managed};
use crate::connect::{Missing, connect, refused};
use crate::failure::{Failure, Kind};

/// How long a daemon may take to end: it answers first what it was asked.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Starts the daemon, unless it runs.
pub fn start(out: &mut impl Write) -> Result<(), Failure> {
    if let Managed::By(service) = managed() {
        service.start()?;
    }
    let (_, welcome) = connect(Missing::Start).map_err(refused)?;
    writeln!(out, "the daemon runs: process {}, version {}", welcome.pid, welcome.version)
        .map_err(Failure::output)
}

/// Ends the daemon, if it runs.
pub fn stop(out: &mut impl Write) -> Result<(), Failure> {
    let place = Place::of_this_user().map_err(|error| refused(error.into()))?;
    let Some(owner) = Owner::of(&place) else {
        if let Managed::By(service) = managed() {
            // Its socket would start it again.
            service.stop()?;
        }
        return writeln!(out, "no daemon runs").map_err(Failure::output);
    };
    if let Managed::By(service) = managed() {
        service.stop()?;
    }
    match connect(Missing::Leave) {
        Ok((mut client, _)) => {
            // A daemon that ends at once may close the connection before its answer is read.
            let _ = client.ask(&DaemonStop {});
        }
        // It is about to end, or too old to talk to; a signal is understood by all.
        Err(DialError::NotRunning | DialError::Refused(_) | DialError::Deaf(_)) => signal(&owner),
        Err(error) => return Err(refused(error)),
    }
    let deadline = Instant::now() + PATIENCE;
    while Owner::of(&place).as_ref() == Some(&owner) {
        if Instant::now() > deadline {
            return Err(Failure::new(Kind::Unavailable, format!("the daemon does not end ({owner})"))
                .hint("kill it; nothing that was acknowledged gets lost"));
        }
        thread::sleep(LOOK_AGAIN);
    }
    writeln!(out, "the daemon has ended ({owner})").map_err(Failure::output)
}

/// Ends the daemon, and starts it again.
pub fn restart(out: &mut impl Write) -> Result<(), Failure> {
    stop(out)?;
    start(out)
}

fn signal(owner: &Owner) {
    let pid = owner.pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended meanwhile.
        let _ = kill_process(pid, Signal::TERM);
    }
}
