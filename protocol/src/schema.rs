//! The JSON Schema of the `--json` output, generated from the printed types.
//!
//! `docs/schema/v1.json` is this schema as text: a test compares the two, and `POSTIL_BLESS=1 cargo test -p
//! postil-protocol published` writes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::method;
use super::traits::Frontend;
use crate::client_output::{
    DaemonFoundReply, DaemonInstallReply, DaemonLifeReply, FailureView, HookReply, JSON_VERSION, LogLine,
    RefusedCommand, UndoSkippedReply, UndoneReply,
};
use crate::daemon::event::{Changed, Ended, PlacedEvent, ResetEvent, Resolving};
use crate::methods::batch::CommentBatchReply;
use crate::methods::export::ExportedThread;
use crate::methods::reply::{DoneReply, ListReply, ReviewReply, WrittenReply};
use crate::methods::suggestion::PlanReply;
use crate::views::compact::CompactList;
use crate::views::place::Confidence;
use crate::views::severity::SeverityView;
use crate::wire::bytes::{ByteText, Hex};

/// Methods of the command line whose answer is printed by a command with another name.
const OTHER_NAMES: [&str; 10] = [
    "answer",
    "apply",
    "comment.batch",
    "export",
    "apply.write",
    "patch",
    "read",
    "undo",
    "review.verdict",
    "review.change",
];

/// A type that commands print.
#[derive(Clone, Copy)]
pub(super) struct Printed {
    name: fn() -> Cow<'static, str>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Printed {
    /// This type.
    pub(super) fn new<T: JsonSchema>() -> Self {
        Self { name: T::schema_name, schema: T::json_schema }
    }

    /// Its schema, with the version that every printed object has.
    fn versioned(self, generator: &mut SchemaGenerator) -> Value {
        let mut schema = (self.schema)(generator).to_value();
        schema["title"] = json!((self.name)());
        schema["properties"]["version"] =
            json!({ "description": "The version of this form", "const": JSON_VERSION });
        if let Some(required) = schema["required"].as_array_mut() {
            required.insert(0, json!("version"));
        }
        schema
    }
}

/// The schema of what every command prints, by its name.
pub fn published() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut forms = Map::new();
    let mut first_of = BTreeMap::new();
    for (command, printed) in commands() {
        let first = *first_of.entry((printed.name)()).or_insert(command);
        let form = if first == command { printed.versioned(&mut generator) } else { same_as(first) };
        forms.insert(command.to_owned(), form);
    }
    for part in [
        Printed::new::<RefusedCommand>(),
        Printed::new::<UndoneReply>(),
        Printed::new::<UndoSkippedReply>(),
        Printed::new::<CompactList>(),
        Printed::new::<CommentBatchReply>(),
    ] {
        forms.insert((part.name)().into_owned(), part.versioned(&mut generator));
    }
    // It says what came of every remote, and why it failed after all.
    forms["sync"]["properties"]["error"] = generator.subschema_for::<FailureView>().to_value();
    forms.extend(plans(&mut generator));
    forms.insert("watch".to_owned(), events(&mut generator));
    forms.insert("wait".to_owned(), same_as("watch"));
    forms.extend(generator.take_definitions(true));
    let mut forms = Value::Object(forms);
    make_plain(&mut forms);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:postil:json:{JSON_VERSION}"),
        "title": format!("What postil writes with --json, version {JSON_VERSION}"),
        "description": "Each command has its form in $defs, by its name; those that begin with a capital are parts of \
            them. New fields and new words in open lists may come without a new version.",
        "$defs": forms,
    })
}

/// What each command prints: mostly the answer of the method of the same name.
fn commands() -> Vec<(&'static str, Printed)> {
    fn also<T: JsonSchema>(
        commands: &'static [&'static str],
    ) -> impl Iterator<Item = (&'static str, Printed)> {
        commands.iter().map(|command| (*command, Printed::new::<T>()))
    }
    let of_methods = method::answers().into_iter().filter_map(|(method, printed)| {
        let has_command = method.frontends.contains(&Frontend::Cli) && !OTHER_NAMES.contains(&method.name);
        has_command.then_some((method.name, printed))
    });
    of_methods
        .chain(also::<WrittenReply>(&["suggest"]))
        .chain(also::<ReviewReply>(&["review.approve", "review.request-changes", "review.comment"]))
        .chain(also::<ReviewReply>(&["review.close", "review.reopen"]))
        .chain(also::<DoneReply>(&["accept", "decline"]))
        .chain(also::<ExportedThread>(&["export"]))
        .chain(also::<HookReply>(&["hook.install", "hook.uninstall"]))
        .chain(also::<ListReply>(&["hook.pre-push"]))
        .chain(also::<DaemonLifeReply>(&["daemon.start", "daemon.stop", "daemon.restart"]))
        .chain(also::<DaemonFoundReply>(&["daemon.status"]))
        .chain(also::<LogLine>(&["daemon.logs"]))
        .chain(also::<DaemonInstallReply>(&["daemon.install", "daemon.uninstall"]))
        .collect()
}

