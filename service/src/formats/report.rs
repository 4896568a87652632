//! What a file of another tool holds, as the service takes it over.

use postil_protocol::{
    ByteText, CoveredFile, Import, ImportedComment, ImportedReview, MAX_IMPORT, RefusedView,
};

/// A larger file is refused.
pub const MAX_INPUT_BYTES: usize = 64 << 20;

/// What was read, beside what was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The sources whose report is complete.
    pub sources: Vec<String>,
    /// Reviews.
    pub reviews: Vec<ImportedReview>,
    /// Files that a source says it looked at.
    pub covered: Vec<CoveredFile>,
    /// Comments, parents before their answers.
    pub comments: Vec<ImportedComment>,
    /// Entries that cannot be taken over.
    pub refused: Vec<RefusedView>,
}

/// Why a file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It is over [`MAX_INPUT_BYTES`].
    #[error("the file is too large: {bytes} bytes; the limit is {MAX_INPUT_BYTES}")]
    TooLarge {
        /// How many.
        bytes: usize,
    },
    /// It is not JSON.
    #[error("not valid JSON")]
    NotJson(#[source] serde_json::Error),
    /// It is something else.
    #[error("not {0}")]
    Another(&'static str),
    /// It is in no format that is read.
    #[error("its format is not known")]
    Unknown,
    /// It does not say which file it is about.
    #[error("it does not name the file it is about")]
    NoFile,
    /// It has more entries than can be taken over at once.
    #[error("too many entries: {count}; the limit is {MAX_IMPORT}")]
    TooMany {
        /// How many.
        count: usize,
    },
}

impl Report {
    /// Takes a comment, or the reason why there is none.
    pub fn add(&mut self, name: impl Into<String>, read: Result<Option<ImportedComment>, String>) {
        match read {
            Ok(comment) => self.comments.extend(comment),
            Err(reason) => self.refuse(name, reason),
        }
    }

    /// Notes down what cannot be taken over.
    pub fn refuse(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.refused.push(RefusedView { id: name.into(), reason: reason.into() });
    }

    /// Adds a source whose report is complete.
    pub fn add_source(&mut self, source: &str) {
        if !self.sources.iter().any(|known| known == source) {
            self.sources.push(source.to_owned());
        }
    }

    /// Adds a file that a source looked at.
    pub fn cover(&mut self, source: &str, path: &[u8]) {
        self.covered.push(CoveredFile { source: source.to_owned(), path: ByteText::new(path) });
    }

    /// Adds another report.
    pub fn join(&mut self, other: Self) {
        other.sources.iter().for_each(|source| self.add_source(source));
        self.covered.extend(other.covered);
        self.reviews.extend(other.reviews);
        self.comments.extend(other.comments);
        self.refused.extend(other.refused);
    }

    /// What the service is asked, and what it need not be asked.
    pub fn into_import(self, asked: &Import) -> Result<(Import, Vec<RefusedView>), FormatError> {
        let count = self.comments.len();
        if count > MAX_IMPORT {
            return Err(FormatError::TooMany { count });
        }
        let Self { sources, reviews, covered, comments, refused } = self;
        let (retire, covers, absent, max) = (asked.retire, asked.covers.clone(), asked.absent, asked.max);
        let read =
            Import { sources, retire, reviews, comments, covered, covers, absent, max, ..Import::default() };
        Ok((read, refused))
    }
}
