//! Whether a change deletes the lines that somebody calls deleted.
//!
//! Only people are asked, when they point at lines: what is imported is taken as it is told.

use std::ops::Range;

use postil_core::edit::{Algorithm, LineMap, Text};
use postil_core::protocol::{Fault, FaultCode, Place, Side};
use postil_core::record;

use super::contents::read_blob;
use super::disk::{Disk, OnDisk};
use super::point::Pointing;
use super::scene::Scene;

impl Scene {
    /// Makes the anchor of what a person points at; lines of the base must be deleted by the change.
    ///
    /// One of several is enough, in the commit or in the files on disk.
    pub fn point(&self, place: &Place) -> Result<Pointing, Fault> {
        let pointing = self.point_as_told(place)?;
        if place.side == Side::Old {
            self.must_be_deleted(&pointing, place.rev.as_deref())?;
        }
        Ok(pointing)
    }

    fn must_be_deleted(&self, pointing: &Pointing, rev: Option<&str>) -> Result<(), Fault> {
        let anchor = &pointing.anchor;
        let (Some(range), Some(blob)) = (anchor.range, anchor.blob) else { return Ok(()) };
        let old = Text::new(pointing.content.clone());
        let lines = range.span().first() - 1..range.span().last();
        let handle = self.seat.repository().handle();
        let committed = Text::new(read_blob(&handle, blob)?);
        let Some(mut now) = kept(&old, &committed, lines.clone()) else { return Ok(()) };
        if let (None, Some(root)) = (rev, self.seat.work_tree()) {
            let on_disk = match Disk::open(root, &handle)?.at(&anchor.path)? {
                OnDisk::Content(content) => content,
                OnDisk::AsStaged(blob) => read_blob(&handle, blob)?,
                OnDisk::Absent | OnDisk::Unreadable => return Ok(()),
            };
            let Some(there) = kept(&old, &Text::new(on_disk), lines) else { return Ok(()) };
            now = there;
        }
        let named = |path: &dyn std::fmt::Display, first: u32, last: u32| match first == last {
            true => format!("{path}:{first}"),
            false => format!("{path}:{first}-{last}"),
        };
        let was = match &anchor.side {
            record::Side::Old(old) => old.path.as_ref().unwrap_or(&anchor.path),
            record::Side::New => &anchor.path,
        };
        let old = named(was, range.span().first(), range.span().last());
        let new = named(&anchor.path, now.start + 1, now.end);
        Err(Fault::new(FaultCode::NoSuchPlace, format!("the change deletes nothing of {old}"))
            .about(was.as_bytes())
            .hint(format!(
                "it is {new} now: point there without `--side old`; `postil diff` shows what is deleted"
            )))
    }
}

/// Where lines of a text are in another one; `None` where some diff would call one of them deleted.
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
    fn check(old: &str, new: &str, lines: Range<u32>, expected: Option<Range<u32>>) {
        let text = |lines: &str| Text::new(lines.replace(' ', "\n").into_bytes());
        assert_eq!(kept(&text(old), &text(new), lines), expected, "{old} to {new}");
    }

    #[test]
    fn a_line_is_kept_where_every_diff_says_so() {
        check("a b c d", "x a b d", 0..1, Some(1..2));
        check("a b c d", "x a b d", 0..2, Some(1..3));
        check("a b c d", "x a b d", 2..3, None);
        check("a b c d", "x a b d", 1..3, None);
    }

    #[test]
    fn of_equal_lines_any_may_be_the_deleted_one() {
        check("} a } b", "a } b", 0..1, None);
        check("} a } b", "a } b", 2..3, None);
        check("} a } b", "} a } b c", 2..3, Some(2..3));
    }
}
