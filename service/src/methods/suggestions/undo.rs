//! Takes back what was last written into the files of the person who asks.

use postil_protocol::{Fault, Mark, Undo, UndoMode, UndoReply};

use crate::apply::undo_journal;
use crate::repository::work_tree::WorkTree;

/// Takes back what was last applied, forgets how to, or only says what it was.
pub fn undo(work_tree: &WorkTree, asked: &Undo) -> Result<UndoReply, Fault> {
    let entry = match asked.mode {
        UndoMode::Restore => undo_journal::undo(work_tree)?,
        UndoMode::Look => undo_journal::last_entry(work_tree)?,
        UndoMode::Skip => {
            return Ok(UndoReply {
                what: undo_journal::skip(work_tree)?,
                files: Vec::new(),
                mark: Mark::default(),
                warnings: Vec::new(),
            });
        }
    };
    Ok(UndoReply { files: entry.paths(), what: entry.what, mark: Mark::default(), warnings: Vec::new() })
}
