//! Lists threads as JSON text. A list that was requested before is returned at once if nothing has changed.

use postil_protocol::{Fault, HeadName, List, ListReply};

use crate::files::HeadFiles;
use crate::lists::answer_size::MAX_ANSWER_BYTES;
use crate::lists::line_texts::LineTexts;
use crate::lists::list_cache::{JsonText, PageText};
use crate::methods::list::{list_in, list_with};
use crate::request::Request;

/// Lists threads, as JSON text.
pub(crate) fn list_as_text(request: &Request, list: &List) -> Result<JsonText, Fault> {
    let cache = &request.repository.lists;
    let kept = cache.find(request, list);
    let files = HeadFiles::of(request, &list.head)?;
    if let Some(kept) = &kept
        && kept.holds(request, &files)?
    {
        return Ok(kept.answer().clone());
    }
    let before = kept.as_deref().and_then(|kept| kept.lines());
    let (reply, page) = page_as_text(request, &files, list, before)?;
    let answer = page.answer.clone();
    // A commit may be named otherwise any time, and a signature rests on whom one believes.
    let can_be_kept = !matches!(list.head, HeadName::Rev(_))
        && !reply.resolving
        && !reply.incomplete
        && request.notes.vouched.is_empty();
    cache.replace(request, list, &files, can_be_kept.then_some(page));
    Ok(answer)
}

/// A page that can be sent: with fewer threads where JSON takes much more room than what is in it.
fn page_as_text(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    before: Option<(&LineTexts, &[u8])>,
) -> Result<(ListReply, PageText), Fault> {
    let mut shown = 0;
    let (reply, page) = if request.notes.vouched.is_empty() {
        let (reply, lines) = list_with(request, files, list, |chosen| {
            shown = chosen.threads.len();
            LineTexts::write(request, files, chosen, before)
        })?;
        let page = match lines {
            None => PageText::of(&reply)?,
            Some((lines, texts)) => PageText::with_lines(&reply, lines, &texts)?,
        };
        (reply, page)
    } else {
        let reply = list_in(request, files, list)?;
        shown = reply.lines.len();
        let page = PageText::of(&reply)?;
        (reply, page)
    };
    shown = shown.max(reply.threads.len());
    if page.answer.len() <= MAX_ANSWER_BYTES || shown <= 1 {
        return Ok((reply, page));
    }
    drop((reply, page));
    let limit = u32::try_from(shown / 2).ok();
    page_as_text(request, files, &List { limit, ..list.clone() }, before)
}
