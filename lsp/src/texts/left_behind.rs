//! Texts that were not sent when an editor or this program ended: they are told, and never sent by themselves.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::{AskedEditor, Server};
use crate::texts::entry::{Entry, FOLDER};
use crate::uri::uri_of;

/// So many are told.
const MAX_TOLD: usize = 5;

/// What a person answers to have a text opened.
const OPEN: &str = "Open";

impl Server {
    /// Tells about the texts of a repository that nobody has open, and were not sent.
    pub(crate) fn tell_left_behind(&mut self, repository: usize) {
        for file in left_behind(repository, &self.repositories[repository].git_dir).into_iter().take(MAX_TOLD)
        {
            let told = format!("a text was not sent; open {} and save it to send it", file.display());
            if self.editor.asks_questions && self.editor.shows_documents {
                let choices = json!([{ "title": OPEN }, { "title": "Later" }]);
                let params = json!({ "type": 3, "message": told, "actions": choices });
                self.ask_editor(AskedEditor::OpenText(file), "window/showMessageRequest", params);
            } else {
                self.tell(&told);
            }
        }
    }

    /// The person answered whether to open a text.
    pub(crate) fn open_left_behind(&mut self, file: &Path, answer: &Value) {
        if answer["title"] == OPEN {
            let params = json!({ "uri": uri_of(file), "takeFocus": true });
            self.ask_editor(AskedEditor::Show, "window/showDocument", params);
        }
    }
}

/// The texts of a git directory that no program has, with what was typed last. Those without a word are removed.
fn left_behind(repository: usize, git_dir: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(git_dir.join(FOLDER)) else { return Vec::new() };
    let mut found = Vec::new();
    for file in files.filter_map(Result::ok).map(|file| file.path()) {
        let Some(mut entry) = Entry::left_behind(repository, git_dir, &file) else { continue };
        entry.restore_typed();
        match entry.text() {
            Ok(Some(_)) => found.push(file),
            Ok(None) => entry.remove(),
            // It cannot be read now; it stays.
            Err(_) => {}
        }
    }
    found.sort();
    found
}
