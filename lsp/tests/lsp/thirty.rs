//! The thirty edits that people make: what each shows at once, and what it shows after a pause.
//!
//! A thread T is on the tenth line of a committed file, and another one U ten lines below. Lines are counted from zero, as
//! editors do.

use postil_protocol::List;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

/// An editor that has the file open, with both threads known.
struct Desk {
    project: Project,
    editor: Editor,
    uri: String,
    text: Vec<String>,
    edits: usize,
}

impl Desk {
    /// The usual one.
    fn new() -> Self {
        let project = Project::new();
        project.comment(10, "T");
        project.comment(20, "U");
        Self::of(project, lines())
    }

    fn of(project: Project, text: Vec<String>) -> Self {
        let mut editor = Editor::start(&project);
        let uri = project.uri("a.rs");
        editor.open(&uri, &text.concat());
        editor.settle();
        Self { project, editor, uri, text, edits: 0 }
    }

    /// Changes the text, as one replacement of the lines that differ; `now` is what is shown at once.
    fn edit(&mut self, edit: impl FnOnce(&mut Vec<String>), now: &[&str]) {
        let before = self.text.clone();
        edit(&mut self.text);
        let head = before.iter().zip(&self.text).take_while(|(a, b)| a == b).count();
        let tail = before[head..]
            .iter()
            .rev()
            .zip(self.text[head..].iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let new = self.text[head..self.text.len() - tail].concat();
        let change = replacement((head, 0), (before.len() - tail, 0), &new);
        self.send(json!([change]), now);
    }

    /// Sends changes whose end is `self.text`.
    fn send(&mut self, changes: Value, now: &[&str]) {
        self.edits += 1;
        let known = self.editor.history.len();
        let shown = self.editor.shown(&self.uri);
        self.editor.change(&self.uri, changes);
        // An answer to any request comes after what the change published.
        self.editor.request("textDocument/codeAction", json!({
            "textDocument": { "uri": self.uri }, "range": range((0, 0), (0, 0)), "context": { "diagnostics": [] },
        })).expect("it answers");
        let first = self.editor.history[known..].iter().find(|(uri, _)| *uri == self.uri);
        let first = first.map_or(shown, |(_, shown)| shown.clone());
        assert_eq!(bare(&first), now, "at once after edit {}", self.edits);
    }

    /// What is shown when everything is known.
    fn then(&mut self, then: &[&str]) {
        self.editor.settle();
        assert_eq!(bare(&self.editor.shown(&self.uri)), then, "after edit {}", self.edits);
    }

    /// The same text opened in another editor, which never saw any edit.
    fn fresh(&self, file: &str, text: &str) -> Vec<String> {
        let mut fresh = Editor::start(&self.project);
        let uri = self.project.uri(file);
        fresh.open(&uri, text);
        fresh.settle();
        bare(&fresh.shown(&uri))
    }
}

fn bare(shown: &[String]) -> Vec<String> {
    shown.iter().map(|shown| shown.replacen(": Ann: ", " ", 1)).collect()
}

fn range(from: (usize, usize), to: (usize, usize)) -> Value {
    let position = |(line, character): (usize, usize)| json!({ "line": line, "character": character });
    json!({ "start": position(from), "end": position(to) })
}

fn replacement(from: (usize, usize), to: (usize, usize), text: &str) -> Value {
    json!({ "range": range(from, to), "text": text })
}

const BOTH: [&str; 2] = ["9 T", "19 U"];

#[test]
fn n01_a_line_above() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(3, "// new\n".into()), &["10 T", "20 U"]);
    desk.then(&["10 T", "20 U"]);
}

#[test]
fn n02_two_lines_above_deleted() {
    let mut desk = Desk::new();
    desk.edit(|text| drop(text.drain(3..5)), &["7 T", "17 U"]);
    desk.then(&["7 T", "17 U"]);
}

#[test]
fn n03_enter_at_the_beginning_of_the_line() {
    for indent in ["", "    "] {
        let mut desk = Desk::new();
        desk.text.insert(9, format!("{indent}\n"));
        desk.send(json!([replacement((9, 0), (9, 0), &format!("{indent}\n"))]), &["10 T", "20 U"]);
        desk.then(&["10 T", "20 U"]);
    }
}

