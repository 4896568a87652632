//! Right, refused or wrong: the figures of one way to do it.

use std::fmt;

/// How often something ended how.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutcomeTally {
    right: usize,
    refused: usize,
    wrong: usize,
}

impl OutcomeTally {
    /// Counts one result; none is a refusal.
    pub fn count(&mut self, result: Option<&[u8]>, truth: &[u8]) {
        match result {
            None => self.refused += 1,
            Some(result) if result == truth => self.right += 1,
            Some(_) => self.wrong += 1,
        }
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.right + self.refused + self.wrong
    }
}

impl fmt::Display for OutcomeTally {
    /// The cells of a table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {}", self.right, self.refused, self.wrong)
    }
}
