//! Changes to files: what a comment suggests, its state, and what applying it would do.
//!
//! A plan contains the content to write. Writing and undoing it happens in the client's process.

use serde::{Deserialize, Serialize};

use super::request::Target;
use crate::views::advice::Advice;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::thread::Person;
use crate::wire::bytes::{ByteText, Hex};
use crate::wire::fault::{Fault, FaultCode};

/// The change that a comment suggests, as the author gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Suggest {
    /// Text that replaces the commented lines; deleted lines are restored with it.
    Replacement(ByteText),
    /// A patch in any format, such as one by a language model.
    Patch(ByteText),
    /// The commented deleted lines, as they were.
    PutBack,
}

/// The state of a suggestion, which is independent of the position of its comment and the status of its
/// thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SuggestionState {
    /// The files that it was made for are not in this repository, so its state is not known.
    Pending,
    /// It can be applied.
    Applies,
    /// It is already done.
    Done,
    /// Something else was changed in the same place.
    Conflict,
}

/// A suggestion and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SuggestionView {
    /// Its state.
    pub state: SuggestionState,
    /// The files that it changes, by their paths when it was made.
    pub files: Vec<ByteText>,
    /// Its conflicts with later changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictView>,
    /// The change as a unified diff of the original files; only with full detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<ByteText>,
}

/// Why something cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ConflictView {
    /// The short id of the suggestion; `None` for a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The file.
    pub path: Option<ByteText>,
    /// The kind of conflict, as a stable word.
    #[serde(default)]
    pub code: ConflictCode,
    /// The conflict, as text.
    pub why: String,
    /// The number of the hunk in the file, counted from one; `None` for a suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<u32>,
    /// The other suggestion, if two suggestions conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The expected lines.
    pub expected: Vec<ByteText>,
    /// The lines that were found.
    pub actual: Vec<ByteText>,
    /// The number of the first of them, counted from one.
    pub line: Option<u32>,
    /// What was suggested and what was typed instead, if the same place was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<MeetingView>,
}

/// Why something cannot be applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictCode {
    /// Part of the same text was replaced.
    Overlap,
    /// The text right next to it was replaced.
    Touch,
    /// Other text was inserted at the same point.
    Insertions,
    /// Both sides of a conflict are in the file, with conflict markers.
    Marked,
    /// Another suggestion changes the same lines.
    SamePlace,
    /// There is another file at the path of a new one.
    Exists,
    /// The file no longer exists.
    Missing,
    /// The file to delete was changed, or has content that is not in the patch.
    ChangedBeforeDelete,
    /// The suggestion does not match the file that it was made for.
    Damaged,
    /// The lines of a hunk were not found.
    NotFound,
    /// The lines of a hunk were found in several places.
    Ambiguous,
    /// A hunk is applied already, though others are not.
    AlreadyApplied,
    /// Two hunks change the same lines.
    HunksOverlap,
    /// Only part of the context of a hunk was found, and not between the hunks around it.
    Strayed,
    /// A hunk has no lines to search for.
    NothingToFind,
    /// Searching for a hunk would take too long.
    TooCostly,
    /// The patch does not name a file.
    Unnamed,
    /// The patch is of a binary file.
    Binary,
    /// A reason of a later version.
    #[default]
    #[serde(other)]
    Other,
}

/// Two changes that conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MeetingView {
    /// What was suggested.
    pub suggested: ReplacedView,
    /// What was typed instead.
    pub typed: ReplacedView,
}

/// A replacement of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReplacedView {
    /// The first replaced byte, in the file that the suggestion was made for.
    pub offset: u64,
    /// The number of replaced bytes; 0 if text is only added.
    pub length: u64,
    /// The new text.
    pub text: ByteText,
}

/// How a suggestion is treated if adjacent lines have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// A change next to it is a conflict, unless both agree.
    #[default]
    Strict,
    /// A change next to it is not a conflict.
    Lenient,
}

/// What happens to conflicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnConflict {
    /// Nothing is written.
    #[default]
    Refuse,
    /// Both sides are written, with conflict markers, as git does.
    Mark,
}

/// Reports what applying suggestions to the files on disk would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Apply {
    /// The suggestions: comments that suggest a change, or threads that contain one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Target>,
    /// Whether to take all open suggestions instead: those of the current review or, without one, those that the
    /// working tree sees. Those that cannot be applied are left out, and the rest is planned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// How to treat changes of adjacent lines.
    #[serde(default)]
    pub strictness: Strictness,
    /// What to do with conflicts.
    #[serde(default)]
    pub on_conflict: OnConflict,
}