#[test]
fn n04_enter_at_the_end_of_the_line() {
    let mut desk = Desk::new();
    let end = desk.text[9].trim_end().len();
    desk.text.insert(10, "    \n".into());
    desk.send(json!([replacement((9, end), (9, end), "\n    ")]), &["9 T", "20 U"]);
    desk.then(&["9 T", "20 U"]);
}

#[test]
fn n05_n06_a_letter_typed_and_undone() {
    let mut desk = Desk::new();
    let known = desk.editor.diagnostics(&desk.uri);
    desk.edit(|text| text[9].insert(8, 'x'), &["9 T (being edited)", "19 U"]);
    desk.then(&["9 T (outdated)", "19 U"]);
    desk.edit(|text| text[9].replace_range(8..9, ""), &BOTH);
    desk.then(&BOTH);
    assert_eq!(desk.editor.diagnostics(&desk.uri), known, "the very same");
}

#[test]
fn n07_only_the_indentation_changed() {
    let mut desk = Desk::new();
    desk.edit(|text| text[9].insert_str(0, "    "), &["9 T (being edited)", "19 U"]);
    desk.then(&["9 T (shifted 100 %)", "19 U"]);
}

#[test]
fn n08_n09_the_line_deleted_and_undone() {
    let mut desk = Desk::new();
    desk.edit(|text| drop(text.remove(9)), &["8 T (its lines are gone)", "18 U"]);
    desk.then(&["0 T (orphaned)", "18 U"]);
    desk.edit(|text| text.insert(9, lines()[9].clone()), &BOTH);
    desk.then(&BOTH);
}

#[test]
fn n10_cut_and_pasted_far_below() {
    let mut desk = Desk::new();
    desk.edit(|text| drop(text.remove(9)), &["8 T (its lines are gone)", "18 U"]);
    desk.edit(|text| text.insert(35, lines()[9].clone()), &["18 U", "35 T"]);
    desk.then(&["18 U", "35 T (shifted 70 %)"]);
}

#[test]
fn n11_moved_up_and_down_by_one() {
    let mut desk = Desk::new();
    desk.edit(|text| text.swap(8, 9), &["8 T", "19 U"]);
    desk.then(&["8 T", "19 U"]);
    desk.edit(|text| text.swap(8, 9), &BOTH);
    desk.then(&BOTH);
    desk.edit(|text| text.swap(9, 10), &["10 T", "19 U"]);
    let fresh = desk.fresh("a.rs", &desk.text.concat());
    desk.then(&fresh.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(fresh[0].starts_with("10 T"), "{fresh:?}");
}

#[test]
fn n12_duplicated_below() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(10, lines()[9].clone()), &["9 T", "20 U"]);
    desk.then(&["9 T (shifted 80 %)", "20 U"]);
}

#[test]
fn n13_copied_and_the_first_one_deleted() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(14, lines()[9].clone()), &["9 T", "20 U"]);
    desk.edit(|text| drop(text.remove(9)), &["13 T", "19 U"]);
    desk.then(&["13 T (shifted 70 %)", "19 U"]);
}

#[test]
fn n14_everything_selected_a_letter_typed_undone() {
    let mut desk = Desk::new();
    desk.text = vec!["x".into()];
    desk.send(
        json!([replacement((0, 0), (40, 0), "x")]),
        &["0 T (its lines are gone)\nAnn: U (its lines are gone)"],
    );
    desk.text = lines();
    desk.send(json!([replacement((0, 0), (0, 1), &lines().concat())]), &BOTH);
    desk.then(&BOTH);
}

#[test]
fn n15_a_filter_that_changes_nothing_shows_the_same() {
    let mut desk = Desk::new();
    let known = desk.editor.history.len();
    let all = lines().concat();
    desk.send(json!([replacement((0, 0), (0, 0), &all), replacement((40, 0), (80, 0), "")]), &BOTH);
    desk.then(&BOTH);
    // The editor is told again, because its own marks may be elsewhere, but never anything else.
    for (_, shown) in &desk.editor.history[known..] {
        assert_eq!(bare(shown), BOTH);
    }
}

