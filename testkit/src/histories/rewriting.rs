//! Random histories that are rewritten behind a comment: the commented commit is none of the head's any more.
//!
//! A rewriting goes by identities, as people do it who know what they meant: what one side did to a line is done to
//! that line again, wherever the other side has it. Nothing is copied or moved in what is rewritten, only afterwards.

use std::collections::BTreeMap;

use super::story::{Known, Story, Verb, texts};

/// The files of a commit.
pub type Files = BTreeMap<String, Vec<Known>>;

/// How often a base changes while a branch is worked on.
const BASE_CHANGES: usize = 2;

/// How many lines a commit adds in one place.
const BLOCK: usize = 5;

/// How a history is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewriting {
    /// `git commit --amend` with another message alone.
    Reword,
    /// `git commit --amend` with a change.
    Amend,
    /// All commits of the branch in one, with what came after the comment.
    Squash,
    /// `git commit --fixup` of a commit before the commented one, and `git rebase --autosquash`.
    Fixup,
    /// `git rebase` onto a base that changed the same file.
    Rebase,
    /// `git rebase --onto`: what the branch stood on stays behind.
    RebaseOnto,
    /// `git cherry-pick` of the commented commit alone onto another branch.
    CherryPick,
    /// `git merge --squash` into a base that changed the same file.
    MergeSquash,
    /// `git reset --soft` to the base, and one commit of the same files.
    ResetSoft,
    /// The commented commit in two.
    SplitCommit,
    /// The commented commit before the one it stood on.
    Reorder,
}

impl Rewriting {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Reword,
        Self::Amend,
        Self::Squash,
        Self::Fixup,
        Self::Rebase,
        Self::RebaseOnto,
        Self::CherryPick,
        Self::MergeSquash,
        Self::ResetSoft,
        Self::SplitCommit,
        Self::Reorder,
    ];
}

/// Two lines of commits that begin at one.
pub struct Rewritten {
    /// Where both begin.
    pub root: Files,
    /// What was there; its last commit is commented.
    pub old: Vec<Files>,
    /// What stands there instead, up to the head.
    pub new: Vec<Files>,
}

impl Rewritten {
    /// How many commits of the new line are those of the old one; the commented one never is.
    pub fn unchanged(&self) -> usize {
        let is_same = |(old, new): &(&Files, &Files)| texts(old) == texts(new);
        self.old.iter().zip(&self.new).take(self.old.len() - 1).take_while(is_same).count()
    }

    /// Whether the branch wrote a line of the commented commit, which is what most comments are on.
    pub fn is_written(&self, line: &Known) -> bool {
        let is_it = |other: &Known| other.identity == line.identity && other.text == line.text;
        !self.root.values().flatten().any(is_it)
    }
}

/// Tells a branch, how it is rewritten, and so many changes afterwards; the story ends with the head.
pub fn rewrite(story: &mut Story, rewriting: Rewriting, changes: usize) -> Rewritten {
    let root = story.files.clone();
    let first = commit_on(story, &root);
    let second = commit_on(story, &first);
    let (old, mut new) = match rewriting {
        Rewriting::Reword => (vec![first.clone(), second.clone()], vec![first, second]),
        Rewriting::Amend => {
            let amended = commit_on(story, &second);
            (vec![first.clone(), second], vec![first, amended])
        }
        Rewriting::Squash => {
            let third = commit_on(story, &second);
            (vec![first, second], vec![third])
        }
        Rewriting::Fixup => {
            let fixed = commit_on(story, &second);
            let folded = replay(&second, &first, &fixed);
            (vec![first, second], vec![folded, fixed])
        }
        Rewriting::Rebase => {
            let base = base_on(story, &root);
            let replayed = [&first, &second].map(|commit| replay(&root, &base, commit));
            (vec![first, second], [vec![base], replayed.to_vec()].concat())
        }
        Rewriting::RebaseOnto => {
            let third = commit_on(story, &second);
            let base = base_on(story, &root);
            let replayed = [&second, &third].map(|commit| replay(&first, &base, commit));
            (vec![first, second, third], [vec![base], replayed.to_vec()].concat())
        }
        Rewriting::CherryPick => {
            let base = base_on(story, &root);
            let picked = replay(&first, &base, &second);
            (vec![first, second], vec![base, picked])
        }
        Rewriting::MergeSquash => {
            let base = base_on(story, &root);
            let merged = replay(&root, &base, &second);
            (vec![first, second], vec![base, merged])
        }
        Rewriting::ResetSoft => (vec![first, second.clone()], vec![second]),
        Rewriting::SplitCommit => {
            let half = replay_some(&first, &first, &second, |identity| identity % 2 == 0);
            (vec![first.clone(), second.clone()], vec![first, half, second])
        }
        Rewriting::Reorder => {
            let earlier = replay(&first, &root, &second);
            (vec![first, second.clone()], vec![earlier, second])
        }
    };
    story.files = new.last().cloned().unwrap_or_default();
    for _ in 0..changes {
        story.change();
        new.push(story.files.clone());
    }
    Rewritten { root, old, new }
}

/// One commit on top of another: some lines that stand together come, and three others come, go or change.
fn commit_on(story: &mut Story, files: &Files) -> Files {
    story.files.clone_from(files);
    story.add_block(BLOCK);
    story.change_some(&[Verb::Insert, Verb::Insert, Verb::Edit, Verb::Edit, Verb::Delete, Verb::Reformat]);
    story.files.clone()
}

fn base_on(story: &mut Story, root: &Files) -> Files {
    (0..BASE_CHANGES).fold(root.clone(), |files, _| commit_on(story, &files))
}

/// Does to `onto` what was done between two others.
fn replay(from: &Files, onto: &Files, to: &Files) -> Files {
    replay_some(from, onto, to, |_| true)
}

fn replay_some(from: &Files, onto: &Files, to: &Files, takes: impl Fn(u32) -> bool) -> Files {
    let replayed = onto.iter().map(|(path, onto)| {
        let lines = match (from.get(path), to.get(path)) {
            (Some(from), Some(to)) => replay_lines(from, onto, to, &takes),
            _ => onto.clone(),
        };
        (path.clone(), lines)
    });
    replayed.collect()
}

fn replay_lines(from: &[Known], onto: &[Known], to: &[Known], takes: &impl Fn(u32) -> bool) -> Vec<Known> {
    let find = |lines: &[Known], identity: u32| lines.iter().find(|line| line.identity == identity).cloned();
    let mut lines = Vec::new();
    for line in onto {
        lines.push(match (find(from, line.identity), find(to, line.identity)) {
            (Some(_), None) if takes(line.identity) => continue,
            (Some(old), Some(new)) if old.text != new.text && takes(line.identity) => new,
            _ => line.clone(),
        });
    }
    // What came is put behind what it came behind.
    let mut at = 0;
    for line in to {
        match lines.iter().position(|other| other.identity == line.identity) {
            Some(there) => at = there + 1,
            None if find(from, line.identity).is_none() && takes(line.identity) => {
                lines.insert(at, line.clone());
                at += 1;
            }
            None => {}
        }
    }
    lines
}
