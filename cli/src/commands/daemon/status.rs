//! `postil daemon status`: whether it runs, and what it attends to.

use std::io::Write;

use postil_client::IfNotRunning;
use postil_protocol::{DaemonFoundReply, DaemonStatus, DaemonStatusReply};
use postil_socket::{ConnectError, Owner, RuntimeDirs};

use crate::connect::{connect, refused};
use crate::failure::{Failure, FailureKind};
use crate::render::{OutputFormat, versioned};

/// Shows whether the daemon runs, and its status.
pub fn run(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    let reply = match connect(IfNotRunning::Leave) {
        Ok((mut client, _)) => {
            let asked = client.ask(&DaemonStatus {});
            asked.map_err(|error| refused(ConnectError::Refused(error)))?
        }
        Err(ConnectError::NotRunning) => return not_running(format, out),
        Err(error) => return Err(failure_with_owner(error)),
    };
    if format == OutputFormat::Json {
        let found = DaemonFoundReply { running: true, pid: Some(reply.pid), daemon: Some(reply) };
        writeln!(out, "{}", versioned(&found)?).map_err(Failure::output)
    } else {
        print(&reply, out).map_err(Failure::output)
    }
}

fn not_running(format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    if format == OutputFormat::Json {
        let found = DaemonFoundReply { running: false, pid: None, daemon: None };
        writeln!(out, "{}", versioned(&found)?).map_err(Failure::output)?;
    }
    Err(Failure::new(FailureKind::CheckFailed, "the daemon is not running")
        .hint("commands start it when they need it; to start it now, run `postil daemon start`")
        .in_result())
}

/// A daemon that does not answer has a process all the same.
fn failure_with_owner(error: ConnectError) -> Failure {
    let owner = RuntimeDirs::of_this_user().ok().and_then(|dirs| Owner::of(&dirs));
    let failure = refused(error);
    match owner {
        Some(owner) => {
            failure.hint(format!("the daemon is {owner}; restart it with `postil daemon restart`"))
        }
        None => failure,
    }
}

fn print(reply: &DaemonStatusReply, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "process        {}", reply.pid)?;
    writeln!(out, "version        {} (protocol {})", reply.version, reply.protocol)?;
    writeln!(out, "running for    {}", duration(reply.uptime))?;
    writeln!(out, "socket         {}", String::from_utf8_lossy(reply.socket.as_bytes()))?;
    writeln!(out, "clients        {} (subscriptions: {})", reply.connections, reply.subscriptions)?;
    if let Some(memory) = reply.memory {
        writeln!(out, "memory         {:.1} MB", memory as f64 / 1e6)?;
    }
    writeln!(out, "repositories   {}", reply.repositories.len())?;
    for repository in &reply.repositories {
        let how = if repository.watched { "watched" } else { "polled" };
        writeln!(out, "  {}  {how}", String::from_utf8_lossy(repository.git_dir.as_bytes()))?;
        if let Some(trouble) = &repository.trouble {
            writeln!(out, "    problem: {trouble}")?;
        }
    }
    Ok(())
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}
