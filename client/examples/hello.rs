//! A whole client of postil, as an editor would be one: lists the threads of a text that is not saved, suggests a change,
//! applies it, takes that back, and receives what happened.
//!
//! ```sh
//! cargo run -p postil-client --example hello
//! ```
//!
//! The daemon is used if there is one, or started if `postil` is on the PATH; without it everything works all the same, and
//! events come a moment later. A person who signs commits signs the comment too.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use postil_client::{ClientProgram, DaemonProgram, RepositoryArgs, Session, SubscribeTo};
use postil_protocol::{
    Apply, ApplyWrite, Buffer, ByteText, ChangeInto, Comment, Event, List, Mark, OnConflict, Place, Span,
    Strictness, Suggest, Undo,
};

/// How long to wait for the event.
const PATIENCE: Duration = Duration::from_secs(10);

type ExampleResult<T> = Result<T, Box<dyn Error>>;

/// Does all of it.
pub fn main() -> ExampleResult<()> {
    let mut out = io::stdout();
    let program = ClientProgram::new("hello", DaemonProgram::At("postil".into()));
    // A client that shows progress passes something else than `()`.
    let mut session = Session::open(&RepositoryArgs::around("."), program, Box::new(()))?;
    let mark = list(&mut session, &mut out)?;
    let root = session.checkout().work_tree().ok_or("a bare repository has no files")?.to_owned();
    let Some(path) = first_file(&root)? else {
        writeln!(out, "there is no file to comment on")?;
        return Ok(());
    };
    // An editor's text counts as if it were saved, and nobody keeps it.
    let saved = fs::read_to_string(root.join(&path))?;
    let text = format!("typed, and not saved\n{saved}");
    session.set_buffers(vec![Buffer { path: ByteText::new(path.as_bytes()), text, version: Some(1) }]);
    writeln!(out, "while {path} is being edited:")?;
    list(&mut session, &mut out)?;
    session.set_buffers(Vec::new());

    let id = suggest(&mut session, &path, &mut out)?;
    apply_and_undo(&mut session, &root.join(&path), &id, &mut out)?;
    receive(&session, mark, &id, &mut out)
}

/// Lists all threads, a page at a time; returns from where on changes are to be asked for.
fn list(session: &mut Session, out: &mut impl Write) -> ExampleResult<Mark> {
    let mut asked = List::default();
    let mut mark = None;
    loop {
        let page = session.ask(asked.clone())?;
        // The first page was seen first: what happened since is not to be missed.
        mark.get_or_insert(page.mark);
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
            return Ok(mark.unwrap_or_default());
        };
        asked.cursor = Some(next);
    }
}

/// Suggests another first line.
fn suggest(session: &mut Session, path: &str, out: &mut impl Write) -> ExampleResult<String> {
    let written = session.write(Comment {
        message: None,
        place: Some(Place { span: Some(Span::lines(1, 1)), ..Place::file(path) }),
        text: format!("hello from another client, process {}", std::process::id()),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: Some(Suggest::Replacement(ByteText::from("hello\n"))),
        draft: false,
    })?;
    writeln!(out, "wrote {}", written.id)?;
    Ok(written.id.to_string())
}

/// Writes the suggested change into the file, and makes the file what it was.
fn apply_and_undo(session: &mut Session, file: &Path, id: &str, out: &mut impl Write) -> ExampleResult<()> {
    let (strictness, on_conflict) = (Strictness::Strict, OnConflict::Refuse);
    let plan =
        session.ask(Apply { comments: vec![id.to_owned()], strictness, on_conflict, ..Apply::default() })?;
    let expect = Some(plan.token.clone());
    session.write(ApplyWrite { plan, expect, into: ChangeInto::Files })?;
    writeln!(out, "applied: {:?}", fs::read_to_string(file)?.lines().next().unwrap_or_default())?;
    let undone = session.write(Undo::default())?;
    writeln!(out, "took back: {}", undone.what)?;
    Ok(())
}

/// Receives what happened since a mark, until the comment is among it.
fn receive(session: &Session, mark: Mark, id: &str, out: &mut impl Write) -> ExampleResult<()> {
    let to = SubscribeTo { since: Some(mark), ..SubscribeTo::default() };
    let mut subscription = session.subscribe(to)?;
    let deadline = Instant::now() + PATIENCE;
    while let Some(event) = subscription.next_before(Some(deadline))? {
        let Event::Changed(changed) = event else { continue };
        for change in &changed.changes {
            // The record tells which changes are one's own.
            let own = change.record.as_ref().is_some_and(|record| record.as_str() == id);
            let by = change.by.as_ref().map_or("nobody", |by| by.name.as_str());
            writeln!(out, "{:?} by {by}{}", change.what, if own { ", which was us" } else { "" })?;
            if own {
                return Ok(());
            }
        }
    }
    Err("no event came in time".into())
}

/// The first file at the root of the work tree, by name.
fn first_file(root: &Path) -> ExampleResult<Option<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push(String::from_utf8(entry.file_name().as_bytes().to_vec())?);
        }
    }
    Ok(files.into_iter().min())
}
