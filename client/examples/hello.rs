//! A whole client of postil: lists the threads of the repository around the current folder, comments on a file, and
//! waits for the event that tells of it.
//!
//! ```sh
//! cargo run -p postil-client --example hello
//! ```
//!
//! The daemon is used if there is one, or started if `postil` is on the PATH; without it everything but events works all
//! the same. A person who signs commits signs the comment too.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::time::{Duration, Instant};

use postil_client::{
    Checkout, ClientProgram, DaemonProgram, RepositoryArgs, Session, SessionError, SubscribeTo, Subscription,
};
use postil_protocol::{Comment, Event, List, Place, Span};

/// How long to wait for the event.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does all of it.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    let program = ClientProgram::new("hello", DaemonProgram::At("postil".into()));
    // A client that shows progress passes something else than `()`.
    let mut session = Session::open(&RepositoryArgs::around("."), program, Box::new(()))?;
    list(&mut session, &mut out)?;
    // Before the comment is written, so that its event is not missed.
    let subscription = match session.subscribe(SubscribeTo::default()) {
        Ok(subscription) => Some(subscription),
        Err(error @ (SessionError::DaemonOff | SessionError::Connect(_))) => {
            writeln!(out, "no events: {error}")?;
            None
        }
        Err(error) => return Err(error.into()),
    };
    comment(&mut session, &mut out)?;
    match subscription {
        Some(mut subscription) => wait(&mut subscription, &mut out),
        None => Ok(()),
    }
}

/// Lists all threads, a page at a time.
fn list(session: &mut Session, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut asked = List::default();
    loop {
        let page = session.ask(asked.clone())?;
        for thread in &page.threads {
            let text = thread.comments.first().map_or("", |comment| comment.text.as_str());
            let place = match &thread.position {
                Some(position) => format!("{:?} at {:?}:{:?}", position.state, position.path, position.start),
                None => "about the review".to_owned(),
            };
            writeln!(out, "{} {place}: {}", thread.id, text.lines().next().unwrap_or_default())?;
        }
        let Some(next) = page.next else {
            writeln!(out, "{} threads", page.total)?;
            return Ok(());
        };
        asked.cursor = Some(next);
    }
}

/// Comments on the first line of the first file.
fn comment(session: &mut Session, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Some(path) = first_file(session.checkout())? else {
        writeln!(out, "there is no file to comment on")?;
        return Ok(());
    };
    let written = session.write(Comment {
        place: Some(Place { span: Some(Span::lines(1, 1)), ..Place::file(path) }),
        text: "hello from another client".to_owned(),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    })?;
    writeln!(out, "wrote {}", written.id)?;
    Ok(())
}

/// The first file at the root of the work tree, by name.
fn first_file(checkout: &Checkout) -> io::Result<Option<Vec<u8>>> {
    let Some(root) = checkout.work_tree() else { return Ok(None) };
    let mut files = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push(entry.file_name().as_bytes().to_vec());
        }
    }
    Ok(files.into_iter().min())
}

/// Waits until somebody said or did something.
fn wait(subscription: &mut Subscription, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match subscription.next_before(Some(deadline))? {
            Some(Event::Changed(changed)) => {
                let threads: Vec<&str> = changed.threads.iter().map(|thread| thread.short.as_str()).collect();
                writeln!(out, "changed: {threads:?}")?;
                return Ok(());
            }
            Some(_) => {}
            None => return Err("no event came in time".into()),
        }
    }
}
