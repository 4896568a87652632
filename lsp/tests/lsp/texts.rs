//! Texts that are typed in a file: sent once, changed later, kept if they cannot be sent.

use std::fs;
use std::path::PathBuf;

use postil_protocol::{List, SeverityView, Show};
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

/// Asks for a comment on the fifth line; returns the file to write in.
fn begun(editor: &mut Editor, uri: &str) -> (String, PathBuf) {
    let at = json!({ "line": 4, "character": 0 });
    let comment = json!({ "uri": uri, "range": { "start": at, "end": at } });
    editor.command("postil.comment", comment).expect("a file is opened");
    let shown = editor.until_asked("window/showDocument");
    let text = shown["uri"].as_str().expect("it has an address").to_owned();
    let path = PathBuf::from(text.trim_start_matches("file://"));
    (text, path)
}

fn opened(project: &Project) -> (Editor, String) {
    let mut editor = Editor::start(project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.settle();
    (editor, uri)
}

fn type_in(path: &PathBuf, text: &str) {
    let content = fs::read_to_string(path).expect("the file is there");
    fs::write(path, format!("{text}{content}")).expect("it can be saved");
}

fn count(project: &Project) -> usize {
    project.session().ask(List::default()).expect("threads are listed").threads.len()
}

#[test]
fn a_text_is_sent_once_however_often_it_is_saved_and_closed() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    editor.open(&text, "");
    type_in(&path, "why?");
    for _ in 0..3 {
        editor.save(&text);
    }
    editor.close(&text);
    editor.until(&uri, &["4: Ann: why?"]);
    editor.settle();
    assert_eq!(count(&project), 1);
    assert!(!path.exists() && !path.with_extension("json").exists(), "nothing is left behind");
}

#[test]
fn a_text_that_is_saved_again_changes_the_comment() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    editor.open(&text, "");
    type_in(&path, "why?");
    editor.save(&text);
    editor.until(&uri, &["4: Ann: why?"]);
    fs::write(&path, "why not?\n").expect("it can be saved");
    editor.save(&text);
    editor.until(&uri, &["4: Ann: why not?"]);
    assert_eq!(count(&project), 1);
}

#[test]
fn an_empty_text_is_nothing_and_options_below_the_line_count() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    editor.open(&text, "");
    editor.save(&text);
    editor.close(&text);
    let (text, other) = begun(&mut editor, &uri);
    assert!(!path.exists() || path == other, "the file of an empty text is removed");
    let content = fs::read_to_string(&other).expect("the file is there");
    assert!(content.contains("\nA comment on a.rs:5:\n"), "{content}");
    let content = content.replace("severity: note", "severity: blocker").replace("draft: no", "draft: yes");
    fs::write(&other, format!("careful{content}")).expect("it can be saved");
    editor.open(&text, "");
    editor.save(&text);
    editor.until(&uri, &["4: Ann: careful (blocker, draft)"]);
    let threads = project.session().ask(List::default()).expect("threads are listed").threads;
    assert_eq!(
        threads.iter().map(|thread| &thread.severity).collect::<Vec<_>>(),
        [&Some(SeverityView::Blocker)]
    );
    editor.command("postil.publish", json!({ "uri": uri })).expect("it is published");
    editor.until(&uri, &["4: Ann: careful (blocker)"]);
}

#[test]
fn a_file_that_the_editor_says_nothing_about_is_looked_at() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (_, path) = begun(&mut editor, &uri);
    type_in(&path, "written by somebody else");
    editor.until(&uri, &["4: Ann: written by somebody else"]);
    assert!(!path.exists());
}

#[test]
fn the_next_text_has_a_file_of_its_own_while_the_editor_may_still_show_the_last_one() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (_, first) = begun(&mut editor, &uri);
    type_in(&first, "one");
    editor.until(&uri, &["4: Ann: one"]);
    let (_, second) = begun(&mut editor, &uri);
    assert_ne!(first, second);
    type_in(&second, "two");
    editor.until(&uri, &["4: Ann: one\nAnn: two"]);
    // The editor that says nothing about its files saves the first one again.
    fs::write(&first, "one more\n").expect("it can be saved");
    editor.until(&uri, &["4: Ann: one more\nAnn: two"]);
    assert!(!first.exists() && !second.exists());
}

#[test]
fn a_text_that_cannot_be_stored_stays_on_disk() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    editor.open(&text, "");
    type_in(&path, "why?");
    let notes = project.folder().join(".git/refs/notes");
    fs::create_dir_all(notes.parent().expect("it has a folder")).expect("it can be made");
    // A file in the way of the ref.
    fs::write(&notes, "in the way").expect("it can be written");
    editor.save(&text);
    let told = editor.until_asked("window/showMessage");
    assert!(told["message"].as_str().unwrap_or_default().contains("your text is in"), "{told}");
    assert!(fs::read_to_string(&path).expect("it is there").starts_with("why?"));
    fs::remove_file(&notes).expect("it can be removed");
    editor.save(&text);
    editor.until(&uri, &["4: Ann: why?"]);
}

