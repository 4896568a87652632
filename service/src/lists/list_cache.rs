//! Lists that were asked for already, as JSON text, for as long as nothing that they rest on has changed.
//!
//! Editors and shells ask the same again and again. Whether an answer still holds is seen from a few refs and from the
//! files that it looked at.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use postil_protocol::{Fault, FaultCode, List, ListReply};
use serde::Serialize;

use crate::files::HeadFiles;
use crate::lists::line_texts::{EarlierLines, LineTexts};
use crate::repository::basis::{AnswerBasis, BasisChange};
use crate::repository::state::lock;
use crate::request::Request;

/// So many lists are kept for a repository: those of a shell and of some editors.
const MAX_KEPT: usize = 4;

/// A longer one is computed again: memory is worth more.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// A whole answer as it is sent: several clients may get the same.
pub type JsonText = Arc<Vec<u8>>;

/// Lists that were asked for already.
#[derive(Debug, Default)]
pub(crate) struct ListCache(Mutex<VecDeque<Arc<KeptList>>>);

/// A list that was asked for already.
#[derive(Debug)]
pub(crate) struct KeptList {
    question: List,
    basis: AnswerBasis,
    page: PageText,
}

/// A page of a list as JSON text.
#[derive(Debug)]
pub(crate) struct PageText {
    /// All of it.
    pub answer: JsonText,
    /// Where its lines are in that.
    lines: Option<LineTexts>,
    is_whole: bool,
}

impl ListCache {
    /// The answer to the same question, if it was made for the same work tree.
    pub fn find(&self, request: &Request, list: &List) -> Option<Arc<KeptList>> {
        lock(&self.0).iter().find(|kept| kept.is_of(request, list)).cloned()
    }

    /// Keeps a page in the place of an earlier one, if there is one that can be kept.
    pub fn replace(&self, request: &Request, list: &List, files: &HeadFiles<'_>, page: Option<PageText>) {
        let mut all = lock(&self.0);
        all.retain(|kept| !kept.is_of(request, list));
        if let Some(page) = page.filter(|page| page.answer.len() <= MAX_KEPT_BYTES) {
            all.truncate(MAX_KEPT - 1);
            let basis = AnswerBasis::of(request, files.basis());
            all.push_front(Arc::new(KeptList { question: list.clone(), basis, page }));
        }
    }

    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

impl KeptList {
    /// What it rests on and is otherwise now; `files` are those of the head.
    pub fn change(&self, request: &Request, files: &HeadFiles<'_>) -> Result<BasisChange, Fault> {
        self.basis.change(request, files)
    }

    /// What was answered.
    pub fn answer(&self) -> &JsonText {
        &self.page.answer
    }

    /// Whether it has all threads that were wanted, where they are in a commit.
    pub fn is_whole(&self) -> bool {
        self.page.is_whole
    }

    /// Its lines, if it is known what was said since.
    pub fn lines(&self, request: &Request) -> Option<EarlierLines<'_>> {
        EarlierLines::of(request, self.page.lines.as_ref()?, &self.page.answer)
    }

    fn is_of(&self, request: &Request, list: &List) -> bool {
        self.question == *list && self.basis.is_seen_from(request)
    }
}

impl PageText {
    /// An answer with its lines at the end.
    pub fn with_lines(reply: &ListReply, mut lines: LineTexts, texts: &[u8]) -> Result<Self, Fault> {
        if texts.is_empty() {
            return Self::of(reply);
        }
        let mut text = serde_json::to_vec(reply).map_err(|error| not_written(&error))?;
        text.reserve_exact(texts.len() + 16);
        let end = text.pop();
        text.extend_from_slice(b",\"lines\":[");
        lines.begin_at(text.len());
        text.extend_from_slice(texts);
        text.push(b']');
        text.extend(end);
        let ListReply { head, next, resolving, .. } = reply;
        let is_whole = next.is_none() && !resolving && head.commit.is_some() && !head.uncommitted;
        Ok(Self { answer: Arc::new(text), lines: Some(lines), is_whole })
    }

    /// An answer as it is.
    pub fn of(reply: &ListReply) -> Result<Self, Fault> {
        Ok(Self { answer: written(reply)?, lines: None, is_whole: false })
    }
}

/// An answer as JSON text, in no more memory than it needs: it may be kept, or wait for its client.
pub fn written<T: Serialize>(reply: &T) -> Result<JsonText, Fault> {
    let mut text = serde_json::to_vec(reply).map_err(|error| not_written(&error))?;
    text.shrink_to_fit();
    Ok(Arc::new(text))
}

pub(super) fn not_written(error: &serde_json::Error) -> Fault {
    Fault::new(FaultCode::Internal, "could not write the answer").because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_no_more_memory_than_it_is_long() {
        let text = written(&vec!["remark"; 1000]).unwrap();
        assert_eq!(text.capacity(), text.len());
    }
}
