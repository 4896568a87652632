//! Makes an anchor out of words that a person selects or cites.
//!
//! Lines are `lines`'s work. As there, an anchor never depends on who made it.

use crate::edit::Text;
use crate::git::{BlobId, CommitId, RepoPath};
use crate::record::{Anchor, Quote};

use super::lines::{AnchorError, Pointed, anchor_at};
use crate::anchoring::lines::region::LineRegion;
use crate::anchoring::prose::{self, Document};

/// Words that a person points at, on the page of a Markdown document or in plain text.
#[derive(Clone, Debug)]
pub struct PointedWords<'a> {
    /// The commit that is looked at; `None` for text that is not committed.
    pub commit: Option<CommitId>,
    /// The path of the file.
    pub path: &'a RepoPath,
    /// The file's content, by name.
    pub blob: BlobId,
    /// The file's content.
    pub content: &'a [u8],
    /// The words.
    pub words: WordSelection<'a>,
}

/// How a person points at words.
#[derive(Clone, Debug)]
pub enum WordSelection<'a> {
    /// By saying them, and where they are said several times, what is right before or after them.
    ///
    /// White space, quote marks and dashes need not be typed as they are set. Words that the page does not have are
    /// looked for in the source of the page, with its markup.
    Said {
        /// The words.
        exact: &'a str,
        /// What is before them; may be empty.
        prefix: &'a str,
        /// What is after them; may be empty.
        suffix: &'a str,
    },
    /// By selecting a range of bytes of the rendered text.
    Selected(std::ops::Range<usize>),
}

/// Makes the anchor of words: their quote, the headings above, and the lines of their source.
///
/// Fails if the words are not there, or are there several times; never reads anything but its argument.
pub fn anchor_at_words(pointed: &PointedWords<'_>) -> Result<Anchor, AnchorError> {
    let PointedWords { commit, path, blob, content, words } = pointed;
    let document = Document::read(path, content)
        .map_err(|source| AnchorError::Unreadable { path: (*path).clone(), source })?;
    let text = Text::new(*content);
    let place = match words {
        WordSelection::Selected(place) => place.clone(),
        WordSelection::Said { exact, prefix, suffix } => {
            only_place(&document, &text, path, exact, prefix, suffix)?
        }
    };
    let quote = prose::quote(document.text(), place.clone())
        .map_err(|source| AnchorError::Unquotable { path: (*path).clone(), source })?;
    let source = document.source_of(&place).expect("a quote is not empty and inside the text");
    let range = Some(LineRegion::from_bytes(&source, &text).to_range(&text));
    let anchor = anchor_at(&Pointed { commit: *commit, path, blob: *blob, content, range })?;
    Ok(Anchor { quote: Some(quote), headings: document.headings_at(place.start), ..anchor })
}

