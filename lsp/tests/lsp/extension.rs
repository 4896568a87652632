//! What an extension is told and may ask for, that shows threads itself.

use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

fn opened(project: &Project) -> (Editor, String) {
    let initialize = json!({
        "processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": { "threads": true },
    });
    let mut editor = Editor::start_with(project, &initialize);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    (editor, uri)
}

fn ask(editor: &mut Editor, project: &Project, method: &str, params: &Value) -> Result<Value, String> {
    let within = format!("file://{}", project.folder().display());
    editor.request("postil/ask", json!({ "within": within, "method": method, "params": params }))
}

#[test]
fn threads_come_whole_once_and_then_only_their_places_do() {
    let project = Project::new();
    let thread = project.comment(10, "why <b>?");
    let (mut editor, uri) = opened(&project);
    let told = editor.until_asked("postil/threads");
    assert_eq!((&told["uri"], &told["places"]), (&json!(uri), &json!([["at", [9, 10]]])));
    assert_eq!(told["threads"][0]["id"], json!(thread));
    assert_eq!(told["root"], json!(format!("file://{}", project.folder().display())));
    assert_eq!(told["threads"][0]["comments"][0]["markdown"], json!("why &lt;b>?\n"));
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    let moved = editor.until_asked("postil/places");
    assert_eq!(moved, json!({ "uri": uri, "version": 2, "places": [["at", [10, 11]]] }));
    editor.replace(&uri, (10, 0), (10, 0), "x");
    let moved = editor.until_asked("postil/places");
    assert_eq!(moved["places"], json!([["being-edited", [10, 11]]]));
    // Its state changes only with the answer of the service.
    let told = editor.until_asked("postil/threads");
    assert_eq!(told["threads"][0]["position"]["state"], json!("outdated"));
    editor.close(&uri);
    assert_eq!(editor.until_asked("postil/threads")["threads"], json!([]));
}

#[test]
fn a_new_comment_is_answered_with_its_thread() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let at = json!({ "line": 3, "character": 0 });
    let comment =
        json!({ "uri": uri, "range": { "start": at, "end": at }, "text": "why?", "severity": "issue" });
    let written = editor.command("postil.comment", comment).expect("it is written");
    let told = editor.until_asked("postil/threads");
    assert_eq!((&told["threads"][0]["id"], &told["places"]), (&written["thread"], &json!([["at", [3, 4]]])));
    assert_eq!(told["threads"][0]["severity"], json!("issue"));
}

#[test]
fn replies_come_with_their_thread() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let (mut editor, _) = opened(&project);
    editor.until_asked("postil/threads");
    ask(&mut editor, &project, "reply", &json!({ "to": thread, "text": "because" })).expect("it is written");
    let told = editor.until_asked("postil/threads");
    assert_eq!(told["threads"][0]["comments"][1]["text"], json!("because"));
}

#[test]
fn a_review_is_asked_about_and_judged_with_unsaved_text() {
    let project = Project::new();
    project.git(&["checkout", "-q", "-b", "topic"]);
    let mut changed = lines();
    changed.remove(4);
    project.write("a.rs", &changed.concat());
    project.git(&["commit", "-q", "-a", "-m", "change"]);
    let (mut editor, _) = opened(&project);
    let started = ask(&mut editor, &project, "review.start", &json!({ "base": "main" }));
    let started = started.expect("there is a branch");
    assert_eq!(started["root"], json!(format!("file://{}", project.folder().display())));
    let on_deleted = json!({
        "place": { "path": "a.rs", "span": { "start": 5, "end": 5 }, "side": "old" }, "text": "needed",
    });
    ask(&mut editor, &project, "comment", &on_deleted).expect("the line was deleted");
    let whole = json!({ "review": started["review"]["id"], "paths": ["a.rs"], "context": 1_000_000 });
    let diff = ask(&mut editor, &project, "diff", &whole).expect("there is a diff");
    // The editor has the deleted line again, unsaved, so it is no deleted line any more.
    let lines = diff["files"][0]["lines"].as_array().expect("there are lines");
    assert_eq!(lines.len(), 40);
    assert!(lines.iter().all(|line| line["mark"] == "kept"), "{lines:?}");
    let verdict = json!({ "verdict": "approve", "text": "fine" });
    let judged = ask(&mut editor, &project, "review.verdict", &verdict).expect("it is written");
    assert_eq!(judged["review"]["verdicts"][0]["verdict"], json!("approve"));
}

#[test]
fn a_thread_on_deleted_lines_is_visited_where_they_were() {
    let project = Project::new();
    project.git(&["checkout", "-q", "-b", "topic"]);
    let mut changed = lines();
    changed.remove(4);
    project.write("a.rs", &changed.concat());
    project.git(&["commit", "-q", "-a", "-m", "change"]);
    project.comment(2, "above");
    project.comment(20, "below");
    let (mut editor, uri) = opened(&project);
    editor.replace_all(&uri, &changed.concat());
    ask(&mut editor, &project, "review.start", &json!({ "base": "main" })).expect("there is a branch");
    let on_deleted = json!({
        "place": { "path": "a.rs", "span": { "start": 5, "end": 5 }, "side": "old" }, "text": "needed",
    });
    let deleted = ask(&mut editor, &project, "comment", &on_deleted).expect("the line was deleted");
    editor.settle();
    let next = editor.command("postil.next", json!({ "uri": uri, "line": 1 })).expect("there is one");
    assert_eq!(next["thread"]["id"], deleted["thread"]["id"], "{next}");
    let from = json!({ "uri": "postil:/base", "line": 4, "thread": deleted["thread"]["id"] });
    let next = editor.command("postil.next", from).expect("there is one");
    assert_eq!((&next["thread"], &next["line"]), (&Value::Null, &json!(19)));
}

#[test]
fn what_cannot_be_asked_is_told() {
    let project = Project::new();
    let (mut editor, _) = opened(&project);
    let mut why =
        |method: &str, params: Value| ask(&mut editor, &project, method, &params).expect_err("it fails");
    assert_eq!(why("purge", json!({})), "no such method: purge");
    assert!(why("comment", json!({})).starts_with("invalid parameters: missing field"));
    assert!(why("show", json!({ "of": "zz" })).contains("zz"));
    let outside = json!({ "within": "file:///", "method": "list" });
    assert_eq!(editor.request("postil/ask", outside), Err("not in a git repository".into()));
    let elsewhere = json!({ "within": "untitled:1", "method": "list" });
    assert_eq!(editor.request("postil/ask", elsewhere), Err("not in a git repository".into()));
}
