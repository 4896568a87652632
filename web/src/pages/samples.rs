//! A diff with threads of every state, for tests of what is made of it.

use postil_protocol::DiffReply;
use serde_json::{Value, json};

use super::layout::Layout;
use super::shell::{Colours, PageForm, PageFrame, Theme};

/// What no page may take for markup.
pub(super) const HOSTILE: &str = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'";

/// The frame of a person who may write.
pub(super) fn frame() -> PageFrame<'static> {
    PageFrame {
        prefix: "/p/",
        repository: "parser",
        person: None,
        is_writable: true,
        form: PageForm::Served,
        theme: Theme::System,
        layout: Layout::Unified,
        colours: Colours::AtOnce,
        viewed: None,
        images: None,
        is_brief: false,
        now: 1_700_000_100_000,
    }
}

/// A thread in some state at some line; `None` for an orphan's line.
pub(super) fn thread(id: &str, state: &str, side: &str, line: Option<u32>, text: &str) -> Value {
    let range = |line: u32| json!({ "start": { "line": line, "column": null }, "end": { "line": line, "column": null } });
    let anchor = json!({
        "commit": null, "side": side, "path": "src/a.rs", "start": 2, "end": 2, "range": range(2), "lines": [text],
    });
    let position = json!({
        "state": state, "side": side, "path": line.map(|_| "src/a.rs"), "start": line, "end": line,
        "range": line.map(range), "confidence": 0.86, "reason": "moved",
        "candidates": if line.is_none() { json!([{ "path": "src/a.rs", "start": 1, "end": 1, "range": range(1), "confidence": 0.4 }]) } else { json!([]) },
    });
    json!({
        "id": id, "short": id, "status": "open", "status_by": null, "review": null, "severity": "issue", "tags": [text],
        "draft": false, "seen": "branch", "position": position, "anchor": anchor, "replies": 0, "updated": 0, "disputed": [],
        "comments": [{
            "id": id, "short": id, "parent": null, "author": { "name": text, "email": "a@b" }, "at": 1_700_000_000_000_u64,
            "text": text, "edited": null, "proposals": 0, "withdrawn": false, "draft": false, "suggests": false,
        }],
    })
}

/// A diff of one file with two hundred lines, and of another that is binary.
pub(super) fn diff(text: &str) -> DiffReply {
    let line = |offset: u32| {
        let (mark, before, after) = match offset {
            0 => ("deleted", json!(1), json!(null)),
            1 => ("added", json!(null), json!(1)),
            _ => ("kept", json!(offset), json!(offset)),
        };
        let threads = match offset {
            0 => vec![thread("aa", "anchored", "old", Some(1), text)],
            1 => vec![
                thread("bb", "shifted", "new", Some(1), text),
                thread("cc", "orphaned", "new", None, text),
            ],
            50 => vec![thread("dd", "outdated", "new", Some(50), text)],
            _ => vec![],
        };
        json!({ "offset": offset, "before": before, "after": after, "mark": mark, "text": text, "threads": threads })
    };
    let lines: Vec<Value> = (0..200).map(line).collect();
    let file = json!({
        "before": "src/old.rs", "after": "src/a.rs", "binary": false, "lines": lines, "threads": [], "added": 1, "deleted": 1,
        "total": 260, "old": { "blob": "aa", "mode": "100644" }, "new": { "blob": "bb", "mode": "100755" },
    });
    let image = json!({ "before": null, "after": text, "binary": true, "lines": [], "threads": [] });
    let head = json!({ "commit": "abcdef0123", "branch": format!("refs/heads/{text}"), "uncommitted": true });
    let diff =
        json!({ "base": "0123456789", "head": head, "files": [file, image], "threads": [], "mark": "a-b" });
    serde_json::from_value(diff).expect("a diff is read")
}