fn only_place(
    document: &Document,
    text: &Text,
    path: &RepoPath,
    exact: &str,
    prefix: &str,
    suffix: &str,
) -> Result<std::ops::Range<usize>, AnchorError> {
    let quote = Quote { exact: exact.to_owned(), prefix: prefix.to_owned(), suffix: suffix.to_owned() };
    let mut places = document.prose().places(&quote);
    if places.is_empty() {
        // Copied from the file, with its markup.
        places = document.places_in_source(text.bytes(), &quote);
    }
    match places.len() {
        0 => Err(AnchorError::NoSuchWords { path: path.clone() }),
        1 => Ok(places.remove(0)),
        _ => {
            let sources = places.iter().filter_map(|place| document.source_of(place));
            let lines = sources.map(|source| text.line_at(source.start) + 1).collect();
            Err(AnchorError::SeveralPlaces { path: path.clone(), lines })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Line;

    const PAGE: &str =
        "# Guide\n\nOpen the **main valve** slowly.\n\n## Mornings\n\nOpen the *main* valve\nat dawn.\n";

    fn made(words: WordSelection<'_>) -> Result<Anchor, AnchorError> {
        let path = RepoPath::new("guide.md").unwrap();
        let blob = BlobId::from_bytes(&[1; 20]).unwrap();
        anchor_at_words(&PointedWords { commit: None, path: &path, blob, content: PAGE.as_bytes(), words })
    }

    fn said<'a>(exact: &'a str, prefix: &'a str, suffix: &'a str) -> WordSelection<'a> {
        WordSelection::Said { exact, prefix, suffix }
    }

    fn corners(anchor: &Anchor) -> (u32, u32, u32, u32) {
        let range = anchor.range.unwrap();
        let columns = range.columns().unwrap();
        (range.span().first(), columns.start.get(), range.span().last(), columns.end.get())
    }

    #[test]
    fn words_that_are_said_once_are_quoted_with_their_headings_and_source() {
        let anchor = made(said("main valve slowly", "", "")).unwrap();
        assert_eq!(corners(&anchor), (3, 10, 3, 30));
        assert_eq!(anchor.headings, ["Guide"]);
        assert_eq!(anchor.lines, [Line::new(b"Open the **main valve** slowly.")]);
        let quote = anchor.quote.unwrap();
        assert_eq!((quote.exact.as_str(), quote.prefix.as_str()), ("main valve slowly", "Guide\nOpen the "));
        let anchor = made(said("valve  at dawn", "", "")).unwrap();
        assert_eq!((corners(&anchor), anchor.headings.len()), ((7, 17, 8, 7), 2));
    }

    #[test]
    fn words_that_are_said_twice_need_what_stands_around_them() {
        let path = || RepoPath::new("guide.md").unwrap();
        let twice = AnchorError::SeveralPlaces { path: path(), lines: vec![3, 7] };
        assert_eq!(made(said("main valve", "", "")), Err(twice));
        assert_eq!(corners(&made(said("main valve", "", " at dawn")).unwrap()), (7, 10, 7, 21));
        assert_eq!(corners(&made(said("main valve", "Guide Open the", "")).unwrap()), (3, 10, 3, 23));
        let none = AnchorError::NoSuchWords { path: path() };
        assert_eq!(made(said("main valve", "", " at dusk")), Err(none.clone()));
        assert_eq!(made(said("spare valve", "", "")), Err(none));
    }

    #[test]
    fn words_may_be_said_as_they_are_in_the_source() {
        let check = |words: WordSelection<'_>, exact: &str, place: (u32, u32, u32, u32)| {
            let anchor = made(words).unwrap();
            assert_eq!((anchor.quote.as_ref().unwrap().exact.as_str(), corners(&anchor)), (exact, place));
        };
        check(said("**main valve** slowly", "", ""), "main valve slowly", (3, 10, 3, 30));
        check(said("**main valve**", "", ""), "main valve", (3, 10, 3, 23));
        check(said("the *main* valve at dawn", "", ""), "the main valve at dawn", (7, 6, 8, 7));
        let twice =
            AnchorError::SeveralPlaces { path: RepoPath::new("guide.md").unwrap(), lines: vec![3, 7] };
        assert_eq!(made(said("main valve", "", "")), Err(twice), "as it reads comes first");
        assert!(matches!(made(said("**spare**", "", "")), Err(AnchorError::NoSuchWords { .. })));
        assert!(matches!(made(said("#", "", "")), Err(AnchorError::NoSuchWords { .. })), "only markup");
    }

    #[test]
    fn a_selection_counts_in_the_rendered_text() {
        let start = "Guide\nOpen the ".len();
        let anchor = made(WordSelection::Selected(start..start + 4)).unwrap();
        assert_eq!(anchor.quote.as_ref().map(|quote| quote.exact.as_str()), Some("main"));
        assert_eq!(corners(&anchor), (3, 12, 3, 15));
        assert!(matches!(made(WordSelection::Selected(0..9999)), Err(AnchorError::Unquotable { .. })));
    }
}
