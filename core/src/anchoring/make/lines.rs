//! Makes an anchor out of what a person points at.
//!
//! Every client uses this, so that an anchor never depends on who made it.

use crate::edit::Text;
use crate::git::{BlobId, CommitId, RepoPath};
use crate::record::{Anchor, AnchorSide, CONTEXT_LINES, Line, MAX_ANCHOR_LINES, OldSide, Range};

use crate::anchoring::lines::region::LineRegion;
use crate::anchoring::lines::scope;
use crate::anchoring::prose::{DocumentError, QuoteError};

/// What a person points at.
#[derive(Clone, Debug)]
pub struct Pointed<'a> {
    /// The commit that is looked at; `None` for text that is not committed.
    pub commit: Option<CommitId>,
    /// The path of the file.
    pub path: &'a RepoPath,
    /// The file's content, by name.
    pub blob: BlobId,
    /// The file's content.
    pub content: &'a [u8],
    /// The lines; `None` for the whole file.
    pub range: Option<Range>,
}

/// What a person points at in the base of a change: lines that the change deleted.
#[derive(Clone, Debug)]
pub struct PointedBase<'a> {
    /// The base commit.
    pub base: CommitId,
    /// The path of the file in the base.
    pub path: &'a RepoPath,
    /// The file's content in the base, by name.
    pub blob: BlobId,
    /// The file's content in the base.
    pub content: &'a [u8],
    /// The lines in the base; `None` for the whole file.
    pub range: Option<Range>,
    /// The commit that is compared with the base; `None` for text that is not committed.
    pub head: Option<CommitId>,
    /// The file in the head; `None` if the change deleted it.
    pub counterpart: Option<Counterpart>,
}

/// The file of a head that a file of its base became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterpart {
    /// Its path in the head.
    pub path: RepoPath,
    /// Its content in the head, by name.
    pub blob: BlobId,
}

/// Why something cannot be commented on.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum AnchorError {
    /// The range names lines that do not exist.
    #[error("no such lines in {path}: its last line is {lines}")]
    OutOfFile {
        /// The file.
        path: RepoPath,
        /// How many lines it has.
        lines: u32,
    },
    /// The range names columns that do not exist.
    #[error("line {line} of {path} has no column {column}: it has {bytes} bytes")]
    OutOfLine {
        /// The file.
        path: RepoPath,
        /// The line, counted from one.
        line: u32,
        /// The column, counted from one.
        column: u32,
        /// How many bytes the line has, without its end.
        bytes: usize,
    },
    /// Binary content has no lines; the file as a whole can be commented on.
    #[error("{path} is binary; only the whole file can be commented on")]
    Binary {
        /// The file.
        path: RepoPath,
    },
    /// What has no text on a page has no words either; its lines can be commented on.
    #[error("could not render {path}")]
    Unreadable {
        /// The file.
        path: RepoPath,
        /// What is in the way.
        source: DocumentError,
    },
    /// The selection cannot be quoted.
    #[error("cannot quote from {path}")]
    Unquotable {
        /// The file.
        path: RepoPath,
        /// What is in the way.
        source: QuoteError,
    },
    /// The words are not on the page.
    #[error("the quote was not found in {path}")]
    NoSuchWords {
        /// The file.
        path: RepoPath,
    },
    /// The words are on the page several times.
    #[error("the quote occurs {} times in {path}", lines.len())]
    SeveralPlaces {
        /// The file.
        path: RepoPath,
        /// The first line of each place in the source, counted from one.
        lines: Vec<u32>,
    },
    /// More than [`MAX_ANCHOR_LINES`] lines.
    #[error("cannot comment on {count} lines at once")]
    TooMany {
        /// How many were pointed at.
        count: u32,
    },
}

/// What of a range a text does not have.
fn misfit(path: &RepoPath, range: Range, text: &Text) -> AnchorError {
    let path = path.clone();
    let Some(columns) = range.columns().filter(|_| range.span().last() <= text.len()) else {
        return AnchorError::OutOfFile { path, lines: text.len() };
    };
    let (first, last) = (range.span().first(), range.span().last());
    let is_in = |line: u32, column: u32| column as usize <= text.line(line - 1).len().max(1);
    let (line, column) = if is_in(first, columns.start.get()) {
        (last, columns.end.get())
    } else {
        (first, columns.start.get())
    };
    AnchorError::OutOfLine { path, line, column, bytes: text.bare(line - 1).len() }
}

/// Makes the anchor of what a person points at, on the side `new`.
///
/// Fails if there is no such place; never reads anything but its argument.
pub fn anchor_at(pointed: &Pointed<'_>) -> Result<Anchor, AnchorError> {
    let mut anchor = Anchor {
        commit: pointed.commit,
        path: pointed.path.clone(),
        blob: Some(pointed.blob),
        side: AnchorSide::New,
        range: pointed.range,
        lines: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    };
    let Some(range) = pointed.range else { return Ok(anchor) };
    if crate::anchoring::files::bypass::is_binary(pointed.content) {
        return Err(AnchorError::Binary { path: pointed.path.clone() });
    }
    let text = Text::new(pointed.content);
    let region = LineRegion::from_range(range);
    if !region.fits(&text) {
        return Err(misfit(pointed.path, range, &text));
    }
    if region.count() as usize > MAX_ANCHOR_LINES {
        return Err(AnchorError::TooMany { count: region.count() });
    }
    let lines = |lines: std::ops::Range<u32>| lines.map(|line| Line::new(text.line(line))).collect();
    let context = CONTEXT_LINES as u32;
    anchor.lines = lines(region.first..region.last + 1);
    anchor.before = lines(region.first.saturating_sub(context)..region.first);
    anchor.after = lines(region.last + 1..text.len().min(region.last + 1 + context));
    anchor.scope =
        scope::scope(&text, region.first).into_iter().map(|line| Line::new(text.line(line))).collect();
    Ok(anchor)
}

