//! The last texts of a document whose answers are known, so that an undo shows at once what was there.

use std::collections::VecDeque;

/// So many texts are remembered.
const MAX_TEXTS: usize = 32;

/// Texts, by their hash, with what was answered for each; the newest first.
#[derive(Clone, Debug)]
pub(crate) struct VerifiedTexts<A> {
    texts: VecDeque<VerifiedText<A>>,
}

#[derive(Clone, Debug)]
struct VerifiedText<A> {
    length: usize,
    hash: blake3::Hash,
    answer: A,
}

impl<A> Default for VerifiedTexts<A> {
    fn default() -> Self {
        Self { texts: VecDeque::new() }
    }
}

impl<A> VerifiedTexts<A> {
    /// Keeps the answer for a text, instead of an earlier one.
    pub(crate) fn put(&mut self, text: &[u8], answer: A) {
        let (length, hash) = (text.len(), blake3::hash(text));
        self.texts.retain(|known| known.hash != hash);
        self.texts.push_front(VerifiedText { length, hash, answer });
        self.texts.truncate(MAX_TEXTS);
    }

    /// The answer for a text. Only a text of a known length is hashed.
    pub(crate) fn get(&self, text: &[u8]) -> Option<&A> {
        if !self.texts.iter().any(|known| known.length == text.len()) {
            return None;
        }
        let hash = blake3::hash(text);
        self.texts.iter().find(|known| known.hash == hash).map(|known| &known.answer)
    }

    /// Forgets all answers: something else than the text changed.
    pub(crate) fn clear(&mut self) {
        self.texts.clear();
    }
}
