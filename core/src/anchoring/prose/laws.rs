//! Laws of quoting and finding, over random documents.

use std::ops::Range;

use proptest::prelude::*;

use super::{ExpectedPlace, Prose, QuoteError, QuoteLikeness, QuoteSearchResult, quote};
use crate::edit::markdown::samples::{block, document, hostile};
use crate::edit::markdown::{Rendered, render};

fn page(source: &str) -> Rendered {
    render(source).expect("the document is small and flat")
}

fn selection(text: &str, start: usize, length: usize) -> Range<usize> {
    let start = text.floor_char_boundary(start % (text.len() + 1));
    start..text.ceil_char_boundary((start + length).min(text.len()))
}

/// A paragraph with a word that no other block has.
fn unique(number: usize) -> String {
    format!("The **only** block with `word{number}zq` in *all of* it")
}

proptest! {
    #[test]
    fn any_selection_is_found_again_in_the_same_document(
        source in prop_oneof![document(), hostile()], start in any::<usize>(), length in 1..300_usize,
    ) {
        let page = page(&source);
        let place = selection(page.text(), start, length);
        let made = match quote(page.text(), place.clone()) {
            Ok(made) => made,
            Err(error) => {
                prop_assert_eq!(error, QuoteError::Blank);
                return Ok(());
            }
        };
        let prose = Prose::rendered(&page);
        let headings = page.outline().path_at_rendered(place.start);
        let expected = ExpectedPlace { headings: Some(&headings), near: Some(place.start) };
        let here = QuoteSearchResult::Here { place: place.clone(), likeness: QuoteLikeness::Literal };
        prop_assert_eq!(prose.find(&made, &expected), here.clone());
        prop_assert_eq!(Prose::rendered(&page).find(&made, &expected), here.clone());
        // With less to go by it may be one of several, but it is never another.
        let unaided = prose.find(&made, &ExpectedPlace { headings: Some(&headings), near: None });
        prop_assert!(unaided == here || matches!(unaided, QuoteSearchResult::Nowhere { .. }), "{:?}", unaided);
        let first = prose.first_literal(&made).expect("the quote is there");
        prop_assert!(first.start <= place.start);
        prop_assert_eq!(&page.text()[first], &made.exact);
    }

    #[test]
    fn a_selection_is_found_after_edits_elsewhere(
        before in proptest::collection::vec(block(), 0..6), after in proptest::collection::vec(block(), 0..6),
        new_before in proptest::collection::vec(block(), 0..6), new_after in proptest::collection::vec(block(), 0..6),
        number in 10..99_usize, cut in 0..10_usize, near in any::<bool>(),
    ) {
        let join = |before: &[String], after: &[String]| {
            let blocks = before.iter().cloned().chain([unique(number)]).chain(after.iter().cloned());
            blocks.collect::<Vec<_>>().join("\n\n")
        };
        let (old, new) = (join(&before, &after), join(&new_before, &new_after));
        let (old, new) = (page(&old), page(&new));
        let wanted = page(&unique(number));
        let wanted = &wanted.text()[cut..];
        let start = old.text().find(wanted).expect("the block is there");
        let made = quote(old.text(), start..start + wanted.len()).expect("it has words");
        let headings = old.outline().path_at_rendered(start);
        let expected = ExpectedPlace { headings: Some(&headings), near: near.then_some(start) };
        let there = new.text().find(wanted).expect("the block is there");
        let here = QuoteSearchResult::Here { place: there..there + wanted.len(), likeness: QuoteLikeness::Literal };
        prop_assert_eq!(Prose::rendered(&new).find(&made, &expected), here);
    }

    #[test]
    fn a_selection_is_found_after_a_small_change_inside_it(
        before in document(), after in document(), number in 10..99_usize, at in 9..30_usize, change in "[a-z ]{1,4}",
    ) {
        let old = page(&[before.as_str(), "\n\n", &unique(number), "\n\n", &after].concat());
        let wanted = page(&unique(number));
        let start = old.text().find(wanted.text()).expect("the block is there");
        let made = quote(old.text(), start..start + wanted.text().len()).expect("it has words");
        let at = wanted.text().floor_char_boundary(at);
        let changed = [&wanted.text()[..at], &change, &wanted.text()[at..]].concat();
        let text = old.text().replace(wanted.text(), &changed);
        match Prose::plain(&text).find(&made, &ExpectedPlace { headings: None, near: None }) {
            QuoteSearchResult::Here { place, .. } => {
                let there = text.find(&changed).expect("the block is there");
                prop_assert_eq!(&text[place], &text[there..there + changed.len()]);
            }
            QuoteSearchResult::Nowhere { .. } => prop_assert!(false, "a small change hides the quote"),
        }
    }

    #[test]
    fn any_quote_can_be_looked_for_in_any_text(
        text in hostile(), exact in hostile(), prefix in hostile(), suffix in hostile(), near in any::<Option<usize>>(),
    ) {
        let made = crate::record::Quote { exact, prefix, suffix };
        let found = Prose::plain(&text).find(&made, &ExpectedPlace { headings: Some(&[]), near });
        match found {
            QuoteSearchResult::Here { place, .. } => prop_assert!(text.get(place).is_some_and(|words| !words.is_empty())),
            QuoteSearchResult::Nowhere { candidates } => {
                prop_assert!(candidates.iter().all(|(place, _)| text.get(place.clone()).is_some()));
            }
        }
    }
}
