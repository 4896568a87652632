//! One decoded position: where a comment is at a head, and why.

use minicbor::decode::Error;
use minicbor::{Decoder, Encoder};

use super::anchor::check_path;
use super::positions::MAX_ENTRY_BYTES;
use super::{Columns, LineSpan, Range, RawEntry, RecordId};
use crate::git::{CommitId, RepoPath};

/// Where one comment is at one head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionEntry {
    /// The comment.
    pub comment: RecordId,
    /// The version of the engine that computed it.
    pub engine: u32,
    /// What the engine could use.
    pub basis: Basis,
    /// How sure the position is.
    pub state: PositionState,
    /// The file, if the comment has a place.
    pub path: Option<RepoPath>,
    /// The lines, if the place is not a whole file.
    pub range: Option<Range>,
    /// In per mille.
    pub confidence: u16,
    /// Which step of the engine found it.
    pub reason: String,
    /// Other places that fit about as well.
    pub candidates: Vec<Candidate>,
    /// For prose: the quote's bytes in the source, from and up to.
    pub source: Option<(u64, u64)>,
    /// Who computed it. Not stored: anybody could claim to be us.
    pub origin: EntryOrigin,
    /// For a comment on a commit's message, the commit that it is in. Such positions are not stored.
    pub message: Option<MessageSite>,
}

/// A commit whose message a comment is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSite {
    /// The commit.
    pub commit: CommitId,
    /// The first line of its message; empty if the commit is not here.
    pub subject: Vec<u8>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
}

/// Who computed a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOrigin {
    /// This process, from the objects that are here.
    Here,
    /// Nobody knows: it was read from a record, and is a claim until it is checked.
    Elsewhere,
}

/// A place that a person may choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The file.
    pub path: RepoPath,
    /// The lines.
    pub range: Range,
    /// In per mille.
    pub confidence: u16,
}

/// How sure a position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionState {
    /// The same text, where the diff says it is.
    Anchored,
    /// The same content, found by more than the diff.
    Shifted,
    /// The content changed; the place is the best guess.
    Outdated,
    /// No place is likely enough.
    Orphaned,
}

/// What the engine could use; more is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The anchor's own text.
    Text,
    /// The blob that was commented on.
    Blob,
    /// That blob and the history since.
    History,
}

impl PositionEntry {
    /// A comment that has no place.
    pub fn orphaned(comment: RecordId) -> Self {
        Self {
            comment,
            engine: 0,
            basis: Basis::Text,
            state: PositionState::Orphaned,
            path: None,
            range: None,
            confidence: 0,
            reason: String::new(),
            candidates: Vec::new(),
            source: None,
            origin: EntryOrigin::Here,
            message: None,
        }
    }

    /// Encodes the entry for storing; if it would be too long, the last candidates are dropped.
    ///
    /// A place or candidate whose path no record may contain is dropped.
    pub fn to_raw(&self) -> RawEntry {
        if self.path.as_ref().is_some_and(|path| check_path(path).is_err()) {
            return self.without_place();
        }
        let mut entry = self.clone();
        entry.candidates.retain(|candidate| check_path(&candidate.path).is_ok());
        loop {
            let bytes = entry.encode().expect("writing to memory does not fail");
            if bytes.len() <= MAX_ENTRY_BYTES || entry.candidates.pop().is_none() {
                return RawEntry::from_bytes(&bytes).unwrap_or_else(|_| entry.without_place());
            }
        }
    }

    /// Encodes the entry without its place, if the path is too long.
    fn without_place(&self) -> RawEntry {
        let bare = Self { engine: self.engine, basis: self.basis, ..Self::orphaned(self.comment) };
        let bytes = bare.encode().expect("writing to memory does not fail");
        RawEntry::from_bytes(&bytes).expect("an entry without a place is short")
    }

    fn encode(&self) -> Result<Vec<u8>, minicbor::encode::Error<std::convert::Infallible>> {
        let mut to = Encoder::new(Vec::new());
        to.array(if self.source.is_some() { 10 } else { 9 })?;
        to.bytes(self.comment.as_bytes())?.u32(self.engine)?.u8(self.basis as u8)?.u8(self.state as u8)?;
        match &self.path {
            Some(path) => to.bytes(path.as_bytes())?,
            None => to.null()?,
        };
        match self.range {
            Some(range) => encode_range(&mut to, range)?,
            None => {
                to.null()?;
            }
        }
        to.u16(self.confidence)?.str(&self.reason)?.array(self.candidates.len() as u64)?;
        for candidate in &self.candidates {
            to.array(3)?.bytes(candidate.path.as_bytes())?;
            encode_range(&mut to, candidate.range)?;
            to.u16(candidate.confidence)?;
        }
        if let Some((from, up_to)) = self.source {
            to.array(2)?.u64(from)?.u64(up_to)?;
        }
        Ok(to.into_writer())
    }
}

