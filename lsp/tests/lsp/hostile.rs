//! Messages that no editor should send, and texts that want to harm.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

#[test]
fn bad_messages_get_an_error_or_nothing_and_the_server_goes_on() {
    let project = Project::new();
    project.comment(10, "why?");
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &["9: Ann: why?"]);
    for (method, params) in [
        ("textDocument/hover", json!({ "textDocument": {} })),
        ("textDocument/codeAction", json!([])),
        (
            "workspace/executeCommand",
            json!({ "command": "postil.resolve", "arguments": [{ "thread": "nothing" }] }),
        ),
        ("workspace/executeCommand", json!({ "command": "rm" })),
        (
            "workspace/executeCommand",
            json!({ "command": "postil.comment", "arguments": [{ "uri": "file:///etc/passwd", "text": "x" }] }),
        ),
        ("nothing/known", Value::Null),
    ] {
        assert!(editor.request(method, params.clone()).is_err(), "{method} {params}");
    }
    // Lines outside of the text, documents that are not open, versions that go back.
    editor.replace(&uri, (4_000_000, 0), (4_000_001, 0), "x");
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///x", "version": -3 }, "contentChanges": [] }),
    );
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": 7 } }));
    editor.notify("nothing/known", json!({}));
    // What the editor has is not known any more, until it sends or saves a whole text.
    editor.until_asked("window/logMessage");
    project.write("a.rs", &format!("// new\n{}", lines().concat()));
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    editor.until(&uri, &["10: Ann: why?"]);
    editor.replace(&uri, (0, 0), (1, 0), "");
    editor.until(&uri, &["9: Ann: why?"]);
}

#[test]
fn what_could_not_be_read_is_told_once() {
    let project = Project::new();
    project.comment(10, "why?");
    project.lose_notes();
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    let told = editor.until_asked("window/showMessage");
    let what = "some comments could not be read: 1 note whose content is missing";
    assert_eq!(told["message"], what);
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.settle();
    assert!(editor.asked.iter().all(|(method, _)| method != "window/showMessage"), "{:?}", editor.asked);
}

#[test]
fn words_of_others_are_shown_harmless() {
    let project = Project::new();
    let evil =
        "\u{1b}[31m\u{202e}<script>alert(1)</script> ![x](http://example.com/x.png) [run](command:evil)";
    project.comment(10, evil);
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    while editor.shown(&uri).is_empty() {
        editor.request("textDocument/codeAction", json!({
            "textDocument": { "uri": uri }, "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
            "context": { "diagnostics": [] },
        })).expect("it answers");
    }
    let hover = editor.request(
        "textDocument/hover",
        json!({
            "textDocument": { "uri": uri }, "position": { "line": 9, "character": 4 },
        }),
    );
    let hover =
        hover.expect("there is a thread")["contents"]["value"].as_str().unwrap_or_default().to_owned();
    for shown in editor.shown(&uri).iter().chain([&hover]) {
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }
    for bad in ["<script", "![x]", "](command:"] {
        assert!(!hover.contains(bad), "{bad} in {hover:?}");
    }
}

/// The texts of the corpus, each with its name.
fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile/texts");
    let files = fs::read_dir(folder).expect("the corpus is there").map(|file| file.expect("a file").path());
    let read = |file: std::path::PathBuf| {
        let attack: Value =
            serde_json::from_slice(&fs::read(&file).expect("it can be read")).expect("it is JSON");
        let times = attack["times"].as_u64().unwrap_or(1) as usize;
        let fill = attack["fill"].as_str().unwrap_or_default().repeat(times);
        (file.display().to_string(), attack["text"].as_str().unwrap_or_default().replace("{}", &fill))
    };
    files.map(read).collect()
}

/// Whether a character could mislead who reads it.
fn is_bad(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn every_attack_is_harmless_in_every_place_that_an_editor_shows() {
    let project = Project::new();
    let mut ids = Vec::new();
    for (nth, (name, text)) in corpus().into_iter().enumerate() {
        // What the service refuses, such as a text of nothing, reaches no editor.
        let line = 1 + nth as u32 % 40;
        let place = postil_protocol::Place {
            span: Some(postil_protocol::Span::lines(line, line)),
            ..postil_protocol::Place::file("a.rs")
        };
        let comment = postil_protocol::Comment {
            place: Some(place),
            message: None,
            text,
            severity: None,
            tags: Vec::new(),
            review: None,
            suggestion: None,
            draft: false,
        };
        if let Ok(written) = project.session().write(comment) {
            ids.push((name, line, written.id.to_string()));
        }
    }
    assert!(ids.len() > 30, "{} attacks are stored", ids.len());
    let capabilities = json!({
        "window": { "showDocument": { "support": true } },
        "textDocument": { "publishDiagnostics": { "relatedInformation": true } },
    });
    let options = json!({ "codeLens": true, "inlayHints": true, "pause": 1 });
    let hello = json!({ "capabilities": capabilities, "initializationOptions": options });
    let mut editor = Editor::start_with(&project, &hello);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.settle();
    let document = json!({ "uri": uri });
    let check = |what: &str, shown: &str| {
        assert!(!shown.contains(is_bad), "{what}: {shown:?}");
    };
    for diagnostic in editor.diagnostics(&uri) {
        let message = diagnostic["message"].as_str().unwrap_or_default();
        check("a diagnostic", message);
        assert!(message.lines().all(|line| line.chars().count() < 400), "{message:?}");
    }
    for (name, line, id) in ids {
        let at = json!({ "line": line - 1, "character": 0 });
        let range = json!({ "start": at, "end": at });
        let hover = json!({ "textDocument": document, "position": at });
        let hover = editor.request("textDocument/hover", hover).expect("it answers");
        let hover = hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
        check(&name, &hover);
        let spoken = hover.lines().filter(|line| !line.starts_with("    ")).collect::<Vec<_>>().join("\n");
        for bad in ["<script", "<!--", "<img", "](javascript:", "](command:", "\n![", " !["] {
            assert!(!spoken.contains(bad), "{name}: {bad} in {spoken:?}");
        }
        let actions = json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
        let actions = editor.request("textDocument/codeAction", actions).expect("it answers");
        for action in actions.as_array().into_iter().flatten() {
            check(&name, action["title"].as_str().unwrap_or_default());
        }
        let hints = json!({ "textDocument": document, "range": range });
        let hints = editor.request("textDocument/inlayHint", hints).expect("it answers");
        for hint in hints.as_array().into_iter().flatten() {
            check(&name, hint["label"].as_str().unwrap_or_default());
        }
        editor.command("postil.reply", json!({ "thread": id })).expect("a file is opened");
        let shown = editor.until_asked("window/showDocument");
        let file = shown["uri"].as_str().unwrap_or_default().trim_start_matches("file://").to_owned();
        check(&name, &fs::read_to_string(&file).expect("the file is there"));
        editor.close(&format!("file://{file}"));
    }
}

#[test]
fn a_text_that_is_too_long_is_left_alone_and_the_next_one_is_not() {
    let project = Project::new();
    project.comment(10, "why?");
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&project.uri("huge.rs"), &"x".repeat(100 << 20));
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &["9: Ann: why?"]);
    // It grows beyond what is followed, and back.
    editor.replace(&uri, (0, 0), (0, 0), &"x".repeat(9 << 20));
    editor.replace_all(&uri, &format!("// new\n{}", lines().concat()));
    editor.until(&uri, &["10: Ann: why?"]);
}
