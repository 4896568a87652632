//! Fields of JSON that others wrote: absent, null and of another type are all alike.

use serde_json::Value;

use super::report::{FormatError, MAX_INPUT_BYTES};

/// Reads a whole file; nesting is bounded by the parser.
pub fn parse(bytes: &[u8]) -> Result<Value, FormatError> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(FormatError::TooLarge { bytes: bytes.len() });
    }
    // Tools on Windows put a byte order mark before it.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(FormatError::NotJson)
}

/// A text that is not empty.
pub fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

/// A list; without one, none.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A number of a line or column: absent where there is none, an error where it is none.
pub fn number(value: &Value, name: &str) -> Result<Option<u32>, String> {
    match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(found) => {
            let number = found.as_u64().and_then(|number| u32::try_from(number).ok());
            // Some tools write zero for what they do not know.
            number.map(|number| Some(number).filter(|number| *number > 0)).ok_or_else(|| {
                let shown: String = found.to_string().chars().take(40).collect();
                format!("{name} is not a line or column number: {shown}")
            })
        }
    }
}

/// Words of others for a tag or a name: on one line, and not too many.
pub fn word(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    text.trim().chars().take(MAX_CHARS).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The digits of a commit; anything else that git would take for one is not meant.
pub fn commit(digits: &str) -> Option<String> {
    let is_id = (7..=64).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_id.then(|| digits.to_ascii_lowercase())
}
