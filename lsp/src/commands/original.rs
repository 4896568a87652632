//! Shows the lines that a thread was put on, as its author saw them, in a document of their own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gen_lsp_types::{Position, Range};
use lsp_server::RequestId;
use postil_client::Session;
use postil_protocol::{AnchorView, ByteText, Show, ThreadView};
use serde_json::json;

use crate::asking::worker::{Finished, WorkerTask};
use crate::server::{AskedEditor, Server};
use crate::told::told;
use crate::uri::uri_of;

/// The folder of such documents in a git directory.
const FOLDER: &str = "postil/originals";

impl Server {
    /// Opens what a thread was put on.
    pub(crate) fn original(&mut self, id: &RequestId, thread: &str) -> Result<(), String> {
        let repository = self.repository_with(thread)?;
        let (id, of) = (id.clone(), thread.to_owned());
        let work = move |session: &mut Session| -> Finished {
            let shown = session.ask(Show { of, ..Show::default() });
            Box::new(move |server: &mut Server| match shown {
                Ok(shown) => server.show_original(id, repository, &shown.thread),
                Err(error) => server.refuse(id, &told(&error)),
            })
        };
        self.repositories[repository].ask(Vec::new(), WorkerTask::Read(Box::new(work)));
        Ok(())
    }

    fn show_original(&mut self, id: RequestId, repository: usize, thread: &ThreadView) {
        let Some(anchor) = thread.anchor.as_ref().filter(|anchor| !anchor.lines.is_empty()) else {
            return self.refuse(id, "this thread is not on lines");
        };
        let file = match write(&self.repositories[repository].git_dir, thread, anchor) {
            Ok(file) => file,
            Err(error) => return self.refuse(id, &format!("could not write the lines to a file: {error}")),
        };
        let first = anchor.before.len() as u32;
        let at = |line: u32| Position { line, character: 0 };
        let selection = Range { start: at(first), end: at(first + anchor.lines.len() as u32) };
        let shown = json!({ "uri": uri_of(&file), "takeFocus": true, "selection": selection });
        if self.editor.shows_documents {
            self.ask_editor(AskedEditor::Show, "window/showDocument", &shown);
        }
        self.reply(id, shown);
    }
}

/// The lines and those around them, in a file with the ending of the one that they are from.
fn write(git_dir: &Path, thread: &ThreadView, anchor: &AnchorView) -> io::Result<PathBuf> {
    let folder = git_dir.join(FOLDER);
    fs::create_dir_all(&folder)?;
    let path = String::from_utf8_lossy(anchor.path.as_bytes()).into_owned();
    let ending = Path::new(&path).extension().and_then(|ending| ending.to_str()).unwrap_or("txt");
    let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    let file = folder.join(format!("{}.{ending}", thread.short));
    let mut content = Vec::new();
    for line in anchor.before.iter().chain(&anchor.lines).chain(&anchor.after) {
        content.extend_from_slice(line.as_ref().map_or(b"(not stored)", ByteText::as_bytes));
        content.push(b'\n');
    }
    fs::write(&file, content)?;
    Ok(file)
}
