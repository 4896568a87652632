//! `postil web`

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use postil_protocol::ReviewShow;
use postil_socket::RuntimeDirs;
use postil_web::{ShownView, Started, WebError, WebSettings, export, open_in_browser, serve};

use super::Context;
use super::reading::compared_commits::Compared;
use crate::connect::{CommandSession, hint, session_failed};
use crate::failure::{Failure, FailureKind};
use crate::render::Volume;

/// The page ends if nobody looks for so many minutes, unless `postil.webIdle` says otherwise.
const IDLE_MINUTES: u64 = 60;

/// A page has so many lines when it is loaded, unless `postil.webLines` says otherwise.
const LINES: u32 = 50_000;

/// Open the review page in the browser
///
/// Shows the changes of the checked-out branch, with uncommitted and untracked
/// files, and the threads at their lines. The page follows everything that happens.
/// It is served on this machine only, for you only, until Ctrl-C or an hour after
/// the last page was closed (`git config postil.webIdle MINUTES`).
///
/// To look at it from another machine, forward the same port:
/// `ssh -L PORT:127.0.0.1:PORT HOST`.
///
/// Examples:
///
///     postil web
///     postil web topic
///     postil web v1..v2
///     postil web --port 8765 --no-open
///     postil web topic --export review.html
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct WebArgs {
    /// Review to show (id or branch), or commits to compare (REV or REV..REV)
    #[arg(value_name = "REVIEW|RANGE")]
    what: Option<String>,

    /// Listen on this port
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Print the link instead of opening a browser
    #[arg(long)]
    no_open: bool,

    /// Do not allow changes through the page
    #[arg(long)]
    read_only: bool,

    /// Write the page to this file instead, without scripts; `-` writes it to standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "no_open", "read_only"])]
    export: Option<PathBuf>,
}

/// Serves the page until it is asked to end.
pub fn run(args: &WebArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, screen) = context.begin()?;
    let view = args.what.as_deref().map_or(Ok(ShownView::Current), |what| view_named(what, &mut session))?;
    if let Some(file) = &args.export {
        drop(session);
        screen.close()?;
        return write_page(file, &export(&context.at, context.program(), &view).map_err(failed)?);
    }
    let (idle, lines) = (idle(&session)?, lines(&session)?);
    drop(session);
    screen.close()?;
    let settings = WebSettings { port: args.port, read_only: args.read_only, idle, lines, view };
    let mut told = Ok(());
    serve(&context.at, context.program(), &settings, |started, dirs| {
        told = tell(args, context, started, dirs);
    })
    .map_err(failed)?;
    told
}

/// Writes a page that needs nothing else.
fn write_page(file: &Path, page: &str) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        return std::io::stdout().write_all(page.as_bytes()).map_err(Failure::output);
    }
    std::fs::write(file, page).map_err(|error| {
        Failure::new(FailureKind::Unavailable, format!("could not write {}", file.display()))
            .because(error)
            .hint("name a file in a folder that you can write to")
    })
}

/// What a person names: a review, a range, or a commit.
fn view_named(what: &str, session: &mut CommandSession) -> Result<ShownView, Failure> {
    let mut compared = Compared { base: None, at: None };
    if what.contains("..") {
        compared.take(&[OsString::from(what)], &[], session.checkout())?;
        let base = compared.base.unwrap_or_else(|| "HEAD".to_owned());
        return Ok(ShownView::Range { base, head: compared.at });
    }
    match session.ask(ReviewShow { review: Some(what.to_owned()) }) {
        Ok(reply) => Ok(ShownView::Review(reply.review.id.to_string())),
        Err(_) if session.checkout().commit(what).is_some() => {
            Ok(ShownView::Range { base: what.to_owned(), head: None })
        }
        Err(failure) => Err(failure),
    }
}

/// When the page ends by itself; `None` for never.
fn idle(session: &CommandSession) -> Result<Option<Duration>, Failure> {
    const SETTING: &str = "postil.webIdle";
    let Some(value) = session.checkout().setting(SETTING) else {
        return Ok(Some(Duration::from_secs(60 * IDLE_MINUTES)));
    };
    match value.trim().parse::<u64>() {
        Ok(0) => Ok(None),
        Ok(minutes) => Ok(Some(Duration::from_secs(minutes.saturating_mul(60)))),
        Err(_) => Err(Failure::new(FailureKind::Usage, format!("invalid value of {SETTING}: {value:?}"))
            .hint("give a number of minutes, or 0 for a page that never ends by itself")),
    }
}

/// How many lines a page has when it is loaded.
fn lines(session: &CommandSession) -> Result<u32, Failure> {
    const SETTING: &str = "postil.webLines";
    let Some(value) = session.checkout().setting(SETTING) else { return Ok(LINES) };
    value.trim().parse::<u32>().ok().filter(|lines| *lines > 0).ok_or_else(|| {
        Failure::new(FailureKind::Usage, format!("invalid value of {SETTING}: {value:?}"))
            .hint(format!("give a number of lines; {LINES} if there is no setting"))
    })
}

/// Says where the page is, and opens it.
fn tell(args: &WebArgs, context: &Context, started: &Started, dirs: &RuntimeDirs) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    let is_opened = !args.no_open && open_in_browser(&started.address, dirs.runtime()).unwrap_or(false);
    let said = if is_opened {
        writeln!(out, "opening http://127.0.0.1:{} in your browser", started.port)
    } else {
        writeln!(out, "{}", started.address)
    };
    said.and_then(|()| out.flush()).map_err(Failure::output)?;
    if context.volume != Volume::Quiet {
        let mut notes = std::io::stderr();
        // Who does not listen has the link all the same.
        let _ = match started.served_by {
            Some(pid) => writeln!(notes, "process {pid} already serves this repository"),
            None if is_opened => {
                writeln!(notes, "press Ctrl-C to end; `postil web` in another terminal gives a fresh link")
            }
            None => writeln!(notes, "the link is valid for a minute, and once; press Ctrl-C to end"),
        };
    }
    Ok(())
}

fn failed(error: WebError) -> Failure {
    let what = "could not serve the review page";
    match error {
        WebError::Session(error) => session_failed(error),
        WebError::Folders(error) => {
            let hint = hint(&error);
            Failure::new(FailureKind::Unavailable, what).because(error).hint(hint)
        }
        WebError::PortInUse { .. } => Failure::new(FailureKind::Conflict, what)
            .because(error)
            .hint("choose another port, or leave out --port"),
        WebError::NoAnswer { .. } => Failure::new(FailureKind::Unavailable, what)
            .because(error)
            .hint("end that process, then run `postil web` again"),
        WebError::Listen { .. } | WebError::PrivateFile { .. } | WebError::System(_) => {
            Failure::new(FailureKind::Unavailable, what)
                .because(error)
                .hint("choose another port with --port, or set POSTIL_RUNTIME_DIR to a writable directory")
        }
    }
}
