//! Checks whether a change deletes the lines that a comment on the old side names.
//!
//! Only what people point at is checked; imported places are accepted as they are.

use std::ops::Range;

use postil_core::edit::{Algorithm, LineMap, Text};
use postil_core::git::{BlobId, RepoPath};
use postil_core::notes::{DraftPin, Home};
use postil_core::record::{self, LineSpan};
use postil_protocol::{Advice, ByteText, Fault, FaultCode, HeadName, Place, Side};

use crate::files::{HeadFiles, read_blob};
use crate::pointing::point::{Pointing, anchor_of_place};
use crate::request::Request;

/// Makes the anchor of what a person points at; lines of the base must be deleted by the change.
///
/// One of several is enough, in the commit or else in the files on disk: then what is not committed yet is the
/// head that the comment is made on.
pub fn point(request: &Request, place: &Place) -> Result<Pointing, Fault> {
    let pointing = anchor_of_place(request, place)?;
    if place.side == Side::New {
        return Ok(pointing);
    }
    let (Some(range), Some(blob)) = (pointing.anchor.range, pointing.anchor.blob) else {
        return Ok(pointing);
    };
    let old = Text::new(pointing.content.clone());
    let lines = range.span().first() - 1..range.span().last();
    let committed = Text::new(read_blob(&request.handle, blob)?);
    let Some(mut now) = kept(&old, &committed, lines.clone()) else { return Ok(pointing) };
    if place.rev.is_none() && request.work_tree.work_tree().is_some() {
        let files = HeadFiles::of(request, &HeadName::WorkTree)?;
        let found = match files.at(&pointing.anchor.path)?.file() {
            Some(file) => Some((file.blob, files.content(&file)?)),
            None => None,
        };
        let content = found.as_ref().map(|(_, content)| content.clone()).unwrap_or_default();
        match kept(&old, &Text::new(content), lines) {
            Some(there) => now = there,
            None => return Ok(pointing.on_disk(found)),
        }
    }
    Err(not_deleted(&pointing.anchor, range.span(), now))
}

impl Pointing {
    /// The same lines, deleted by what is on disk: the file there, if there is one.
    fn on_disk(mut self, found: Option<(BlobId, Vec<u8>)>) -> Self {
        let anchor = &mut self.anchor;
        anchor.commit = None;
        anchor.blob = found.as_ref().map(|(blob, _)| *blob);
        if let (None, record::AnchorSide::Old(old)) = (&found, &mut anchor.side) {
            anchor.path = old.path.take().unwrap_or_else(|| anchor.path.clone());
        }
        self.home = Home::of_anchor(anchor).expect("an anchor in the base has its blob");
        // The first is the file of the base.
        self.pins.truncate(1);
        self.head = found.map(|(_, content)| content);
        self.pins.extend(self.head.clone().map(DraftPin::Content));
        self
    }
}

fn not_deleted(anchor: &record::Anchor, was: LineSpan, now: Range<u32>) -> Fault {
    let named = |path: &RepoPath, first: u32, last: u32| {
        if first == last { format!("{path}:{first}") } else { format!("{path}:{first}-{last}") }
    };
    let path = match &anchor.side {
        record::AnchorSide::Old(old) => old.path.as_ref().unwrap_or(&anchor.path),
        record::AnchorSide::New => &anchor.path,
    };
    let old = named(path, was.first(), was.last());
    let (start, end) = (now.start + 1, now.end);
    Fault::new(FaultCode::NoSuchPlace, format!("the change does not delete any lines of {old}"))
        .about(path.as_bytes())
        .advise(Advice::PointAtNewSide { path: ByteText::new(anchor.path.as_bytes()), start, end })
}

/// Where lines of a text are in another one; `None` if some diff would call one of them deleted.
///
/// Diffs disagree about what moved, and which of several equal lines went.
fn kept(old: &Text, new: &Text, lines: Range<u32>) -> Option<Range<u32>> {
    let maps =
        [Algorithm::Myers, Algorithm::Histogram].map(|algorithm| LineMap::between(old, new, algorithm));
    let count = |text: &Text, line: &[u8]| text.bare_lines().filter(|other| *other == line).count();
    let is_kept = |line: u32| {
        maps.iter().all(|map| map.kept(line).is_some())
            && count(old, old.bare(line)) <= count(new, old.bare(line))
    };
    if !lines.clone().all(is_kept) {
        return None;
    }
    let [_, map] = &maps;
    Some(map.kept(lines.start)?..map.kept(lines.end.checked_sub(1)?)? + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, lines: Range<u32>, expected: Option<[u32; 2]>) {
        let text = |lines: &str| Text::new(lines.replace(' ', "\n").into_bytes());
        let found = kept(&text(old), &text(new), lines).map(|lines| [lines.start, lines.end]);
        assert_eq!(found, expected, "{old} to {new}");
    }

    #[test]
    fn a_line_is_kept_where_every_diff_says_so() {
        check("a b c d", "x a b d", 0..1, Some([1, 2]));
        check("a b c d", "x a b d", 0..2, Some([1, 3]));
        check("a b c d", "x a b d", 2..3, None);
        check("a b c d", "x a b d", 1..3, None);
    }

    #[test]
    fn of_equal_lines_any_may_be_the_deleted_one() {
        check("} a } b", "a } b", 0..1, None);
        check("} a } b", "a } b", 2..3, None);
        check("} a } b", "} a } b c", 2..3, Some([2, 3]));
    }
}
