//! How many threads of a list go into one answer, so that it can be sent.

use postil_core::review::{Comment, Thread};
use postil_protocol::{Detail, List, MAX_FRAME_BYTES, MAX_LINES, MAX_LIST};

/// So many bytes of words may be in one page; the next one has the rest.
///
/// Half of what can be sent: names, quoted lines and escapes in the JSON take their part.
pub const MAX_PAGE_BYTES: usize = MAX_FRAME_BYTES / 2;

/// So long an answer may be; what is said around it in a message takes little.
pub const MAX_ANSWER_BYTES: usize = MAX_FRAME_BYTES - (64 << 10);

/// How many threads one answer to a list may have, by their number.
pub fn most_threads(list: &List) -> usize {
    let most = match list.detail {
        Detail::Line | Detail::Row => MAX_LINES,
        Detail::Brief | Detail::Comments | Detail::Full => MAX_LIST,
    };
    list.limit.unwrap_or(most).min(most) as usize
}

/// How many of these threads make one page: one at least, if there is any.
pub fn fitting<'a>(threads: impl Iterator<Item = Thread<'a>>, detail: Detail) -> usize {
    let mut bytes = 0_usize;
    let fits = threads.enumerate().take_while(|(at, thread)| {
        bytes = bytes.saturating_add(words_of(*thread, detail));
        *at == 0 || bytes <= MAX_PAGE_BYTES
    });
    fits.count()
}

/// How many bytes of words are shown of a thread.
fn words_of(thread: Thread<'_>, detail: Detail) -> usize {
    let text = |comment: &Comment| comment.text().len();
    match detail {
        Detail::Line | Detail::Row => {
            thread.root_comment().and_then(|root| root.text().lines().next()).map_or(0, str::len)
        }
        Detail::Brief => thread.root_comment().map_or(0, text),
        Detail::Comments | Detail::Full => thread.comments().map(text).sum(),
    }
}
