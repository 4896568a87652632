//! What a person says: on the command line, in a file, or in their editor.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::editor;
use crate::connect::Folder;
use crate::failure::{Failure, Kind};

/// So many texts of commands that failed are kept beside each other.
const MAX_KEPT: u32 = 1000;

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

/// A text that was given, and the file of its own that it is in until it is written, where an editor was asked.
#[derive(Debug)]
pub struct Message {
    /// The text; never empty.
    pub text: String,
    git_dir: PathBuf,
    own: Option<PathBuf>,
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
        let mut own = None;
        let text = match &self.file {
            Some(file) if file.as_os_str() == "-" => read(std::io::stdin().lock(), "standard input")?,
            Some(file) => {
                let path = started.join(file);
                let opened =
                    fs::File::open(&path).map_err(|error| unreadable(&path.display().to_string(), error))?;
                read(opened, &path.display().to_string())?
            }
            None if self.message.is_empty() => {
                let file = own_file(git_dir)?;
                own = Some(file.clone());
                editor::ask(&file, git_dir, initial, about).inspect_err(|_| {
                    // Who gave up before they wrote anything leaves nothing behind.
                    if editor::said(&file).is_none_or(|said| said.trim() == initial.trim()) {
                        let _ = fs::remove_file(&file);
                    }
                })?
            }
            None => self.message.join("\n\n"),
        };
        if text.trim().is_empty() {
            let _ = own.map(fs::remove_file);
            return Err(Failure::new(Kind::Usage, "nothing was said, and so nothing was written")
                .hint("say it with `-m TEXT`"));
        }
        Ok(Message { text, git_dir: git_dir.to_owned(), own })
    }
}

impl Message {
    /// Writes, and keeps the text where that fails.
    pub fn written<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        match outcome {
            Ok(done) => {
                // What is left behind is in nobody's way.
                let _ = self.own.as_ref().map(fs::remove_file);
                Ok(done)
            }
            Err(failure) => Err(match self.keep() {
                Ok(file) => failure.also(format!("your text is in {}", file.display())),
                Err(_) => failure,
            }),
        }
    }

    fn keep(&self) -> std::io::Result<PathBuf> {
        let file = self.own.clone().map_or_else(|| reserve(&self.git_dir), Ok)?;
        fs::write(&file, &self.text)?;
        Ok(file)
    }
}

fn own_file(git_dir: &Path) -> Result<PathBuf, Failure> {
    reserve(git_dir).map_err(|error| {
        Failure::new(Kind::Unavailable, format!("could not make a file in {}", git_dir.display()))
            .because(error)
            .hint("make room or get the right to write there, or say it with `-m TEXT`")
    })
}

/// Makes a file that is nobody else's: of another command that runs, or of one that failed and kept its text.
fn reserve(git_dir: &Path) -> std::io::Result<PathBuf> {
    let name = |number: u32| match number {
        0 => "POSTIL_EDITMSG".to_owned(),
        _ => format!("POSTIL_EDITMSG.{number}"),
    };
    let mut number = 0;
    loop {
        let file = git_dir.join(name(number));
        match fs::OpenOptions::new().write(true).create_new(true).open(&file) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_KEPT => number += 1,
            made => return made.map(|_| file),
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
