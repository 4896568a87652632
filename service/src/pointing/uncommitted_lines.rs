//! Which lines of those that travel with a comment are not committed.
//!
//! Whether there are any is decided in `uncommitted`, also if they cannot be named.

use postil_core::edit::{Algorithm, LineMap, Mapped, Text};
use postil_core::git::BlobId;
use postil_core::record::AnchorSide;
use postil_protocol::{Fault, HeadName, Span};

use super::point::Pointing;
use crate::files::{HeadFiles, read_blob};
use crate::request::Request;

/// The commented lines and the lines around them that are not in the file as it is committed, as runs.
pub fn uncommitted_lines(request: &Request, pointing: &Pointing) -> Result<Vec<Span>, Fault> {
    let anchor = &pointing.anchor;
    let Some(range) = anchor.range.filter(|_| anchor.commit.is_none() && anchor.side == AnchorSide::New)
    else {
        return Ok(Vec::new());
    };
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let committed = match files.committed(&anchor.path)?.filter(|entry| entry.mode.is_blob()) {
        Some(entry) => read_blob(&request.handle, BlobId::from(entry.id.raw()))?,
        None => Vec::new(),
    };
    let (now, committed) = (Text::new(pointing.content.clone()), Text::new(committed));
    let map = LineMap::between(&now, &committed, Algorithm::Histogram);
    let around = |lines: &[postil_core::record::Line]| u32::try_from(lines.len()).unwrap_or_default();
    let first = range.span().first().saturating_sub(around(&anchor.before)).max(1);
    let last = range.span().last().saturating_add(around(&anchor.after)).min(now.len());
    let mut runs: Vec<Span> = Vec::new();
    // The map counts from zero.
    for line in (first..=last).filter(|line| matches!(map.map(line - 1), Mapped::Changed(_))) {
        match runs.last_mut() {
            Some(run) if run.end + 1 == line => run.end = line,
            _ => runs.push(Span::lines(line, line)),
        }
    }
    Ok(runs)
}
