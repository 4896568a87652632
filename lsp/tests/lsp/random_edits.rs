//! A law: whatever edits led to a text, its threads are shown as in the same text opened fresh.
//!
//! Edits are sent in the ways in which editors send them. `POSTIL_LSP_SEQUENCES` says how many sequences are tried.

use std::fs;

use postil_testkit::Dice;
use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

/// So many sequences are tried by default.
const SEQUENCES: u64 = 120;

/// So many sequences share a repository and a server.
const TOGETHER: u64 = 20;

/// A document, as an editor has it.
struct Typist {
    project: Project,
    editor: Editor,
    file: String,
    text: String,
    earlier: Vec<String>,
    clipboard: String,
    dice: Dice,
}

fn start(project: &Project) -> Editor {
    let hello = json!({ "capabilities": {}, "initializationOptions": { "pause": 1 } });
    Editor::start_with(project, &hello)
}

impl Typist {
    fn new(seed: u64) -> Self {
        let project = Project::new();
        project.comment(10, "one line");
        project.comment_on(20, 24, "several lines");
        project.comment(30, "another");
        let mut editor = start(&project);
        let text = lines().concat();
        editor.open(&project.uri("a.rs"), &text);
        editor.settle();
        Self {
            project,
            editor,
            file: "a.rs".into(),
            text,
            earlier: Vec::new(),
            clipboard: "    pasted();\n".into(),
            dice: Dice::new(seed),
        }
    }

    fn uri(&self) -> String {
        self.project.uri(&self.file)
    }

    /// Does something that people do.
    fn step(&mut self) {
        match self.dice.index(14) {
            0 => self.save(),
            1 => self.reload(),
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
        match self.dice.index(9) {
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
            // The whole text, replaced by something else.
            _ => lines = vec!["x".into()],
        }
        lines.concat()
    }

    /// Sends a change in one of the ways of editors.
    fn change(&mut self, next: String) {
        let (lines, uri) = (self.text.matches('\n').count() as u32, self.uri());
        let position = |line: u32, character: u32| json!({ "line": line, "character": character });
        let end = end_of(&self.text);
        let changes = match self.dice.index(4) {
            0 => json!([{ "text": next }]),
            // A filter: the new text is put before the old one, which is deleted then.
            1 if next.ends_with('\n') => {
                let added = next.matches('\n').count() as u32;
                let old = json!({ "start": position(added, 0), "end": position(added + lines, end.1) });
                let start = json!({ "start": position(0, 0), "end": position(0, 0) });
                json!([{ "range": start, "text": next }, { "range": old, "text": "" }])
            }
            // Everything between the first and the last letter that differ.
            2 => smallest(&self.text, &next),
            _ => {
                let all = json!({ "start": position(0, 0), "end": position(end.0, end.1) });
                json!([{ "range": all, "text": next }])
            }
        };
        self.earlier.push(std::mem::replace(&mut self.text, next));
        self.editor.change(&uri, changes);
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
        self.editor.save(&uri);
    }

    /// Another program changes the file, and the editor closes and opens it.
    fn reload(&mut self) {
        let (uri, next) = (self.uri(), self.edited());
        self.project.write(&self.file, &next);
        self.text = next;
        self.editor.close(&uri);
        let document = json!({ "uri": uri, "languageId": "rust", "version": 0, "text": self.text });
        self.editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// The file gets another name, with what is not saved yet.
    fn rename(&mut self) {
        let old = self.uri();
        let name = if self.file == "a.rs" { "b.rs" } else { "a.rs" };
        let folder = self.project.folder();
        fs::rename(folder.join(&self.file), folder.join(name)).expect("a file can be renamed");
        self.editor.close(&old);
        name.clone_into(&mut self.file);
        let uri = self.uri();
        self.editor.open(&uri, &self.text);
    }

    /// What the document shows, and what it shows opened fresh.
    fn both(&mut self) -> (Vec<Value>, Vec<Value>) {
        let uri = self.uri();
        self.editor.settle();
        let mut fresh = start(&self.project);
        fresh.open(&uri, &self.text);
        fresh.settle();
        (self.editor.diagnostics(&uri), fresh.diagnostics(&uri))
    }
}

/// The last line and column of a text, in units of UTF-16.
fn end_of(text: &str) -> (u32, u32) {
    let line = text.matches('\n').count() as u32;
    (line, text.rsplit('\n').next().unwrap_or_default().encode_utf16().count() as u32)
}

/// One replacement of all between the first and the last letter that differ.
fn smallest(from: &str, to: &str) -> Value {
    let head: usize =
        from.chars().zip(to.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&from[head..], &to[head..]);
    let tail = old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b);
    let tail: usize = tail.map(|(c, _)| c.len_utf8()).sum();
    let position = |offset: usize| {
        let (line, character) = end_of(&from[..offset]);
        json!({ "line": line, "character": character })
    };
    let range = json!({ "start": position(head), "end": position(from.len() - tail) });
    json!([{ "range": range, "text": new[..new.len() - tail] }])
}

#[test]
fn whatever_edits_led_to_a_text_it_shows_what_a_fresh_document_shows() {
    let sequences = std::env::var("POSTIL_LSP_SEQUENCES").ok().and_then(|number| number.parse().ok());
    let sequences: u64 = sequences.unwrap_or(SEQUENCES);
    for group in 0..sequences.div_ceil(TOGETHER) {
        let mut typist = Typist::new(group);
        for sequence in 0..TOGETHER.min(sequences - group * TOGETHER) {
            for _ in 0..=typist.dice.index(8) {
                typist.step();
            }
            let (shown, fresh) = typist.both();
            assert_eq!(shown, fresh, "sequence {sequence} of seed {group}, with this text:\n{}", typist.text);
        }
    }
}
