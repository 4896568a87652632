//! ToolArguments of a call, checked at the door: what is wrong is told with what would be right.

use postil_protocol::BatchLines;
use serde_json::{Map, Value};

use crate::wire::toolbox::ToolAnswer;

/// A longer text is refused: it is a file, not a comment.
pub(super) const MAX_TEXT_BYTES: usize = 64 << 10;

/// A longer name, id, mark or cursor is none of ours.
const MAX_WORD_BYTES: usize = 4 << 10;

/// The arguments of a call, or of one item in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolArguments<'a> {
    given: &'a Map<String, Value>,
}

/// Why a call is not answered.
pub(super) type Refused = ToolAnswer;

impl<'a> ToolArguments<'a> {
    /// Checks that each of them has a meaning.
    pub fn of(given: &'a Map<String, Value>, known: &[&str]) -> Result<Self, Refused> {
        match given.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let told = postil_words::sanitize::line(key.as_bytes());
                Err(ToolAnswer::error(format!("no argument `{told}`; there are: {}", known.join(", "))))
            }
            None => Ok(Self { given }),
        }
    }

    /// A short text, such as an id; an empty one is none.
    pub fn word(self, name: &str) -> Result<Option<&'a str>, Refused> {
        self.string(name, MAX_WORD_BYTES).map(|word| word.filter(|word| !word.is_empty()))
    }

    /// A short text that must be there.
    pub fn needed(self, name: &str) -> Result<&'a str, Refused> {
        self.word(name)?.ok_or_else(|| ToolAnswer::error(format!("`{name}` is missing")))
    }

    /// What somebody writes.
    pub fn text(self, name: &str) -> Result<Option<&'a str>, Refused> {
        self.string(name, MAX_TEXT_BYTES)
    }

    fn string(self, name: &str, most: usize) -> Result<Option<&'a str>, Refused> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() > most => {
                let told = format!("`{name}` has {} bytes; {most} are the most", text.len());
                Err(ToolAnswer::error(told))
            }
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(ToolAnswer::error(format!("`{name}` must be a string"))),
        }
    }

    /// One of several words.
    pub fn one_of<T: Copy>(self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Refused> {
        let Some(given) = self.word(name)? else { return Ok(None) };
        match words.iter().find(|(word, _)| *word == given) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(ToolAnswer::error(format!("`{name}` must be one of: {}", known.join(", "))))
            }
        }
    }

    /// A whole number within bounds.
    pub fn number(self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Refused> {
        let given = match self.given.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(given) => given,
        };
        // Some models write every number as a float.
        let whole = given.as_u64().or_else(|| {
            given
                .as_f64()
                .filter(|number| number.fract() == 0.0 && *number >= 0.0)
                .map(|number| number as u64)
        });
        match whole.filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(ToolAnswer::error(format!("`{name}` must be a whole number from {least} to {most}"))),
        }
    }

    /// Lines of a file.
    pub fn lines(self, name: &str) -> Result<Option<BatchLines>, Refused> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(given) => {
                let lines: Result<BatchLines, _> = serde_json::from_value(given.clone());
                lines.map(Some).map_err(|error| ToolAnswer::error(error.to_string()))
            }
        }
    }

    /// A list that must be there, of at most so many.
    pub fn list(self, name: &str, most: usize) -> Result<&'a [Value], Refused> {
        match self.given.get(name) {
            Some(Value::Array(list)) if (1..=most).contains(&list.len()) => Ok(list),
            Some(Value::Array(list)) => {
                let told = format!("`{name}` has {} entries; it must have 1 to {most}", list.len());
                Err(ToolAnswer::error(told))
            }
            _ => Err(ToolAnswer::error(format!("`{name}` must be a list of 1 to {most} entries"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_out_of_bounds_is_told_with_what_is_within() {
        let given = json!({
            "word": "x", "empty": "", "float": 5.0, "half": 5.5, "many": 51, "less": -1, "none": null,
            "long": "x".repeat(MAX_WORD_BYTES + 1), "list": [1, 2, 3], "nothing": [],
        });
        let given = given.as_object().unwrap();
        let known: Vec<&str> = given.keys().map(String::as_str).collect();
        let arguments = ToolArguments::of(given, &known).unwrap();
        assert_eq!(arguments.word("word"), Ok(Some("x")));
        assert_eq!(arguments.word("empty"), Ok(None));
        assert_eq!(arguments.word("none"), Ok(None));
        assert_eq!(arguments.number("float", 1, 50), Ok(Some(5)));
        assert_eq!(arguments.list("list", 3).map(<[Value]>::len), Ok(3));
        let check = |told: Result<(), Refused>, says: &str| {
            let told = told.unwrap_err();
            assert!(told.is_error && told.text.contains(says), "{told:?}");
        };
        for number in ["half", "many", "less", "word"] {
            check(arguments.number(number, 1, 50).map(drop), "a whole number from 1 to 50");
        }
        check(arguments.word("long").map(drop), "4096 are the most");
        check(arguments.word("float").map(drop), "must be a string");
        check(arguments.needed("empty").map(drop), "`empty` is missing");
        check(arguments.one_of("word", &[("a", 1), ("b", 2)]).map(drop), "one of: a, b");
        check(arguments.list("list", 2).map(drop), "1 to 2");
        check(arguments.list("nothing", 2).map(drop), "1 to 2");
        check(ToolArguments::of(given, &["word"]).map(drop), "there are: word");
    }
}
