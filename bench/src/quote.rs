//! Answers the `quote` cases: where a quote stands in a text or in the source of a page.
//!
//! Offsets of cases and answers count code points, half-open; everything behind this file counts bytes.

use std::ops::Range;

use postil_core::anchoring::prose::{Expected, Found, Prose};
use postil_core::edit::markdown::{RenderError, render};
use postil_core::record::Quote;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Case {
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
    mode: Option<Mode>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// The best place that can be defended.
    #[default]
    Fuzzy,
    /// The first place where prefix, quote and suffix stand literally.
    Exact,
}

/// Answers one line; a case that cannot be read or rendered gives an `error`.
pub fn answer(line: &str) -> String {
    let case: Value = match serde_json::from_str(line) {
        Ok(case) => case,
        Err(error) => return json!({ "id": null, "error": error.to_string() }).to_string(),
    };
    let id = case["id"].clone();
    let place = serde_json::from_value(case).map_err(|error| error.to_string());
    match place.and_then(|case| find(case).map_err(|error| error.to_string())) {
        Ok(Some(place)) => json!({ "id": id, "start": place.start, "end": place.end }),
        Ok(None) => json!({ "id": id, "start": null, "end": null }),
        Err(error) => json!({ "id": id, "error": error }),
    }
    .to_string()
}

/// Returns the place in code points of the case's text.
fn find(case: Case) -> Result<Option<Range<usize>>, RenderError> {
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

fn search(prose: &Prose<'_>, quote: &Quote, near: Option<usize>, mode: Option<Mode>) -> Option<Range<usize>> {
    match mode.unwrap_or_default() {
        Mode::Exact => prose.first_literal(quote),
        Mode::Fuzzy => match prose.find(quote, &Expected { headings: None, near }) {
            Found::Here { place, .. } => Some(place),
            Found::Nowhere { .. } => None,
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

    /// Checks which part of the case's text is answered, `None` for no place.
    fn check(case: &Value, part: Option<&str>) {
        let answer: Value = serde_json::from_str(&answer(&case.to_string())).expect("an answer is JSON");
        assert_eq!(answer["id"], case["id"]);
        assert!(answer.get("error").is_none(), "{answer}");
        let text = case["text"].as_str().expect("a case has a text");
        let found = answer["start"].as_u64().map(|start| {
            let length = answer["end"].as_u64().expect("a start has an end") - start;
            let skip = usize::try_from(start).expect("small");
            text.chars().skip(skip).take(usize::try_from(length).expect("small")).collect::<String>()
        });
        assert_eq!(found.as_deref(), part, "{case}");
    }

    #[test]
    fn plain_text_is_searched_in_code_points() {
        let case = |text: &str| json!({ "id": "a", "text": text, "exact": "Öffne das Ventil", "prefix": "Mittag. ", "suffix": ". Dann", "hint_offset": 4 });
        check(&case("Über Mittag. Öffne das Ventil. Dann warte."), Some("Öffne das Ventil"));
        check(&case("Über Mittag. Öffne das große Ventil. Dann warte."), Some("Öffne das große Ventil"));
        check(&case("Davon ist nichts mehr da."), None);
    }

    #[test]
    fn markdown_answers_with_the_marks_of_what_is_selected_whole() {
        let text = "Ä: take the *long* road, see [map](m.md).";
        let case = |exact: &str| json!({ "id": 7, "markdown": true, "text": text, "exact": exact, "hint_offset": null });
        check(&case("the long road, see map"), Some("the *long* road, see [map](m.md)"));
        check(&case("long road"), Some("*long* road"));
        check(&case("ong road"), Some("ong* road"));
        check(&case("the lang road, see maps"), Some("the *long* road, see [map](m.md)"));
    }

    #[test]
    fn an_exact_case_takes_the_first_literal_place() {
        let case = |prefix: &str, exact: &str| json!({ "id": 1, "mode": "exact", "text": "one two, one two", "exact": exact, "prefix": prefix, "suffix": "", "hint_offset": 12 });
        check(&case("", "one"), Some("one"));
        check(&case(", ", "one"), Some("one"));
        check(&case("", "one  two"), None);
        check(&case("x", "one"), None);
    }

    #[test]
    fn what_cannot_be_answered_says_so() {
        for line in ["{", r#"{"id": 3}"#, r#"{"id": 3, "text": 1, "exact": "a"}"#] {
            let answer: Value = serde_json::from_str(&answer(line)).expect("an answer is JSON");
            assert!(answer["error"].is_string(), "{answer}");
        }
        let deep = json!({ "id": 4, "markdown": true, "text": ">".repeat(5000), "exact": "a" });
        let answer: Value = serde_json::from_str(&answer(&deep.to_string())).expect("an answer is JSON");
        assert_eq!(answer["id"], 4);
        assert!(answer["error"].is_string(), "{answer}");
    }
}