/// Reports what applying patches to the files on disk would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Patch {
    /// The patches, which are applied together.
    pub patches: Vec<PatchText>,
    /// Whether to apply them in reverse.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
}

/// One patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PatchText {
    /// A unified diff, search/replace blocks, or text between `*** Begin Patch` and `*** End Patch`.
    pub text: ByteText,
    /// The file to change, if the patch does not name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
}

/// What applying would do: all of it, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlanReply {
    /// The state of all of them together.
    pub state: SuggestionState,
    /// The suggestions, in the order of the request; with `all`, only those that are or can be applied, oldest first.
    pub suggestions: Vec<AskedSuggestion>,
    /// With `all`, the suggestions that were left out; `conflicts` has the reasons of those in conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<AskedSuggestion>,
    /// The files to write; empty if it is already done or there are conflicts.
    pub files: Vec<PlannedFile>,
    /// The conflicts.
    pub conflicts: Vec<ConflictView>,
    /// Identifies the content of all files that were read: it stays the same until one of them changes.
    pub token: String,
    /// Whether it was written; only a client sets this.
    #[serde(default)]
    pub written: bool,
    /// The commit that was made of it; only a client sets this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Hex>,
    /// The threads that were resolved with it; only a client sets this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// One of the suggestions to apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct AskedSuggestion {
    /// The comment.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// The thread that it is in.
    pub thread: Hex,
    /// Who suggested it.
    pub author: Person,
    /// The first line of the comment.
    pub subject: String,
    /// Its state.
    pub state: SuggestionState,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlannedFile {
    /// Its current path; `None` if it is created.
    pub from: Option<ByteText>,
    /// Its new path; `None` if it is deleted.
    pub to: Option<ByteText>,
    /// The git id of the content that it was matched against; `None` if it is created.
    pub matched: Option<Hex>,
    /// The same for the bytes on disk, which may have other line endings.
    pub disk: Option<Hex>,
    /// The content to write; `None` if it is deleted.
    pub content: Option<ByteText>,
    /// Whether it is executable.
    pub executable: bool,
    /// Whether it contains conflict markers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conflicted: bool,
    /// What changes, as a unified diff.
    pub diff: ByteText,
    /// The kinds of tolerance that the patch needed, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<String>,
}

/// Writes a plan into the files on disk: all of it, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ApplyWrite {
    /// The answer of `apply` or `patch`.
    pub plan: PlanReply,
    /// The token that the user saw; a plan with another token is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Whether to stage or commit the files too.
    #[serde(default)]
    pub into: ChangeInto,
}

/// Whether a change is staged or committed too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeInto {
    /// Only the files are written.
    #[default]
    Files,
    /// The files are staged too.
    Index,
    /// The files are committed too, and nothing else.
    Commit,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ApplyWriteReply {
    /// Its name in the undo journal.
    pub what: String,
    /// What git failed to do with the files, which are written anyway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_recorded: Option<NotRecorded>,
    /// The commit that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// What git failed to do with written files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NotRecorded {
    /// They are not staged.
    NotStaged,
    /// They are staged but not committed.
    NotCommitted,
}

/// Undoes the last apply in a working tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Undo {
    /// What to do with it.
    #[serde(default)]
    pub mode: UndoMode,
}

/// What to do with the last apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UndoMode {
    /// Restore the files.
    #[default]
    Restore,
    /// Keep the files, and forget how to undo it.
    Skip,
    /// Only report what it was; fails if it has been committed.
    Look,
}

/// What was undone, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoReply {
    /// What it was, as text.
    pub what: String,
    /// Its files; empty if it was skipped.
    pub files: Vec<ByteText>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

impl PlanReply {
    /// Refuses a plan whose token is not the one that the user saw.
    pub fn check_token(&self, expected: &str) -> Result<(), Fault> {
        if self.token == expected {
            return Ok(());
        }
        let mut fault = Fault::new(FaultCode::Conflict, "the files have changed since they were checked");
        fault.data.causes.push(format!("expected {expected}, found {}", self.token));
        Err(fault.reason("changed-since-check").advise(Advice::CheckAgain))
    }
}
