//! The change that comes with something that was said elsewhere, as a suggestion for the files that are here.

use postil_core::notes::DraftPin;
use postil_core::patch::is_binary;
use postil_core::record::SuggestedFile;
use postil_protocol::{ByteText, ColumnUnit, FixedFile, ImportedComment, ImportedFix, RefusedView};

use crate::files::disk::is_trackable;
use crate::import::imported_suggestion::edits_of;
use crate::import::importing::Importing;
use crate::import::place_finding::NewThreadPlace;
use crate::pointing::point::{IgnoredFiles, repo_path};
use crate::suggestions::suggest::suggested_patch;

/// The files of a suggestion, and what is kept with them.
type SuggestedFiles = (Vec<SuggestedFile>, Vec<DraftPin>);

impl Importing<'_> {
    /// What a comment suggests; notes down why it is imported without that.
    pub fn suggestion(
        &mut self,
        comment: &ImportedComment,
        placed: Option<&NewThreadPlace>,
    ) -> Vec<SuggestedFile> {
        let Some(fix) = &comment.fix else { return Vec::new() };
        let made = match fix {
            ImportedFix::Files(_) if placed.is_none_or(|placed| placed.is_displaced) => {
                Err("the lines that it is about are different here".to_owned())
            }
            ImportedFix::Files(files) => {
                self.fixed_files(files, comment.columns, placed.and_then(|placed| placed.rev.as_deref()))
            }
            ImportedFix::Unreadable(reason) => Err(reason.clone()),
            ImportedFix::Patch { patch, rev } => self.patched_files(patch, rev.as_deref()),
        };
        match made {
            Ok((files, pins)) => {
                for pin in &pins {
                    self.batch.pin(pin);
                }
                self.reply.fixes += 1;
                files
            }
            Err(reason) => {
                self.reply.without_fix.push(RefusedView { id: comment.id.clone(), reason });
                Vec::new()
            }
        }
    }

    fn fixed_files(
        &mut self,
        files: &[FixedFile],
        unit: ColumnUnit,
        rev: Option<&str>,
    ) -> Result<SuggestedFiles, String> {
        let mut fixed: Vec<SuggestedFile> = Vec::new();
        let mut pins = Vec::new();
        for FixedFile { path, replacements } in files {
            let path = repo_path(path).ok().filter(is_trackable);
            let path = path.ok_or("it changes a file outside the repository")?;
            let seen = self.file(&path, rev).map_err(|fault| fault.message.to_string())?;
            let (seen, text) = seen.as_ref();
            if is_binary(&seen.content) || fixed.iter().any(|file| file.path == path) {
                return Err(format!("it cannot be applied to {path}"));
            }
            let edits = edits_of(text, replacements, unit)?;
            pins.push(seen.pin.clone());
            let blob = Some(seen.blob);
            fixed.push(SuggestedFile { path, blob, new_path: None, mode: None, delete: false, edits });
        }
        Ok((fixed, pins))
    }

    fn patched_files(&self, patch: &ByteText, rev: Option<&str>) -> Result<SuggestedFiles, String> {
        let ignored = IgnoredFiles::Refuse;
        let made = suggested_patch(self.request, patch.as_bytes(), None, rev, ignored);
        made.map(|made| (made.files, made.pins)).map_err(|fault| fault.message.to_string())
    }
}
