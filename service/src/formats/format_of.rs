//! Which format a file has, by its name and its content.

use postil_protocol::ImportFormat;
use serde_json::Value;

use super::field::parse;

/// The ending of files with comments on the file next to them.
const COMMENTS: &str = ".comments";

/// The format of a file; `None` if it is none of those that are read.
pub fn format_of(name: &str, bytes: &[u8]) -> Option<ImportFormat> {
    if name.ends_with(COMMENTS) {
        return Some(ImportFormat::Comments);
    }
    if let Ok(whole) = parse(bytes) {
        return of_value(&whole);
    }
    // One object a line; whatever is wrong with another line is reported when it is read.
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.find_map(|line| of_value(&parse(line).ok()?))
}

fn of_value(value: &Value) -> Option<ImportFormat> {
    let has = |name: &str| value.get(name).is_some_and(|field| !field.is_null());
    let is_list = |name: &str| value.get(name).is_some_and(Value::is_array);
    if is_list("runs") {
        Some(ImportFormat::Sarif)
    } else if is_list("diagnostics") {
        Some(ImportFormat::Rdjson)
    } else if has("location") && has("message") {
        Some(ImportFormat::Rdjsonl)
    } else if is_list("findings") && has("overall_correctness") {
        Some(ImportFormat::Codex)
    } else if is_list("comments") && value.get("anchor").is_some() && has("status") {
        Some(ImportFormat::Json)
    } else if is_list("comments") {
        Some(ImportFormat::Comments)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_its_name_or_by_what_only_it_has() {
        let check = |name: &str, text: &str, format: Option<ImportFormat>| {
            assert_eq!(format_of(name, text.as_bytes()), format, "{name} {text}");
        };
        check("a.rs.comments", "nonsense", Some(ImportFormat::Comments));
        check("-", r#"{"version":"2.1.0","runs":[]}"#, Some(ImportFormat::Sarif));
        check("x.json", "\u{feff}{\"runs\":[]}", Some(ImportFormat::Sarif));
        check("x", r#"{"source":{},"diagnostics":[]}"#, Some(ImportFormat::Rdjson));
        let line = r#"{"message":"m","location":{"path":"a"}}"#;
        check("x", line, Some(ImportFormat::Rdjsonl));
        check("x", &format!("\n{line}\n{line}\n"), Some(ImportFormat::Rdjsonl));
        check("x", &format!("warning: slow\n{line}\n"), Some(ImportFormat::Rdjsonl));
        let thread = r#"{"version":1,"id":"a","status":"open","anchor":null,"comments":[]}"#;
        check("x", thread, Some(ImportFormat::Json));
        check("x", &format!("{thread}\n{thread}\n"), Some(ImportFormat::Json));
        check("x", r#"{"version":"2.0","file":"a","comments":[]}"#, Some(ImportFormat::Comments));
        check("x", r#"{"findings":[],"overall_correctness":"patch is correct"}"#, Some(ImportFormat::Codex));
        for none in ["", "[]", "{}", "words", "{\"a\":1}\n{\"b\":2}\n", &"[".repeat(100_000)] {
            check("x", none, None);
        }
    }
}