/// What `apply` and `patch apply` print: a plan, why there is none, or the result of an undo.
fn plans(generator: &mut SchemaGenerator) -> [(String, Value); 4] {
    let plan = Printed::new::<PlanReply>().versioned(generator);
    let mut refused = plan.clone();
    refused["title"] = json!("RefusedPlan");
    refused["description"] =
        json!("Nothing was written, or not everything; what was found out, as far as that came");
    refused["required"] = json!(["version", "error"]);
    refused["properties"]["error"] = generator.subschema_for::<FailureView>().to_value();
    let apply = json!({
        "description": "What was or would be written, why nothing was, or what was undone",
        "anyOf": [same_as("Plan"), same_as("RefusedPlan"), same_as("UndoneReply"), same_as("UndoSkippedReply")],
    });
    [("Plan", plan), ("RefusedPlan", refused), ("apply", apply), ("patch.apply", same_as("apply"))]
        .map(|(name, form)| (name.to_owned(), form))
}

/// What `watch` and `wait` print: the notifications of the daemon.
fn events(generator: &mut SchemaGenerator) -> Value {
    fn event<T: JsonSchema>(method: &str, generator: &mut SchemaGenerator) -> Value {
        json!({
            "type": "object",
            "required": ["version", "jsonrpc", "method", "params"],
            "properties": {
                "version": { "const": JSON_VERSION },
                "jsonrpc": { "const": "2.0" },
                "method": { "const": method },
                "params": generator.subschema_for::<T>(),
            },
        })
    }
    json!({
        "description": "One event a line, as the daemon sends it to subscribers",
        "oneOf": [
            event::<Resolving>("resolving", generator),
            event::<PlacedEvent>("placed", generator),
            event::<Changed>("changed", generator),
            event::<ResetEvent>("reset", generator),
            event::<Ended>("ended", generator),
        ],
    })
}

fn same_as(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Removes what is specific to Rust: its number formats, and `null` for missing fields.
fn make_plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(Value::is_string) {
                fields.remove("format");
            }
            if let Some(Value::String(description)) = fields.get_mut("description") {
                *description = description.replace("`None`", "null");
                description.truncate(description.trim_end_matches('.').len());
            }
            forbid_null(fields);
            fields.values_mut().for_each(make_plain);
        }
        Value::Array(items) => items.iter_mut().for_each(make_plain),
        _ => {}
    }
}

/// Forbids `null` in the fields of an object that are left out instead.
fn forbid_null(schema: &mut Map<String, Value>) {
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !required.contains(name)) {
        if let Some(Value::Array(types)) = field.get_mut("type") {
            types.retain(|word| word != "null");
            if let [only] = types.as_slice() {
                field["type"] = only.clone();
            }
        }
        if let Some(Value::Array(choices)) = field.get_mut("anyOf") {
            choices.retain(|choice| choice["type"] != "null");
            if let [Value::Object(only)] = choices.as_slice() {
                let only = only.clone();
                if let Value::Object(field) = field {
                    field.remove("anyOf");
                    field.extend(only);
                }
            }
        }
    }
}

impl JsonSchema for Hex {
    fn schema_name() -> Cow<'static, str> {
        "Hex".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An id of a record or of an object of git",
            "type": "string",
            "pattern": "^[0-9a-f]+$",
        })
    }
}

impl JsonSchema for ByteText {
    fn schema_name() -> Cow<'static, str> {
        "ByteText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A path or a line: a string where it is UTF-8, else its bytes in hexadecimal digits",
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "required": ["hex"],
                    "properties": { "hex": { "type": "string", "pattern": "^([0-9a-f]{2})+$" } },
                },
            ],
        })
    }
}

impl JsonSchema for Confidence {
    fn schema_name() -> Cow<'static, str> {
        "Confidence".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "How sure something is", "type": "number", "minimum": 0, "maximum": 1 })
    }
}

impl JsonSchema for SeverityView {
    fn schema_name() -> Cow<'static, str> {
        "SeverityView".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "How much a comment weighs; an open list of words", "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever runs this test says that the file is to be written"
    )]
    fn the_published_schema_is_that_of_the_types() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/v1.json");
        let made = serde_json::to_string_pretty(&published()).unwrap() + "\n";
        if std::env::var_os("POSTIL_BLESS").is_some() {
            std::fs::write(&file, &made).unwrap();
        }
        let told = std::fs::read_to_string(&file).unwrap();
        let differs = made.lines().zip(told.lines()).find(|(made, told)| made != told);
        assert!(
            made == told,
            "docs/schema/v1.json is not what the types say ({differs:?}); \
             `POSTIL_BLESS=1 cargo test -p postil-protocol published` writes it anew"
        );
    }

    #[test]
    fn every_reference_leads_to_a_form() {
        let schema = published();
        let text = schema.to_string();
        let names = text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next());
        for name in names {
            assert!(schema["$defs"].get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_always_written_is_required_and_what_is_left_out_is_never_null() {
        let schema = published();
        let line = &schema["$defs"]["ThreadLine"];
        assert_eq!(line["required"], json!(["short"]));
        assert_eq!(line["properties"]["author"]["type"], "string");
        assert_eq!(line["properties"]["doubt"]["$ref"], "#/$defs/Doubt");
        let published = &schema["$defs"]["publish"];
        assert_eq!(published["required"], json!(["version", "published", "left", "notes", "mark"]));
        assert_eq!(published["properties"]["notes"]["anyOf"][1]["type"], "null");
    }
}
