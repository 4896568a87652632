//! SARIF 2.1.0; the thread itself is carried along as a property.

use serde_json::{Value, json};

use postil_protocol::{SeverityView, ThreadStatus};

use super::super::import_tags;
use super::super::path::percent_encoded;
use super::Exported;

/// What validators fetch.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes one run with all threads; `version` is that of postil.
pub fn write_sarif(threads: &[Exported], version: &str) -> String {
    let mut rules: Vec<&str> = threads.iter().map(rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = threads.iter().map(|exported| result(exported, &rules)).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule })).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": import_tags::OWN, "version": version, "rules": rules } },
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// The rule of the tool that a thread came from; what people say is a comment.
fn rule(exported: &Exported) -> &str {
    import_tags::rule(&exported.thread).unwrap_or("comment")
}

fn result(exported: &Exported, rules: &[&str]) -> Value {
    let thread = &exported.thread;
    let level = match &thread.severity {
        Some(SeverityView::Blocker) => "error",
        Some(SeverityView::Issue) => "warning",
        _ => "note",
    };
    let rule = rule(exported);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": rules.binary_search(&rule).unwrap_or_default(),
        "level": level,
        "message": { "text": exported.text() },
        "fingerprints": { "postil/v1": thread.id.as_str() },
        "properties": { "postil": thread },
    });
    if let Some(path) = exported.path() {
        let mut place = json!({ "artifactLocation": { "uri": percent_encoded(path.as_bytes()) } });
        if let Some((start, end)) = exported.span() {
            place["region"] = json!({ "startLine": start, "endLine": end });
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    if thread.status != ThreadStatus::Open {
        let reason = thread.status_by.as_ref().and_then(|by| by.reason.as_deref());
        let mut suppression = json!({ "kind": "external", "status": "accepted" });
        if let Some(reason) = reason {
            suppression["justification"] = json!(reason);
        }
        result["suppressions"] = json!([suppression]);
    }
    result
}
