//! `postil daemon start`, `stop` and `restart`.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use postil_client::IfNotRunning;
use postil_protocol::{DaemonLifeReply, DaemonStop};
use postil_socket::{ConnectError, Owner, RuntimeDirs};
use rustix::process::{Pid, Signal, kill_process};

use super::install::{Managed, managed};
use crate::connect::{connect, refused};
use crate::failure::{Failure, FailureKind};
use crate::render::{OutputFormat, versioned};

/// How long a daemon may take to end: it answers first what it was asked.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Starts the daemon, unless it runs.
pub fn start(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    if let Managed::By(service) = managed() {
        service.start()?;
    }
    let (_, welcome) = connect(IfNotRunning::Start).map_err(refused)?;
    let told = match format {
        OutputFormat::Text => {
            format!("the daemon is running: process {}, version {}", welcome.pid, welcome.version)
        }
        OutputFormat::Json => versioned(&DaemonLifeReply {
            running: true,
            pid: Some(welcome.pid),
            program: Some(welcome.version),
        })?,
    };
    writeln!(out, "{told}").map_err(Failure::output)
}

/// Ends the daemon, if it runs.
pub fn stop(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    let told = match (end()?, format) {
        (None, OutputFormat::Text) => "the daemon is not running".to_owned(),
        (Some(owner), OutputFormat::Text) => format!("stopped the daemon ({owner})"),
        (owner, OutputFormat::Json) => versioned(&DaemonLifeReply {
            running: false,
            pid: owner.and_then(|owner| owner.pid),
            program: None,
        })?,
    };
    writeln!(out, "{told}").map_err(Failure::output)
}

/// Stops the daemon and waits until it has stopped; returns its owner, if it was running.
fn end() -> Result<Option<Owner>, Failure> {
    let dirs = RuntimeDirs::of_this_user().map_err(|error| refused(error.into()))?;
    let Some(owner) = Owner::of(&dirs) else {
        if let Managed::By(service) = managed() {
            // Its socket would start it again.
            service.stop()?;
        }
        return Ok(None);
    };
    if let Managed::By(service) = managed() {
        service.stop()?;
    }
    match connect(IfNotRunning::Leave) {
        Ok((mut client, _)) => {
            // A daemon that ends at once may close the connection before its answer is read.
            let _ = client.ask(&DaemonStop {});
        }
        // It is about to end, or too old to talk to; a signal is understood by all.
        Err(ConnectError::NotRunning | ConnectError::Refused(_) | ConnectError::NoAnswer(_)) => {
            signal(&owner);
        }
        Err(error) => return Err(refused(error)),
    }
    let deadline = Instant::now() + PATIENCE;
    while Owner::of(&dirs).as_ref() == Some(&owner) {
        if Instant::now() > deadline {
            return Err(Failure::new(FailureKind::Unavailable, format!("the daemon did not stop ({owner})"))
                .hint("kill the process; nothing that was saved will be lost"));
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(Some(owner))
}

/// Ends the daemon, and starts it again.
pub fn restart(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    match format {
        OutputFormat::Text => stop(format, out)?,
        // One command writes one result: how things are in the end.
        OutputFormat::Json => drop(end()?),
    }
    start(format, out)
}

fn signal(owner: &Owner) {
    let pid = owner.pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    if let Some(pid) = pid {
        // It may have ended meanwhile.
        let _ = kill_process(pid, Signal::TERM);
    }
}
