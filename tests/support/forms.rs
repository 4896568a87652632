//! The published forms of what `--json` prints, held against what was printed.
//!
//! The published forms let new fields pass, so that an older copy of them holds for a newer postil; here a field that
//! they do not know is an error.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../docs/schema/v1.json");

/// The form of what is told of a command line that makes no sense.
pub const REFUSED_WORDS: &str = "RefusedCommand";

/// The form of each command, by its name with dots between the words.
pub struct Forms(BTreeMap<String, Validator>);

impl Forms {
    /// Reads them, and closes them against fields that they do not know.
    pub fn published() -> Self {
        let mut schema: Value = serde_json::from_str(PUBLISHED).expect("the forms are JSON");
        assert!(jsonschema::meta::is_valid(&schema), "the forms are a JSON Schema");
        close(&mut schema);
        let parts = schema["$defs"].as_object().expect("the forms have names");
        let is_command = |name: &&String| name.starts_with(|first: char| first.is_ascii_lowercase());
        let names = parts.keys().filter(|name| is_command(name) || *name == REFUSED_WORDS);
        let forms = names.map(|name| {
            let one =
                json!({ "$schema": schema["$schema"], "$ref": format!("#/$defs/{name}"), "$defs": parts });
            (name.clone(), jsonschema::validator_for(&one).expect("a form can be used"))
        });
        Self(forms.collect())
    }

    /// The commands that have a form.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str).filter(|name| *name != REFUSED_WORDS)
    }

    /// Expects every line to have the form of `command`; returns what the lines say.
    #[track_caller]
    pub fn check(&self, command: &str, printed: &str) -> Vec<Value> {
        let form = self.0.get(command).unwrap_or_else(|| panic!("{command} has no form"));
        let lines = printed.lines().map(|line| {
            let value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{command}: {error}: {line}"));
            let wrong: Vec<String> =
                form.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(wrong.is_empty(), "{command}: {}\n{line}", wrong.join("\n"));
            value
        });
        lines.collect()
    }
}

/// Forbids every field that is not named, at every level.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("properties") && fields["properties"].is_object() {
                fields.insert("additionalProperties".into(), false.into());
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
