//! Comments that are here already, or twice in what is imported: new words become an edit, and what cannot become one
//! is refused.
//!
//! Findings of programs are not among them: `report_finding` has those.

use postil_core::record::{Author, RecordId, Timestamp};
use postil_core::review::{Comment, ThreadState};
use postil_protocol::{Fault, FaultCode, ImportedComment};

use crate::import::import_batch::ImportAuthor;
use crate::import::importing::{Importing, has_vanished};
use crate::writing::records::words;

/// What a comment says that will be written.
#[derive(Clone, Debug)]
pub(crate) struct SaidWords {
    /// Who says it.
    pub author: Author,
    /// What.
    pub text: String,
    /// Since when.
    pub at: Timestamp,
    /// What the next edit replaces.
    pub over: Vec<RecordId>,
}

impl Importing<'_> {
    /// Says what is new about a comment that is here already, or will be.
    pub(super) fn update(&mut self, comment: &ImportedComment, id: RecordId) -> Result<(), Fault> {
        let text = words(&comment.text, None)?;
        let at = comment.edited.or(comment.at).map_or(self.committed, Timestamp);
        let by = ImportAuthor::of(&comment.author, at);
        if let Some(said) = self.said.get(&id) {
            return self.again(id, by, text, said.clone());
        }
        let Some(here) = self.request.notes.threads.comment(id) else { return Ok(()) };
        let last = here.words().edits().in_force().map_or(here.said().at, |edit| edit.said.at);
        if here.text() != text {
            let was_said = has_said(here, &text);
            // What was changed here is changed back only by words that are newer still.
            let is_newer = match comment.edited {
                Some(_) => at > last,
                None => !was_said && at >= last,
            };
            let is_own = here.said().author.email == by.author.email;
            match (is_newer, is_own) {
                (true, true) => {
                    self.new_words(id, by, text, here.over_for_edit(&here.said().author))?;
                }
                _ if was_said => {}
                (_, false) => return Err(other_words("somebody else wrote it", here)),
                (false, _) => return Err(other_words("they are not newer", here)),
            }
        }
        let is_reported = !comment.exported && comment.resolved.is_none();
        if is_reported
            && here.state() == ThreadState::Resolved
            && here.statuses().in_force().is_some_and(|status| has_vanished(&status.said))
        {
            self.reopen(id, comment.source.clone(), here.statuses().over())?;
        }
        Ok(())
    }

    /// Takes in a comment that was in this import before, as in an older and a newer export.
    fn again(&mut self, id: RecordId, by: ImportAuthor, text: String, said: SaidWords) -> Result<(), Fault> {
        if said.text == text || by.at < said.at {
            return Ok(());
        }
        if by.at == said.at || by.author.email != said.author.email {
            return Err(said_twice());
        }
        self.new_words(id, by, text, said.over)
    }

    /// Adds new words of a comment.
    fn new_words(
        &mut self,
        id: RecordId,
        by: ImportAuthor,
        text: String,
        over: Vec<RecordId>,
    ) -> Result<(), Fault> {
        let (author, at) = (by.author.clone(), by.at);
        let edit = self.batch.edit(self.request, id, by, text.clone(), over)?;
        self.said.insert(id, SaidWords { author, text, at, over: vec![edit] });
        self.reply.changed += 1;
        Ok(())
    }
}

/// Whether a comment says this, or said it before somebody changed it.
fn has_said(comment: &Comment, text: &str) -> bool {
    let mut edits = comment.words().edits().changes().iter();
    comment.said().text == text || edits.any(|edit| edit.said.text.as_deref() == Some(text))
}

/// Why the words of a comment are not taken over.
fn other_words(why: &str, here: &Comment) -> Fault {
    let message = format!("its words differ from those of {}, and {why}", here.id());
    Fault::new(FaultCode::Refused, message)
}

/// Two entries of one import have one name, and two texts.
pub(super) fn said_twice() -> Fault {
    let message = "something else is imported under the same name: import the files one by one";
    Fault::new(FaultCode::Refused, message)
}
