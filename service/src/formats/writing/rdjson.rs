//! Reviewdog's formats; the thread itself is carried along as the original output.

use postil_protocol::SeverityView;
use serde_json::{Value, json};

use super::super::import_tags::{self, OWN};
use super::Exported;

/// Writes one object with all threads that are about a file.
pub fn write_rdjson(threads: &[Exported]) -> String {
    let diagnostics: Vec<Value> = threads.iter().filter_map(diagnostic).collect();
    format!("{:#}\n", json!({ "source": { "name": OWN }, "diagnostics": diagnostics }))
}

/// Writes a thread a line.
pub fn write_rdjsonl(threads: &[Exported]) -> String {
    threads.iter().filter_map(diagnostic).map(|diagnostic| format!("{diagnostic}\n")).collect()
}

fn diagnostic(exported: &Exported) -> Option<Value> {
    let thread = &exported.thread;
    let path = String::from_utf8_lossy(exported.path()?.as_bytes()).into_owned();
    let mut location = json!({ "path": path });
    if let Some((start, end)) = exported.span() {
        let range = thread.position.as_ref().and_then(|position| position.range);
        let columns = range.and_then(|range| range.start.column.zip(range.end.column));
        location["range"] = match columns {
            Some((first, last)) => json!({
                "start": { "line": start, "column": first },
                "end": { "line": end, "column": last.saturating_add(1) },
            }),
            None => json!({ "start": { "line": start }, "end": { "line": end } }),
        };
    }
    let severity = match &thread.severity {
        Some(SeverityView::Blocker) => "ERROR",
        Some(SeverityView::Issue) => "WARNING",
        _ => "INFO",
    };
    let code = import_tags::rule(thread).unwrap_or(&thread.short);
    Some(json!({
        "message": exported.text(),
        "location": location,
        "severity": severity,
        "source": { "name": OWN },
        "code": { "value": code },
        "original_output": serde_json::to_string(thread).expect("a thread has text for keys"),
    }))
}
