//! Lines that an editor selects, as the service counts them.

use gen_lsp_types::{Position, Range};
use postil_live::{Encoding, TextPosition, byte_offset};
use postil_protocol::Span;

use crate::documents::document::OpenDocument;

/// Lines of a document as the service counts them; a part of them if less than whole lines are selected.
pub(crate) fn span(document: &OpenDocument, range: &Range, encoding: Encoding) -> Result<Span, String> {
    let text = document.text();
    let at = |position: &Position| TextPosition { line: position.line, column: position.character };
    let outside = |_| "these lines are not in the document".to_owned();
    let start = byte_offset(text, at(&range.start), encoding).map_err(outside)?;
    let end = byte_offset(text, at(&range.end), encoding).map_err(outside)?;
    // A selection that ends at the beginning of a line does not include that line.
    let ends_before = range.end.character == 0 && range.end.line > range.start.line;
    let last = if ends_before { range.end.line - 1 } else { range.end.line };
    let lines = document.live.text();
    let is_whole = start == end
        || ends_before && range.start.character == 0
        || text[lines.offset(range.start.line)..start].trim().is_empty()
            && text[end..lines.offset(last) + lines.bare(last).len()].trim().is_empty();
    let mut span = Span::lines(range.start.line + 1, last + 1);
    if !is_whole && !ends_before {
        span.start_column = Some((start - lines.offset(range.start.line)) as u32 + 1);
        span.end_column = Some((end - lines.offset(last)) as u32);
    }
    Ok(span)
}