#[test]
fn what_a_thread_was_put_on_is_shown_in_a_document() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.replace(&uri, (9, 8), (9, 9), "XYZ");
    editor.until(&uri, &["9: Ann: why? (outdated)"]);
    editor.command("postil.original", json!({ "thread": thread })).expect("it has lines");
    let shown = editor.until_asked("window/showDocument");
    let path = shown["uri"].as_str().expect("it has an address").trim_start_matches("file://").to_owned();
    let first = shown["selection"]["start"]["line"].as_u64().expect("it has a line") as usize;
    let content = fs::read_to_string(&path).expect("the file is there");
    assert_eq!(content.split_inclusive('\n').nth(first), Some(lines()[9].as_str()));
    let thread = project.session().ask(Show { of: thread, ..Show::default() });
    assert_eq!(thread.expect("it is there").thread.comments.len(), 1);
    assert_eq!(
        editor.request(
            "textDocument/hover",
            json!({
                "textDocument": { "uri": uri }, "position": { "line": 30, "character": 0 },
            })
        ),
        Ok(Value::Null)
    );
}

#[test]
fn lenses_hints_and_resolved_threads_are_there_for_who_wants_them() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let resolve =
        postil_protocol::Resolve { threads: vec![project.comment(20, "done")], reason: None, by: None };
    project.session().write(resolve).expect("a thread can be resolved");
    let uri = project.uri("a.rs");
    let ask = |options: Value| {
        let hello = json!({ "capabilities": {}, "initializationOptions": options });
        let mut editor = Editor::start_with(&project, &hello);
        editor.open(&uri, &lines().concat());
        editor.settle();
        let document = json!({ "uri": uri });
        let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 40, "character": 0 } });
        let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": document }));
        let hints =
            editor.request("textDocument/inlayHint", json!({ "textDocument": document, "range": all }));
        let count = |found: Result<Value, String>| found.expect("it answers").as_array().map_or(0, Vec::len);
        (editor.shown(&uri).len(), count(lenses), count(hints))
    };
    assert_eq!(ask(json!({})), (1, 0, 0));
    assert_eq!(ask(json!({ "codeLens": true })), (1, 1, 0));
    assert_eq!(ask(json!({ "inlayHints": true, "resolved": true })), (2, 0, 2));
    assert!(!thread.is_empty());
}

#[test]
fn what_was_typed_and_not_saved_is_there_after_the_editor_died() {
    let project = Project::new();
    let hello = json!({ "capabilities": {
        "window": { "showDocument": { "support": true }, "showMessage": { "messageActionItem": {} } },
    } });
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    let content = fs::read_to_string(&path).expect("the file is there");
    editor.open(&text, &content);
    editor.replace(&text, (0, 0), (0, 0), "half a th");
    editor.replace(&text, (0, 9), (0, 9), "ought");
    editor.settle();
    assert_eq!(fs::read_to_string(&path).expect("it is there"), content, "the editor has not saved it");
    // A second editor leaves a text alone that the first one has.
    let mut second = Editor::start_with(&project, &hello);
    second.open(&uri, &lines().concat());
    second.settle();
    assert!(second.asked.iter().all(|(method, _)| method != "window/showMessageRequest"));
    drop(second);
    drop(editor);

    let mut editor = Editor::start_with(&project, &hello);
    editor.answer = Some(json!({ "title": "Open", "success": true }));
    editor.open(&uri, &lines().concat());
    let told = editor.until_asked("window/showMessageRequest");
    assert!(told["message"].as_str().unwrap_or_default().contains("/TEXT-"), "{told}");
    let shown = editor.until_asked("window/showDocument");
    assert_eq!(shown["uri"], text.as_str());
    let content = fs::read_to_string(&path).expect("it is there");
    assert!(content.starts_with("half a thought\n"), "{content}");
    editor.open(&text, &content);
    editor.save(&text);
    editor.until(&uri, &["4: Ann: half a thought"]);
    editor.close(&text);
    editor.settle();
    assert_eq!(fs::read_dir(path.parent().expect("it has a folder")).expect("it is there").count(), 0);
}

#[test]
fn a_text_that_was_closed_unsaved_or_never_begun_leaves_nothing() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let (text, path) = begun(&mut editor, &uri);
    editor.open(&text, "");
    editor.replace(&text, (0, 0), (0, 0), "no, not that");
    editor.close(&text);
    let (_, _) = begun(&mut editor, &uri);
    drop(editor);
    let (mut editor, uri) = opened(&project);
    assert!(editor.asked.iter().all(|(method, _)| method != "window/showMessage"), "{:?}", editor.asked);
    assert_eq!(fs::read_dir(path.parent().expect("it has a folder")).expect("it is there").count(), 0);
    editor.until(&uri, &[]);
}

#[test]
fn who_opens_texts_itself_is_told_where_they_are_and_when_they_are_sent() {
    let project = Project::new();
    let hello = json!({ "capabilities": {}, "initializationOptions": { "texts": true } });
    let mut editor = Editor::start_with(&project, &hello);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    let at = json!({ "line": 4, "character": 0 });
    let comment = json!({ "uri": uri, "range": { "start": at, "end": at } });
    let answer = editor.command("postil.comment", comment).expect("a file is made");
    let text = answer["uri"].as_str().expect("it has an address").to_owned();
    editor.open(&text, "");
    fs::write(text.trim_start_matches("file://"), "from a split\n").expect("it can be saved");
    editor.save(&text);
    assert_eq!(editor.until_asked("postil/sent")["uri"], text.as_str());
    editor.until(&uri, &["4: Ann: from a split"]);
    assert!(editor.asked.iter().all(|(method, _)| method != "window/showDocument"));
}
