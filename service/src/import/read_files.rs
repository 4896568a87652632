//! Reads what other tools wrote, in files and in the notes of git-appraise, as what is to be taken over.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use postil_core::git::{CommitId, history, tree};
use postil_protocol::{Advice, Fault, FaultCode, Import, ImportFormat, ImportedFile, RefusedView};

use crate::convert::fault::cause;
use crate::formats::{self, FormatError, Report, appraise};
use crate::repository::work_tree::WorkTree;

/// Where git-appraise keeps requests for review, and what was said about them.
const REQUESTS: &str = "refs/notes/devtools/reviews";
const DISCUSSION: &str = "refs/notes/devtools/discuss";

/// All that is to be taken over, and what cannot be: nothing in the answer is a file any more.
pub fn read_files(work_tree: &WorkTree, asked: &Import) -> Result<(Import, Vec<RefusedView>), Fault> {
    let mut report = Report {
        sources: asked.sources.clone(),
        reviews: asked.reviews.clone(),
        covered: asked.covered.clone(),
        comments: asked.comments.clone(),
        refused: Vec::new(),
    };
    for file in &asked.files {
        report.join(read(work_tree, file).map_err(|error| {
            Fault::new(FaultCode::Refused, format!("cannot import {}", file.name))
                .because(&error)
                .advise(Advice::ChooseFormat)
        })?);
    }
    if asked.appraise {
        report.join(notes_of_appraise(work_tree)?);
    }
    report.into_import(asked).map_err(|error| {
        Fault::new(FaultCode::TooLarge, "nothing was imported").because(&error).advise(Advice::ImportInParts)
    })
}

fn read(work_tree: &WorkTree, file: &ImportedFile) -> Result<Report, FormatError> {
    let root = work_tree.work_tree().map(|root| root.as_os_str().as_bytes());
    let bytes = file.content.as_bytes();
    if bytes.len() > formats::MAX_INPUT_BYTES {
        return Err(FormatError::TooLarge { bytes: bytes.len() });
    }
    let format = file.format.or_else(|| formats::format_of(&file.name, bytes));
    match format.ok_or(FormatError::Unknown)? {
        ImportFormat::Sarif => formats::sarif(bytes, root),
        ImportFormat::Rdjson => formats::rdjson(bytes, root),
        ImportFormat::Rdjsonl => formats::rdjsonl(bytes, root),
        ImportFormat::Json => formats::threads(bytes),
        ImportFormat::Codex => formats::codex(bytes, root),
        ImportFormat::Comments => {
            let about = file.about.as_ref().map(postil_protocol::ByteText::as_bytes);
            if about.is_some_and(|about| is_on_disk(work_tree, about)) {
                return formats::comments(bytes, about);
            }
            // One that lies elsewhere, as an export does, says itself which file it is about.
            match formats::comments(bytes, None) {
                Ok(report) if is_about_a_file(work_tree, &report) => Ok(report),
                _ => formats::comments(bytes, about),
            }
        }
    }
}

fn is_about_a_file(work_tree: &WorkTree, report: &Report) -> bool {
    let place = report.comments.first().and_then(|comment| comment.place.as_ref());
    place.is_some_and(|place| is_on_disk(work_tree, place.path.as_bytes()))
}

fn is_on_disk(work_tree: &WorkTree, path: &[u8]) -> bool {
    let file = work_tree.work_tree().map(|root| root.join(OsStr::from_bytes(path)));
    file.is_some_and(|file| file.symlink_metadata().is_ok())
}

fn notes_of_appraise(work_tree: &WorkTree) -> Result<Report, Fault> {
    let mut notes: BTreeMap<String, appraise::Notes> = BTreeMap::new();
    let handle = work_tree.repository().handle();
    let mut is_any = false;
    for name in [REQUESTS, DISCUSSION] {
        let unread = |error: &dyn std::fmt::Display| {
            Fault::new(FaultCode::Damaged, format!("could not read {name}"))
                .because(&cause(error.to_string()))
        };
        let found = handle.try_find_reference(name).map_err(|error| unread(&error))?;
        let Some(mut found) = found else { continue };
        is_any = true;
        let tip = CommitId::from(found.peel_to_id().map_err(|error| unread(&error))?.detach());
        let files = history::commit(&handle, tip).map_err(|error| unread(&error))?.tree;
        for (path, entry) in tree::list(&handle, files).map_err(|error| unread(&error))?.entries {
            let object: Vec<u8> = path.as_bytes().iter().copied().filter(|byte| *byte != b'/').collect();
            let Ok(object) = String::from_utf8(object) else { continue };
            let Ok(blob) = handle.find_blob(entry.id.raw()) else { continue };
            let note = notes.entry(object).or_default();
            let part = if name == REQUESTS { &mut note.requests } else { &mut note.discussion };
            part.extend_from_slice(&blob.data);
            part.push(b'\n');
        }
    }
    if is_any {
        return Ok(appraise::read(&notes));
    }
    let what = "this repository has no git-appraise reviews";
    Err(Fault::new(FaultCode::NotFound, what).advise(Advice::FetchAppraise))
}
