//! Answers the `quote` cases: where a quote stands in a text or in the source of a page.
//!
//! Offsets of cases and answers count code points, half-open; everything behind this file counts bytes.

use std::ops::Range;

use postil_core::anchoring::prose::{ExpectedPlace, Prose, QuoteSearchResult};
use postil_core::edit::markdown::{RenderError, render};
use postil_core::record::Quote;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::stored::LabError;

/// A case.
#[derive(Debug, Deserialize)]
pub struct QuoteCase {
    text: String,
    exact: String,
    #[serde(default)]
    prefix: Option<String>,
    #[serde(default)]
    suffix: Option<String>,
    #[serde(default)]
    hint_offset: Option<i64>,
    #[serde(default)]
    markdown: Option<bool>,
    #[serde(default)]
    mode: Option<QuoteMode>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum QuoteMode {
    /// The best place that can be defended.
    #[default]
    Fuzzy,
    /// The first place where prefix, quote and suffix stand literally.
    Exact,
}

/// Answers one case; a document that cannot be rendered is an error.
pub fn answer(case: QuoteCase) -> Result<Value, LabError> {
    let place = find(case)?;
    Ok(json!({ "start": place.as_ref().map(|place| place.start), "end": place.map(|place| place.end) }))
}

/// Returns the place in code points of the case's text.
fn find(case: QuoteCase) -> Result<Option<Range<usize>>, RenderError> {
    let quote = Quote {
        exact: case.exact,
        prefix: case.prefix.unwrap_or_default(),
        suffix: case.suffix.unwrap_or_default(),
    };
    let near = case.hint_offset.map(|point| byte_at(&case.text, point));
    let page = if case.markdown == Some(true) { Some(render(&case.text)?) } else { None };
    let bytes = match &page {
        Some(page) => {
            let near = near.map(|source| page.map().offset_near(source));
            let place = search(&Prose::rendered(page), &quote, near, case.mode);
            place.and_then(|place| page.map().source_of(&place))
        }
        None => search(&Prose::plain(&case.text), &quote, near, case.mode),
    };
    Ok(bytes.map(|bytes| point_at(&case.text, bytes.start)..point_at(&case.text, bytes.end)))
}

fn search(
    prose: &Prose<'_>,
    quote: &Quote,
    near: Option<usize>,
    mode: Option<QuoteMode>,
) -> Option<Range<usize>> {
    match mode.unwrap_or_default() {
        QuoteMode::Exact => prose.first_literal(quote),
        QuoteMode::Fuzzy => match prose.find(quote, &ExpectedPlace { headings: None, near }) {
            QuoteSearchResult::Here { place, .. } => Some(place),
            QuoteSearchResult::Nowhere { .. } => None,
        },
    }
}

/// The byte where a code point begins; before the first is the start, behind the last the end.
fn byte_at(text: &str, point: i64) -> usize {
    let point = usize::try_from(point).unwrap_or(0);
    text.char_indices().nth(point).map_or(text.len(), |(at, _)| at)
}

fn point_at(text: &str, byte: usize) -> usize {
    text[..byte].chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(case: &Value) -> Result<Value, String> {
        let case = serde_json::from_value(case.clone()).map_err(|error| error.to_string())?;
        answer(case).map_err(|error| error.to_string())
    }

    /// Checks which part of the case's text is answered, `None` for no place.
    fn check(case: &Value, part: Option<&str>) {
        let answer = answered(case).expect("the case is sound");
        let text = case["text"].as_str().expect("a case has a text");
        let points: Vec<char> = text.chars().collect();
        let point = |name: &str| answer[name].as_u64().and_then(|point| usize::try_from(point).ok());
        let found =
            point("start").zip(point("end")).map(|(start, end)| String::from_iter(&points[start..end]));
        assert_eq!(found.as_deref(), part, "{case}");
    }

    #[test]
    fn plain_text_is_searched_in_code_points() {
        let case = |text: &str| json!({ "text": text, "exact": "Öffne das Ventil", "prefix": "Mittag. ", "suffix": ". Dann", "hint_offset": 4 });
        check(&case("Über Mittag. Öffne das Ventil. Dann warte."), Some("Öffne das Ventil"));
        check(&case("Über Mittag. Öffne das große Ventil. Dann warte."), Some("Öffne das große Ventil"));
        check(&case("Davon ist nichts mehr da."), None);
    }

    #[test]
    fn markdown_answers_with_the_marks_of_what_is_selected_whole() {
        let text = "Ä: take the *long* road, see [map](m.md).";
        let case =
            |exact: &str| json!({ "markdown": true, "text": text, "exact": exact, "hint_offset": null });
        check(&case("the long road, see map"), Some("the *long* road, see [map](m.md)"));
        check(&case("long road"), Some("*long* road"));
        check(&case("ong road"), Some("ong* road"));
        check(&case("the lang road, see maps"), Some("the *long* road, see [map](m.md)"));
    }

    #[test]
    fn a_hint_counts_in_the_source() {
        let text = "[a](/some/long/target) twice **a** twice";
        let case = |hint: i64| json!({ "markdown": true, "text": text, "exact": "a", "suffix": " twice", "hint_offset": hint });
        check(&case(0), Some("[a](/some/long/target)"));
        check(&case(29), Some("**a**"));
        check(&case(-5), Some("[a](/some/long/target)"));
        check(&case(1000), Some("**a**"));
    }

    #[test]
    fn an_exact_case_takes_the_first_literal_place() {
        let case = |prefix: &str, exact: &str| json!({ "mode": "exact", "text": "one two, one two", "exact": exact, "prefix": prefix, "hint_offset": 12 });
        assert_eq!(answered(&case("", "one")), Ok(json!({ "start": 0, "end": 3 })));
        assert_eq!(answered(&case(", ", "one")), Ok(json!({ "start": 9, "end": 12 })));
        check(&case("", "one  two"), None);
        check(&case("x", "one"), None);
    }

    #[test]
    fn what_cannot_be_rendered_says_so() {
        let deep = json!({ "markdown": true, "text": ">".repeat(5000), "exact": "a" });
        assert!(answered(&deep).is_err_and(|error| error.contains("nested too deeply")));
    }
}
