//! A diff in pieces: first what there is and as many lines as fill a screen, then its files, one after the other.
//!
//! All of it may be larger than an answer of the service may be, than what anybody reads, and than what a browser holds; and
//! nobody waits for the last file to see the first one. Of more lines than asked for, the rest is left to the page.

use std::collections::VecDeque;

use postil_client::{AsyncSession, SessionError};
use postil_protocol::{ByteText, Diff, DiffFile, DiffLeft, DiffLimit, DiffReply, FaultCode};
use tokio::sync::mpsc;

use crate::pages::MAX_SHOWN_BYTES;

/// So many lines come first.
const FIRST_LINES: u32 = 300;

/// So many lines come with the piece after that: a browser lays out at once what it has, and shows nothing until then. Each
/// further piece has twice as many.
const SECOND_LINES: u32 = 2_000;

/// So many lines are asked for at once at most.
const PIECE_LINES: u32 = 10_000;

/// So many files are.
const MAX_FILES: usize = 100;

/// A thread counts as so many lines, as it does for the service.
const LINES_OF_A_THREAD: u32 = 8;

/// Pieces that wait to be rendered.
const MAX_WAITING: usize = 32;

/// A path that is no pattern, whatever it is made of.
pub(super) fn literal(path: &[u8]) -> ByteText {
    ByteText::new([b":(literal,top)", path].concat())
}

/// What one answer has of a diff: so many lines.
pub(super) fn limit(lines: u32) -> DiffLimit {
    DiffLimit { lines, line_bytes: MAX_SHOWN_BYTES as u32, from: 0, threads: 0 }
}

/// What one answer has of a file from some offset on, and of the line there without its first threads.
pub(super) fn piece_limit(from: u32, threads: u32) -> DiffLimit {
    DiffLimit { from, threads, ..limit(PIECE_LINES) }
}

/// Asks for a part of a diff; if that is more than an answer may be, for less of it.
pub(super) async fn ask_part(session: &AsyncSession, mut asked: Diff) -> Result<DiffReply, SessionError> {
    loop {
        let answer = session.ask(asked.clone()).await;
        let limit = asked.limit.as_mut().filter(|limit| limit.lines > 1);
        match (answer, limit) {
            (Err(error), Some(limit)) if is_too_large(&error) => limit.lines /= 2,
            (answer, _) => return answer,
        }
    }
}

/// What a page begins with: all files and counts, and the first lines.
pub(super) async fn first_of(session: &AsyncSession, asked: &Diff) -> Result<DiffReply, SessionError> {
    ask_part(session, Diff { limit: Some(limit(FIRST_LINES)), ..asked.clone() }).await
}

/// A piece of a diff, in the order of the page.
#[derive(Debug)]
pub(super) enum DiffPiece {
    /// A file with its first lines. Those that are left follow at once, or never.
    File(DiffFile, MoreFollows),
    /// More lines of the file before, and the offset after those that it had.
    More(DiffFile, u32, MoreFollows),
}

/// Whether the lines that a piece lacks are the next piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoreFollows {
    Yes,
    No,
}

