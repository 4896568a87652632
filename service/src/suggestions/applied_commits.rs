//! The commits in which suggestions were applied.
//!
//! No record says that: whoever applies a suggestion makes a commit like any other. So history is asked for the commits
//! that have what was suggested while none of their parents has it.

use std::collections::HashMap;

use postil_core::git::{CommitId, RepoPath, history};
use postil_core::record::RecordId;
use postil_core::review::{Comment, Thread};
use postil_protocol::{HeadName, Person, SuggestionState};

use super::status::{fate_at, standing_suggestions, suggestion_places};
use crate::files::HeadFiles;
use crate::notes::comment_commits::made_since;
use crate::request::Request;

/// So many files are looked at for one thread, in all commits together.
const MAX_FILES: usize = 4096;

/// A commit in which a suggestion was applied.
#[derive(Debug)]
pub(crate) struct AppliedCommit {
    /// The comment that suggests it.
    pub comment: RecordId,
    /// The commit.
    pub commit: CommitId,
    /// Who wrote the commit.
    pub author: Person,
    /// When it was committed, in milliseconds since 1970.
    pub at: u64,
}

/// Finds the commits on the way to a head that applied what a thread suggests, oldest first.
///
/// Looks at the newest commits that are not older than the suggestion, as many as a log has. Says nothing where it
/// cannot know: objects are missing, or there are too many commits.
pub(crate) fn applied_commits(request: &Request, thread: Thread<'_>, head: CommitId) -> Vec<AppliedCommit> {
    let mut budget = MAX_FILES;
    let applied = standing_suggestions(thread).filter_map(|comment| {
        Search::new(request, thread, comment, head, &mut budget).map(|mut search| search.run(&mut budget))
    });
    let mut applied: Vec<AppliedCommit> = applied.flatten().collect();
    applied.sort_by_key(|applied| applied.at);
    applied
}

/// The search for the commits of one suggestion.
struct Search<'a> {
    request: &'a Request,
    comment: &'a Comment,
    /// Where each of its files may be.
    places: Vec<Vec<RepoPath>>,
    /// When it was suggested, in seconds since 1970.
    suggested: i64,
    /// Oldest first.
    commits: Vec<CommitId>,
    known: HashMap<CommitId, Option<bool>>,
}

impl<'a> Search<'a> {
    fn new(
        request: &'a Request,
        thread: Thread<'_>,
        comment: &'a Comment,
        head: CommitId,
        budget: &mut usize,
    ) -> Option<Self> {
        *budget = budget.checked_sub(comment.said().suggestion.len())?;
        let suggested = i64::try_from(comment.said().at.0 / 1000).unwrap_or(i64::MAX);
        let mut commits = made_since(&request.handle, head, suggested).ok()?;
        commits.reverse();
        let files = HeadFiles::of(request, &HeadName::Rev(head.to_string())).ok()?;
        let mut places = suggestion_places(request, &files, thread, comment, None).ok()?;
        for (file, places) in comment.said().suggestion.iter().zip(&mut places) {
            if !places.contains(&file.path) {
                places.insert(0, file.path.clone());
            }
        }
        Some(Self { request, comment, places, suggested, commits, known: HashMap::new() })
    }

    fn run(&mut self, budget: &mut usize) -> Vec<AppliedCommit> {
        let mut found = Vec::new();
        for commit in std::mem::take(&mut self.commits) {
            if self.is_done_at(commit, budget) != Some(true) {
                continue;
            }
            let Ok(info) = history::commit(&self.request.handle, commit) else { continue };
            let is_new = info.parents.iter().all(|parent| self.is_done_at(*parent, budget) == Some(false));
            // What a repository began with was not applied to anything, and what is older than the suggestion is not it.
            if is_new && !info.parents.is_empty() && info.time >= self.suggested {
                found.extend(self.applied(commit, info.time));
            }
        }
        found
    }

    /// Whether a commit has what was suggested; `None` if that cannot be found out.
    fn is_done_at(&mut self, commit: CommitId, budget: &mut usize) -> Option<bool> {
        if let Some(known) = self.known.get(&commit) {
            return *known;
        }
        let left = budget.checked_sub(self.places.len());
        let found = left.and_then(|left| {
            *budget = left;
            let files = HeadFiles::of(self.request, &HeadName::Rev(commit.to_string())).ok()?;
            let fate = fate_at(self.request, &files, self.comment, &self.places).ok()?;
            Some(fate.state == SuggestionState::Done)
        });
        self.known.insert(commit, found);
        found
    }

    fn applied(&self, commit: CommitId, time: i64) -> Option<AppliedCommit> {
        let found = self.request.handle.find_commit(commit.raw()).ok()?;
        let author = found.author().ok()?;
        let author = Person::new(author.name.to_string(), author.email.to_string());
        let at = u64::try_from(time).unwrap_or_default().saturating_mul(1000);
        Some(AppliedCommit { comment: self.comment.id(), commit, author, at })
    }
}
