//! A JSON file of somebody else, changed in one place: every other byte stays as it is.
//!
//! Only what a hook needs: an entry of an array below two keys is added or removed. What is not JSON, or has another shape,
//! is refused with its place.

use std::ops::Range;

use serde_json::Value;

/// Why a file is not changed.
#[derive(Debug, PartialEq, Eq)]
pub struct NotEdited {
    /// What is wrong.
    pub what: String,
    /// Where, counted from one.
    pub line: usize,
    /// The same for the column.
    pub column: usize,
}

/// A value, and where in the text it is.
#[derive(Debug)]
struct SpannedValue {
    at: Range<usize>,
    inside: SpannedInside,
}

#[derive(Debug)]
enum SpannedInside {
    /// The key of each, and where it begins.
    Object(Vec<(String, usize, SpannedValue)>),
    Array(Vec<SpannedValue>),
    Other,
}

/// How deep the list of handlers is in a group: below the two keys, the list of groups, and its own key.
const GROUP_DEPTH: usize = 5;

/// The usual step of indentation.
const STEP: &str = "  ";

/// Adds `entry` to the array at `keys`, which is made if it is missing.
pub fn add(text: &str, keys: [&str; 2], entry: &Value) -> Result<String, NotEdited> {
    let root = read(text)?;
    let mut at = &root;
    for (depth, key) in keys.iter().enumerate() {
        let SpannedInside::Object(members) = &at.inside else {
            return Err(wrong_shape(text, at, "an object"));
        };
        match members.iter().find(|(name, ..)| name == key) {
            Some((.., value)) => at = value,
            None => {
                let mut value = Value::Array(vec![entry.clone()]);
                for key in keys[depth + 1..].iter().rev() {
                    value = Value::Object([((*key).to_owned(), value)].into_iter().collect());
                }
                return Ok(insert(text, at, Some(key), &value));
            }
        }
    }
    match at.inside {
        SpannedInside::Array(_) => Ok(insert(text, at, None, entry)),
        _ => Err(wrong_shape(text, at, "an array")),
    }
}

/// Removes every string that `is_ours` from the array at `keys`, with the entry that it is in, and what gets empty by that.
pub fn remove(text: &str, keys: [&str; 2], is_ours: &dyn Fn(&str) -> bool) -> Result<String, NotEdited> {
    let mut text = text.to_owned();
    loop {
        let root = read(&text)?;
        let mut path = vec![(&root, 0)];
        for key in keys {
            let (last, _) = path[path.len() - 1];
            let SpannedInside::Object(members) = &last.inside else { return Ok(text) };
            let Some(index) = members.iter().position(|(name, ..)| name == key) else { return Ok(text) };
            path.push((&members[index].2, index));
        }
        let (array, _) = path[path.len() - 1];
        let Some(below) = path_to(&text, array, is_ours) else { return Ok(text) };
        path.extend(below);
        // What has nothing else inside goes as a whole, up to the first key. A group without handlers is none.
        while path.len() > 2 && (path[path.len() - 2].0.holds_one() || path.len() == GROUP_DEPTH) {
            path.pop();
        }
        let (_, index) = path[path.len() - 1];
        let (parent, _) = path[path.len() - 2];
        let gone = parent.span_of_child(index);
        text.replace_range(gone, "");
    }
}

/// The handler that holds such a string, and what is between it and `node`, with the place of each in what holds it.
fn path_to<'n>(
    text: &str,
    node: &'n SpannedValue,
    is_ours: &dyn Fn(&str) -> bool,
) -> Option<Vec<(&'n SpannedValue, usize)>> {
    for (index, child) in node.children().enumerate() {
        let holds = match (&child.inside, &node.inside) {
            // The string itself stays in its object, which goes with it.
            (SpannedInside::Other, SpannedInside::Object(_)) => {
                let said: Option<String> = serde_json::from_str(&text[child.at.clone()]).ok();
                if said.is_some_and(|said| is_ours(&said)) {
                    return Some(Vec::new());
                }
                None
            }
            _ => path_to(text, child, is_ours),
        };
        if let Some(mut below) = holds {
            below.insert(0, (child, index));
            return Some(below);
        }
    }
    None
}

