//! An editor that never answers what it is asked.

use std::fs;
use std::path::PathBuf;

use lsp_server::RequestId;
use postil_protocol::List;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

/// More than the server remembers.
const MANY: i32 = 200;

/// An editor that says that it can do everything, and never answers.
fn silent(project: &Project) -> (Editor, String) {
    let mut editor = Editor::start_with(
        project,
        &json!({ "processId": null, "rootUri": null, "capabilities": {
            "window": { "showDocument": { "support": true }, "showMessage": { "messageActionItem": {} } },
            "workspace": {
                "applyEdit": true, "codeLens": { "refreshSupport": true }, "inlayHint": { "refreshSupport": true },
            },
        }, "initializationOptions": { "codeLens": true, "inlayHints": true } }),
    );
    editor.answer = None;
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.settle();
    (editor, uri)
}

fn texts(project: &Project) -> Vec<String> {
    let threads = project.session().ask(List::default()).expect("threads are listed").threads;
    let mut texts: Vec<String> = threads.iter().map(|thread| thread.comments[0].text.clone()).collect();
    texts.sort();
    texts
}

#[test]
fn everything_that_needs_no_answer_goes_on() {
    let project = Project::new();
    let suggested = project.comment_with(10, "simpler", Some("    let value_10 = 70;\n"));
    let (mut editor, uri) = silent(&project);
    let mut text = lines();
    // An edit that is never made.
    editor.command("postil.apply", json!({ "thread": suggested })).expect("it applies");
    editor.until_asked("workspace/applyEdit");
    // A marker line that is never removed; its comment is stored all the same.
    text.insert(20, "    // postil: why?\n".to_owned());
    editor.replace(&uri, (20, 0), (20, 0), "    // postil: why?\n");
    editor.command("postil.marker", json!({ "uri": uri, "line": 20 })).expect("it is sent");
    editor.until_asked("workspace/applyEdit");
    assert_eq!(texts(&project), ["simpler", "why?"]);
    // A file for a text that is never shown, and written by something else.
    let at = json!({ "line": 4, "character": 0 });
    let comment = json!({ "uri": uri, "range": { "start": at, "end": at } });
    editor.command("postil.comment", comment).expect("a file is made");
    let shown = editor.until_asked("window/showDocument");
    let file = PathBuf::from(shown["uri"].as_str().expect("it has an address").trim_start_matches("file://"));
    fs::write(&file, "typed meanwhile\n").expect("it can be saved");
    editor.until(&uri, &["4: Ann: typed meanwhile", "9: Ann: simpler", "21: Ann: why?"]);
    // The text of the document is what was typed: nothing that was only asked for is in it.
    assert_eq!(texts(&project), ["simpler", "typed meanwhile", "why?"]);
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.until(&uri, &["5: Ann: typed meanwhile", "10: Ann: simpler", "22: Ann: why?"]);
    editor.settle();
    let hover = json!({ "textDocument": { "uri": uri }, "position": { "line": 10, "character": 0 } });
    let hover = editor.request("textDocument/hover", hover).expect("it answers");
    assert!(hover["contents"]["value"].as_str().unwrap_or_default().contains("simpler"), "{hover}");
    editor.leave();
}

#[test]
fn only_so_many_questions_are_remembered() {
    let project = Project::new();
    project.comment(10, "why?");
    let (mut editor, uri) = silent(&project);
    let mut asked = Vec::new();
    for _ in 0..MANY {
        editor.command("postil.next", json!({ "uri": uri, "line": 0 })).expect("there is a thread");
        editor.until_asked("window/showDocument");
        asked.push(editor.ids.last().expect("it was asked").clone());
    }
    // Answered at last: the oldest questions are forgotten, the newest ones are not.
    let mut told = |id: &RequestId| {
        editor.answer_to(id.clone(), json!({ "success": false }));
        editor.settle();
        let before = editor.asked.len();
        editor.asked.retain(|(method, _)| method != "window/showMessage");
        before - editor.asked.len()
    };
    assert_eq!(told(&asked[0]), 0);
    assert_eq!(told(asked.last().expect("there are many")), 1);
    let remembered = asked.iter().filter(|id| told(id) == 1).count();
    assert!((1..100).contains(&remembered), "{remembered} of {MANY} were remembered");
    editor.leave();
}

#[test]
fn what_was_typed_is_kept_if_it_leaves_without_a_word() {
    let project = Project::new();
    let (mut editor, uri) = silent(&project);
    let at = json!({ "line": 4, "character": 0 });
    let comment = json!({ "uri": uri, "range": { "start": at, "end": at } });
    editor.command("postil.comment", comment).expect("a file is made");
    let text = editor.until_asked("window/showDocument")["uri"].as_str().expect("an address").to_owned();
    editor.open(&text, "");
    editor.replace(&text, (0, 0), (0, 0), "half a thought");
    editor.settle();
    editor.leave();
    // The next one is asked whether to open it, again and again, and never says anything either.
    for _ in 0..3 {
        let (mut editor, _) = silent(&project);
        let told = editor.until_asked("window/showMessageRequest");
        assert!(told["message"].as_str().unwrap_or_default().contains("/TEXT-"), "{told}");
        editor.leave();
    }
    let file = text.trim_start_matches("file://");
    assert_eq!(fs::read_to_string(file).expect("it is there"), "half a thought");
    assert_eq!(texts(&project), Vec::<String>::new());
    // And one that answers sends it.
    let mut editor = Editor::start(&project);
    editor.open(&uri, &lines().concat());
    editor.settle();
    editor.open(&text, "half a thought");
    editor.save(&text);
    editor.until(&uri, &["4: Ann: half a thought"]);
    assert_eq!(editor.request("postil/settle", Value::Null), Ok(Value::Null));
}
