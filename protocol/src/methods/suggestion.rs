//! Changes to files: what a comment suggests, what has become of that, and what applying would do.
//!
//! A plan says what is to be written. Writing it, and taking it back, is done in the process of the person who asks.

use serde::{Deserialize, Serialize};

use super::request::Target;
use crate::views::advice::Advice;
use crate::views::mark::Mark;
use crate::views::thread::Person;
use crate::wire::bytes::{ByteText, Hex};
use crate::wire::fault::{Fault, FaultCode};

/// What a comment suggests, as a person gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Suggest {
    /// A text that replaces the commented lines; deleted lines come back where they were.
    Replacement(ByteText),
    /// A patch of any form, also one that a language model wrote.
    Patch(ByteText),
    /// The deleted lines that are commented on, as they were.
    PutBack,
}

/// The state of a suggestion, whatever the position of its comment and the state of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SuggestionState {
    /// The files that it was made for are not here, so its state is not known.
    Pending,
    /// It can be applied.
    Applies,
    /// It is done already.
    Done,
    /// Something else was done in the same place.
    Conflict,
}

/// What a comment suggests, and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SuggestionView {
    /// What has become of it.
    pub state: SuggestionState,
    /// The files that it changes, as they were called when it was made.
    pub files: Vec<ByteText>,
    /// Its state against what changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictView>,
    /// The change as a unified diff of what it was made for; only if everything is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<ByteText>,
}

/// Why something cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ConflictView {
    /// The suggestion, by the shortest beginning of its id; none for a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The file.
    pub path: Option<ByteText>,
    /// What is wrong, in one word that stays.
    #[serde(default)]
    pub code: ConflictCode,
    /// What is wrong, as text.
    pub why: String,
    /// Which hunk of the file it is, counted from one; none for a suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<u32>,
    /// The other suggestion that changes the same place, if that is the conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The lines that are expected.
    pub expected: Vec<ByteText>,
    /// The lines that are there.
    pub actual: Vec<ByteText>,
    /// The first of those, counted from one.
    pub line: Option<u32>,
    /// What was suggested and what was typed instead, if somebody changed the same place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meeting: Option<MeetingView>,
}

/// Why something cannot be applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictCode {
    /// Somebody replaced some of the same text.
    Overlap,
    /// Somebody replaced the text right next to it.
    Touch,
    /// Somebody inserted something else at the same point.
    Insertions,
    /// Both sides of a conflict are in its place, between conflict marks.
    Marked,
    /// Another suggestion changes the same place.
    SamePlace,
    /// There is another file at the path of a new one.
    Exists,
    /// The file is gone.
    Missing,
    /// The file that is to go was changed, or has more in it than is known.
    ChangedBeforeDelete,
    /// The suggestion does not fit what it was made for.
    Damaged,
    /// The lines of a hunk were not found.
    NotFound,
    /// The lines of a hunk were found in several places.
    Ambiguous,
    /// A hunk is applied already, though others are not.
    AlreadyApplied,
    /// Two hunks change the same lines.
    HunksOverlap,
    /// A hunk fits only in part, and not between those around it.
    Strayed,
    /// A hunk has no line that could be looked for.
    NothingToFind,
    /// Looking for a hunk costs too much.
    TooCostly,
    /// The patch names no file.
    Unnamed,
    /// The patch is of a binary file.
    Binary,
    /// A word of a later version.
    #[default]
    #[serde(other)]
    Other,
}

/// Two changes that meet and do not agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MeetingView {
    /// What was suggested.
    pub suggested: ReplacedView,
    /// What was typed instead.
    pub typed: ReplacedView,
}

/// A text in the place of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReplacedView {
    /// The first byte that it replaces, in the file that the suggestion was made for.
    pub offset: u64,
    /// How many bytes it replaces; none if it only adds.
    pub length: u64,
    /// The new text.
    pub text: ByteText,
}

/// How exactly a suggestion must agree with what changed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// What touches a suggestion must agree with it.
    #[default]
    Strict,
    /// What only touches stays beside it.
    Lenient,
}

