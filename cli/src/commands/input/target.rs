//! The comment or thread that a person names: an ID, `@` for the newest comment, or `FILE:LINE`.
//!
//! `@` is not what it was a moment ago if somebody else's comment arrived: before something is written to a comment
//! that the person has neither written nor read, they are asked.

use std::ffi::OsStr;

use postil_protocol::{
    ByteText, Detail, Filter, List, Person, Place, PlaceState, Show, Side, ThreadLine, ThreadStatus,
};

use super::location::{self, place_named};
use super::{choose_place, paths};
use crate::commands::Context;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{self, Screen};

/// The name of the newest comment.
const NEWEST: &str = "@";

/// So many threads of a line are named if one is wanted.
const MAX_NAMED: usize = 10;

/// Which threads of a line are meant, if it has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// The open ones, if there are any.
    Open,
    /// Those that are not open, if there are any.
    Closed,
}

/// What a command reads: one name for each thread.
pub fn to_read(name: &str, session: &mut CommandSession) -> Result<Vec<String>, Failure> {
    let Some(place) = place_in(name, session, AllowFile::Yes)? else { return Ok(vec![name.to_owned()]) };
    let threads = threads_at(&place, Meant::Open, session)?;
    if threads.is_empty() {
        return Err(nothing_at(name, &place, session));
    }
    Ok(threads.into_iter().map(|thread| thread.short).collect())
}

/// What a command changes: the ID of the one comment or thread that is meant.
pub fn to_change(
    name: &str,
    meant: Meant,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
) -> Result<String, Failure> {
    if name == NEWEST {
        return newest(context, session, screen);
    }
    let Some(place) = place_in(name, session, AllowFile::No)? else { return Ok(name.to_owned()) };
    let threads = threads_at(&place, meant, session)?;
    match threads.as_slice() {
        [] => Err(nothing_at(name, &place, session)),
        [one] => Ok(one.short.clone()),
        several => {
            let causes = several.iter().take(MAX_NAMED).map(|thread| {
                let author = thread.author.as_deref().unwrap_or_default();
                format!("it could be {} {author}: {}", thread.short, thread.text)
            });
            let what = format!("{name} has {} threads", several.len());
            Err(Failure::new(FailureKind::NotFound, what)
                .because_all(causes)
                .hint("give the ID of one of them")
                .coded("ambiguous"))
        }
    }
}

/// The same for several.
pub fn all_to_change(
    names: &[String],
    meant: Meant,
    context: &Context,
    session: &mut CommandSession,
    screen: &mut Screen,
) -> Result<Vec<String>, Failure> {
    names.iter().map(|name| to_change(name, meant, context, session, screen)).collect()
}

/// The id of the newest comment; asks first if the person has neither written nor read it.
fn newest(context: &Context, session: &mut CommandSession, screen: &mut Screen) -> Result<String, Failure> {
    let shown = session.ask(Show { of: NEWEST.to_owned(), ..Show::default() })?;
    let named = shown.named.as_ref().unwrap_or(&shown.thread.id);
    let comment = shown.thread.comments.iter().find(|comment| comment.id == *named);
    let is_own = comment.is_some_and(|comment| is_by(&comment.author, session.email()));
    let Some(comment) = comment else { return Ok(named.to_string()) };
    let short = comment.short.as_str();
    if is_own || !shown.unread {
        return Ok(short.to_owned());
    }
    let words = comment.text.lines().next().unwrap_or_default();
    let whose = format!("{short} by {}: {words}", comment.author.name);
    if context.is_json() || !choose_place::is_possible() {
        return Err(Failure::new(
            FailureKind::Unsafe,
            "the newest comment is someone else's, and new to you",
        )
        .because(format!("`@` is {whose}"))
        .hint(format!("read it with `postil show {short}`, or give its ID instead of `@`"))
        .coded("newest-is-new"));
    }
    screen.print_message(format!("the newest comment is {}", render::line(whose.as_bytes())));
    let said = screen.prompt("use it? [y/N] ")?;
    if said.is_some_and(|said| matches!(said.trim(), "y" | "Y" | "yes")) {
        return Ok(short.to_owned());
    }
    Err(Failure::new(FailureKind::Unsafe, "nothing was written").hint("give an ID instead of `@`"))
}

