//! What an editor can ask for: comments, replies, statuses, edits and jumps.

use std::fs;

use postil_protocol::Propose;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

fn opened(project: &Project) -> (Editor, String) {
    let mut editor = Editor::start(project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    (editor, uri)
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    let position = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": position(from), "end": position(to) })
}

#[test]
fn a_comment_on_an_unsaved_line_is_shown_there() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    editor.replace(&uri, (0, 0), (0, 0), "// unsaved\n");
    let comment = json!({ "uri": uri, "range": range((0, 0), (0, 0)), "text": "really?" });
    editor.command("postil.comment", comment).expect("it is written");
    editor.until(&uri, &["0: Ann: really?"]);
}

#[test]
fn a_thread_can_be_answered_resolved_and_reopened() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    let reply = json!({ "thread": thread, "text": "because" });
    editor.command("postil.reply", reply).expect("it is written");
    editor.until(&uri, &["9: Ann: why? (+1)"]);
    let hover = editor.request(
        "textDocument/hover",
        json!({
            "textDocument": { "uri": uri }, "position": { "line": 9, "character": 4 },
        }),
    );
    let text = hover.expect("there is a thread")["contents"]["value"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("why?") && text.contains("because"), "{text}");
    editor.command("postil.resolve", json!({ "thread": thread })).expect("it is written");
    editor.until(&uri, &[]);
    editor.command("postil.reopen", json!({ "thread": thread })).expect("it is written");
    editor.until(&uri, &["9: Ann: why? (+1)"]);
}

#[test]
fn what_is_written_has_the_name_and_the_signature_that_git_is_set_to_now() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    project.git(&["config", "user.name", "Ann Other"]);
    let at = range((4, 0), (4, 0));
    editor
        .command("postil.comment", json!({ "uri": uri, "range": at, "text": "who?" }))
        .expect("it is written");
    editor.until(&uri, &["4: Ann Other: who?", "9: Ann: why?"]);
    project.git(&["config", "postil.sign", "true"]);
    project.git(&["config", "gpg.program", "/bin/false"]);
    let reply = json!({ "thread": thread, "text": "not without a signature" });
    let refused = editor.command("postil.reply", reply.clone()).expect_err("it cannot be signed");
    assert!(refused.contains("could not sign"), "{refused}");
    let asked = json!({ "to": thread, "text": "neither this" });
    let asked = json!({ "within": uri, "method": "reply", "params": asked });
    let refused = editor.request("postil/ask", asked).expect_err("it cannot be signed");
    assert!(refused.contains("could not sign"), "{refused}");
    project.git(&["config", "postil.sign", "false"]);
    editor.command("postil.reply", reply).expect("it is written");
    editor.until(&uri, &["4: Ann Other: who?", "9: Ann: why? (+1)"]);
}

#[test]
fn a_text_written_in_a_file_is_sent_when_it_is_saved() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    editor
        .command("postil.comment", json!({ "uri": uri, "range": range((4, 0), (4, 0)) }))
        .expect("a file is opened");
    let shown = editor.until_asked("window/showDocument");
    let file = shown["uri"].as_str().expect("it has an address").trim_start_matches("file://").to_owned();
    let content = fs::read_to_string(&file).expect("the file is there");
    fs::write(&file, format!("typed in a file{content}")).expect("it can be saved");
    // Lines above change while somebody types.
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": format!("file://{file}") } }));
    editor.until(&uri, &["5: Ann: typed in a file"]);
    assert!(!fs::exists(&file).expect("the folder is there"));
}

