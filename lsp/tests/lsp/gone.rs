//! Threads at files that are gone are told, listed and reached all the same.

use std::fs;

use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

/// A repository in which a file with a thread is gone, and an editor that has another one open.
fn gone() -> (Project, Editor, [String; 2], String) {
    let project = Project::new();
    let thread = project.comment(10, "T");
    project.git(&["rm", "-q", "a.rs"]);
    project.write("b.rs", "one\ntwo\n");
    project.git(&["add", "b.rs"]);
    project.git(&["commit", "-q", "-m", "gone"]);
    let mut editor = Editor::start(&project);
    let uris = [project.uri("a.rs"), project.uri("b.rs")];
    editor.open(&uris[1], "one\ntwo\n");
    editor.settle();
    (project, editor, uris, thread)
}

fn actions(editor: &mut Editor, uri: &str) -> String {
    let start = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": start, "end": start }, "context": { "diagnostics": [] },
    });
    editor.request("textDocument/codeAction", params).expect("it answers").to_string()
}

#[test]
fn the_address_that_the_file_had_has_diagnostics_until_nothing_is_there() {
    let (project, mut editor, [old, _], thread) = gone();
    assert_eq!(editor.shown(&old), ["0: Ann: T (orphaned)"]);
    editor.command("postil.resolve", json!({ "thread": thread })).expect("it is written");
    editor.until(&old, &[]);
    editor.command("postil.reopen", json!({ "thread": thread })).expect("it is written");
    editor.until(&old, &["0: Ann: T (orphaned)"]);
    // It comes back.
    project.write("a.rs", &lines().concat());
    editor.notify("workspace/didCreateFiles", json!({ "files": [{ "uri": old }] }));
    editor.until(&old, &[]);
}

#[test]
fn an_empty_document_at_the_file_that_is_gone_shows_its_threads() {
    let (_project, mut editor, [old, _], _) = gone();
    let told = editor.history.len();
    editor.open(&old, "");
    editor.settle();
    assert_eq!(editor.shown(&old), ["0: Ann: T (orphaned)"]);
    assert_eq!(editor.history.len(), told, "it was told before");
    let actions = actions(&mut editor, &old);
    assert!(actions.contains("Reply to") && actions.contains("was put on"), "{actions}");
    editor.close(&old);
    editor.settle();
    assert_eq!(editor.shown(&old), ["0: Ann: T (orphaned)"], "closed again");
}

#[test]
fn a_thread_that_ends_while_its_empty_document_opens_is_shown_no_more() {
    let (project, mut editor, [old, _], thread) = gone();
    project
        .session()
        .write(postil_protocol::Resolve { threads: vec![thread], reason: None, by: None })
        .expect("it is written");
    editor.open(&old, "");
    editor.until(&old, &[]);
}

#[test]
fn a_renamed_file_whose_text_is_replaced_leaves_its_thread_at_the_old_name() {
    let project = Project::new();
    project.comment(10, "T");
    let mut editor = Editor::start(&project);
    let (old, new) = (project.uri("a.rs"), project.uri("b.rs"));
    editor.open(&old, &lines().concat());
    editor.settle();
    fs::rename(project.folder().join("a.rs"), project.folder().join("b.rs")).expect("renamed");
    editor.notify("workspace/didRenameFiles", json!({ "files": [{ "oldUri": old, "newUri": new }] }));
    editor.close(&old);
    editor.open(&new, &lines().concat());
    editor.until(&new, &["9: Ann: T"]);
    editor.replace_all(&new, "nothing of it\n");
    project.write("b.rs", "nothing of it\n");
    editor.save(&new);
    editor.until(&new, &[]);
    editor.until(&old, &["0: Ann: T (orphaned)"]);
}

#[test]
fn all_threads_are_listed_in_a_text_or_for_a_list_of_the_editor() {
    let (project, mut editor, [old, uri], thread) = gone();
    let comment = json!({ "uri": uri, "text": "on the file", "severity": "blocker" });
    editor.command("postil.comment", comment).expect("it is written");
    editor.settle();
    let listed = editor.command("postil.list", json!({ "uri": uri })).expect("it lists");
    let told = |nth: usize, name: &str| listed["threads"][nth][name].clone();
    assert_eq!((told(0, "uri"), told(0, "line"), told(0, "gone")), (json!(old), json!(0), json!(true)));
    assert_eq!(told(0, "thread"), json!(thread));
    assert_eq!(told(1, "message"), json!("Ann: on the file (blocker)"));
    assert_eq!((told(1, "uri"), told(1, "gone"), told(2, "uri")), (json!(uri), json!(false), Value::Null));
    let shown = editor.until_asked("window/showDocument");
    let file = shown["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("it is a file");
    let folder = project.folder().display().to_string();
    assert_eq!(
        fs::read_to_string(file).expect("it is there"),
        format!(
            "2 open threads in {folder}\n\n{folder}/a.rs:1: Ann: T (orphaned); the file is gone\n\
             {folder}/b.rs:1: Ann: on the file (blocker)\n"
        )
    );
    // An editor with a list of its own gets no text.
    let mut able = Editor::start_with(
        &project,
        &json!({
            "capabilities": { "window": { "showDocument": { "support": true } } },
            "initializationOptions": { "texts": true },
        }),
    );
    able.open(&uri, "one\ntwo\n");
    able.settle();
    let listed = able.command("postil.list", json!({ "uri": uri })).expect("it lists");
    assert_eq!(listed["threads"].as_array().map(Vec::len), Some(2));
    assert!(able.asked.iter().all(|(method, _)| method != "window/showDocument"), "{:?}", able.asked);
}

#[test]
fn an_extension_is_led_to_a_thread_that_is_in_no_file() {
    let (project, editor, [old, uri], thread) = gone();
    editor.leave();
    let mut editor = Editor::start_with(
        &project,
        &json!({
            "capabilities": { "window": { "showDocument": { "support": true } } },
            "initializationOptions": { "threads": true },
        }),
    );
    editor.open(&uri, "one\ntwo\n");
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let comment = json!({ "uri": uri, "text": "here", "range": range });
    editor.command("postil.comment", comment).expect("it is written");
    editor.settle();
    let next = editor.command("postil.next", json!({ "uri": uri, "line": 1 })).expect("there is one");
    assert_eq!((&next["thread"]["id"], &next["uri"]), (&json!(thread), &json!(old)));
    let from = json!({ "uri": "postil:/original", "line": 3, "thread": thread });
    let next = editor.command("postil.next", from).expect("there is one");
    assert_eq!((&next["thread"], &next["uri"], &next["line"]), (&Value::Null, &json!(uri), &json!(1)));
    editor.until_asked("window/showDocument");
    assert!(editor.shown(&old).is_empty(), "an extension gets no diagnostics");
}
