//! Views of threads that tests make up.

use postil_protocol::{ListReply, Mark, ThreadView};
use serde_json::{Value, json};

/// A list of these threads.
pub fn list(threads: Vec<ThreadView>) -> ListReply {
    let mark = Mark::from("51d2e07a9ab04c1f.0-3f9c1a2b51d2e07a.9.c");
    ListReply { total: threads.len() as u32, threads, mark, ..ListReply::default() }
}

/// A thread on two lines, as the service sends it; `changes` replaces fields.
pub fn thread(at: usize, path: &str, text: &str, code: [&str; 2], changes: &Value) -> ThreadView {
    let id = format!("{:032x}", 0x3f9c_1a2b_51d2_e07a_u128.wrapping_mul(at as u128 * 7919 + 77_777));
    let id = format!("{}{}", &id[20..], &id[..20]);
    let start = 12 + 9 * at % 400;
    let range = json!({"start": {"line": start, "column": null}, "end": {"line": start + 1, "column": null}});
    let mut view = json!({
        "id": id, "short": &id[..7], "status": "open", "status_by": null, "review": null, "severity": "issue",
        "tags": [], "draft": false, "seen": "branch", "replies": 0, "updated": 1, "disputed": [],
        "position": {
            "state": "anchored", "side": "new", "path": path, "start": start, "end": start + 1, "range": range,
            "confidence": 1.0, "reason": "translated", "candidates": [],
        },
        "anchor": {
            "commit": null, "side": "new", "path": path, "start": start, "end": start + 1, "range": range,
            "lines": code,
        },
        "code": code,
        "comments": [comment(&id, "Ada Lovelace", text)],
    });
    merge(&mut view, changes);
    serde_json::from_value(view).expect("a thread of a list")
}

/// A comment.
pub fn comment(id: &str, by: &str, text: &str) -> Value {
    json!({
        "id": id, "short": &id[..7], "parent": null, "author": {"name": by, "email": "ada@example.org"}, "at": 1,
        "text": text, "edited": null, "proposals": 0, "withdrawn": false, "draft": false, "suggests": false,
        "trust": "here",
    })
}

fn merge(into: &mut Value, changes: &Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (name, change) in changes {
                merge(into.entry(name.clone()).or_insert(Value::Null), change);
            }
        }
        (into, change) => *into = change.clone(),
    }
}