#[test]
fn a_suggestion_becomes_an_edit_of_the_unsaved_text() {
    let project = Project::new();
    let thread = project.comment_with(10, "simpler", Some("    let value_10 = 70;\n"));
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: simpler"]);
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.until(&uri, &["10: Ann: simpler"]);
    editor.command("postil.apply", json!({ "thread": thread })).expect("it applies");
    let edit = editor.until_asked("workspace/applyEdit");
    let change = &edit["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"], json!({ "uri": uri, "version": 2 }));
    assert_eq!(change["edits"][0]["range"]["start"]["line"], 10);
    assert_eq!(change["edits"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_proposed_is_shown_and_answered_with_one_action() {
    let project = Project::new();
    let thread = project.comment(10, "why?");
    let proposes = || {
        let propose = Propose { threads: vec![thread.clone()], obsolete: true, ..Propose::default() };
        let text = "the *loop* is gone".to_owned();
        project.session().write(Propose { text, ..propose }).expect("it is written")
    };
    proposes();
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    let at = json!({ "line": 9, "character": 4 });
    let document = json!({ "uri": uri });
    let hover = editor.request("textDocument/hover", json!({ "textDocument": document, "position": at }));
    let hover =
        hover.expect("there is a thread")["contents"]["value"].as_str().unwrap_or_default().to_owned();
    assert!(hover.contains("no longer fits the code at ") && hover.contains("the *loop* is gone"), "{hover}");
    let range = json!({ "start": at, "end": at });
    let asked = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.request("textDocument/codeAction", asked).expect("it answers");
    let named = |name: &str| {
        let mut actions = actions.as_array().into_iter().flatten();
        let action = actions.find(|action| action["command"]["command"] == name).expect("it is offered");
        action["title"].as_str().unwrap_or_default().to_owned()
    };
    assert!(named("postil.accept").contains("no longer fits the code"), "{actions}");
    named("postil.decline");
    editor.command("postil.decline", json!({ "thread": thread })).expect("it is written");
    assert!(editor.command("postil.accept", json!({ "thread": thread })).is_err(), "it was declined");
    proposes();
    editor.command("postil.accept", json!({ "thread": thread })).expect("it is written");
    editor.until(&uri, &[]);
}

#[test]
fn threads_are_visited_over_files() {
    let project = Project::new();
    project.write("b.rs", &lines().concat());
    project.git(&["add", "b.rs"]);
    project.git(&["commit", "-q", "-m", "b"]);
    project.comment(10, "one");
    project.comment(20, "two");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: one", "19: Ann: two"]);
    let mut go = |name: &str, line: u32| {
        let there = editor.command(name, json!({ "uri": uri, "line": line })).expect("there is a thread");
        there["line"].as_u64()
    };
    assert_eq!(go("postil.next", 0), Some(9));
    assert_eq!(go("postil.next", 9), Some(19));
    assert_eq!(go("postil.next", 19), Some(9));
    assert_eq!(go("postil.previous", 9), Some(19));
}

#[test]
fn what_can_be_done_depends_on_the_lines_alone() {
    let project = Project::new();
    project.comment_with(10, "simpler", Some("    let value_10 = 70;\n"));
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: simpler"]);
    assert_eq!(titles(&mut editor, &uri, 9), ["Reply", "Resolve", "Apply", "Comment", "List", "Go", "Go"]);
    assert_eq!(titles(&mut editor, &uri, 10), ["Comment", "List", "Go", "Go"]);
}

#[test]
fn an_editor_that_cannot_open_a_file_is_offered_nothing_that_needs_one() {
    let project = Project::new();
    project.comment_with(10, "simpler", Some("    let value_10 = 70;\n"));
    let says_nothing = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let (mut editor, uri) = (Editor::start_with(&project, &says_nothing), project.uri("a.rs"));
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &["9: Ann: simpler"]);
    assert_eq!(titles(&mut editor, &uri, 9), ["Resolve", "Apply"]);
}

/// The first words of what can be done at a line.
fn titles(editor: &mut Editor, uri: &str, line: u32) -> Vec<String> {
    let params = json!({
        "textDocument": { "uri": uri }, "range": range((line, 0), (line, 0)), "context": { "diagnostics": [] },
    });
    let actions = editor.request("textDocument/codeAction", params).expect("there are some");
    let words = |title: &str| title.split(' ').next().unwrap_or_default().to_owned();
    let all = actions.as_array().cloned().unwrap_or_default();
    all.iter().map(|action| words(action["title"].as_str().unwrap_or_default())).collect()
}
