//! Threads while somebody edits: where they are at once, and what the service says after a pause.

use serde_json::json;

use crate::editor::{Editor, Project, lines};

fn opened(project: &Project) -> (Editor, String) {
    let mut editor = Editor::start(project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    (editor, uri)
}

#[test]
fn a_thread_follows_its_line_and_an_undo_restores_its_state() {
    let project = Project::new();
    project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    // At once, before any answer.
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.until(&uri, &["10: Ann: why?"]);
    // Typed inside the line: being edited, then outdated.
    editor.replace(&uri, (10, 8), (10, 8), "x");
    editor.until(&uri, &["10: Ann: why? (being edited)"]);
    editor.until(&uri, &["10: Ann: why? (outdated)"]);
    editor.replace(&uri, (10, 8), (10, 9), "");
    editor.until(&uri, &["10: Ann: why?"]);
}

#[test]
fn a_line_that_is_cut_and_pasted_takes_its_thread_along() {
    let project = Project::new();
    project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    editor.replace(&uri, (9, 0), (10, 0), "");
    editor.until(&uri, &["8: Ann: why? (its lines are gone)"]);
    editor.replace(&uri, (30, 0), (30, 0), &lines()[9]);
    editor.until(&uri, &["30: Ann: why?"]);
    editor.until(&uri, &["30: Ann: why? (shifted 70 %)"]);
}

#[test]
fn a_deleted_line_is_orphaned_after_a_second_look() {
    let project = Project::new();
    project.comment(10, "why?");
    let (mut editor, uri) = opened(&project);
    editor.until(&uri, &["9: Ann: why?"]);
    editor.replace(&uri, (9, 0), (10, 0), "");
    editor.until(&uri, &["8: Ann: why? (its lines are gone)"]);
    editor.until(&uri, &["0: Ann: why? (orphaned)"]);
    editor.replace(&uri, (9, 0), (9, 0), &lines()[9]);
    editor.until(&uri, &["9: Ann: why?"]);
}

#[test]
fn everything_replaced_and_restored_shows_the_same() {
    let project = Project::new();
    project.comment(10, "why?");
    project.comment(20, "and this?");
    let (mut editor, uri) = opened(&project);
    let both = ["9: Ann: why?", "19: Ann: and this?"];
    editor.until(&uri, &both);
    editor.replace_all(&uri, "x");
    editor.replace_all(&uri, &lines().concat());
    editor.until(&uri, &both);
    // A file that is reloaded is closed and opened.
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.until(&uri, &[]);
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &both);
}

#[test]
fn comments_of_others_and_other_commits_appear_by_themselves() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    let thread = project.comment(3, "from a terminal");
    editor.until(&uri, &["2: Ann: from a terminal"]);
    let resolve = postil_protocol::Resolve { threads: vec![thread], reason: None, by: None };
    project.session().write(resolve).expect("a thread can be resolved");
    editor.until(&uri, &[]);
}

#[test]
fn a_document_outside_of_any_repository_is_left_alone() {
    let project = Project::new();
    let (mut editor, uri) = opened(&project);
    project.comment(10, "why?");
    editor.until(&uri, &["9: Ann: why?"]);
    for other in ["file:///nowhere/x.rs", "untitled:1", "git:/a.rs"] {
        editor.open(other, "text\n");
        editor.replace(other, (0, 0), (0, 1), "T");
        assert_eq!(
            editor.request(
                "textDocument/hover",
                json!({
                    "textDocument": { "uri": other }, "position": { "line": 0, "character": 0 },
                })
            ),
            Ok(serde_json::Value::Null)
        );
    }
}
