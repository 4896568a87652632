//! `postil doctor`

use postil_client::{Checkout, DaemonSetting, IfNotRunning, VERSION};
use postil_protocol::{
    Advice, Doctor, DoctorReply, FindingView, PROTOCOL_VERSION, RepositoryRequest, Weight,
};
use postil_socket::ConnectError;

use crate::advice;
use crate::commands::Context;
use crate::connect::connect;
use crate::failure::Failure;
use crate::render::{Screen, line};

/// Find problems and fix them
///
/// Checks the notes, the file contents kept for comments, purges, the git
/// configuration, the cache and the daemon. Changes nothing without --fix or
/// --restore. Exits with 1 if it finds a problem.
///
/// Examples:
///
///     postil doctor
///     postil doctor --fix
///     postil doctor --restore 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct DoctorArgs {
    /// Fix the problems that can be fixed
    #[arg(long)]
    fix: bool,

    /// Restore a purged comment and its replies, with new IDs (can be repeated)
    #[arg(long, value_name = "ID")]
    restore: Vec<String>,
}

/// Looks.
pub fn run(args: &DoctorArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let mut reply = session.write(Doctor { fix: args.fix, restore: args.restore.clone() })?;
    reply.findings.extend(daemon(session.checkout()));
    let problems = reply.findings.iter().filter(|finding| finding.weight == Weight::Problem).count();
    let told = print_findings(&reply, problems, &mut screen);
    Failure::checked(problems > 0, told.and_then(|()| screen.close()))
}

/// Prints the findings, and what to do about them.
fn print_findings(reply: &DoctorReply, problems: usize, screen: &mut Screen) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.json::<RepositoryRequest<Doctor>>(reply);
    }
    for id in &reply.restored {
        screen.line(format!("restored as {id}"))?;
    }
    for id in &reply.already_restored {
        screen.line(format!("already restored as {id}"))?;
    }
    for finding in &reply.findings {
        let word = match finding.weight {
            Weight::Problem => "problem",
            Weight::Fixed => "fixed",
            Weight::Note => "note",
        };
        screen.line(format!("{word}: {}: {}", finding.area, line(finding.what.as_bytes())))?;
        screen.line(format!("  {}", line(finding.why.as_bytes())))?;
        if let Some(hint) = advice::hint(&finding.advice).filter(|_| finding.weight != Weight::Fixed) {
            screen.line(format!("  {}", line(hint.as_bytes())))?;
        }
    }
    if problems == 0 {
        let records = if reply.records == 1 { "record" } else { "records" };
        screen.line(format!("checked {} {records}, no problems found", reply.records))?;
    }
    Ok(())
}

/// What is wrong with the daemon; nothing, where none runs or none is wanted.
fn daemon(checkout: &Checkout) -> Option<FindingView> {
    if DaemonSetting::of_checkout(checkout) == DaemonSetting::Off {
        return None;
    }
    let (what, why) = match connect(IfNotRunning::Leave) {
        Ok((_, welcome)) if welcome.version == VERSION && welcome.protocol == PROTOCOL_VERSION => {
            return None;
        }
        Err(ConnectError::NotRunning) => return None,
        Ok((_, welcome)) => {
            let what = format!("the daemon is postil {}, but this is postil {VERSION}", welcome.version);
            (what, "it may not understand requests of this version")
        }
        Err(error) => {
            (format!("could not connect to the daemon: {error}"), "commands work without it, but more slowly")
        }
    };
    Some(FindingView {
        area: "daemon".into(),
        weight: Weight::Problem,
        what,
        why: why.into(),
        advice: Advice::RestartDaemon,
    })
}
