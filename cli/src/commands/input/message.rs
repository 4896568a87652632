//! What a person says: on the command line, in a file, or in their editor.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::editor;
use super::kept_text::{self, MessageFile, WantedFile};
use crate::commands::Context;
use crate::connect::CommandSession;
use crate::failure::{Failure, FailureKind};

/// A longer text is refused before it is read whole.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Where the text comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MessageArgs {
    /// Use this text (can be repeated; each is a paragraph)
    #[arg(short = 'm', long = "text", value_name = "TEXT")]
    text: Vec<String>,

    /// Read the text of the comment from this file, or from standard input with `-`
    #[arg(short = 'F', long = "file", value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
}

/// A text that was given, and the file of its own that it is in until it is written, where an editor was asked.
#[derive(Debug)]
pub struct Message {
    /// The text; never empty.
    pub text: String,
    git_dir: PathBuf,
    own: Option<MessageFile>,
}

impl MessageArgs {
    /// Whether a text is given without asking for one.
    pub fn is_given(&self) -> bool {
        !self.text.is_empty() || self.file.is_some()
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
            None if self.text.is_empty() => None,
            None => Some(self.text.join("\n\n")),
        })
    }

    /// The text; an editor is opened where none is given, with `about` below the text, unless a program asks.
    pub fn take(
        &self,
        session: &CommandSession,
        context: &Context,
        initial: &str,
        about: &[String],
    ) -> Result<Message, Failure> {
        let git_dir = session.checkout().git_dir();
        let (text, own) = match self.given(&context.at.directory)? {
            Some(given) => (given, None),
            None if !editor::may_open(session, context) => {
                let failure =
                    Failure::new(FailureKind::Usage, "no text is given, and a program gets no editor");
                return Err(failure.hint("use `-m TEXT` or `-F FILE`"));
            }
            None => edited(git_dir, initial, about).map(|(text, own)| (text, Some(own)))?,
        };
        if text.trim().is_empty() {
            let _ = own.map(|own| fs::remove_file(&own.path));
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
                let _ = self.own.as_ref().map(|own| fs::remove_file(&own.path));
                kept_text::forget(&self.git_dir, &self.text);
                Ok(done)
            }
            Err(failure) => Err(keeping(failure, &self.text, self.own.as_ref(), &self.git_dir)),
        }
    }
}

/// The text from an editor, and the file it is in; what was not sent earlier is there to begin with.
fn edited(git_dir: &Path, initial: &str, about: &[String]) -> Result<(String, MessageFile), Failure> {
    let wanted = if initial.is_empty() { WantedFile::Any } else { WantedFile::Empty };
    let file = own_file(git_dir, wanted)?;
    let unsent = !file.earlier.is_empty();
    let mut told = about.to_vec();
    if unsent {
        told.insert(
            0,
            "The text above was not sent earlier. Change it, or delete it and write another one.".into(),
        );
    }
    let initial = if unsent { file.earlier.as_str() } else { initial };
    let text = match editor::ask(&file.path, git_dir, initial, &told) {
        Ok(text) => text,
        Err(failure) => return Err(given_up(failure, &file, git_dir, initial)),
    };
    if unsent && text.trim() == file.earlier {
        // An editor that was only closed must not send it.
        let restored = file.restore();
        let failure = Failure::new(FailureKind::Usage, "the text was not changed; nothing was sent");
        let failure = failure.hint(format!("to send it as it is, use `-F {}`", file.path.display()));
        return Err(match restored {
            Ok(()) => failure,
            Err(error) => failure.because(error),
        });
    }
    Ok((text, file))
}

/// Keeps a text that was not written, and says where.
fn keeping(failure: Failure, text: &str, own: Option<&MessageFile>, git_dir: &Path) -> Failure {
    // On a full disk, the text is still where the editor wrote it.
    let file = kept_text::keep(git_dir, text, own).ok().or_else(|| own.map(|own| own.path.clone()));
    match file {
        Some(file) => failure.also(format!("your text is saved in {}", file.display())),
        None => failure,
    }
}

/// The error for a failed editor; if nothing was written, the file is as it was before.
fn given_up(failure: Failure, file: &MessageFile, git_dir: &Path, initial: &str) -> Failure {
    let said = editor::read_text(&file.path);
    match said.filter(|said| said.trim() != initial.trim() && !said.trim().is_empty()) {
        Some(said) => keeping(failure, &said, Some(file), git_dir),
        None => {
            // A leftover file does no harm.
            let _ = file.restore();
            failure
        }
    }
}

fn own_file(git_dir: &Path, wanted: WantedFile) -> Result<MessageFile, Failure> {
    MessageFile::open(git_dir, wanted).map_err(|error| {
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