impl RawEntry {
    /// Decodes the entry; fields after the known ones are skipped. The result is from [`EntryOrigin::Elsewhere`].
    pub fn read(&self) -> Result<PositionEntry, Error> {
        let mut from = Decoder::new(self.as_bytes());
        let fields = from.array()?.unwrap_or(0);
        if fields < 9 {
            return Err(Error::message("a position of fewer than nine fields"));
        }
        let comment =
            RecordId::from_bytes(from.bytes()?).ok_or_else(|| Error::message("a wrong comment id"))?;
        let engine = from.u32()?;
        let basis = match from.u8()? {
            0 => Basis::Text,
            1 => Basis::Blob,
            2 => Basis::History,
            _ => return Err(Error::message("an unknown basis")),
        };
        let state = match from.u8()? {
            0 => PositionState::Anchored,
            1 => PositionState::Shifted,
            2 => PositionState::Outdated,
            3 => PositionState::Orphaned,
            _ => return Err(Error::message("an unknown state")),
        };
        let path = if is_null(&mut from)? { None } else { Some(decode_path(&mut from)?) };
        let range = if is_null(&mut from)? { None } else { Some(decode_range(&mut from)?) };
        let (confidence, reason) = (from.u16()?, from.str()?.to_owned());
        let mut candidates = Vec::new();
        for _ in 0..from.array()?.unwrap_or(0) {
            from.array()?;
            let (path, range) = (decode_path(&mut from)?, decode_range(&mut from)?);
            candidates.push(Candidate { path, range, confidence: from.u16()? });
        }
        let source = if fields > 9 {
            from.array()?;
            Some((from.u64()?, from.u64()?))
        } else {
            None
        };
        Ok(PositionEntry {
            comment,
            engine,
            basis,
            state,
            path,
            range,
            confidence,
            reason,
            candidates,
            source,
            origin: EntryOrigin::Elsewhere,
            message: None,
        })
    }
}

fn encode_range(
    to: &mut Encoder<Vec<u8>>,
    range: Range,
) -> Result<(), minicbor::encode::Error<std::convert::Infallible>> {
    let (first, last) = (range.span().first(), range.span().last());
    match range.columns() {
        None => to.array(2)?.u32(first)?.u32(last)?,
        Some(columns) => {
            to.array(4)?.u32(first)?.u32(last)?.u32(columns.start.get())?.u32(columns.end.get())?
        }
    };
    Ok(())
}

fn decode_range(from: &mut Decoder<'_>) -> Result<Range, Error> {
    let wrong = || Error::message("a range that runs backwards");
    let numbers = from.array()?;
    let lines = LineSpan::from_numbers(from.u32()?, from.u32()?).ok_or_else(wrong)?;
    match numbers {
        Some(2) => Ok(Range::lines(lines)),
        Some(4) => {
            let (start, end) = (from.u32()?.try_into(), from.u32()?.try_into());
            let columns = start.ok().zip(end.ok()).map(|(start, end)| Columns { start, end });
            columns.and_then(|columns| Range::with_columns(lines, columns)).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

fn decode_path(from: &mut Decoder<'_>) -> Result<RepoPath, Error> {
    RepoPath::new(from.bytes()?).ok_or_else(|| Error::message("not a path in a tree"))
}

fn is_null(from: &mut Decoder<'_>) -> Result<bool, Error> {
    if from.datatype()? == minicbor::data::Type::Null {
        from.null()?;
        return Ok(true);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        let path = RepoPath::new(*b"src/caf\xe9.rs").unwrap();
        let lines = LineSpan::from_numbers(3, 300).unwrap();
        let columns = Columns { start: 70_000.try_into().unwrap(), end: 1.try_into().unwrap() };
        let entry = PositionEntry {
            comment: RecordId::from_array([1; 16]),
            engine: 3,
            basis: Basis::History,
            state: PositionState::Shifted,
            path: Some(path.clone()),
            range: Range::with_columns(lines, columns),
            confidence: 875,
            reason: "moved".into(),
            candidates: vec![Candidate { path, range: Range::lines(lines), confidence: 500 }],
            source: Some((12, 90)),
            origin: EntryOrigin::Here,
            message: None,
        };
        let back = entry.to_raw().read().unwrap();
        assert_eq!(back.origin, EntryOrigin::Elsewhere, "what was read was not computed here");
        assert_eq!(PositionEntry { origin: EntryOrigin::Here, ..back }, entry);
    }

    #[test]
    fn an_entry_stays_short_whatever_it_names() {
        let path = RepoPath::new(vec![b'x'; MAX_ENTRY_BYTES]).unwrap();
        let range = Range::lines(LineSpan::from_numbers(1, 1).unwrap());
        let candidate = Candidate { path: path.clone(), range, confidence: 1 };
        let many = PositionEntry {
            candidates: vec![candidate; 9],
            ..PositionEntry::orphaned(RecordId::from_array([1; 16]))
        };
        assert_eq!(many.to_raw().read().unwrap().candidates, []);
        let long = PositionEntry { path: Some(path), state: PositionState::Anchored, ..many };
        assert_eq!(long.to_raw().read().unwrap().state, PositionState::Orphaned);
    }
}
