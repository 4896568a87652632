//! What a person can do next, as data: each client puts it into its own words.
//!
//! A page, an editor and a command line have different ways to do the same, so that no command is named here.

use serde::{Deserialize, Serialize};

use crate::wire::bytes::{ByteText, Hex};

macro_rules! advice {
    ($(
        $(#[$doc:meta])*
        $word:literal $name:ident $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })?;
    )*) => {
        /// What to do next, after an error or about something that was found.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
        #[serde(tag = "do")]
        pub enum Advice {
            $($(#[$doc])* #[serde(rename = $word)] $name $({ $($(#[$field_doc])* $field: $type),* })?,)*
            /// A word of a later version.
            #[serde(other, rename = "other")]
            Other,
        }

        impl Advice {
            /// The words of all that this version gives.
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
    // Pointing at something.
    /// Point at these lines of the new side: they are not deleted.
    "point-at-new-side" PointAtNewSide {
        /// The file.
        path: ByteText,
        /// The first line.
        start: u32,
        /// The last line.
        end: u32,
    };
    /// Comment inside the submodule, which is a repository of its own.
    "enter-submodule" EnterSubmodule {
        /// Where it is.
        path: ByteText,
    };
    /// Make a commit first.
    "commit-first" CommitFirst;
    /// Bring the file back from the commit, or name the committed one.
    "restore-file" RestoreFile {
        /// The file.
        path: ByteText,
    };
    /// Name a file with text in it.
    "name-text-file" NameTextFile;
    /// Look which files there are.
    "list-files" ListFiles;
    /// Name a path from the root of the repository.
    "name-path-inside" NamePathInside;
    /// Say what is right before or after the quoted words, or quote more.
    "quote-more" QuoteMore;
    /// Quote the words as they read on the page, or name lines.
    "quote-as-read" QuoteAsRead;
    /// Name lines instead of words.
    "name-lines" NameLines;
    /// Count lines from one, or name the whole file.
    "count-lines" CountLines;
    /// Count columns in bytes from one, or name whole lines.
    "count-columns" CountColumns;
    /// Name the file without lines.
    "name-whole-file" NameWholeFile;
    /// Point at fewer lines, or at the whole file.
    "point-at-less" PointAtLess;
    /// Name lines, a file, or a review.
    "name-lines-or-review" NameLinesOrReview;
    /// Choose one of the numbered candidates, or name a place.
    "choose-candidate" ChooseCandidate;

    // Naming something.
    /// Look which comments and reviews there are.
    "list-threads" ListThreads;
    /// Give more digits of the id.
    "give-more-digits" GiveMoreDigits;
    /// Name a file, line, branch or commit that exists.
    "name-what-exists" NameWhatExists;
    /// Choose one of these words.
    "choose-word" ChooseWord {
        /// The words.
        words: Vec<String>,
    };
    /// Look which commits there are; somebody else's is fetched first.
    "list-commits" ListCommits;
    /// Look which branches there are.
    "list-branches" ListBranches;
    /// Look which branches and tags there are.
    "list-branches-and-tags" ListBranchesAndTags;
    /// Make a comment, or fetch those of others.
    "comment-or-fetch" CommentOrFetch;
    /// Look at the review that has this name.
    "show-review" ShowReview {
        /// Its name.
        review: String,
    };
    /// Move the comment that began the thread.
    "move-thread" MoveThread {
        /// The shortest beginning of its id.
        thread: String,
    };
    /// Look which threads suggest something.
    "list-suggestions" ListSuggestions;

    // Saying something.
    /// Give a text.
    "say-text" SayText;
    /// Give a title.
    "say-title" SayTitle;
    /// Leave the suggested block as it is; suggest another one, or withdraw it.
    "keep-suggestion" KeepSuggestion;
    /// Withdraw the draft without a reason: it is deleted.
    "leave-reason-out" LeaveReasonOut;
    /// Resolve the thread instead.
    "resolve-instead" ResolveInstead;
    /// Make signing work as it does for commits, or turn it off.
    "sign-or-turn-off" SignOrTurnOff;

    // Reviews.
    /// Edit the title or the description of the review that there is.
    "edit-review" EditReview {
        /// The shortest beginning of its id.
        review: String,
    };
    /// Comment on the review: it already has this status.
    "comment-on-review" CommentOnReview {
        /// The shortest beginning of its id.
        review: String,
    };
    /// Start a review, or look which others there are.
    "start-review" StartReview;
    /// Choose what to compare with.
    "choose-base" ChooseBase;
    /// Choose a base that shares history with the branch.
    "choose-related-base" ChooseRelatedBase;
    /// Choose a base that is not the branch itself.
    "choose-different-base" ChooseDifferentBase;
    /// Switch to the branch that is to be reviewed, or name it.
    "switch-to-reviewed" SwitchToReviewed;
    /// Switch to a branch, or name one.
    "switch-to-branch" SwitchToBranch;
    /// Get the judged commit pushed, or look at all of the change.
    "get-judged-commit" GetJudgedCommit;
    /// Fetch or make the branch again, or close the review.
    "get-branch-or-close" GetBranchOrClose;
    /// Look who has judged, or look at all of the change.
    "list-verdicts" ListVerdicts;

    // Importing.
    /// Import it in several parts.
    "import-in-parts" ImportInParts;
    /// Say in which format it is.
    "choose-format" ChooseFormat;
    /// Fetch the notes of git-appraise.
    "fetch-appraise" FetchAppraise;

    // Exchanging reviews.
    /// Push the branches of the files to this remote, or let the files be sent along; what came is kept.
    "send-files" SendFiles {
        /// The remote.
        remote: String,
    };
    /// Fetch and merge first, and then send.
    "fetch-first" FetchFirst;
    /// Get the notes ref allowed on the remote; nothing is lost.
    "allow-notes-ref" AllowNotesRef;
    /// Get the ref deleted that is in the place of the notes; nothing is lost.
    "delete-other-ref" DeleteOtherRef;
    /// Exchange again later: what came is kept, and nothing is lost.
    "sync-later" SyncLater;
    /// Exchange again: nothing is lost.
    "sync-again" SyncAgain;

    // Writing files and taking them back.
    /// Nothing: no file was changed.
    "nothing-changed" NothingChanged;
    /// Ask for a plan again: a file changed since, and nothing was written.
    "plan-again" PlanAgain;
    /// Look at the plan again: the files changed since a person saw it.
    "check-again" CheckAgain;
    /// End the merge or cherry-pick first, or write the files alone.
    "end-operation-first" EndOperationFirst;
    /// Commit or stash own changes first, or write the files alone.
    "commit-own-changes-first" CommitOwnChangesFirst;
    /// Put these files back by hand: they could not be.
    "put-back-by-hand" PutBackByHand {
        /// The files.
        files: Vec<String>,
    };
    /// Take the staged change of the files out of the index.
    "unstage-files" UnstageFiles;
    /// Unstage the files first, take the change out by hand, or skip it.
    "unstage-first" UnstageFirst;
    /// Take the own change out first, or this one by hand, or skip it.
    "take-own-change-out" TakeOwnChangeOut;
    /// Skip what was last applied: how to take it back is damaged.
    "skip-undo" SkipUndo;
    /// Revert what is committed.
    "revert-commits" RevertCommits;
    /// Revert this commit, or skip what was last applied.
    "revert-commit" RevertCommit {
        /// The commit, in short.
        commit: String,
    };

    // Trying again.
    /// Try again.
    "try-again" TryAgain;
    /// Make room, or get the right to write there, and try again: nothing was stored.
    "make-room" MakeRoom;
    /// Look at the repository for damage.
    "check-repository" CheckRepository;

    // Mending.
    /// Nothing.
    "nothing" Nothing;
    /// Let the notes be mended, which the next comment does as well.
    "mend-notes" MendNotes;
    /// Read the notes, which brings back what they held, as the next comment does.
    "read-notes" ReadNotes;
    /// Exchange reviews, which fetches the rest of the history.
    "sync-history" SyncHistory;
    /// Fetch the notes from a clone that has all of their history.
    "fetch-notes-from-clone" FetchNotesFromClone;
    /// Look what is missing, and exchange reviews with somebody who has it.
    "sync-missing" SyncMissing;
    /// Exchange reviews with somebody who has the files.
    "sync-files" SyncFiles;
    /// Ask the author of a record to write it again.
    "ask-author" AskAuthor;
    /// Look at the words of other programs in the notes of this object.
    "show-foreign-words" ShowForeignWords {
        /// The object.
        object: Hex,
    };
    /// Use a newer postil.
    "use-newer-version" UseNewerVersion;
    /// Push the branch, and then let the files be shared.
    "push-then-share-files" PushThenShareFiles;
    /// Say again what a purge took away, if that was wrong.
    "restore-purged" RestorePurged {
        /// The record.
        record: Hex,
    };
    /// Restore some of what was taken away, to see the rest.
    "restore-some" RestoreSome;
    /// Look what a purge took away.
    "list-purged" ListPurged;
    /// Let the merge strategy of git be set.
    "set-merge-strategy" SetMergeStrategy;
    /// Push branches by name, or restrict what a push sends.
    "push-by-name" PushByName;
    /// Take the refspec out that writes over the notes.
    "remove-refspec" RemoveRefspec;
    /// Let a refspec be set that keeps local refs out of fetches.
    "spare-local-refs" SpareLocalRefs;
    /// Set `postil.daemon` to a word that is understood.
    "set-daemon" SetDaemon;
    /// Set `postil.autosync` to what is understood.
    "set-autosync" SetAutosync;
    /// Let old caches be deleted.
    "delete-caches" DeleteCaches;
    /// Start the daemon again.
    "restart-daemon" RestartDaemon;
}

/// Something that a person should know before it does harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WarningView {
    /// What is or may become wrong, in words.
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
