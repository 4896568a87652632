//! Marker lines: stored as comments first, and removed from the text only then.

use postil_protocol::List;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

fn at(line: u32) -> Value {
    let at = json!({ "line": line, "character": 0 });
    json!({ "start": at, "end": at })
}

/// The actions of a line.
fn actions(editor: &mut Editor, uri: &str, line: u32) -> Vec<Value> {
    let params =
        json!({ "textDocument": { "uri": uri }, "range": at(line), "context": { "diagnostics": [] } });
    let found = editor.request("textDocument/codeAction", params).expect("it answers");
    found.as_array().cloned().unwrap_or_default()
}

fn opened(project: &Project, text: &str) -> (Editor, String) {
    let mut editor = Editor::start(project);
    let uri = project.uri("a.rs");
    editor.open(&uri, text);
    editor.settle();
    (editor, uri)
}

/// The lines with marker lines before the tenth.
fn marked() -> String {
    let mut text = lines();
    text.insert(9, "    // postil: why\n    // postil: this?\n".into());
    text.concat()
}

#[test]
fn a_marker_line_becomes_a_comment_on_the_next_line_and_is_removed_then() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project, &marked());
    let first = actions(&mut editor, &uri, 10).remove(0);
    assert_eq!(first["title"], "Send this line as a comment: why", "{first}");
    let argument = first["command"]["arguments"][0].clone();
    editor.command(first["command"]["command"].as_str().unwrap_or_default(), argument).expect("it is stored");
    // It is on disk before the editor is asked to remove anything.
    let threads = project.session().ask(List::default()).expect("threads are listed").threads;
    assert_eq!(threads[0].comments[0].text, "why\nthis?");
    let edit = editor.until_asked("workspace/applyEdit");
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": uri, "version": 1 }));
    let edits = change["edits"][0].clone();
    assert_eq!((edits["newText"].as_str(), &edits["range"]["start"]["line"]), (Some(""), &json!(9)));
    editor.change(&uri, json!([{ "range": edits["range"], "text": "" }]));
    editor.settle();
    assert_eq!(editor.shown(&uri), ["9: Ann: why"], "anchored at the line that was below");
    assert!(
        actions(&mut editor, &uri, 9).iter().all(|action| action["command"]["command"] != "postil.marker")
    );
}

#[test]
fn what_is_typed_meanwhile_moves_the_line_that_is_removed() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project, &marked());
    // The change comes after the command and before its answer.
    editor.notify("$/nothing", json!({}));
    let typed = json!([{ "range": at(0), "text": "// typed\n" }]);
    editor.command_and_change("postil.marker", &json!({ "uri": uri, "line": 9 }), &uri, typed);
    let edit = editor.until_asked("workspace/applyEdit");
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 2);
    assert_eq!(change["edits"][0]["range"]["start"]["line"], 10);
}

#[test]
fn a_line_without_a_marker_or_without_a_line_below_is_refused() {
    let project = Project::new();
    let text = format!("{}// postil: to whom?\n\n", lines().concat());
    let (mut editor, uri) = opened(&project, &text);
    for (line, why) in [
        (3, "not a marker line"),
        (40, "no line below"),
        (41, "not a marker line"),
        (99, "not a marker line"),
    ] {
        let refused = editor.command("postil.marker", json!({ "uri": uri, "line": line })).unwrap_err();
        assert!(refused.contains(why), "{line}: {refused}");
    }
    assert!(editor.command("postil.marker", json!({ "uri": "file:///x", "line": 0 })).is_err());
    assert_eq!(project.session().ask(List::default()).expect("threads are listed").threads.len(), 0);
}

#[test]
fn a_marker_that_cannot_be_stored_stays_in_the_text() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project, &marked());
    let notes = project.folder().join(".git/refs/notes");
    std::fs::write(&notes, "in the way").expect("it can be written");
    assert!(editor.command("postil.marker", json!({ "uri": uri, "line": 9 })).is_err());
    assert!(editor.asked.iter().all(|(method, _)| method != "workspace/applyEdit"));
}
