//! A law: whatever edits led to a text, its threads are shown as in the same text opened fresh.
//!
//! Edits are sent in the ways in which each editor sends them, as they were recorded. `POSTIL_LSP_SEQUENCES` says how many
//! sequences are tried.

use std::fs;
use std::thread;

use postil_testkit::Dice;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};
use crate::manner::{Manner, Reload};

/// So many sequences are tried by default, of all editors together.
const SEQUENCES: u64 = 400;

/// After so many sequences, the file is as it was committed.
const TOGETHER: u64 = 10;

/// After so many sequences, a whole new server says what a fresh document shows.
const RARELY: u64 = 25;

/// A document, as an editor has it.
struct Typist {
    project: Project,
    manner: Manner,
    editor: Editor,
    /// Another server, which gets each text under a name that it never heard before.
    fresh: Editor,
    opened: u64,
    file: String,
    text: String,
    earlier: Vec<String>,
    clipboard: String,
    dice: Dice,
}

fn start(project: &Project, manner: Manner) -> Editor {
    let encodings = json!({ "positionEncodings": [manner.encoding()] });
    let options = json!({ "pause": 1 });
    Editor::start_with(
        project,
        &json!({ "capabilities": { "general": encodings }, "initializationOptions": options }),
    )
}

impl Typist {
    fn new(manner: Manner) -> Self {
        let project = Project::new();
        project.comment(10, "one line");
        project.comment_on(20, 24, "several lines");
        project.comment(30, "another");
        project.comment_part(35, (9, 17), "a part of a line");
        let (mut editor, fresh) = (start(&project, manner), start(&project, manner));
        let text = lines().concat();
        editor.open(&project.uri("a.rs"), &text);
        editor.settle();
        Self {
            project,
            manner,
            editor,
            fresh,
            opened: 0,
            file: "a.rs".into(),
            text,
            earlier: Vec::new(),
            clipboard: "    pasted();\n".into(),
            dice: Dice::new(manner as u64),
        }
    }

    fn uri(&self) -> String {
        self.project.uri(&self.file)
    }

    /// Does something that people do.
    fn step(&mut self) {
        match self.dice.index(14) {
            0 => self.save(),
            1 => {
                let next = self.edited();
                self.reload(next);
            }
            2 => self.rename(),
            3 => self.undo(),
            _ => {
                let next = self.edited();
                self.change(next);
            }
        }
    }

    /// The text after a random edit of lines or letters.
    fn edited(&mut self) -> String {
        let mut lines: Vec<String> = self.text.split_inclusive('\n').map(str::to_owned).collect();
        if lines.is_empty() {
            return crate::editor::lines().concat();
        }
        let at = self.dice.index(lines.len());
        let count = (1 + self.dice.index(6)).min(lines.len() - at);
        match self.dice.index(10) {
            0 => lines.insert(at, format!("    typed_{}(😀);\n", self.dice.index(1000))),
            1 => {
                self.clipboard = lines.drain(at..at + count).collect();
            }
            2 => lines.insert(at, self.clipboard.clone()),
            3 => lines.insert(at, lines[at].clone()),
            4 => lines[at..at + count].rotate_left(1),
            5 => lines[at..at + count].iter_mut().for_each(|line| line.insert_str(0, "  ")),
            6 => {
                let letter = lines[at].char_indices().map(|(at, _)| at).nth(self.dice.index(8)).unwrap_or(0);
                lines[at].insert(letter, 'é');
            }
            7 => {
                let moved: Vec<String> = lines.drain(at..at + count).collect();
                let to = self.dice.index(lines.len() + 1);
                lines.splice(to..to, moved);
            }
            // Several cursors.
            8 => lines.iter_mut().step_by(7).for_each(|line| line.insert(0, '𝄞')),
            // The whole text, replaced by something else.
            _ => lines = vec!["x".into()],
        }
        lines.concat()
    }

