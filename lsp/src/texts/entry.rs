//! Texts that somebody writes in a file, for editors that have no box for text: saved is sent.
//!
//! The file is in the git directory until the text is stored, so that nothing that was typed is lost if the editor, this
//! program or the daemon ends. What the text is for is in a file beside it, so that it can still be sent later; a program
//! that has the text holds a lock on that file. What is typed and not saved is in a third file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use postil_protocol::{Buffer, Place, SeverityView};
use serde_json::{Value, json};

use crate::documents::disk_form::DiskStamp;

/// Everything below this line is left out, as git does it.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// The folder of unfinished texts in a git directory.
pub(crate) const FOLDER: &str = "postil/texts";

/// The ending of the file that says what a text is for.
const PURPOSE: &str = "json";

/// The ending of the file with what was typed and not saved.
const TYPED: &str = "typed";

/// So many may be unfinished at a time; then no further one is begun.
const MAX_TEXTS: usize = 100;

/// Between two looks at a file that the editor says nothing about, at first.
const FIRST_LOOK: Duration = Duration::from_millis(300);

/// A text that somebody writes.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The repository.
    pub(crate) repository: usize,
    /// The file.
    pub(crate) file: PathBuf,
    /// What it will be.
    pub(crate) purpose: EntryPurpose,
    /// How far it is.
    pub(crate) progress: EntryProgress,
    /// Whether the editor says what happens to the file; otherwise this program looks at it now and then.
    pub(crate) is_followed: bool,
    /// Since when it is looked at, and when next.
    began: Instant,
    next_look: Instant,
    /// The file at the last look.
    looked: Option<DiskStamp>,
    /// Says that this program has the text, for as long as it is open.
    _lock: fs::File,
    /// The text in the editor, if that is known.
    pub(crate) in_editor: Option<String>,
}

/// How far a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryProgress {
    /// Somebody writes it.
    Written,
    /// It is being stored.
    Sending {
        /// It was closed meanwhile.
        is_closed: bool,
    },
    /// It is this comment now; saved with another text, the comment is changed.
    Sent {
        /// The id of the comment.
        id: String,
        /// Its text.
        text: String,
    },
}

/// What a text will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EntryPurpose {
    /// A comment on lines of a text, as the person saw it.
    Comment {
        /// The lines.
        place: Place,
        /// The text of the document at that time.
        seen: Buffer,
    },
    /// A reply in a thread.
    Reply {
        /// The thread.
        thread: String,
    },
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenText {
    /// The text.
    pub(crate) text: String,
    /// How serious it is, if that was changed.
    pub(crate) severity: Option<SeverityView>,
    /// Whether it is kept here until it is published.
    pub(crate) draft: bool,
}

