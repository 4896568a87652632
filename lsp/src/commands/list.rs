//! Lists all open threads of a repository, also those that no open document shows: for a list of the editor, or as a text
//! with one line for each.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lsp_server::RequestId;
use serde_json::{Value, json};

use crate::commands::command::RepositoryOf;
use crate::commands::execute::NO_REPOSITORY;
use crate::server::{AskedEditor, Server};
use crate::shown::diagnostics::{about, line};
use crate::shown::shown_text::shown_text;
use crate::uri::uri_of;

/// The file of the list in a git directory.
const FILE: &str = "postil/threads.txt";

/// A thread of the list.
struct ListedThread {
    /// Its file, and the line there, counted from zero; `None` if it is on a review or a message.
    at: Option<(PathBuf, u32)>,
    short: String,
    message: String,
    is_gone: bool,
    id: String,
}

impl Server {
    /// Lists them, and opens the text if the editor does not make a list of its own.
    pub(crate) fn list(&mut self, id: &RequestId, of: &RepositoryOf) -> Result<(), String> {
        let number = self.documents.get(&of.uri).ok_or(NO_REPOSITORY)?.repository;
        let all = self.listed(number);
        let repository = &self.repositories[number];
        let threads: Vec<Value> = all.iter().map(ListedThread::told).collect();
        if self.editor.shows_documents && !self.editor.shows_texts {
            let file = write(&repository.git_dir, &repository.root, &all)
                .map_err(|error| format!("could not write the list to a file: {error}"))?;
            let show = json!({ "uri": uri_of(&file), "takeFocus": true });
            self.ask_editor(AskedEditor::Show, "window/showDocument", show);
        }
        self.reply(id.clone(), json!({ "threads": threads }));
        Ok(())
    }

    /// All open threads: by file and line, and at the end those that are on none.
    fn listed(&self, number: usize) -> Vec<ListedThread> {
        let repository = &self.repositories[number];
        let mut all = Vec::new();
        for open in self.documents.values().filter(|open| open.repository == number) {
            for thread in open.live.threads().iter().filter(|thread| thread.verified.is_open()) {
                all.push(ListedThread {
                    at: Some((repository.file(&open.relative), line(thread))),
                    short: thread.verified.view.short.clone(),
                    message: about(&thread.verified, thread.place.as_ref()),
                    is_gone: repository.is_gone(&thread.verified),
                    id: thread.verified.view.id.to_string(),
                });
            }
        }
        for thread in repository.threads.iter().filter(|thread| thread.is_open()) {
            if thread.path().is_some_and(|path| self.is_open(number, path)) {
                continue;
            }
            let start = thread.view.position.as_ref().and_then(|position| position.start).unwrap_or(1);
            all.push(ListedThread {
                at: thread.path().map(|path| (repository.file(path), start.saturating_sub(1))),
                short: thread.view.short.clone(),
                message: about(thread, None),
                is_gone: repository.is_gone(thread),
                id: thread.view.id.to_string(),
            });
        }
        all.sort_by(|a, b| (a.at.is_none(), &a.at).cmp(&(b.at.is_none(), &b.at)));
        // A file may be open under two names.
        all.dedup_by(|a, b| a.id == b.id);
        all
    }
}

impl ListedThread {
    fn told(&self) -> Value {
        let (uri, line) = self.at.as_ref().map(|(file, line)| (uri_of(file), *line)).unzip();
        json!({
            "thread": self.id, "short": self.short, "uri": uri, "line": line, "message": self.message,
            "gone": self.is_gone,
        })
    }

    /// A line that editors can follow to the place.
    fn shown(&self) -> String {
        let gone = if self.is_gone { "; the file is gone" } else { "" };
        match &self.at {
            Some((file, line)) => {
                format!("{}:{}: {}{gone}\n", shown_text(&file.to_string_lossy()), line + 1, self.message)
            }
            None => format!("{}: {}\n", self.short, self.message),
        }
    }
}

fn write(git_dir: &Path, root: &Path, all: &[ListedThread]) -> io::Result<PathBuf> {
    let file = git_dir.join(FILE);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let number = match all.len() {
        1 => "1 open thread".to_owned(),
        number => format!("{number} open threads"),
    };
    let head = format!("{number} in {}\n\n", shown_text(&root.to_string_lossy()));
    fs::write(&file, head + &all.iter().map(ListedThread::shown).collect::<String>())?;
    Ok(file)
}
