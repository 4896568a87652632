//! Where a comment goes, chosen by a person at a terminal: what it was on, what could be it, and the lines around.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};
use std::os::unix::ffi::OsStrExt as _;

use postil_protocol::{ByteText, DoneReply, HeadName, Move, MoveTo, Show, ShowReply};

use super::location::place_named;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};
use crate::render::{Screen, line};

/// How many lines are found by a search, at most.
const MAX_FOUND: usize = 20;

/// What a person chose.
#[derive(Debug)]
pub enum PlaceChoice {
    /// A place, where it is now.
    Moved(DoneReply),
    /// To take the comment back.
    Withdraw,
    /// Nothing.
    Nothing,
}

/// Whether there is a terminal to ask on.
pub fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks until something is chosen, and puts the comment there.
pub fn choose(
    session: &mut CommandSession,
    screen: &mut Screen,
    of: &str,
    radius: u32,
) -> Result<PlaceChoice, Failure> {
    let shown = session.ask(Show { of: of.to_owned(), head: HeadName::WorkTree, ..Show::default() })?;
    screen.show(&shown)?;
    if shown.thread.message.is_some() {
        let what = "the comment is on a commit's message";
        let hint = format!("`postil move {of} --message REV:LINE` puts it on lines of a message");
        return Err(Failure::new(FailureKind::Usage, what).hint(hint));
    }
    let (Some(position), Some(anchor)) = (&shown.thread.position, &shown.thread.anchor) else {
        return Err(Failure::new(
            FailureKind::Usage,
            "the comment is on the whole review, so it has no position",
        )
        .hint(format!("give it one with `postil move {of} FILE:LINE`")));
    };
    let understood = understood(position.candidates.len());
    let mut radius = radius;
    let path = position.path.clone().unwrap_or_else(|| anchor.path.clone());
    let page = FilePreview::read(session, &path);
    // Its position, otherwise a candidate, otherwise the old place, as far as the file is long enough.
    let perhaps = position.candidates.iter().find(|candidate| candidate.path == path);
    let centre = position.start.or(perhaps.and_then(|candidate| candidate.start)).or(anchor.start);
    let centre = centre.unwrap_or(1).min(page.len());
    page.around(screen, centre, radius)?;
    loop {
        let Some(said) = screen.prompt(&format!("move to ({understood}): "))? else {
            return Ok(PlaceChoice::Nothing);
        };
        match said.trim() {
            "" => {}
            "q" => return Ok(PlaceChoice::Nothing),
            "w" => return Ok(PlaceChoice::Withdraw),
            "+" => {
                radius = radius.saturating_mul(2);
                page.around(screen, centre, radius)?;
            }
            said => {
                if let Some(text) = said.strip_prefix('/') {
                    page.search(screen, text)?;
                } else if let Some(to) = understand(session, screen, &shown, &path, said) {
                    match session.write(Move { of: of.to_owned(), to }) {
                        Ok(reply) => return Ok(PlaceChoice::Moved(reply)),
                        // There is no such place, and another can be named.
                        Err(failure)
                            if matches!(failure.kind(), FailureKind::NotFound | FailureKind::Usage) =>
                        {
                            screen.print_message(failure.what());
                            screen
                                .print_message(format!("{said:?} is not a valid answer; enter {understood}"));
                        }
                        Err(failure) => return Err(failure),
                    }
                }
            }
        }
    }
}

/// What can be said: without candidates, the only numbers to be seen are those of lines.
fn understood(candidates: usize) -> String {
    let numbers = if candidates == 0 { "LINE" } else { "a number from the list, :LINE" };
    format!("{numbers}, FILE:LINE, /TEXT to search, + for more lines, w to withdraw, q to quit")
}

/// Parses a typed location; if it is invalid, prints why and returns `None`.
fn understand(
    session: &CommandSession,
    screen: &mut Screen,
    shown: &ShowReply,
    path: &ByteText,
    said: &str,
) -> Option<MoveTo> {
    let candidates = shown.thread.position.as_ref().map_or(0, |position| position.candidates.len());
    let number = said.parse::<u32>().ok();
    if let Some(number) = number.filter(|_| candidates > 0) {
        if (1..=candidates).contains(&(number as usize)) {
            return Some(MoveTo::Candidate(number));
        }
        screen.print_message(format!("no place {number} in the list; for line {number}, enter :{number}"));
        return None;
    }
    let place = match said.strip_prefix(':').or(number.map(|_| said)) {
        Some(lines) => {
            let mut word = session.checkout().absolute(path.as_bytes());
            word.push(b':');
            word.extend_from_slice(lines.as_bytes());
            place_named(session.checkout(), OsStr::from_bytes(&word))
        }
        None => place_named(session.checkout(), OsStr::new(said)),
    };
    match place {
        Ok(place) => Some(MoveTo::Place(place)),
        Err(failure) => {
            screen.print_message(failure.to_string().trim_end());
            None
        }
    }
}

/// The lines of a file on disk, to look at.
struct FilePreview(Vec<Vec<u8>>);

impl FilePreview {
    /// What cannot be read has no lines; the service says why, when it is pointed at.
    fn read(session: &CommandSession, path: &ByteText) -> Self {
        let file = session.checkout().work_tree().map(|root| root.join(OsStr::from_bytes(path.as_bytes())));
        let text = file.and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        Self(lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec()).collect())
    }

    fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// A line, counted from one; empty after the end.
    fn line(&self, number: u32) -> &[u8] {
        self.0.get(number as usize - 1).map_or(&[], Vec::as_slice)
    }

    fn around(&self, screen: &mut Screen, centre: u32, radius: u32) -> Result<(), Failure> {
        let last = centre.saturating_add(radius).min(self.len());
        for number in centre.saturating_sub(radius).max(1)..=last {
            self.show(screen, number)?;
        }
        Ok(())
    }

    fn search(&self, screen: &mut Screen, text: &str) -> Result<(), Failure> {
        let sought = text.to_lowercase();
        let holds =
            |number: &u32| String::from_utf8_lossy(self.line(*number)).to_lowercase().contains(&sought);
        let found: Vec<u32> = (1..=self.len()).filter(holds).take(MAX_FOUND).collect();
        if found.is_empty() {
            screen.print_message("no line contains that text");
        }
        found.into_iter().try_for_each(|number| self.show(screen, number))
    }

    fn show(&self, screen: &mut Screen, number: u32) -> Result<(), Failure> {
        screen.line(format!("{number:>6} | {}", line(self.line(number))))
    }
}
