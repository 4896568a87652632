//! What is asked for, and how much of the answer fits into one page.

use postil_protocol::{CompactList, Detail, List, ListReply, ThreadView};

use crate::list::{CODE_LINES, CompactDetail, compact_list, compact_thread};
use crate::text::thread_text;

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
}

impl CompactQuestion {
    /// One page of these threads, with code.
    pub fn of(list: List) -> Self {
        Self { list, detail: CompactDetail::Code, most_bytes: PAGE_BYTES }
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
        let fit = fitting_threads(&reply.threads, self.detail, self.most_bytes);
        if fit < reply.threads.len() {
            reply = ask(List { limit: Some(u32::try_from(fit).unwrap_or(u32::MAX)), ..question })?;
        }
        Ok(compact_list(&reply, self.detail))
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
