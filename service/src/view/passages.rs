//! Where quoted text is on the rendered page, in addition to its place in the source.
//!
//! Positions are kept by their place in the source; the page is made again for who asks.

use std::collections::BTreeMap;

use postil_core::anchoring::prose::Document;
use postil_core::git::RepoPath;
use postil_core::record::{PositionEntry, RecordId};
use postil_protocol::{ByteExtent, Fault, ThreadView};

use crate::files::HeadFiles;
use crate::positions::positions_at::PositionsByThread;

/// Reports in the views of threads on rendered prose where their words are on the page.
///
/// Costs one rendering for each file with such a thread. A file without a page leaves the place in the source.
pub fn add_passages(
    files: &HeadFiles<'_>,
    views: &mut [ThreadView],
    entries: &PositionsByThread,
) -> Result<(), Fault> {
    let mut pages: BTreeMap<RepoPath, Option<Document>> = BTreeMap::new();
    for view in views {
        let id = RecordId::from_hex(view.id.as_str());
        let entry: Option<&PositionEntry> = id.and_then(|id| entries.get(&id)).map(AsRef::as_ref);
        let Some((path, (start, end))) = entry.and_then(|entry| entry.path.as_ref().zip(entry.source)) else {
            continue;
        };
        let Some(position) = &mut view.position else { continue };
        if !pages.contains_key(path) {
            let content = files.read(path)?;
            let page = content.and_then(|content| Document::read(path, &content).ok());
            pages.insert(path.clone(), page);
        }
        let page = pages.get(path).and_then(Option::as_ref);
        let source = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let rendered = page.zip(source).and_then(|(page, (start, end))| page.rendered_of(&(start..end)));
        position.rendered =
            rendered.map(|rendered| ByteExtent { start: rendered.start as u64, end: rendered.end as u64 });
    }
    Ok(())
}