/// Whether a person wrote something, by hand or with a program that works for them.
fn is_by(author: &Person, email: Option<&str>) -> bool {
    let person = author.via.as_ref().and_then(|via| via.person.as_ref());
    email.is_some_and(|email| author.email == email || person.is_some_and(|person| person.email == email))
}

/// Whether a file alone names its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AllowFile {
    Yes,
    No,
}

/// The place that a name is, if it cannot be an ID.
fn place_in(name: &str, session: &CommandSession, file: AllowFile) -> Result<Option<Place>, Failure> {
    let is_id = name == NEWEST || name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_file = || file == AllowFile::Yes && paths::is_file(session.checkout(), OsStr::new(name));
    if is_id || !(location::has_lines(name) || is_file()) {
        return Ok(None);
    }
    let place = place_named(session.checkout(), OsStr::new(name))?;
    Ok(Some(place).filter(|place| place.rev.is_none()))
}

/// The threads on a line, or in a file.
fn threads_at(place: &Place, meant: Meant, session: &mut CommandSession) -> Result<Vec<ThreadLine>, Failure> {
    let path = [b":(literal)", place.path.as_bytes()].concat();
    let filter = Filter { paths: vec![ByteText::new(path)], ..Filter::default() };
    let mut found = Vec::new();
    session.list(List { filter, detail: Detail::Line, ..List::default() }, &mut |line| {
        if is_at(&line, place) {
            found.push(line);
        }
    })?;
    let is_meant = |line: &ThreadLine| (line.status == ThreadStatus::Open) == (meant == Meant::Open);
    if found.iter().any(is_meant) {
        found.retain(is_meant);
    }
    Ok(found)
}

/// Whether a thread is on one of these lines of the file as it is now.
fn is_at(line: &ThreadLine, place: &Place) -> bool {
    let is_elsewhere = |position: &postil_protocol::PositionView| {
        position.side == Side::Old || position.state == PlaceState::Orphaned
    };
    if line.path.as_ref() != Some(&place.path) {
        return false;
    }
    let Some(wanted) = place.span else { return true };
    if line.doubt.as_ref().is_some_and(|doubt| is_elsewhere(&doubt.position)) {
        return false;
    }
    let there = line.lines.as_deref().and_then(|lines| location::span(lines.as_bytes()));
    there.is_some_and(|there| there.start <= wanted.end && wanted.start <= there.end)
}

fn nothing_at(name: &str, place: &Place, session: &CommandSession) -> Failure {
    let hint = "`postil list` shows where the threads are now, and their IDs";
    let failure = Failure::new(FailureKind::NotFound, format!("no thread at {name}")).hint(hint);
    let file = session.checkout().file(place.path.as_bytes());
    if file.is_some_and(|file| file.symlink_metadata().is_err()) {
        let path = String::from_utf8_lossy(place.path.as_bytes()).into_owned();
        return failure.because(format!("no such file: {path}"));
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use postil_protocol::Span;

    #[test]
    fn a_thread_is_at_the_lines_that_it_has_now() {
        let check = |lines: Option<&str>, wanted: Option<(u32, u32)>, expected: bool| {
            let line = ThreadLine {
                path: Some("a.rs".into()),
                lines: lines.map(str::to_owned),
                ..ThreadLine::default()
            };
            let span = wanted.map(|(start, end)| Span::lines(start, end));
            assert_eq!(
                is_at(&line, &Place { span, ..Place::file("a.rs") }),
                expected,
                "{lines:?} {wanted:?}"
            );
            assert!(!is_at(&line, &Place { span, ..Place::file("b.rs") }));
        };
        check(Some("12"), Some((12, 12)), true);
        check(Some("12"), Some((13, 13)), false);
        check(Some("10-14"), Some((12, 12)), true);
        check(Some("10:3-14:2"), Some((14, 14)), true);
        check(Some("10-14"), Some((14, 20)), true);
        check(Some("10-14"), Some((15, 20)), false);
        check(None, Some((1, 1)), false);
        check(None, None, true);
        check(Some("12"), None, true);
    }
}