/// What is made of a conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnConflict {
    /// Nothing is written at all.
    #[default]
    Refuse,
    /// Both sides are written, between marks, as git does it.
    Mark,
}

/// Reports what applying suggestions to the files on disk would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Apply {
    /// The comments that suggest something, or threads of which one comment does.
    pub comments: Vec<Target>,
    /// How much agreement is asked for.
    #[serde(default)]
    pub strictness: Strictness,
    /// What is made of a conflict.
    #[serde(default)]
    pub on_conflict: OnConflict,
}

/// Reports what applying patches to the files on disk would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Patch {
    /// The patches, which become one.
    pub patches: Vec<PatchText>,
    /// Whether to undo them instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
}

/// One patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PatchText {
    /// A unified diff, search/replace blocks, or what is between `*** Begin Patch` and `*** End Patch`.
    pub text: ByteText,
    /// The file that is meant, if the patch names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
}

/// What applying would do: all of it, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlanReply {
    /// What has become of it all.
    pub state: SuggestionState,
    /// The suggestions, in the order that was asked for.
    pub suggestions: Vec<AskedSuggestion>,
    /// What is to be written; empty if it is done already, or is refused.
    pub files: Vec<PlannedFile>,
    /// What prevents it.
    pub conflicts: Vec<ConflictView>,
    /// Identifies all files that were read: the same again as long as none of them changed.
    pub token: String,
    /// Whether it was written; a plan is made before that, so that only a client says so.
    #[serde(default)]
    pub written: bool,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// One of the suggestions that are to be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct AskedSuggestion {
    /// The comment.
    pub id: Hex,
    /// The shortest beginning of the id that no other id has.
    pub short: String,
    /// The thread that it is in.
    pub thread: Hex,
    /// Who suggested it.
    pub author: Person,
    /// The first line of the comment.
    pub subject: String,
    /// What has become of it.
    pub state: SuggestionState,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PlannedFile {
    /// Where it is; none when it is made.
    pub from: Option<ByteText>,
    /// Where it goes; none when it is deleted.
    pub to: Option<ByteText>,
    /// The content that it was matched against, by git's name for it; none when it is made.
    pub matched: Option<Hex>,
    /// The same for the very bytes on disk, which may have other line ends than git keeps.
    pub disk: Option<Hex>,
    /// The bytes that are to be on disk; none when it is deleted.
    pub content: Option<ByteText>,
    /// Whether it is to be a program.
    pub executable: bool,
    /// Whether both sides of a conflict are in it, between marks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conflicted: bool,
    /// What changes, as a unified diff.
    pub diff: ByteText,
    /// How much tolerance a patch needed, each stage by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<String>,
}

/// Writes a plan into the files on disk: all of it, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ApplyWrite {
    /// The answer of `apply` or `patch`.
    pub plan: PlanReply,
    /// The token that the person saw; a plan with another one is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Where besides the files the change goes.
    #[serde(default)]
    pub into: ChangeInto,
}

/// How far into git a change goes.
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
    /// What it is called in the undo journal.
    pub what: String,
    /// What git did not do with the files, which are written all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_recorded: Option<NotRecorded>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What git did not do with files that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NotRecorded {
    /// They are not staged.
    NotStaged,
    /// They are staged and not committed.
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

/// What to do with what was last written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UndoMode {
    /// Make the files what they were.
    #[default]
    TakeBack,
    /// Leave the files, and forget how to take it back.
    Skip,
    /// Only say what it was; fails if it is committed since.
    Look,
}

/// What was taken back, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UndoReply {
    /// What it was, as text.
    pub what: String,
    /// Its files; none if it was skipped.
    pub files: Vec<ByteText>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

impl PlanReply {
    /// Refuses a plan for other files than those that a person saw.
    pub fn check_token(&self, expected: &str) -> Result<(), Fault> {
        if self.token == expected {
            return Ok(());
        }
        let mut fault = Fault::new(FaultCode::Conflict, "the files have changed since they were checked");
        fault.data.causes.push(format!("expected {expected}, found {}", self.token));
        Err(fault.reason("changed-since-check").advise(Advice::CheckAgain))
    }
}
