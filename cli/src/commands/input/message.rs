//! What a person says: on the command line, in a file, or in their editor.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use postil_client::Checkout;

use super::{editor, kept_text};
use crate::failure::{Failure, FailureKind};

/// A longer text is refused before it is read whole.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Where the text comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MessageArgs {
    /// Use this text (can be repeated; each is a paragraph)
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    message: Vec<String>,

    /// Read the text from this file, or from standard input with `-`
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

    /// The text that is given without an editor, which may be empty; `None` where none is.
    pub fn given(&self, started: &Path) -> Result<Option<String>, Failure> {
        Ok(match &self.file {
            Some(file) if file.as_os_str() == "-" => Some(read(std::io::stdin().lock(), "standard input")?),
            Some(file) => {
                let path = started.join(file);
                let opened =
                    fs::File::open(&path).map_err(|error| unreadable(&path.display().to_string(), error))?;
                Some(read(opened, &path.display().to_string())?)
            }
            None if self.message.is_empty() => None,
            None => Some(self.message.join("\n\n")),
        })
    }

    /// The text; an editor is opened where none is given, with `about` below the text.
    ///
    /// `started` is where relative names of files begin.
    pub fn take(
        &self,
        checkout: &Checkout,
        started: &Path,
        initial: &str,
        about: &[String],
    ) -> Result<Message, Failure> {
        let git_dir = checkout.git_dir();
        let mut own = None;
        let text = match self.given(started)? {
            Some(given) => given,
            None => {
                let file = own_file(git_dir)?;
                own = Some(file.clone());
                editor::ask(&file, git_dir, initial, about)
                    .map_err(|failure| given_up(failure, &file, git_dir, initial))?
            }
        };
        if text.trim().is_empty() {
            let _ = own.map(fs::remove_file);
            return Err(Failure::new(FailureKind::Usage, "the text is empty; nothing was saved")
                .hint("use `-m TEXT`"));
        }
        Ok(Message { text, git_dir: git_dir.to_owned(), own })
    }
}

impl Message {
    /// Writes, and keeps the text where that fails.
    pub fn written<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        match outcome {
            Ok(done) => {
                // A leftover file does no harm.
                let _ = self.own.as_ref().map(fs::remove_file);
                kept_text::forget(&self.git_dir, &self.text);
                Ok(done)
            }
            Err(failure) => Err(keeping(failure, &self.text, self.own.as_deref(), &self.git_dir)),
        }
    }
}

/// Keeps a text that was not written, and says where.
fn keeping(failure: Failure, text: &str, own: Option<&Path>, git_dir: &Path) -> Failure {
    // On a full disk, the text is still where the editor wrote it.
    let file = kept_text::keep(git_dir, text, own).ok().or_else(|| own.map(Path::to_owned));
    match file {
        Some(file) => failure.also(format!("your text is saved in {}", file.display())),
        None => failure,
    }
}

/// The error for a failed editor; if nothing was written, no file is left.
fn given_up(failure: Failure, file: &Path, git_dir: &Path, initial: &str) -> Failure {
    match editor::read_text(file).filter(|said| said.trim() != initial.trim() && !said.trim().is_empty()) {
        Some(said) => keeping(failure, &said, Some(file), git_dir),
        None => {
            let _ = fs::remove_file(file);
            failure
        }
    }
}

fn own_file(git_dir: &Path) -> Result<PathBuf, Failure> {
    kept_text::reserve(git_dir).map_err(|error| {
        Failure::new(FailureKind::Unavailable, format!("could not create a file in {}", git_dir.display()))
            .because(error)
            .hint("check disk space and permissions, or use `-m TEXT`")
    })
}

fn read(from: impl std::io::Read, name: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(name, error))?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(Failure::new(FailureKind::Usage, format!("{name} is too long for a comment"))
            .hint("shorten it, or add a file to the repository and refer to it"));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(FailureKind::Usage, format!("{name} is not valid UTF-8"))
            .hint("convert it with `iconv -t utf-8`")
    })
}

fn unreadable(name: &str, error: std::io::Error) -> Failure {
    Failure::new(FailureKind::NotFound, format!("could not read {name}"))
        .because(error)
        .hint("check the file name, or use `-m TEXT`")
}
