//! Where documents are: linked work trees, linked folders, names that are no text, and two editors on one file.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

fn line(line: u32) -> Value {
    let at = json!({ "line": line, "character": 0 });
    json!({ "start": at, "end": at })
}

#[test]
fn a_linked_work_tree_shows_its_own_places() {
    let project = Project::new();
    project.comment(10, "why?");
    project.git(&["worktree", "add", "-q", "../linked", "-b", "linked"]);
    let file = project.folder().with_file_name("linked").join("a.rs");
    let uri = format!("file://{}", file.display());
    let mut editor = Editor::start(&project);
    let text = format!("// linked\n{}", lines().concat());
    editor.open(&uri, &text);
    editor.until(&uri, &["10: Ann: why?"]);
    // The other work tree has its own text, at the same time.
    let other = project.uri("a.rs");
    editor.open(&other, &lines().concat());
    editor.until(&other, &["9: Ann: why?"]);
    let comment = json!({ "uri": uri, "range": line(0), "text": "here" });
    editor.command("postil.comment", comment).expect("it is written");
    editor.until(&uri, &["0: Ann: here", "10: Ann: why?"]);
    // A text is written in the git directory of the work tree, and found there.
    editor.command("postil.comment", json!({ "uri": uri, "range": line(2) })).expect("a file is opened");
    let shown = editor.until_asked("window/showDocument");
    let text = shown["uri"].as_str().expect("it has an address").to_owned();
    fs::write(text.trim_start_matches("file://"), "from a file\n").expect("it can be saved");
    editor.open(&text, "from a file\n");
    editor.save(&text);
    editor.until(&uri, &["0: Ann: here", "2: Ann: from a file", "10: Ann: why?"]);
}

#[test]
fn a_folder_that_is_a_link_leads_to_the_same_threads() {
    let project = Project::new();
    project.comment(10, "why?");
    fs::create_dir(project.folder().join("real")).expect("a folder can be made");
    fs::rename(project.folder().join("a.rs"), project.folder().join("real/b.rs")).expect("renamed");
    project.git(&["add", "--all"]);
    project.git(&["commit", "-q", "-m", "into a folder"]);
    let outside = project.folder().with_file_name("outside");
    symlink(project.folder(), &outside).expect("a link can be made");
    symlink("real", project.folder().join("linked")).expect("a link can be made");
    let mut editor = Editor::start(&project);
    for uri in [
        format!("file://{}/real/b.rs", outside.display()),
        format!("file://{}/linked/b.rs", project.folder().display()),
        format!("file://{}/linked/b.rs", outside.display()),
    ] {
        editor.open(&uri, &lines().concat());
        editor.until(&uri, &["9: Ann: why?"]);
        editor.replace(&uri, (0, 0), (0, 0), "// new\n");
        editor.until(&uri, &["10: Ann: why?"]);
        editor.close(&uri);
    }
}

#[test]
fn a_name_that_is_no_text_is_a_name_like_others() {
    let project = Project::new();
    let name = OsStr::from_bytes(b"caf\xe9.rs");
    if fs::write(project.folder().join(name), lines().concat()).is_err() {
        // Some systems refuse such names.
        return;
    }
    project.git(&["add", "--all"]);
    project.git(&["commit", "-q", "-m", "a name"]);
    let uri = format!("file://{}/caf%E9.rs", project.folder().display());
    let mut editor = Editor::start(&project);
    editor.open(&uri, &lines().concat());
    let comment = json!({ "uri": uri, "range": line(4), "text": "here" });
    editor.command("postil.comment", comment).expect("it is written");
    editor.until(&uri, &["4: Ann: here"]);
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.until(&uri, &["5: Ann: here"]);
    // From another file it is found by its bytes.
    let other = project.uri("a.rs");
    editor.open(&other, &lines().concat());
    editor.close(&uri);
    editor.settle();
    let there = editor.command("postil.next", json!({ "uri": other, "line": 0 })).expect("there is a thread");
    assert_eq!(there["uri"], uri.as_str());
}

#[test]
fn two_editors_of_one_file_keep_their_own_places() {
    let project = Project::new();
    project.comment(10, "why?");
    let uri = project.uri("a.rs");
    let (mut one, mut two) = (Editor::start(&project), Editor::start(&project));
    for editor in [&mut one, &mut two] {
        editor.open(&uri, &lines().concat());
        editor.until(&uri, &["9: Ann: why?"]);
    }
    one.replace(&uri, (0, 0), (0, 0), "// one\n// one\n");
    two.replace(&uri, (9, 8), (9, 8), "x");
    one.until(&uri, &["11: Ann: why?"]);
    two.until(&uri, &["9: Ann: why? (outdated)"]);
    one.command("postil.comment", json!({ "uri": uri, "range": line(0), "text": "mine" })).expect("written");
    one.until(&uri, &["0: Ann: mine", "11: Ann: why?"]);
    // The other one does not have that line.
    two.until(&uri, &["0: Ann: mine (orphaned)", "9: Ann: why? (outdated)"]);
}

#[test]
fn an_editor_that_never_answers_is_served_on() {
    let project = Project::new();
    project.comment(10, "why?");
    let uri = project.uri("a.rs");
    let mut editor = Editor::start(&project);
    editor.answer = None;
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &["9: Ann: why?"]);
    for _ in 0..200 {
        editor.command("postil.next", json!({ "uri": uri, "line": 0 })).expect("there is a thread");
    }
    assert!(editor.asked.len() >= 200);
    editor.replace(&uri, (0, 0), (0, 0), "// new\n");
    editor.until(&uri, &["10: Ann: why?"]);
}

#[test]
fn a_burst_of_typing_changes_a_state_once() {
    let project = Project::new();
    project.comment(10, "T");
    let uri = project.uri("a.rs");
    let hello = json!({ "capabilities": {}, "initializationOptions": { "pause": 1 } });
    let mut editor = Editor::start_with(&project, &hello);
    editor.open(&uri, &lines().concat());
    editor.settle();
    let known = editor.history.len();
    // Quick and slow typing: some keys come before an answer, others after it.
    for key in 0..20 {
        editor.replace(&uri, (9, 8 + key), (9, 8 + key), "x");
        if key % 5 == 4 {
            editor.settle();
        }
    }
    editor.settle();
    let mut shown: Vec<_> = editor.history[known..].iter().map(|(_, shown)| shown.join("|")).collect();
    shown.dedup();
    assert_eq!(shown, ["9: Ann: T (being edited)", "9: Ann: T (outdated)"]);
}

#[test]
fn what_is_told_while_somebody_types_on_is_not_lost() {
    let project = Project::new();
    project.comment(10, "T");
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.settle();
    editor.replace(&uri, (0, 0), (0, 0), "// above\n");
    // Typed before the editor has read what the line above changed; it moves nothing itself.
    editor.replace(&uri, (30, 0), (30, 0), "x");
    editor.settle();
    assert_eq!(editor.shown(&uri), ["10: Ann: T"]);
}
