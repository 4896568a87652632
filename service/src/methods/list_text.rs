//! Lists threads as JSON text. A list that was requested before is returned at once if nothing has changed.
//!
//! If only the notes changed, just the threads that the new records are about are looked at again.

use postil_protocol::{Detail, Fault, HeadName, List, ListOrder, ListReply};

use crate::files::HeadFiles;
use crate::lists::answer_size::{MAX_ANSWER_BYTES, MAX_PAGE_BYTES, most_threads};
use crate::lists::line_texts::{EarlierLines, LineTexts};
use crate::lists::list_cache::{JsonText, KeptList, PageText};
use crate::lists::listed_threads::ListChoice;
use crate::methods::list::{list_in, list_with, reply_without_threads};
use crate::positions::in_head::{FilesMark, positions_of};
use crate::repository::basis::BasisChange;
use crate::request::{Request, seen_from};
use crate::suggestions::status::suggests;

/// Lists threads, as JSON text.
pub(crate) fn list_as_text(request: &Request, list: &List) -> Result<JsonText, Fault> {
    let cache = &request.repository.lists;
    let kept = cache.find(request, list);
    let files = HeadFiles::of(request, &list.head)?;
    let mut updated = None;
    if let Some(kept) = &kept {
        match kept.change(request, &files)? {
            BasisChange::Nothing => return Ok(kept.answer().clone()),
            BasisChange::Notes => updated = update(request, &files, list, kept)?,
            BasisChange::Other => {}
        }
    }
    let (reply, page) = match updated {
        Some(updated) => updated,
        None => {
            let earlier = kept.as_deref().and_then(|kept| kept.lines(request));
            page_as_text(request, &files, list, earlier.as_ref())?
        }
    };
    let answer = page.answer.clone();
    // A commit may be named otherwise any time, and a signature rests on whom one believes.
    let can_be_kept = !matches!(list.head, HeadName::Rev(_))
        // What was read is in no ref.
        && !list.filter.unread
        && list.detail != Detail::Row
        && !reply.resolving
        && !reply.incomplete
        && request.notes.vouched.is_empty();
    cache.replace(request, list, &files, can_be_kept.then_some(page));
    Ok(answer)
}

/// Brings a list up to date if nothing but the notes changed; `None` if it has to be made again.
fn update(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    kept: &KeptList,
) -> Result<Option<(ListReply, PageText)>, Fault> {
    // What belongs to a review may depend on what was said in others. Who vouches for a line is not in the notes alone.
    let is_simple = kept.is_whole()
        && list.order == ListOrder::File
        && list.cursor.is_none()
        && list.filter.review.is_none();
    if !is_simple || !request.notes.vouched.is_empty() {
        return Ok(None);
    }
    let Some(earlier) = kept.lines(request) else { return Ok(None) };
    let seen = seen_from(request, &list.head)?;
    let Some(seen_otherwise) = seen.differences_at(earlier.version()) else { return Ok(None) };
    let mut again = earlier.again();
    again.extend(seen_otherwise.into_keys());
    let choice = ListChoice::new(request, list, &seen)?;
    let threads = choice.candidates(again.iter().filter_map(|id| request.notes.threads.thread(*id)));
    let looked = positions_of(request, files, list.freshness, threads.iter().copied())?;
    // Where lines are in files that are not committed may depend on which other files are commented on.
    if looked.resolving || looked.files != FilesMark::Committed {
        return Ok(None);
    }
    let ranked = choice.in_order(threads, &looked.entries);
    let (lines, texts) = LineTexts::update(request, files, &ranked, &again, &earlier)?;
    if lines.len() > most_threads(list) || texts.len() > MAX_PAGE_BYTES {
        return Ok(None);
    }
    let suggests = ranked.iter().any(|one| suggests(one.thread));
    drop(ranked);
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let reply = reply_without_threads(request, files, list, looked, &seen, suggests);
    let reply = ListReply { total, ..reply };
    let page = PageText::with_lines(&reply, lines, &texts)?;
    Ok(Some((reply, page)))
}

/// A page that can be sent: with fewer threads where JSON takes much more room than what is in it.
fn page_as_text(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    earlier: Option<&EarlierLines<'_>>,
) -> Result<(ListReply, PageText), Fault> {
    let mut shown = 0;
    let (reply, page) = if request.notes.vouched.is_empty() && list.detail != Detail::Row {
        let (reply, lines) = list_with(request, files, list, |chosen| {
            shown = chosen.threads.len();
            LineTexts::write(request, files, &chosen.threads, earlier)
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
    page_as_text(request, files, &List { limit, ..list.clone() }, earlier)
}