impl SpannedValue {
    fn children(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match &self.inside {
            SpannedInside::Object(members) => Box::new(members.iter().map(|(.., value)| value)),
            SpannedInside::Array(items) => Box::new(items.iter()),
            SpannedInside::Other => Box::new(std::iter::empty()),
        }
    }

    /// Where each child begins, with its key, and ends.
    fn child_spans(&self) -> Vec<Range<usize>> {
        match &self.inside {
            SpannedInside::Object(members) => {
                members.iter().map(|(_, start, value)| *start..value.at.end).collect()
            }
            SpannedInside::Array(items) => items.iter().map(|item| item.at.clone()).collect(),
            SpannedInside::Other => Vec::new(),
        }
    }

    /// Whether it is a list of one entry, or an object of one list: nothing is left without that.
    fn holds_one(&self) -> bool {
        self.child_spans().len() == 1
    }

    /// What goes with a child, so that commas are right.
    fn span_of_child(&self, index: usize) -> Range<usize> {
        let spans = self.child_spans();
        match (index, spans.len()) {
            (0, 1) => self.at.start + 1..self.at.end - 1,
            (0, _) => spans[0].start..spans[1].start,
            _ => spans[index - 1].end..spans[index].end,
        }
    }
}

/// Puts a value at the end of an object or array, in the style of what is there.
fn insert(text: &str, into: &SpannedValue, key: Option<&str>, value: &Value) -> String {
    let spans = into.child_spans();
    let own = indent_at(text, into.at.start);
    let is_one_line = !spans.is_empty() && !text[into.at.clone()].contains('\n');
    let inner = match spans.last() {
        Some(last) => indent_at(text, last.start),
        None => format!("{own}{STEP}"),
    };
    let step = inner.strip_prefix(own.as_str()).filter(|step| !step.is_empty()).unwrap_or(STEP);
    let written = if is_one_line { value.to_string() } else { pretty(value, &inner, step) };
    let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
    let mut text = text.to_owned();
    match spans.last() {
        Some(last) if is_one_line => text.insert_str(last.end, &format!(", {key}{written}")),
        Some(last) => text.insert_str(last.end, &format!(",\n{inner}{key}{written}")),
        None => {
            let whole = format!("\n{inner}{key}{written}\n{own}");
            text.replace_range(into.at.start + 1..into.at.end - 1, &whole);
        }
    }
    text
}

