//! What is asked for, and how much of the answer fits into one page.

use postil_protocol::{CompactList, Detail, List, ListReply, ShowReply, ThreadView};

use crate::list::{CODE_LINES, CompactDetail, compact_list, compact_show, compact_thread};
use crate::text::thread_text;
use crate::withheld::{withheld_warning, withhold};

/// How many bytes of text one page may have, if nothing else is said: about 8,000 tokens, which all clients show. Whatever
/// the text, it is less than 25,000, where most clients cut.
pub const PAGE_BYTES: usize = 28_000;

/// A question for threads in few words.
#[derive(Clone, Debug)]
pub struct CompactQuestion {
    /// Which threads, in which order, and after which.
    pub list: List,
    /// How much of each.
    pub detail: CompactDetail,
    /// The most bytes of text; one thread is told however long it is.
    pub most_bytes: usize,
    /// Whether comments that nobody vouches for are withheld.
    pub trusted_only: bool,
}

impl CompactQuestion {
    /// One page of these threads, with code, for who gets all comments.
    pub fn of(list: List) -> Self {
        Self { list, detail: CompactDetail::Code, most_bytes: PAGE_BYTES, trusted_only: false }
    }

    /// Asks for one page, with whatever asks the service.
    ///
    /// Asks twice if not everything fits: only the service knows where the next page begins.
    pub fn ask<E>(&self, mut ask: impl FnMut(List) -> Result<ListReply, E>) -> Result<CompactList, E> {
        let (detail, code) = match self.detail {
            CompactDetail::Line => (Detail::Brief, 0),
            CompactDetail::Code => (Detail::Comments, CODE_LINES),
            CompactDetail::Full => (Detail::Full, CODE_LINES),
        };
        let question = List { detail, code, ..self.list.clone() };
        let mut reply = ask(question.clone())?;
        let mut withheld = self.withhold(&mut reply.threads);
        let fit = fitting_threads(&reply.threads, self.detail, self.most_bytes);
        if fit < reply.threads.len() {
            reply = ask(List { limit: Some(u32::try_from(fit).unwrap_or(u32::MAX)), ..question })?;
            withheld = self.withhold(&mut reply.threads);
        }
        let mut list = compact_list(&reply, self.detail);
        list.warnings.extend(withheld_warning(withheld));
        Ok(list)
    }

    /// A whole thread, as far as this reader gets it.
    pub fn shown(mut reply: ShowReply, trusted_only: bool) -> CompactList {
        let threads = std::slice::from_mut(&mut reply.thread);
        let withheld = if trusted_only { withhold(threads) } else { 0 };
        let mut list = compact_show(&reply);
        list.warnings.extend(withheld_warning(withheld));
        list
    }

    fn withhold(&self, threads: &mut [ThreadView]) -> usize {
        if self.trusted_only { withhold(threads) } else { 0 }
    }
}

/// How many of these threads fit into so many bytes of text: one at least, if there is any.
fn fitting_threads(threads: &[ThreadView], detail: CompactDetail, most_bytes: usize) -> usize {
    let mut bytes = 0_usize;
    let fits = threads.iter().enumerate().take_while(|(at, thread)| {
        bytes = bytes.saturating_add(thread_text(&compact_thread(thread, detail)).len() + 16);
        *at == 0 || bytes <= most_bytes
    });
    fits.count()
}
