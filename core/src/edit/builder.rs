//! Makes an edit from what is kept, dropped and added, one step after the other.
//!
//! Invariant: what touches and has the same data becomes one replacement, and nothing becomes none.

use super::{Replacement, TextEdit};

/// An edit in the making.
pub(super) struct Builder<D> {
    done: Vec<Replacement<D>>,
    open: Option<OpenReplacement<D>>,
    at: usize,
}

struct OpenReplacement<D> {
    start: usize,
    text: Vec<u8>,
    data: D,
}

impl<D: Clone + PartialEq> Builder<D> {
    pub(super) fn new() -> Self {
        Self { done: Vec::new(), open: None, at: 0 }
    }

    /// Leaves the next bytes as they are.
    pub(super) fn keep(&mut self, length: usize) {
        if length > 0 {
            self.close();
            self.at += length;
        }
    }

    /// Drops the next bytes.
    pub(super) fn drop(&mut self, length: usize, data: &D) {
        if length > 0 {
            self.open(data);
            self.at += length;
        }
    }

    /// Adds bytes here.
    pub(super) fn add(&mut self, text: &[u8], data: &D) {
        if !text.is_empty() {
            self.open(data).text.extend_from_slice(text);
        }
    }

    pub(super) fn finish(mut self) -> TextEdit<D> {
        self.close();
        TextEdit::sorted(self.done)
    }

    fn open(&mut self, data: &D) -> &mut OpenReplacement<D> {
        if self.open.as_ref().is_some_and(|open| open.data != *data) {
            self.close();
        }
        let start = self.at;
        self.open.get_or_insert_with(|| OpenReplacement { start, text: Vec::new(), data: data.clone() })
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.done.push(Replacement::new(open.start..self.at, open.text, open.data));
        }
    }
}