/// Every second line is indented, and two lines are joined.
fn formatted(text: &mut Vec<String>) {
    text.iter_mut().step_by(2).for_each(|line| line.insert_str(0, "    "));
    let joined = text.remove(31);
    text[30] = format!("{} {}", text[30].trim_end(), joined.trim_start());
}

#[test]
fn n16_n17_formatted_at_once_or_by_small_edits() {
    let mut text = lines();
    formatted(&mut text);
    let mut at_once = Desk::new();
    at_once.text.clone_from(&text);
    at_once.send(json!([replacement((0, 0), (40, 0), &text.concat())]), &["9 T", "19 U"]);
    let fresh = at_once.fresh("a.rs", &text.concat());
    at_once.then(&fresh.iter().map(String::as_str).collect::<Vec<_>>());
    let mut small = Desk::new();
    small.text = text;
    let mut edits: Vec<Value> =
        (0..40).step_by(2).map(|line| replacement((line, 0), (line, 0), "    ")).collect();
    let end = lines()[30].trim_end().len() + 4;
    edits.push(replacement((30, end), (31, 4), " "));
    small.send(Value::from(edits), &["9 T", "19 U"]);
    small.then(&fresh.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn n18_several_cursors() {
    let mut desk = Desk::new();
    let edits: Vec<Value> = [5, 9, 14].iter().map(|line| replacement((*line, 8), (*line, 8), "x")).collect();
    for line in [5, 9, 14] {
        desk.text[line].insert(8, 'x');
    }
    desk.send(Value::from(edits), &["9 T (being edited)", "19 U"]);
    desk.then(&["9 T (outdated)", "19 U"]);
}

#[test]
fn n19_a_line_put_into_a_range() {
    let project = Project::new();
    project.comment_on(10, 14, "T");
    let mut desk = Desk::of(project, lines());
    desk.edit(|text| text.insert(12, "    inside();\n".into()), &["9 T (being edited)"]);
    desk.then(&["9 T (shifted 100 %)"]);
    let params = json!({ "textDocument": { "uri": desk.uri }, "position": { "line": 14, "character": 0 } });
    let hover = desk.editor.request("textDocument/hover", params).expect("it answers");
    assert!(hover.to_string().contains("grown"), "the sixth line is inside: {hover}");
}

#[test]
fn n20_a_clean_document_changed_on_disk_is_reloaded_in_four_ways() {
    let mut text = lines();
    text.remove(2);
    text[9].insert_str(0, "  ");
    let now = ["8 T", "18 U"];
    for way in ["one replacement", "close and open", "small edits", "whole text"] {
        let mut desk = Desk::new();
        desk.project.write("a.rs", &text.concat());
        desk.text.clone_from(&text);
        match way {
            "one replacement" => {
                let middle = text[2..10].concat();
                desk.send(json!([replacement((2, 0), (11, 0), &middle)]), &now);
            }
            "close and open" => {
                let uri = desk.uri.clone();
                desk.editor.close(&uri);
                let document =
                    json!({ "uri": uri, "languageId": "rust", "version": 0, "text": text.concat() });
                desk.editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
            }
            "small edits" => {
                let edits = json!([replacement((2, 0), (3, 0), ""), replacement((9, 0), (9, 0), "  ")]);
                desk.send(edits, &now);
            }
            _ => desk.send(json!([{ "text": text.concat() }]), &now),
        }
        desk.then(&now);
    }
}

#[test]
fn n21_a_dirty_document_changed_on_disk_keeps_its_own_places() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(0, "// unsaved\n".into()), &["10 T", "20 U"]);
    desk.project.write("a.rs", &lines()[5..].concat());
    desk.then(&["10 T", "20 U"]);
    desk.text = lines()[5..].to_vec();
    let text = desk.text.concat();
    desk.send(json!([{ "text": text }]), &["4 T", "14 U"]);
    desk.then(&["4 T", "14 U"]);
}

