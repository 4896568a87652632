//! Merges that people made: one side is taken for a suggestion, the other for what the user did meanwhile.
//!
//! The truth is what stands in the merge. People change more than the two sides did, so that no way is always right;
//! what counts is how the ways differ.

use std::path::Path;

use postil_core::edit::{AgreementMode, AutoClose, EditOrigin, Grain, Rules, TextEdit, rebase};
use postil_core::suggestion::{CarriedEdit, carry};

use crate::history::{AccuracyError, MergedFile, merged, merges};
use crate::tally::OutcomeTally;

/// So many files are taken from the merges of each repository.
const FILES: usize = 400;

const WAYS: [(&str, MergeFn); 4] = [
    ("`postil apply`: lines, then words of lines that are alike", product),
    ("all of the text by words", |file, side| by_grain(file, side, Grain::Word)),
    ("all of the text by characters", |file, side| by_grain(file, side, Grain::Character)),
    ("by lines alone", |file, side| by_grain(file, side, Grain::Line)),
];

type MergeFn = fn(&MergedFile, usize) -> Result<Option<Vec<u8>>, AccuracyError>;

/// Measures, and prints the table.
pub fn run(repositories: &[&Path]) -> Result<(), AccuracyError> {
    let folder = tempfile::tempdir()?;
    let mut tallies = [[OutcomeTally::default(); 2]; WAYS.len()];
    let mut afterwards = Afterwards::default();
    for repository in repositories {
        let files = merges(repository, FILES)?;
        for file in &files {
            let [ours, theirs] = &file.sides;
            let is_clean = merged(folder.path(), ours, &file.base, theirs)?.is_some();
            for side in [0, 1] {
                afterwards.count(file, side)?;
                for ((_, way), tallies) in WAYS.iter().zip(&mut tallies) {
                    tallies[usize::from(!is_clean)].count(way(file, side)?.as_deref(), &file.result);
                }
            }
        }
        println!("{} files of merges of {}", files.len(), repository.display());
    }
    let [clean, conflicted] = tallies[0].map(|tally| tally.all());
    println!(
        "\n| | {clean} that git merges: as the merge has it | refused | other | {conflicted} that it does not: as the merge has it | refused | other |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ((name, _), [clean, conflicted]) in WAYS.iter().zip(&tallies) {
        println!("| {name} | {clean} | {conflicted} |");
    }
    let Afterwards { applied, done, left } = afterwards;
    println!(
        "\nOf {applied} suggestions that `postil apply` applied, {done} are told to be done afterwards, {left} to apply, and {} to conflict.",
        applied - done - left
    );
    Ok(())
}

fn product(file: &MergedFile, side: usize) -> Result<Option<Vec<u8>>, AccuracyError> {
    let (current, wanted) = (&file.sides[side], &file.sides[1 - side]);
    let edit = TextEdit::from_diff(&file.base, wanted, Grain::Line);
    Ok(match carry(&file.base, &edit, current, AgreementMode::Strict)? {
        CarriedEdit::Left(left) => Some(left.apply(current)?),
        CarriedEdit::Done => Some(current.clone()),
        CarriedEdit::Conflict(_) | CarriedEdit::Marked(_) => None,
    })
}

/// What is told of suggestions once they are applied.
#[derive(Clone, Copy, Debug, Default)]
struct Afterwards {
    applied: usize,
    done: usize,
    /// These would be applied a second time.
    left: usize,
}

impl Afterwards {
    fn count(&mut self, file: &MergedFile, side: usize) -> Result<(), AccuracyError> {
        let (current, wanted) = (&file.sides[side], &file.sides[1 - side]);
        let edit = TextEdit::from_diff(&file.base, wanted, Grain::Line);
        let CarriedEdit::Left(left) = carry(&file.base, &edit, current, AgreementMode::Strict)? else {
            return Ok(());
        };
        self.applied += 1;
        match carry(&file.base, &edit, &left.apply(current)?, AgreementMode::Strict)? {
            CarriedEdit::Done => self.done += 1,
            CarriedEdit::Left(_) => self.left += 1,
            CarriedEdit::Conflict(_) | CarriedEdit::Marked(_) => {}
        }
        Ok(())
    }
}

fn by_grain(file: &MergedFile, side: usize, grain: Grain) -> Result<Option<Vec<u8>>, AccuracyError> {
    let (current, wanted) = (&file.sides[side], &file.sides[1 - side]);
    let (users, suggested) =
        (TextEdit::from_diff(&file.base, current, grain), TextEdit::from_diff(&file.base, wanted, grain));
    let rules =
        Rules { mode: AgreementMode::Strict, auto_close: AutoClose::Typed, origin: EditOrigin::Compared };
    let left = rebase(&file.base, &suggested, &users, rules)?;
    Ok(left.ok().map(|left| left.apply(current)).transpose()?)
}
