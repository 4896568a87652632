//! Patches as people and language models write them: text of any form, or JSON around it, as requests take them.
//!
//! Pure: bytes in, texts out. What a patch means is the service's to find out.

use postil_core::patch::{ParsedPatch, flatten};
use postil_protocol::{ByteText, PatchText};
use serde_json::Value;

/// Why a text is not taken for patches.
#[derive(Debug, thiserror::Error)]
pub enum PatchTextError {
    /// It is JSON with a patch in it, by its looks, and cannot be read.
    #[error("the patch contains invalid JSON")]
    Json(#[source] serde_json::Error),
    /// It has a patch of another form beside its JSON.
    #[error("the text contains both JSON and a patch")]
    PatchBesideJson,
    /// Its JSON is not that of a patch.
    #[error("{0}")]
    Form(&'static str),
}

/// The patches of a text; `path` is the file that those are for that name none.
pub fn patch_texts(bytes: Vec<u8>, path: Option<&ByteText>) -> Result<Vec<PatchText>, PatchTextError> {
    let (values, rest) = json_in(&bytes);
    if values.is_empty() {
        return match broken_json(&bytes) {
            Some(error) => Err(PatchTextError::Json(error)),
            None => Ok(vec![PatchText { text: ByteText::new(bytes), path: path.cloned() }]),
        };
    }
    if ParsedPatch::read(&rest).is_ok() {
        return Err(PatchTextError::PatchBesideJson);
    }
    let lists = values.into_iter().map(|value| match value {
        Value::Array(list) if list.iter().all(Value::is_object) => list,
        other => vec![other],
    });
    lists.flatten().map(|one| from_json(&one, path)).collect()
}

/// The JSON that a text is, or that is in its code fences from the first one on, and the rest of the text.
///
/// One value may follow another.
fn json_in(bytes: &[u8]) -> (Vec<Value>, Vec<u8>) {
    let values = |text: &[u8]| -> Option<Vec<Value>> {
        let is_begun = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        let values = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
        is_begun.then(|| values.collect::<Result<_, _>>().ok()).flatten()
    };
    if let Some(all) = values(bytes) {
        return (all, Vec::new());
    }
    let is_fence = |line: &[u8]| line.trim_ascii_start().starts_with(b"```");
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (mut found, mut rest) = (Vec::new(), Vec::new());
    // Every second part is inside a fence.
    for (at, part) in lines.split(|line| is_fence(line)).enumerate() {
        let text = part.concat();
        // After the first part, JSON may be an example.
        let is_meant = |all: &Vec<Value>| at == 1 || (at % 2 == 1 && all.iter().all(is_patch));
        match values(&text).filter(is_meant) {
            Some(all) => found.extend(all),
            // Without JSON in the first fence, the text is a patch of another form.
            None if at == 1 => return (Vec::new(), bytes.to_vec()),
            None => rest.extend_from_slice(&text),
        }
    }
    (found, rest)
}

/// Why a text that is JSON with a patch in it, by its looks, cannot be read; its lines are not lines of a patch.
fn broken_json(bytes: &[u8]) -> Option<serde_json::Error> {
    let text = bytes.trim_ascii_start();
    let fence = text.windows(3).position(|mark| mark == b"```").and_then(|at| {
        let end = text[at..].iter().position(|byte| *byte == b'\n')?;
        Some(text[at + end..].trim_ascii_start())
    });
    let is_begun = |text: &&[u8]| {
        let key = b"\"patch";
        matches!(text.first(), Some(b'{' | b'[')) && text.windows(key.len()).any(|word| word == key)
    };
    let text = [Some(text), fence].into_iter().flatten().find(is_begun)?;
    serde_json::Deserializer::from_slice(text).into_iter::<Value>().find_map(Result::err)
}

fn is_patch(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(is_patch),
        other => ["patch_lines", "patch"].iter().any(|key| other.get(key).is_some()),
    }
}

/// An object with `path` and `patch_lines`, or with all of them in `patch`.
fn from_json(value: &Value, fallback: Option<&ByteText>) -> Result<PatchText, PatchTextError> {
    let wrong = PatchTextError::Form;
    let text = match (&value["patch_lines"], &value["patch"]) {
        (Value::Array(lines), _) | (Value::Null, Value::Array(lines)) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            flatten(lines.ok_or_else(|| wrong("a line of the patch is not a string"))?)
        }
        (Value::String(text), _) | (Value::Null, Value::String(text)) => text.clone(),
        _ => return Err(wrong("no patch found in the JSON")),
    };
    let path = match &value["path"] {
        Value::String(path) => Some(ByteText::from(path.strip_prefix("./").unwrap_or(path))),
        Value::Null => fallback.cloned(),
        _ => return Err(wrong("the path is not a string")),
    };
    Ok(PatchText { text: ByteText::new(text), path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_a_code_fence_too() {
        let object = r#"{"path": "a"}"#;
        for text in
            [object.to_owned(), format!("Sure:\n```json\n{object}\n```\nbye\n"), format!("\n [{object}]")]
        {
            assert_eq!(json_in(text.as_bytes()).0.len(), 1, "{text}");
        }
        for text in ["", "{ no json", "```diff\n-1\n+2\n```\n", "```\n1\n```\n", "[1] see below\n"] {
            assert_eq!(json_in(text.as_bytes()).0, [Value::Null; 0], "{text}");
        }
    }

    #[test]
    fn json_that_is_broken_is_no_patch_of_another_form() {
        let object = "{\"path\": \"b\", \"patch\": \"@@ -1 +1 @@\n-a\n+b\"}\n";
        for text in
            [object.to_owned(), object[..20].to_owned() + "\"patch", format!("Sure:\n```json\n{object}```\n")]
        {
            assert!(
                json_in(text.as_bytes()).0.is_empty() && broken_json(text.as_bytes()).is_some(),
                "{text}"
            );
        }
        for text in ["@@ -1 +1 @@\n-{\"patch\"\n+b\n", "{ no json", "```diff\n-{\"patch\n```\n"] {
            assert!(broken_json(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn all_json_of_a_text_counts() {
        let object = r#"{"path": "a", "patch": "x"}"#;
        let fence = format!("```json\n{object}\n```\n");
        assert_eq!(json_in(format!("{fence}as in\n```json\n{{}}\n```\n").as_bytes()).0.len(), 1);
        for text in [format!("{object}\n{object}\n"), format!("First:\n{fence}and then:\n{fence}bye\n")] {
            assert_eq!(json_in(text.as_bytes()).0.len(), 2, "{text}");
        }
        let (values, rest) = json_in(format!("{fence}```diff\n@@ -1 +1 @@\n-a\n+b\n```\n").as_bytes());
        assert_eq!((values.len(), rest.as_slice()), (1, &b"@@ -1 +1 @@\n-a\n+b\n"[..]));
    }

    #[test]
    fn lines_in_json_become_one_patch() {
        let check = |value: Value, text: &str, path: Option<&str>| {
            let read = from_json(&value, None).unwrap();
            assert_eq!((read.text, read.path), (text.into(), path.map(ByteText::from)));
        };
        check(
            json!({ "path": "./a", "patch_lines": ["@@ -1 +1 @@\n-a", "+b\n"] }),
            "@@ -1 +1 @@\n-a\n+b\n",
            Some("a"),
        );
        check(json!({ "patch": "x" }), "x", None);
        for bad in [json!({ "path": "a" }), json!({ "patch_lines": [1] }), json!({ "path": 1, "patch": "x" })]
        {
            assert!(from_json(&bad, None).is_err(), "{bad}");
        }
    }
}