/// Makes the anchor of what a person points at, on the side `old`.
///
/// Fails if there is no such place in the base. Whether the change deletes the lines is not asked:
/// diffs differ in what they call deleted, and the reviewer saw one that did.
pub fn anchor_at_base(pointed: &PointedBase<'_>) -> Result<Anchor, AnchorError> {
    let PointedBase { base, path, blob, content, range, head, counterpart } = pointed;
    let there = anchor_at(&Pointed { commit: Some(*base), path, blob: *blob, content, range: *range })?;
    let name = counterpart.as_ref().map_or(*path, |file| &file.path);
    let old = OldSide { commit: *base, blob: *blob, path: (name != *path).then(|| (*path).clone()) };
    Ok(Anchor {
        commit: *head,
        path: name.clone(),
        blob: counterpart.as_ref().map(|file| file.blob),
        side: AnchorSide::Old(old),
        ..there
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Author, Body, Columns, LineSpan, MoveRecord, Record, RecordId, Seq, Timestamp};

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    /// An id that is made of one byte.
    fn id(byte: u8) -> [u8; 20] {
        [byte; 20]
    }

    fn check(counterpart: Option<Counterpart>, expected: (&str, Option<BlobId>, Option<RepoPath>)) {
        let (base, blob) = (CommitId::from_bytes(&id(1)).unwrap(), BlobId::from_bytes(&id(2)).unwrap());
        let pointed = PointedBase {
            base,
            path: &path("a.rs"),
            blob,
            content: b"one\ntwo\nthree\n",
            range: LineSpan::from_numbers(2, 2).map(Range::lines),
            head: None,
            counterpart,
        };
        let anchor = anchor_at_base(&pointed).unwrap();
        let (name, head_blob, base_path) = expected;
        assert_eq!((&anchor.path, anchor.blob), (&path(name), head_blob));
        assert_eq!(anchor.side, AnchorSide::Old(OldSide { commit: base, blob, path: base_path }));
        assert_eq!(anchor.lines, [Line::new(b"two")]);
        assert_eq!((anchor.before, anchor.after), (vec![Line::new(b"one")], vec![Line::new(b"three")]));
    }

    #[test]
    fn an_anchor_on_any_bytes_passes_the_door_of_records() {
        let content = b"\xf7 begins as the tag ends\n\xd9\xf7 too\nwhole \xd9\xd9\xf7\n\xff\xfe\n";
        let name = path("a.bin");
        let pointed = Pointed {
            commit: None,
            path: &name,
            blob: BlobId::from_bytes(&id(2)).unwrap(),
            content,
            range: LineSpan::from_numbers(1, 4).map(Range::lines),
        };
        let moved = MoveRecord {
            author: Author { name: "Ann".into(), email: "ann@example.com".into() },
            at: Timestamp(0),
            seq: Seq::default(),
            via: None,
            of: RecordId::from_array([0; 16]),
            over: Vec::new(),
            anchor: anchor_at(&pointed).unwrap().into(),
            proposal: None,
        };
        assert!(Record::new(&Body::Move(moved)).is_ok());
    }

    #[test]
    fn an_anchor_on_deleted_lines_knows_its_file_on_both_sides() {
        let blob = BlobId::from_bytes(&id(3)).unwrap();
        let named = |name| Some(Counterpart { path: path(name), blob });
        check(named("a.rs"), ("a.rs", Some(blob), None));
        check(named("b.rs"), ("b.rs", Some(blob), Some(path("a.rs"))));
        check(None, ("a.rs", None, None));
    }

    #[test]
    fn lines_that_the_base_does_not_have_cannot_be_commented_on() {
        let name = path("a.rs");
        let pointed = PointedBase {
            base: CommitId::from_bytes(&id(1)).unwrap(),
            path: &name,
            blob: BlobId::from_bytes(&id(2)).unwrap(),
            content: b"one\n",
            range: LineSpan::from_numbers(2, 2).map(Range::lines),
            head: None,
            counterpart: None,
        };
        assert_eq!(anchor_at_base(&pointed), Err(AnchorError::OutOfFile { path: path("a.rs"), lines: 1 }));
    }

    #[test]
    fn columns_that_a_line_does_not_have_are_told_with_its_length() {
        let check = |start: u32, end: u32, expected: &str| {
            let columns = Columns { start: start.try_into().unwrap(), end: end.try_into().unwrap() };
            let pointed = Pointed {
                commit: None,
                path: &path("a.rs"),
                blob: BlobId::from_bytes(&id(2)).unwrap(),
                content: b"one\ntwo and more\n",
                range: Range::with_columns(LineSpan::from_numbers(1, 2).unwrap(), columns),
            };
            assert_eq!(anchor_at(&pointed).unwrap_err().to_string(), expected);
        };
        check(9, 2, "line 1 of a.rs has no column 9: it has 3 bytes");
        check(1, 99, "line 2 of a.rs has no column 99: it has 12 bytes");
    }
}
