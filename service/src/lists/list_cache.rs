//! Lists that were asked for already, as JSON text, for as long as nothing that they rest on has changed.
//!
//! Editors and shells ask the same again and again. Whether an answer still holds is seen from a few refs and from the
//! files that it looked at.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use postil_protocol::{Fault, FaultCode, HeadName, List};
use serde::Serialize;

use crate::basis::Basis;
use crate::files::HeadFiles;
use crate::methods::list::list_in;
use crate::repository::lock;
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

#[derive(Debug)]
struct KeptList {
    question: List,
    basis: Basis,
    answer: JsonText,
}

impl ListCache {
    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }
}

/// Lists threads, as JSON text.
pub(crate) fn list_as_text(request: &Request, list: &List) -> Result<JsonText, Fault> {
    let cache = &request.repository.lists;
    let is_same = |kept: &Arc<KeptList>| kept.question == *list && kept.basis.is_seen_from(request);
    let kept = lock(&cache.0).iter().find(|kept| is_same(kept)).cloned();
    let files = HeadFiles::of(request, &list.head)?;
    if let Some(kept) = &kept
        && kept.basis.holds(request, &files)?
    {
        return Ok(kept.answer.clone());
    }
    let reply = list_in(request, &files, list)?;
    let answer = written(&reply)?;
    // A commit may be named otherwise any time, and a signature rests on whom one believes.
    let can_be_kept =
        !matches!(list.head, HeadName::Rev(_)) && !reply.resolving && request.notes.vouched.is_empty();
    let mut all = lock(&cache.0);
    all.retain(|kept| !is_same(kept));
    if can_be_kept && answer.len() <= MAX_KEPT_BYTES {
        all.truncate(MAX_KEPT - 1);
        let basis = Basis::of(request, files.basis());
        all.push_front(Arc::new(KeptList { question: list.clone(), basis, answer: answer.clone() }));
    }
    Ok(answer)
}

/// An answer as JSON text.
pub fn written<T: Serialize>(reply: &T) -> Result<JsonText, Fault> {
    let text = serde_json::to_vec(reply).map_err(|error| {
        Fault::new(FaultCode::Internal, "the answer could not be written").because(&error)
    })?;
    Ok(Arc::new(text))
}
