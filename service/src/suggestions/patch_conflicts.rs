//! Why patches do not fit, as clients see it.

use postil_core::git::RepoPath;
use postil_core::patch::{self, FileFailure, HunkProblem};
use postil_protocol::{ByteText, ConflictCode, ConflictView};

/// Why a patch does not fit, as clients see it.
pub(crate) fn failures(failed: &[FileFailure]) -> Vec<ConflictView> {
    let mut all = Vec::new();
    for file in failed {
        match &file.failure {
            patch::PatchFailure::Hunks { failed, .. } => all.extend(failed.iter().map(|hunk| {
                let lines =
                    |lines: &[Vec<u8>]| lines.iter().map(|line| ByteText::new(line.as_slice())).collect();
                ConflictView {
                    suggestion: None,
                    path: file.path.as_ref().map(|path| ByteText::new(path.as_bytes())),
                    code: match hunk.why {
                        HunkProblem::NotFound => ConflictCode::NotFound,
                        HunkProblem::Ambiguous(_) => ConflictCode::Ambiguous,
                        HunkProblem::AlreadyApplied => ConflictCode::AlreadyApplied,
                        HunkProblem::Overlap => ConflictCode::HunksOverlap,
                        HunkProblem::Strayed => ConflictCode::Strayed,
                        HunkProblem::NothingToFind => ConflictCode::NothingToFind,
                        HunkProblem::TooCostly => ConflictCode::TooCostly,
                    },
                    why: hunk.why.to_string(),
                    hunk: u32::try_from(hunk.hunk + 1).ok(),
                    other: None,
                    expected: lines(&hunk.expected),
                    actual: lines(&hunk.actual),
                    line: u32::try_from(hunk.line).ok(),
                    meeting: None,
                }
            })),
            other => {
                let code = match other {
                    patch::PatchFailure::AlreadyApplied => ConflictCode::AlreadyApplied,
                    patch::PatchFailure::Hunks { .. } => ConflictCode::NotFound,
                    patch::PatchFailure::Exists => ConflictCode::Exists,
                    patch::PatchFailure::Unnamed => ConflictCode::Unnamed,
                    patch::PatchFailure::Missing => ConflictCode::Missing,
                    patch::PatchFailure::MoreThanDeleted { .. } => ConflictCode::ChangedBeforeDelete,
                    patch::PatchFailure::Binary => ConflictCode::Binary,
                };
                all.push(plain_conflict(None, file.path.as_ref(), code, other.to_string()));
            }
        }
    }
    all
}

pub(crate) fn plain_conflict(
    short: Option<&str>,
    path: Option<&RepoPath>,
    code: ConflictCode,
    why: String,
) -> ConflictView {
    ConflictView {
        suggestion: short.map(str::to_owned),
        path: path.map(|path| ByteText::new(path.as_bytes())),
        code,
        why,
        hunk: None,
        other: None,
        expected: Vec::new(),
        actual: Vec::new(),
        line: None,
        meeting: None,
    }
}