#[test]
fn n22_n23_a_branch_is_switched_under_a_clean_and_a_dirty_document() {
    let mut desk = Desk::new();
    desk.project.git(&["switch", "-q", "-c", "other"]);
    let mut other = lines();
    other.insert(0, "// other\n".into());
    desk.project.write("a.rs", &other.concat());
    desk.project.git(&["commit", "-q", "-a", "-m", "other"]);
    desk.text = other.clone();
    desk.send(json!([{ "text": other.concat() }]), &["10 T", "20 U"]);
    desk.then(&["10 T", "20 U"]);
    desk.edit(|text| text.insert(1, "// unsaved\n".into()), &["11 T", "21 U"]);
    desk.project.git(&["stash", "-q"]);
    desk.project.git(&["switch", "-q", "-"]);
    desk.then(&["11 T", "21 U"]);
    let fresh = desk.fresh("a.rs", &desk.text.concat());
    assert_eq!(bare(&desk.editor.shown(&desk.uri)), fresh);
}

#[test]
fn n24_a_commit_from_a_terminal_changes_nothing() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(0, "// new\n".into()), &["10 T", "20 U"]);
    desk.project.write("a.rs", &desk.text.concat());
    let uri = desk.uri.clone();
    desk.editor.save(&uri);
    desk.then(&["10 T", "20 U"]);
    let known = desk.editor.history.len();
    desk.project.git(&["commit", "-q", "-a", "-m", "second"]);
    // Another thread shows that the commit was seen.
    desk.project.comment(31, "V");
    desk.editor.until(&uri, &["10: Ann: T", "20: Ann: U", "30: Ann: V"]);
    assert_eq!(desk.editor.history.len(), known + 1);
}

#[test]
fn n25_conflict_markers_around_the_line() {
    let mut desk = Desk::new();
    desk.edit(
        |text| {
            text.insert(10, "=======\n    let other = 1;\n>>>>>>> topic\n".into());
            text.insert(9, "<<<<<<< HEAD\n".into());
        },
        &["10 T", "23 U"],
    );
    desk.text = desk.text.concat().split_inclusive('\n').map(str::to_owned).collect();
    desk.then(&["10 T", "23 U"]);
    desk.edit(|text| *text = lines(), &BOTH);
    desk.then(&BOTH);
}

#[test]
fn n26_a_file_that_is_renamed_takes_its_threads_along() {
    for way in ["file operations", "close and open"] {
        let mut desk = Desk::new();
        let (old, new) = (desk.uri.clone(), desk.project.uri("b.rs"));
        std::fs::rename(desk.project.folder().join("a.rs"), desk.project.folder().join("b.rs"))
            .expect("renamed");
        if way == "file operations" {
            let renamed = json!({ "files": [{ "oldUri": old, "newUri": new }] });
            desk.editor.notify("workspace/didRenameFiles", renamed);
        }
        desk.editor.close(&old);
        desk.editor.open(&new, &lines().concat());
        desk.editor.settle();
        assert_eq!(bare(&desk.editor.shown(&new)), BOTH, "{way}");
        assert_eq!(desk.editor.shown(&old), Vec::<String>::new());
    }
}

#[test]
fn n27_lines_cut_here_and_pasted_into_another_document() {
    let mut desk = Desk::new();
    let other = desk.project.uri("new.rs");
    desk.editor.open(&other, "// new\n");
    let cut: Vec<String> = lines()[7..13].to_vec();
    desk.edit(|text| drop(text.drain(7..13)), &["6 T (its lines are gone)", "13 U"]);
    desk.editor.replace(&other, (1, 0), (1, 0), &cut.concat());
    desk.then(&["13 U"]);
    let shown = bare(&desk.editor.shown(&other));
    assert!(shown.len() == 1 && shown[0].starts_with("3 T (shifted"), "{shown:?}");
}