/// A value over several lines, all but the first with this indentation.
fn pretty(value: &Value, indent: &str, step: &str) -> String {
    let written = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    let lines = written.lines().enumerate().map(|(number, line)| {
        let blanks = line.len() - line.trim_start().len();
        let deeper = step.repeat(blanks / 2);
        if number == 0 { line.to_owned() } else { format!("{indent}{deeper}{}", line.trim_start()) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The blanks at the beginning of the line that has this place.
fn indent_at(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

fn wrong_shape(text: &str, node: &SpannedValue, expected: &str) -> NotEdited {
    let before = &text[..node.at.start];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    NotEdited { what: format!("{expected} is expected here"), line, column }
}

/// Reads a text, and where its values are.
fn read(text: &str) -> Result<SpannedValue, NotEdited> {
    // This one knows what is valid; the other one only where things are.
    serde_json::from_str::<Value>(text).map_err(|error| NotEdited {
        what: format!("not JSON: {error}"),
        line: error.line(),
        column: error.column(),
    })?;
    let mut at = 0;
    Ok(value(text.as_bytes(), &mut at))
}

/// The value at this place of a valid text, which is bounded in depth.
fn value(text: &[u8], at: &mut usize) -> SpannedValue {
    blanks(text, at);
    let start = *at;
    let inside = match text.get(start) {
        Some(b'{') => {
            let mut members = Vec::new();
            *at += 1;
            while more(text, at, b'}') {
                let key = *at;
                string(text, at);
                let name = serde_json::from_slice(&text[key..*at]).unwrap_or_default();
                blanks(text, at);
                *at += 1;
                members.push((name, key, value(text, at)));
            }
            SpannedInside::Object(members)
        }
        Some(b'[') => {
            let mut items = Vec::new();
            *at += 1;
            while more(text, at, b']') {
                items.push(value(text, at));
            }
            SpannedInside::Array(items)
        }
        Some(b'"') => {
            string(text, at);
            SpannedInside::Other
        }
        _ => {
            while text.get(*at).is_some_and(|byte| !b",]} \t\r\n".contains(byte)) {
                *at += 1;
            }
            SpannedInside::Other
        }
    };
    SpannedValue { at: start..*at, inside }
}

/// Whether another child follows; steps over what is before it, or over the end.
fn more(text: &[u8], at: &mut usize, end: u8) -> bool {
    blanks(text, at);
    if text.get(*at) == Some(&b',') {
        *at += 1;
        blanks(text, at);
    }
    let is_end = text.get(*at).is_none_or(|byte| *byte == end);
    *at += usize::from(is_end);
    !is_end
}

fn string(text: &[u8], at: &mut usize) {
    *at += 1;
    while let Some(byte) = text.get(*at) {
        *at += 1;
        match byte {
            b'\\' => *at += 1,
            b'"' => break,
            _ => {}
        }
    }
}

fn blanks(text: &[u8], at: &mut usize) {
    while text.get(*at).is_some_and(u8::is_ascii_whitespace) {
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEYS: [&str; 2] = ["hooks", "Stop"];

    fn entry() -> Value {
        json!({ "hooks": [{ "type": "command", "command": "postil hook" }] })
    }

    fn ours(said: &str) -> bool {
        said == "postil hook"
    }

    #[test]
    fn every_other_byte_stays_and_what_was_added_goes_again() {
        let texts = [
            "{}",
            "{\n  \"model\": \"x\"\n}\n",
            "{\"model\":\"x\", \"b\": 1.50}",
            "{\n\t\"a\": [1, 2],\n\t\"hooks\": {\n\t\t\"Pre\": []\n\t}\n}\n",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"command\": \"other \\\" \\u00e9\"}]}\n    ]\n  },\n  \"z\": null\n}",
            "{ \"hooks\": { \"Stop\": [ {\"hooks\":[]} ], \"Pre\": [7] } }",
            "{\"z\":1,\"z\":2,\"big\":12345678901234567890123,\n\"hooks\" : {\"A\":{}}}",
        ];
        for text in texts {
            let added = add(text, KEYS, &entry()).unwrap();
            let value: Value = serde_json::from_str(&added).unwrap();
            let entries = value["hooks"]["Stop"].as_array().unwrap();
            assert_eq!(entries.last(), Some(&entry()), "{added}");
            assert_eq!(remove(&added, KEYS, &ours).unwrap(), text, "{added}");
            assert_eq!(remove(text, KEYS, &ours).unwrap(), text, "nothing of ours is there");
        }
    }

    #[test]
    fn what_is_added_looks_like_what_is_there() {
        let added = add("{\n    \"a\": 1\n}\n", KEYS, &json!({ "command": "x" })).unwrap();
        let expected = "{\n    \"a\": 1,\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"command\": \"x\"\n            }\n        ]\n    }\n}\n";
        assert_eq!(added, expected);
    }

    #[test]
    fn a_hook_beside_ours_stays() {
        let text =
            r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"command":"postil hook"},{"command":"mine"}]}]}}"#;
        let left = remove(text, KEYS, &ours).unwrap();
        assert_eq!(left, r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"command":"mine"}]}]}}"#);
        let alone = r#"{"hooks":{"Stop":[{"matcher":"","hooks":[{"command":"postil hook"}]},{"hooks":[]}]}}"#;
        assert_eq!(remove(alone, KEYS, &ours).unwrap(), r#"{"hooks":{"Stop":[{"hooks":[]}]}}"#);
        let twice = add(&add("{}", KEYS, &entry()).unwrap(), KEYS, &entry()).unwrap();
        assert_eq!(remove(&twice, KEYS, &ours).unwrap(), "{}", "{twice}");
    }

    #[test]
    fn what_is_not_json_or_has_another_shape_is_refused_with_its_place() {
        let check = |text: &str, line: usize, says: &str| {
            let refused = add(text, KEYS, &entry()).unwrap_err();
            assert!(refused.line == line && refused.what.contains(says), "{refused:?}");
        };
        check("", 1, "not JSON");
        check("{\n  // a comment\n}", 2, "not JSON");
        check("{\"a\": 1,}", 1, "not JSON");
        check("[]", 1, "an object");
        check("{\n\"hooks\": []}", 2, "an object");
        check("{\"hooks\": {\n\n\"Stop\": 7}}", 3, "an array");
        assert!(remove("{", KEYS, &ours).is_err());
    }
}