/// The pieces of a diff, from the files of its first answer on; they are asked for while others are rendered.
pub(super) fn pieces(
    session: AsyncSession,
    asked: Diff,
    files: Vec<DiffFile>,
    most: u32,
) -> mpsc::Receiver<Result<DiffPiece, SessionError>> {
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    tokio::spawn(async move {
        let mut walk =
            PieceWalk { session, asked, waiting: files.into(), begun: None, room: most, lines: SECOND_LINES };
        while let Some(piece) = walk.next().await.transpose() {
            let is_last = piece.is_err();
            if sender.send(piece).await.is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

struct PieceWalk {
    session: AsyncSession,
    asked: Diff,
    waiting: VecDeque<DiffFile>,
    /// The file whose lines go on, without those that it had, and the offset after them.
    begun: Option<(DiffFile, u32)>,
    /// So many lines more are handed out.
    room: u32,
    /// So many lines are asked for next.
    lines: u32,
}

/// The contents of both sides, by which a file is known again.
type BothSides = [Option<String>; 2];

impl PieceWalk {
    async fn next(&mut self) -> Result<Option<DiffPiece>, SessionError> {
        if let Some((begun, next)) = self.begun.take()
            && let Some((left, path)) = begun.left.zip(known(&begun))
        {
            let limit = Some(DiffLimit { from: left.from, threads: left.threads, ..self.next_limit() });
            let file = match ask_part(&self.session, Diff { limit, ..self.of([path]) }).await {
                Ok(reply) => reply.files.into_iter().find(|file| known(file) == Some(path)),
                // One line is too large by itself: it is left, and so are those after it.
                Err(error) if is_too_large(&error) => {
                    return Ok(Some(DiffPiece::More(begun, next, MoreFollows::No)));
                }
                Err(error) => return Err(error),
            };
            // What was saved meanwhile is another file; the page sees that it differs, and fetches it.
            if let Some(file) = file.filter(|file| both(file) == both(&begun) && !is_missing(file)) {
                let more = self.hand_out(&file, next);
                return Ok(Some(DiffPiece::More(file, next, more)));
            }
        }
        loop {
            let Some(file) = self.waiting.pop_front() else { return Ok(None) };
            if !is_missing(&file) || self.room == 0 || !self.fetch(&file).await? {
                let more = self.hand_out(&file, 0);
                return Ok(Some(DiffPiece::File(file, more)));
            }
        }
    }

    /// Notes what a piece has after others, and whether more of its file follows.
    fn hand_out(&mut self, file: &DiffFile, next: u32) -> MoreFollows {
        self.room = self.room.saturating_sub(lines_of(file));
        if file.left.is_none() || is_missing(file) || self.room == 0 {
            return MoreFollows::No;
        }
        let next = file.lines.last().map_or(next, |last| last.offset + 1);
        self.begun = Some((DiffFile { lines: Vec::new(), threads: Vec::new(), ..file.clone() }, next));
        MoreFollows::Yes
    }

    /// Fetches a file and those after it that have no lines yet; returns whether there is anything new.
    async fn fetch(&mut self, first: &DiffFile) -> Result<bool, SessionError> {
        let limit = self.next_limit();
        let (mut lines, mut paths) = (0, Vec::new());
        for file in std::iter::once(first).chain(&self.waiting).take(MAX_FILES) {
            let (Some(left), Some(path)) = (file.left, known(file)) else { break };
            if !is_missing(file) || (lines > 0 && lines + weight(left) > limit.lines) {
                break;
            }
            lines += weight(left);
            paths.push(path.clone());
        }
        let asked = Diff { limit: Some(limit), ..self.of(&paths) };
        let files = match ask_part(&self.session, asked).await {
            Ok(reply) => reply.files,
            // It is left to the page, and those after it come.
            Err(error) if is_too_large(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        if files.first().is_some_and(is_missing) {
            return Ok(false);
        }
        self.waiting.drain(..paths.len() - 1);
        // A thread may bring a file of its own into the answer, which is in its place already.
        let fresh = files.into_iter().filter(|file| known(file).is_some_and(|path| paths.contains(path)));
        for file in fresh.rev() {
            self.waiting.push_front(file);
        }
        Ok(true)
    }

    /// As many lines as come next, from the first one on.
    fn next_limit(&mut self) -> DiffLimit {
        let lines = self.lines;
        self.lines = (2 * lines).min(PIECE_LINES);
        limit(lines)
    }

    fn of<'a>(&self, paths: impl IntoIterator<Item = &'a ByteText>) -> Diff {
        let paths = paths.into_iter().map(|path| literal(path.as_bytes())).collect();
        Diff { paths, ..self.asked.clone() }
    }
}

/// Whether nothing of a file is there yet.
fn is_missing(file: &DiffFile) -> bool {
    file.lines.is_empty() && file.left.is_some_and(|left| left.threads == 0)
}

/// How much of an answer what is left of a file takes.
fn weight(left: DiffLeft) -> u32 {
    left.lines.saturating_add((left.open + left.resolved).saturating_mul(LINES_OF_A_THREAD))
}

fn lines_of(file: &DiffFile) -> u32 {
    let threads: usize = file.lines.iter().map(|line| line.threads.len()).sum();
    let threads = (threads + file.threads.len()) as u32;
    (file.lines.len() as u32).saturating_add(threads.saturating_mul(LINES_OF_A_THREAD))
}

fn known(file: &DiffFile) -> Option<&ByteText> {
    file.after.as_ref().or(file.before.as_ref())
}

fn both(file: &DiffFile) -> BothSides {
    [&file.old, &file.new].map(|side| side.as_ref().map(|side| side.blob.to_string()))
}

fn is_too_large(error: &SessionError) -> bool {
    matches!(error, SessionError::Fault(fault) if fault.code == FaultCode::TooLarge)
}
