//! A file as people read it: the page of a Markdown document, or plain text as it is.
//!
//! Every place on it has a place in the file. Looking for words is `find`'s work.

use std::ops::Range;

use super::find::Prose;
use super::occurrences::occurrences;
use crate::edit::markdown::{self, MAX_MARKDOWN_BYTES, RenderError, Rendered};
use crate::git::RepoPath;
use crate::record::Quote;

/// How many first bytes decide whether content is binary, as in git.
const BINARY_PROBE_BYTES: usize = 8_000;

/// A file as people read it.
#[derive(Debug)]
pub struct Document {
    form: DocumentForm,
}

#[derive(Debug)]
enum DocumentForm {
    Markdown(Rendered),
    Plain(String),
}

/// Why a file has nothing that people read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is not text.
    #[error("the content is binary")]
    Binary,
    /// It is larger than [`MAX_MARKDOWN_BYTES`].
    #[error("the file is too large to search for text: {bytes} bytes")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is Markdown without a page.
    #[error("the page could not be rendered")]
    Render {
        /// What is in the way.
        #[from]
        source: RenderError,
    },
}

impl Document {
    /// Reads a file's content: Markdown if its name says so, else plain text.
    ///
    /// Takes time linear in the content, which is bounded.
    pub fn read(path: &RepoPath, content: &[u8]) -> Result<Self, DocumentError> {
        if memchr::memchr(0, &content[..content.len().min(BINARY_PROBE_BYTES)]).is_some() {
            return Err(DocumentError::Binary);
        }
        if content.len() > MAX_MARKDOWN_BYTES {
            return Err(DocumentError::TooLarge { bytes: content.len() });
        }
        let source = markdown::readable(content);
        let form = if markdown::is_markdown_name(path.file_name()) {
            DocumentForm::Markdown(markdown::render(&source)?)
        } else {
            DocumentForm::Plain(source.into_owned())
        };
        Ok(Self { form })
    }

    /// The text as it reads; offsets in it are called rendered.
    pub fn text(&self) -> &str {
        match &self.form {
            DocumentForm::Markdown(page) => page.text(),
            DocumentForm::Plain(text) => text,
        }
    }

    /// Makes the text ready for a search.
    pub fn prose(&self) -> Prose<'_> {
        match &self.form {
            DocumentForm::Markdown(page) => Prose::rendered(page),
            DocumentForm::Plain(text) => Prose::plain(text),
        }
    }

    /// The places where a quote occurs literally with all that was around it.
    pub fn literal_places(&self, quote: &Quote) -> Vec<Range<usize>> {
        let whole = [quote.prefix.as_str(), &quote.exact, &quote.suffix].concat();
        let starts = occurrences(self.text().as_bytes(), whole.as_bytes()).into_iter();
        starts.map(|at| at + quote.prefix.len()).map(|at| at..at + quote.exact.len()).collect()
    }

    /// The places where words occur in the source, markup included, as what they read as; `source` is the file.
    pub fn places_in_source(&self, source: &[u8], quote: &Quote) -> Vec<Range<usize>> {
        let source = markdown::readable(source);
        let places = Prose::plain(&source).places(quote);
        let mut places: Vec<_> = places.iter().filter_map(|place| self.rendered_of(place)).collect();
        places.dedup();
        places
    }

    /// The headings above a place in the rendered text, outermost first; plain text has none.
    pub fn headings_at(&self, rendered: usize) -> Vec<String> {
        match &self.form {
            DocumentForm::Markdown(page) => page.outline().path_at_rendered(rendered),
            DocumentForm::Plain(_) => Vec::new(),
        }
    }

    /// The source of a rendered range; `None` for an empty range or one beyond the text.
    pub fn source_of(&self, rendered: &Range<usize>) -> Option<Range<usize>> {
        match &self.form {
            DocumentForm::Markdown(page) => page.map().source_of(rendered),
            DocumentForm::Plain(text) => {
                (!rendered.is_empty() && rendered.end <= text.len()).then(|| rendered.clone())
            }
        }
    }

    /// What a source range reads as; `None` if it has no text.
    pub fn rendered_of(&self, source: &Range<usize>) -> Option<Range<usize>> {
        match &self.form {
            DocumentForm::Markdown(page) => page.map().rendered_of(source),
            DocumentForm::Plain(text) => {
                let cut = source.start.min(text.len())..source.end.min(text.len());
                (!cut.is_empty()).then_some(cut)
            }
        }
    }

    /// The rendered offset of the first text at or after a place in the source, else the text's end.
    pub fn offset_near(&self, source: usize) -> usize {
        match &self.form {
            DocumentForm::Markdown(page) => page.map().offset_near(source),
            DocumentForm::Plain(text) => source.min(text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &[u8]) -> Result<Document, DocumentError> {
        Document::read(&RepoPath::new(name).unwrap(), content)
    }

    #[test]
    fn the_name_decides_how_a_file_reads() {
        for (name, text) in
            [("a.md", "bold"), ("A.MD", "bold"), ("a.markdown", "bold"), ("a.txt", "**bold**")]
        {
            let document = read(name, b"**bold**").unwrap();
            assert_eq!(document.text(), text, "{name}");
            assert_eq!(document.source_of(&(0..text.len())), Some(0..8), "{name}");
            assert_eq!(document.rendered_of(&(0..8)), Some(0..text.len()), "{name}");
        }
    }

    #[test]
    fn what_nobody_reads_says_why() {
        assert_eq!(read("a.md", b"a\0b").unwrap_err(), DocumentError::Binary);
        let long = vec![b'x'; MAX_MARKDOWN_BYTES + 1];
        assert_eq!(read("a.txt", &long).unwrap_err(), DocumentError::TooLarge { bytes: long.len() });
        let deep = ">".repeat(5000);
        assert_eq!(read("a.md", deep.as_bytes()).unwrap_err(), RenderError::TooDeep.into());
    }
}