impl Entry {
    /// Makes the file, with `about` below the line that ends the text.
    pub(crate) fn create(
        repository: usize,
        git_dir: &Path,
        purpose: EntryPurpose,
        about: &str,
    ) -> io::Result<Self> {
        let folder = git_dir.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let options = match purpose {
            EntryPurpose::Comment { .. } => "severity: note\ndraft: no\n",
            EntryPurpose::Reply { .. } => "draft: no\n",
        };
        let content = format!(
            "\n{SCISSORS}\nSave this file to send what is above. An empty text sends nothing.\n\
             {options}\n{about}\n"
        );
        if fs::read_dir(&folder)?.filter_map(Result::ok).filter(|one| is_text(&one.path())).count()
            >= MAX_TEXTS
        {
            return Err(io::Error::other(format!("{} has too many unfinished texts", folder.display())));
        }
        // No name is used twice: an editor may still show a text that was sent, and its file is gone then.
        let mut number = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        loop {
            let file = folder.join(format!("TEXT-{number}.md"));
            match fs::File::create_new(&file) {
                Ok(mut created) => {
                    let mut lock = fs::File::create(file.with_extension(PURPOSE))?;
                    lock.lock()?;
                    io::Write::write_all(&mut lock, purpose.to_json().to_string().as_bytes())?;
                    io::Write::write_all(&mut created, content.as_bytes())?;
                    return Ok(Self::new(repository, file, purpose, lock));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// A text that an earlier process left behind; `None` for any other file, and for a text that another process has.
    pub(crate) fn left_behind(repository: usize, git_dir: &Path, file: &Path) -> Option<Self> {
        let is_ours = file.parent() == Some(&git_dir.join(FOLDER)) && is_text(file);
        let mut lock = fs::File::open(file.with_extension(PURPOSE)).ok().filter(|_| is_ours)?;
        lock.try_lock().ok()?;
        let mut kept = String::new();
        io::Read::read_to_string(&mut lock, &mut kept).ok()?;
        let purpose = EntryPurpose::of_json(&serde_json::from_str(&kept).ok()?)?;
        Some(Self::new(repository, file.to_owned(), purpose, lock))
    }

    fn new(repository: usize, file: PathBuf, purpose: EntryPurpose, lock: fs::File) -> Self {
        let (began, looked) = (Instant::now(), DiskStamp::of(&file));
        Self {
            repository,
            file,
            purpose,
            progress: EntryProgress::Written,
            is_followed: false,
            began,
            next_look: began + FIRST_LOOK,
            looked,
            _lock: lock,
            in_editor: None,
        }
    }

    /// Keeps what was typed and not saved: the editor may end before it is.
    pub(crate) fn keep_typed(&self) -> io::Result<()> {
        let Some(text) = &self.in_editor else { return Ok(()) };
        let new = self.file.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, self.file.with_extension(TYPED))
    }

    /// Forgets what was typed and not saved.
    pub(crate) fn drop_typed(&self) {
        // Mostly there is nothing.
        let _ = fs::remove_file(self.file.with_extension(TYPED));
    }

    /// Puts what was typed and not saved into the file of the text, after the editor ended.
    pub(crate) fn restore_typed(&self) {
        let typed = self.file.with_extension(TYPED);
        let has_text = fs::read_to_string(&typed).is_ok_and(|content| WrittenText::read(&content).is_some());
        if has_text {
            // Else it stays where it is.
            let _ = fs::rename(typed, &self.file);
        } else {
            self.drop_typed();
        }
    }

    /// The text that was saved; `None` if it is empty.
    pub(crate) fn text(&self) -> io::Result<Option<WrittenText>> {
        fs::read_to_string(&self.file).map(|content| WrittenText::read(&content))
    }

    /// When to look at the file; `None` if the editor says what happens to it. One that was sent may be saved again.
    pub(crate) fn due(&self) -> Option<Instant> {
        let is_sending = matches!(self.progress, EntryProgress::Sending { .. });
        (!self.is_followed && !is_sending).then_some(self.next_look)
    }

    /// Looks whether the file was saved, less and less often.
    pub(crate) fn look(&mut self, now: Instant) -> EntryLook {
        self.next_look = now + FIRST_LOOK.max(now.duration_since(self.began) / 20);
        let found = DiskStamp::of(&self.file);
        let is_other = found != self.looked;
        self.looked = found;
        match found {
            _ if !is_other => EntryLook::Same,
            None => EntryLook::Gone,
            Some(_) => EntryLook::Saved,
        }
    }

    /// Removes the file, once its text is stored or nobody wants it.
    pub(crate) fn remove(&mut self) {
        // What is left is found there, and asked about by nobody.
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_file(self.file.with_extension(PURPOSE));
        self.drop_typed();
        self.looked = None;
    }
}

/// Whether a file of the folder is one that somebody writes in.
fn is_text(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "md")
}

/// What a look at a file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryLook {
    /// Nothing new.
    Same,
    /// Somebody saved it.
    Saved,
    /// Somebody removed it.
    Gone,
}

impl WrittenText {
    /// Reads what was saved; `None` if there is no text.
    fn read(content: &str) -> Option<Self> {
        let (text, below) = content.split_once(SCISSORS).unwrap_or((content, ""));
        let text = text.trim().to_owned();
        let option = |name: &str| {
            let told = below.lines().take(6).find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            told.map(str::trim).filter(|told| !told.is_empty())
        };
        let severity = option("severity").filter(|word| *word != "note");
        let draft = option("draft").is_some_and(|word| ["yes", "true", "1"].contains(&word));
        let severity = severity.map(|word| SeverityView::from(word.to_owned()));
        (!text.is_empty()).then_some(Self { text, severity, draft })
    }
}

impl EntryPurpose {
    fn to_json(&self) -> Value {
        match self {
            Self::Comment { place, seen } => json!({ "comment": { "place": place, "seen": seen } }),
            Self::Reply { thread } => json!({ "reply": thread }),
        }
    }

    fn of_json(kept: &Value) -> Option<Self> {
        if let Some(thread) = kept.get("reply").and_then(Value::as_str) {
            return Some(Self::Reply { thread: thread.to_owned() });
        }
        let comment = kept.get("comment")?;
        let place = serde_json::from_value(comment.get("place")?.clone()).ok()?;
        let seen = serde_json::from_value(comment.get("seen")?.clone()).ok()?;
        Some(Self::Comment { place, seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_the_line_is_the_text_and_what_is_below_are_options() {
        let read = |content: String| WrittenText::read(&content);
        assert_eq!(read(format!("\n\n{SCISSORS}\nseverity: issue\n")), None);
        let plain = WrittenText { text: "why?".into(), severity: None, draft: false };
        assert_eq!(
            read(format!("why?\n\n{SCISSORS}\nSave…\nseverity: note\ndraft: no\n")),
            Some(plain.clone())
        );
        assert_eq!(read("why?\n".to_owned()), Some(plain));
        let read = read(format!("why?\n{SCISSORS}\nSave…\nseverity: blocker\ndraft: yes\n\nseverity: nit\n"));
        let read = read.expect("there is a text");
        assert_eq!((read.severity, read.draft), (Some(SeverityView::Blocker), true));
    }

    #[test]
    fn what_a_text_is_for_survives_the_process() {
        let seen = Buffer { path: "a.rs".into(), text: "one\n".into(), version: Some(3) };
        for purpose in [
            EntryPurpose::Reply { thread: "ab12".into() },
            EntryPurpose::Comment { place: Place::file("a.rs"), seen },
        ] {
            assert_eq!(EntryPurpose::of_json(&purpose.to_json()), Some(purpose));
        }
        assert_eq!(EntryPurpose::of_json(&json!({ "other": 1 })), None);
    }
}