#[test]
fn n28_a_comment_on_an_unsaved_line_that_is_saved_then() {
    let mut desk = Desk::new();
    desk.edit(|text| text.insert(2, "    unsaved();\n".into()), &["10 T", "20 U"]);
    let comment = json!({ "uri": desk.uri, "range": range((2, 0), (2, 0)), "text": "V" });
    desk.editor.command("postil.comment", comment).expect("it is written");
    desk.then(&["2 V", "10 T", "20 U"]);
    desk.project.write("a.rs", &desk.text.concat());
    let uri = desk.uri.clone();
    desk.editor.save(&uri);
    desk.then(&["2 V", "10 T", "20 U"]);
}

#[test]
fn n29_a_suggestion_applied_in_a_dirty_document_and_undone() {
    let project = Project::new();
    let new = "    let value_10 = 70;\n";
    let thread = project.comment_with(10, "T", Some(new));
    let mut desk = Desk::of(project, lines());
    desk.edit(|text| text.insert(0, "// unsaved\n".into()), &["10 T"]);
    desk.then(&["10 T"]);
    let before = desk.text.clone();
    desk.editor.command("postil.apply", json!({ "thread": thread })).expect("it applies");
    let edit = desk.editor.until_asked("workspace/applyEdit");
    let change = edit["edit"]["documentChanges"][0]["edits"][0].clone();
    let change = json!({ "range": change["range"], "text": change["newText"] });
    desk.text[10] = new.to_owned();
    desk.send(json!([change]), &["10 T (being edited)"]);
    desk.editor.settle();
    let uri = desk.uri.clone();
    let again = desk.editor.command("postil.apply", json!({ "thread": thread })).unwrap_err();
    assert!(again.contains("applied already"), "{again}");
    desk.edit(|text| *text = before, &["10 T"]);
    desk.then(&["10 T"]);
    let params = json!({ "textDocument": { "uri": uri }, "range": range((10, 0), (10, 0)), "context": { "diagnostics": [] } });
    let actions = desk.editor.request("textDocument/codeAction", params).expect("it answers").to_string();
    assert!(actions.contains("Apply the suggestion"), "{actions}");
}

#[test]
fn n30_columns_are_right_in_every_encoding_with_marks_and_line_ends() {
    for (encoding, columns) in [("utf-8", (14, 17)), ("utf-16", (9, 12)), ("utf-32", (7, 10))] {
        for (mark, end, last) in
            [("", "\n", "\n"), ("\u{feff}", "\r\n", "\r\n"), ("", "\r\n", ""), ("", "\n", "")]
        {
            let project = Project::new();
            let in_editor = format!("first{end}  😀e\u{301}𝄞 add(é){end}last{last}");
            project.write("a.rs", &format!("{mark}{in_editor}"));
            project.git(&["commit", "-q", "-a", "-m", "text"]);
            let capabilities = json!({ "general": { "positionEncodings": [encoding] } });
            let mut editor = Editor::start_with(&project, &json!({ "capabilities": capabilities }));
            let uri = project.uri("a.rs");
            editor.open(&uri, &in_editor);
            let on = range((1, columns.0), (1, columns.1));
            editor
                .command("postil.comment", json!({ "uri": uri, "range": on, "text": "add" }))
                .expect("written");
            editor.settle();
            assert_eq!(bare(&editor.shown(&uri)), ["1 add"], "{encoding} {mark:?} {end:?}");
            let threads = project.session().ask(List::default()).expect("threads are listed").threads;
            let there =
                threads[0].position.as_ref().and_then(|position| position.range).expect("it has lines");
            assert_eq!((there.start.column, there.end.column), (Some(15), Some(17)), "in bytes, from one");
            // A line above moves it.
            editor.replace(&uri, (0, 0), (0, 0), &format!("zero{end}"));
            editor.settle();
            assert_eq!(bare(&editor.shown(&uri)), ["2 add"], "{encoding} {mark:?} {end:?}");
            let shown = &editor.diagnostics(&uri)[0]["range"];
            let length = match encoding {
                "utf-8" => 21,
                "utf-16" => 15,
                _ => 13,
            };
            assert_eq!(*shown, range((2, 2), (2, length)), "{encoding} {mark:?} {end:?}");
        }
    }
}
