//! What a person can do next, as data. Each client words it for its users.
//!
//! A page, an editor and a command line do the same thing in different ways, so no command is named here.

use serde::{Deserialize, Serialize};

use crate::wire::bytes::{ByteText, Hex};

macro_rules! advice {
    ($(
        $(#[$doc:meta])*
        $word:literal $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })?;
    )*) => {
        /// What to do next, after an error or about a finding.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
        #[serde(tag = "do")]
        pub enum Advice {
            $($(#[$doc])* #[serde(rename = $word)] $name $({ $($(#[$field_doc])* $field: $type),* })?,)*
            /// Advice of a later version.
            #[serde(other, rename = "other")]
            Other,
        }

        impl Advice {
            /// The words of all advice in this version.
            pub const WORDS: &[&'static str] = &[$($word),*];

            /// Its word.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Self::$name $({ $($field: _),* })? => $word,)*
                    Self::Other => "other",
                }
            }
        }
    };
}

advice! {
    // Locations.
    /// Comment on these lines of the new side: they are not deleted.
    "point-at-new-side" PointAtNewSide {
        /// The file.
        path: ByteText,
        /// The first line.
        start: u32,
        /// The last line.
        end: u32,
    };
    /// Read the message of this commit, to count its lines.
    "read-message" ReadMessage {
        /// The commit.
        commit: String,
    };
    /// Comment inside the submodule, which is a separate repository.
    "enter-submodule" EnterSubmodule {
        /// Its path.
        path: ByteText,
    };
    /// Make a commit first.
    "commit-first" CommitFirst;
    /// Restore the file, or comment on the committed version.
    "restore-file" RestoreFile {
        /// The file.
        path: ByteText,
    };
    /// Choose a text file.
    "name-text-file" NameTextFile;
    /// List the files.
    "list-files" ListFiles;
    /// Use a path relative to the root of the repository.
    "name-path-inside" NamePathInside;
    /// Give the text before or after the quote, or quote more.
    "quote-more" QuoteMore;
    /// Quote the text as it is rendered, or give lines.
    "quote-as-read" QuoteAsRead;
    /// Give lines instead of a quote.
    "name-lines" NameLines;
    /// Lines are counted from one; or choose the whole file.
    "count-lines" CountLines;
    /// Columns are bytes, counted from one; or choose whole lines.
    "count-columns" CountColumns;
    /// Choose the file without lines.
    "name-whole-file" NameWholeFile;
    /// Choose fewer lines, or the whole file.
    "point-at-less" PointAtLess;
    /// Give lines, a file, or a review.
    "name-lines-or-review" NameLinesOrReview;
    /// Choose one of the numbered candidates, or another place.
    "choose-candidate" ChooseCandidate;

    /// Allow a file that git ignores, if its lines may be shared.
    "allow-ignored" AllowIgnored;

    // Ids, branches and commits.
    /// List the threads and reviews.
    "list-threads" ListThreads;
    /// Give more digits of the id.
    "give-more-digits" GiveMoreDigits;
    /// Give an existing file, line, branch or commit.
    "name-what-exists" NameWhatExists;
    /// Use one of these words.
    "choose-word" ChooseWord {
        /// The words.
        words: Vec<String>,
    };
    /// List the commits; another person's commit may have to be fetched first.
    "list-commits" ListCommits;
    /// List the branches.
    "list-branches" ListBranches;
    /// List the branches and tags.
    "list-branches-and-tags" ListBranchesAndTags;
    /// Write a comment, or fetch those of others.
    "comment-or-fetch" CommentOrFetch;
    /// Fetch the reviews of this remote: none are known here, and a clone comes without them.
    "fetch-reviews" FetchReviews {
        /// Its name.
        remote: String,
    };
    /// Show the review with this name.
    "show-review" ShowReview {
        /// Its name.
        review: String,
    };
    /// Move the first comment of the thread instead.
    "move-thread" MoveThread {
        /// Its short id.
        thread: String,
    };
    /// List the threads with suggestions.
    "list-suggestions" ListSuggestions;
    /// List again, from the first page.
    "list-again" ListAgain;

    // Texts.
    /// Give a text.
    "say-text" SayText;
    /// Give a title.
    "say-title" SayTitle;
    /// Keep the suggestion block; suggest another change, or withdraw it.
    "keep-suggestion" KeepSuggestion;
    /// Withdraw the draft without a reason: it is deleted.
    "leave-reason-out" LeaveReasonOut;
    /// Resolve the thread instead.
    "resolve-instead" ResolveInstead;
    /// Set up signing as for commits, or turn it off.
    "sign-or-turn-off" SignOrTurnOff;

    // Reviews.
    /// Edit the title or the description of the existing review.
    "edit-review" EditReview {
        /// Its short id.
        review: String,
    };
    /// Comment on the review: it already has this status.
    "comment-on-review" CommentOnReview {
        /// Its short id.
        review: String,
    };
    /// Start a review, or list the others.
    "start-review" StartReview;
    /// Choose a base.
    "choose-base" ChooseBase;
    /// Choose a base that shares history with the branch.
    "choose-related-base" ChooseRelatedBase;
    /// Choose a base that is not the branch itself.
    "choose-different-base" ChooseDifferentBase;
    /// Switch to the branch to review, or name it.
    "switch-to-reviewed" SwitchToReviewed;
    /// Switch to a branch, or name one.
    "switch-to-branch" SwitchToBranch;
    /// Have the reviewed commit pushed, or show the whole change.
    "get-judged-commit" GetJudgedCommit;
    /// Fetch or recreate the branch, or close the review.
    "get-branch-or-close" GetBranchOrClose;
    /// Close reviews that are done, or should never have been opened.
    "close-reviews" CloseReviews;
    /// List the verdicts, or show the whole change.
    "list-verdicts" ListVerdicts;

    // Agents and tools.
    /// Let the person do it that the program works for.
    "let-person-do" LetPersonDo;
    /// Propose it, and let a person decide.
    "propose-instead" ProposeInstead;
    /// Keep it as a draft, which a person publishes.
    "keep-as-draft" KeepAsDraft;
    /// Let the person allow their agents to write, in their own git configuration.
    "allow-agents" AllowAgents {
        /// The setting, which is `read`, `draft` or `write`.
        setting: String,
    };
    /// Name a person with their email, or by a part of it that only one has.
    "name-person" NamePerson;

    // Importing.
    /// Import it in several parts.
    "import-in-parts" ImportInParts;
    /// Choose the format of the file.
    "choose-format" ChooseFormat;
    /// Fetch the notes of git-appraise.
    "fetch-appraise" FetchAppraise;

    // Syncing.
    /// Push the branches of the files to this remote, or send the files with the reviews; what was fetched is
    /// kept.
    "send-files" SendFiles {
        /// The remote.
        remote: String,
    };
    /// Fetch and merge first.
    "fetch-first" FetchFirst;
    /// Have the notes ref allowed on the remote; nothing is lost.
    "allow-notes-ref" AllowNotesRef;
    /// Have the other ref deleted from the remote; nothing is lost.
    "delete-other-ref" DeleteOtherRef;
    /// Sync again later: what was fetched is kept, and nothing is lost.
    "sync-later" SyncLater;
    /// Sync again: nothing is lost.
    "sync-again" SyncAgain;

    // Applying and undoing.
    /// Nothing: no file was changed.
    "nothing-changed" NothingChanged;
    /// Request a new plan: a file has changed, and nothing was written.
    "plan-again" PlanAgain;
    /// Check the plan again: the files have changed since the user saw it.
    "check-again" CheckAgain;
    /// Finish the merge or cherry-pick first, or write only the files.
    "end-operation-first" EndOperationFirst;
    /// Commit or stash your changes first, or write only the files.
    "commit-own-changes-first" CommitOwnChangesFirst;
    /// Restore these files by hand: this failed.
    "put-back-by-hand" PutBackByHand {
        /// The files.
        files: Vec<String>,
    };
    /// Unstage the files.
    "unstage-files" UnstageFiles;
    /// Unstage the files first, undo the change by hand, or skip it.
    "unstage-first" UnstageFirst;
    /// Undo your own change first, undo this one by hand, or skip it.
    "take-own-change-out" TakeOwnChangeOut;
    /// Skip the last apply: its undo information is damaged.
    "skip-undo" SkipUndo;
    /// Revert commits with git.
    "revert-commits" RevertCommits;
    /// Revert this commit, or skip the last apply.
    "revert-commit" RevertCommit {
        /// The short id of the commit.
        commit: String,
    };

    // Retrying.
    /// Try again.
    "try-again" TryAgain;
    /// Free disk space or fix the permissions, and try again: nothing was saved.
    "make-room" MakeRoom;
    /// Check the repository for damage.
    "check-repository" CheckRepository;

    // Repairs.
    /// Nothing to do.
    "nothing" Nothing;
    /// Repair the notes; the next comment does that too.
    "mend-notes" MendNotes;
    /// Repair the notes, which leaves the entries out that git refuses.
    "clean-notes" CleanNotes;
    /// List the threads, which restores them; the next comment does that too.
    "read-notes" ReadNotes;
    /// Finish the `git notes merge` that is open, or cancel it.
    "finish-notes-merge" FinishNotesMerge;
    /// Sync, which fetches the rest of the history.
    "sync-history" SyncHistory;
    /// Fetch the notes from a clone that has their whole history.
    "fetch-notes-from-clone" FetchNotesFromClone;
    /// See what is missing, and sync with a remote that has it.
    "sync-missing" SyncMissing;
    /// Sync with a remote that has the files.
    "sync-files" SyncFiles;
    /// Ask the author of a record to write it again.
    "ask-author" AskAuthor;
    /// Show the foreign text in the note of this object.
    "show-foreign-words" ShowForeignWords {
        /// The object.
        object: Hex,
    };
    /// Use a newer version of postil.
    "use-newer-version" UseNewerVersion;
    /// Push the branch, and then share the files.
    "push-then-share-files" PushThenShareFiles;
    /// Restore what a purge removed, if that was wrong.
    "restore-purged" RestorePurged {
        /// The records; what was said about them comes along.
        records: Vec<Hex>,
    };
    /// Look at what a purged record was restored as.
    "show-restored" ShowRestored {
        /// The new record.
        record: Hex,
    };
    /// Restore some purged records, to see the rest.
    "restore-some" RestoreSome;
    /// List the purged records.
    "list-purged" ListPurged;
    /// Set git's merge strategy for notes.
    "set-merge-strategy" SetMergeStrategy;
    /// Push branches by name, or restrict what a push sends.
    "push-by-name" PushByName;
    /// Remove the refspec that overwrites the notes.
    "remove-refspec" RemoveRefspec;
    /// Exclude local refs from fetches.
    "spare-local-refs" SpareLocalRefs;
    /// Set `postil.daemon` to a valid value.
    "set-daemon" SetDaemon;
    /// Set `postil.autosync` to a valid value.
    "set-autosync" SetAutosync;
    /// Delete old caches.
    "delete-caches" DeleteCaches;
    /// Restart the daemon.
    "restart-daemon" RestartDaemon;
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WarningView {
    /// The problem, as text.
    pub what: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_a_word_with_its_data_beside_it() {
        let advice = Advice::MoveThread { thread: "3f9c1a2".into() };
        let json = serde_json::to_string(&advice).unwrap();
        assert_eq!(json, r#"{"do":"move-thread","thread":"3f9c1a2"}"#);
        assert_eq!(serde_json::from_str::<Advice>(&json).unwrap(), advice);
        assert_eq!(advice.word(), "move-thread");
    }

    #[test]
    fn a_word_of_a_later_version_is_read_with_whatever_data_it_has() {
        let later = r#"{"do":"sing","song":["a","b"]}"#;
        assert_eq!(serde_json::from_str::<Advice>(later).unwrap(), Advice::Other);
    }

    #[test]
    fn no_two_kinds_of_advice_have_the_same_word() {
        let words: std::collections::BTreeSet<_> = Advice::WORDS.iter().collect();
        assert_eq!(words.len(), Advice::WORDS.len());
    }
}
