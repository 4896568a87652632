//! What a person says: on the command line, in a file, or in their editor.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::editor;
use crate::connect::Folder;
use crate::failure::{Failure, Kind};

/// A longer text is refused before it is read whole.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Where the text comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MessageArgs {
    /// Say this (can be repeated; each is a paragraph)
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    message: Vec<String>,

    /// Say what is in this file; `-` is standard input
    #[arg(short = 'F', long = "file", value_name = "FILE", conflicts_with = "message")]
    file: Option<PathBuf>,
}

/// A text that was given, and the file that it is kept in until it is written.
#[derive(Debug)]
pub struct Message {
    /// The text; never empty.
    pub text: String,
    kept: PathBuf,
}

impl MessageArgs {
    /// Whether a text is given without asking for one.
    pub fn is_given(&self) -> bool {
        !self.message.is_empty() || self.file.is_some()
    }

    /// The text; an editor is opened where none is given, with `about` below the text.
    ///
    /// `started` is where relative names of files begin.
    pub fn take(
        &self,
        folder: &Folder,
        started: &Path,
        initial: &str,
        about: &[String],
    ) -> Result<Message, Failure> {
        let git_dir = folder.repository().git_dir();
        let kept = git_dir.join("POSTIL_EDITMSG");
        let text = match &self.file {
            Some(file) if file.as_os_str() == "-" => read(std::io::stdin().lock(), "standard input")?,
            Some(file) => {
                let path = started.join(file);
                let opened =
                    fs::File::open(&path).map_err(|error| unreadable(&path.display().to_string(), error))?;
                read(opened, &path.display().to_string())?
            }
            None if self.message.is_empty() => editor::ask(&kept, git_dir, initial, about)?,
            None => self.message.join("\n\n"),
        };
        if text.trim().is_empty() {
            return Err(Failure::new(Kind::Usage, "nothing was said, and so nothing was written")
                .hint("say it with `-m TEXT`"));
        }
        Ok(Message { text, kept })
    }
}

impl Message {
    /// Writes, and keeps the text where that fails.
    pub fn written<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        match outcome {
            Ok(done) => {
                // A file that was never there is as good as removed.
                let _ = fs::remove_file(&self.kept);
                Ok(done)
            }
            Err(failure) => Err(match fs::write(&self.kept, &self.text) {
                Ok(()) => failure.also(format!("your text is in {}", self.kept.display())),
                Err(_) => failure,
            }),
        }
    }
}

fn read(from: impl std::io::Read, name: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, error))?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(Failure::new(Kind::Usage, format!("{name} is too long for a comment"))
            .hint("say less, or put it into the repository and point at it"));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Kind::Usage, format!("{name} is not text in UTF-8"))
            .hint("convert it with `iconv -t utf-8`")
    })
}

fn unreadable(name: &str, error: std::io::Error) -> Failure {
    Failure::new(Kind::Usage, format!("could not read {name}"))
        .because(error)
        .hint("name a file that can be read, or say it with `-m TEXT`")
}
