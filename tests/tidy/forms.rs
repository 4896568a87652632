//! The published forms of `--json` and the types that are printed name the same fields.
//!
//! What a field holds is proved by the scenario that holds real output against the forms.

use serde_json::Value;

use crate::source::{Complaint, Source};

/// The forms.
const PUBLISHED: &str = "docs/schema/v1.json";

/// Complains about forms that name other fields or words than the types of the protocol have.
pub fn apart(sources: &[Source]) -> Vec<Complaint> {
    let Some(published) = sources.iter().find(|source| source.path == PUBLISHED) else {
        return vec![Source::new(PUBLISHED, "").complain(0, "there are no published forms")];
    };
    let forms: Value = serde_json::from_str(&published.text).expect("the forms are JSON");
    let types: Vec<&Source> =
        sources.iter().filter(|source| source.path.starts_with("protocol/src/")).collect();
    let mut complaints = Vec::new();
    for (name, form) in forms["$defs"].as_object().expect("forms have names") {
        let name = form["title"].as_str().unwrap_or(name);
        let told = told(form);
        let Some(has) = types.iter().find_map(|source| members(&source.text, name)) else { continue };
        if !told.is_empty() && told != has {
            let at = published.text.find(&format!("\"{name}\"")).unwrap_or(0);
            complaints.push(published.complain(at, format!("{name} has {has:?}, and not {told:?}")));
        }
    }
    complaints
}

/// The fields of a form, those that may be missing with a `?`, or its words.
fn told(form: &Value) -> Vec<String> {
    let required: Vec<&str> =
        form["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // That of the form itself; a program has a version too.
    let is_own = |field: &str| field == "version" && form["properties"]["version"]["const"] == 1;
    let fields = form["properties"].as_object().into_iter().flatten().filter(|(field, _)| !is_own(field));
    let mut told: Vec<String> = fields
        .map(
            |(field, _)| if required.contains(&field.as_str()) { field.clone() } else { format!("{field}?") },
        )
        .collect();
    told.extend(
        form["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|word| word["const"].as_str())
            .map(str::to_owned),
    );
    told.sort();
    told
}

/// The same of a type; `None` where it is not here.
fn members(text: &str, name: &str) -> Option<Vec<String>> {
    let (from, is_enum) = ["struct", "enum"].iter().find_map(|kind| {
        let head = format!("\npub {kind} {name} {{\n");
        text.find(&head).map(|at| (at + head.len(), *kind == "enum"))
    })?;
    let body = &text[from..from + text[from..].find("\n}")?];
    let mut members = Vec::new();
    let mut may_be_missing = false;
    for line in body.lines().map(str::trim) {
        if line.starts_with("#[") {
            may_be_missing |= line.contains("skip_serializing_if");
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            members.push(if may_be_missing { format!("{field}?") } else { field.to_owned() });
            may_be_missing = false;
        } else if let Some(word) = line.strip_suffix(',').filter(|_| is_enum && !line.starts_with("//")) {
            members.push(kebab(word));
        }
    }
    members.sort();
    Some(members)
}

fn kebab(word: &str) -> String {
    let mut kebab = String::new();
    for c in word.chars() {
        if c.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(types: &str, complaints: usize) {
        let form = r#"{"$defs":{"a":{"title":"AReply","required":["version","x"],"properties":{"version":{"const":1},"x":{},"y":{}}},
            "Word":{"oneOf":[{"const":"one"},{"const":"two-three"}]}}}"#;
        let sources = [Source::new(PUBLISHED, form), Source::new("protocol/src/a.rs", types)];
        assert_eq!(apart(&sources).len(), complaints, "{types}");
    }

    #[test]
    fn a_field_that_only_one_of_them_has_is_found() {
        let skip = "#[serde(default, skip_serializing_if = \"Option::is_none\")]";
        check(&format!("\npub struct AReply {{\n    pub x: u32,\n    {skip}\n    pub y: u32,\n}}\n"), 0);
        check("\npub struct AReply {\n    pub x: u32,\n    pub y: u32,\n}\n", 1);
        check("\npub struct AReply {\n    pub x: u32,\n}\n", 1);
        check("\npub enum Word {\n    /// One.\n    One,\n    TwoThree,\n}\n", 0);
        check("\npub enum Word {\n    One,\n    Two,\n}\n", 1);
    }
}