    fn change(&mut self, next: String) {
        let uri = self.uri();
        for changes in self.manner.changes(&self.text, &next, &mut self.dice) {
            self.editor.change(&uri, changes);
        }
        self.earlier.push(std::mem::replace(&mut self.text, next));
    }

    fn undo(&mut self) {
        if let Some(before) = self.earlier.pop() {
            self.change(before);
            self.earlier.pop();
        }
    }

    fn save(&mut self) {
        let uri = self.uri();
        self.project.write(&self.file, &self.text);
        let saved = json!({ "textDocument": { "uri": uri }, "text": self.text });
        self.editor.notify("textDocument/didSave", saved);
    }

    /// Another program changes the file, and the editor reads it again.
    fn reload(&mut self, next: String) {
        let uri = self.uri();
        self.project.write(&self.file, &next);
        match self.manner.reload() {
            Reload::Changes => {
                for changes in self.manner.replaced(&self.text, &next) {
                    self.editor.change(&uri, changes);
                }
                self.text = next;
            }
            Reload::CloseAndOpen => {
                self.text = next;
                self.editor.close(&uri);
                let document = json!({ "uri": uri, "languageId": "rust", "version": 0, "text": self.text });
                self.editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
            }
        }
    }

    /// The file gets another name, with what is not saved yet.
    fn rename(&mut self) {
        let old = self.uri();
        let name = if self.file == "a.rs" { "b.rs" } else { "a.rs" };
        let folder = self.project.folder();
        fs::rename(folder.join(&self.file), folder.join(name)).expect("a file can be renamed");
        name.clone_into(&mut self.file);
        let uri = self.uri();
        let text = self.text.clone();
        let renamed = json!({ "files": [{ "oldUri": old, "newUri": uri }] });
        self.editor.close(&old);
        self.editor.open(&uri, &text);
        if self.manner.tells_renames() {
            self.editor.notify("workspace/didRenameFiles", renamed);
        }
    }

    /// Everything as it was committed.
    fn begin_again(&mut self) {
        if self.file != "a.rs" {
            self.rename();
        }
        self.reload(lines().concat());
        self.earlier.clear();
    }

    /// What the document shows, and what it shows opened fresh.
    fn both(&mut self, sequence: u64) -> (Vec<Value>, Vec<Value>) {
        self.editor.settle();
        let shown = self.editor.diagnostics(&self.uri());
        self.opened += 1;
        // The server forgets the part of an address that is behind the file.
        let uri = format!("{}#{}", self.uri(), self.opened);
        let mut other = sequence.is_multiple_of(RARELY).then(|| start(&self.project, self.manner));
        let fresh = other.as_mut().unwrap_or(&mut self.fresh);
        fresh.open(&uri, &self.text);
        fresh.settle();
        let expected = fresh.diagnostics(&uri);
        fresh.close(&uri);
        (shown, expected)
    }
}

fn check(manner: Manner, sequences: u64) {
    let mut typist = Typist::new(manner);
    for sequence in 0..sequences {
        if sequence.is_multiple_of(TOGETHER) {
            typist.begin_again();
        }
        for _ in 0..=typist.dice.index(8) {
            typist.step();
        }
        let (shown, fresh) = typist.both(sequence);
        let logged = typist.editor.asked.drain(..).filter(|(method, _)| method == "window/logMessage");
        let logged: Vec<_> = logged.map(|(_, said)| said["message"].clone()).collect();
        let text = &typist.text;
        assert_eq!(shown, fresh, "sequence {sequence} as {manner:?}, {logged:?}, with this text:\n{text}");
    }
}

#[test]
fn whatever_edits_led_to_a_text_it_shows_what_a_fresh_document_shows() {
    let sequences = std::env::var("POSTIL_LSP_SEQUENCES").ok().and_then(|number| number.parse().ok());
    let each = sequences.unwrap_or(SEQUENCES).div_ceil(Manner::ALL.len() as u64);
    thread::scope(|scope| {
        for manner in Manner::ALL {
            scope.spawn(move || check(manner, each));
        }
    });
}
