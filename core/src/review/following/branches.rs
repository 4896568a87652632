//! The branches of a repository at one time: where they are, which is checked out, which is the usual base.
//!
//! A review names branches as `refs/heads/topic`: on this machine that can be a local branch, the tracking branch of
//! a remote, or both. Also has where the branches of reviews were when they were last seen here. `follow` and
//! `opening` use it.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use gix::bstr::ByteSlice as _;
use gix::refs::TargetRef;

use crate::git::{CommitId, RefName, Repository, history};
use crate::notes::KeptHeads;
use crate::review::ReviewError;

pub(super) const HEADS: &str = "refs/heads/";
pub(super) const REMOTES: &str = "refs/remotes/";

/// The remote that comes first.
const FIRST_REMOTE: &str = "origin";

/// Bases that are used if no remote has a HEAD.
const USUAL_BASES: [&str; 2] = ["refs/heads/main", "refs/heads/master"];

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Current {
    /// A branch, which may have no commits yet.
    Branch(RefName),
    /// A commit, or something that is not a branch.
    Detached,
}

/// Where every branch is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branches {
    pub(in crate::review) local: BTreeMap<RefName, CommitId>,
    /// By the names that the branches have on each remote; the most important remote comes first.
    pub(super) tracking: Vec<BTreeMap<RefName, CommitId>>,
    pub(super) usual_base: Option<RefName>,
    pub(super) current: Current,
    pub(super) kept: KeptHeads,
}

impl Branches {
    /// Reads the branches as they are now.
    ///
    /// `repo` must have been opened after the last change of remotes: an open repository does not read its
    /// configuration again.
    pub fn read(repo: &Repository) -> Result<Self, ReviewError> {
        let handle = repo.handle();
        let head = handle.head_name().map_err(|source| ReviewError::Head { source })?;
        let head = head.and_then(|name| RefName::from_bytes(name.as_bstr()).ok());
        let is_branch = |name: &RefName| name.as_bytes().starts_with(HEADS.as_bytes());
        let current = head.filter(is_branch).map_or(Current::Detached, Current::Branch);
        let local = repo.list_refs(HEADS)?.refs.into_iter();
        let local: BTreeMap<RefName, CommitId> = local.map(|(name, id)| (name, id.raw().into())).collect();
        let remotes = remotes(&handle);
        let mut tracking = Vec::new();
        for remote in &remotes {
            let prefix = format!("{REMOTES}{remote}/");
            let found = repo.list_refs(&prefix)?.refs;
            let named = |(name, id): (RefName, crate::git::ObjectId)| {
                Some((shared_name(&prefix, name.as_bytes())?, id.raw().into()))
            };
            tracking.push(found.into_iter().filter_map(named).collect::<BTreeMap<_, _>>());
        }
        let said = remotes.iter().find_map(|remote| remote_head(&handle, remote));
        let known = |name: &RefName| {
            local.contains_key(name) || tracking.iter().any(|branches| branches.contains_key(name))
        };
        let usual = USUAL_BASES.iter().filter_map(|name| RefName::new(name).ok()).find(known);
        let kept = KeptHeads::read(repo)?;
        Ok(Self { usual_base: said.or(usual), local, tracking, current, kept })
    }

    /// What is checked out.
    pub fn current(&self) -> &Current {
        &self.current
    }

    /// Everything but the kept heads of reviews, for comparing two states.
    pub fn besides_kept(&self) -> impl Hash + '_ {
        (&self.local, &self.tracking, &self.usual_base, &self.current)
    }

    /// Where the branches of open reviews were seen, as far as that is kept here.
    pub fn kept(&self) -> &KeptHeads {
        &self.kept
    }

    /// The default base of a branch: the remote's HEAD, else main or master.
    pub fn usual_base(&self) -> Option<&RefName> {
        self.usual_base.as_ref()
    }

    /// The local branches, sorted by name.
    pub fn local(&self) -> impl Iterator<Item = (&RefName, CommitId)> {
        self.local.iter().map(|(name, tip)| (name, *tip))
    }

    /// All local branches and branches of remotes, sorted by name.
    pub fn names(&self) -> BTreeSet<&RefName> {
        self.tracking.iter().chain([&self.local]).flat_map(BTreeMap::keys).collect()
    }

    /// Where a branch is, here and on the remotes; the local one comes first.
    pub fn tips(&self, name: &RefName) -> Vec<CommitId> {
        let mut tips = Vec::new();
        for branches in [&self.local].into_iter().chain(&self.tracking) {
            if let Some(tip) = branches.get(name).filter(|tip| !tips.contains(*tip)) {
                tips.push(*tip);
            }
        }
        tips
    }

    /// Where a base is: a branch, or any other ref to a commit, such as a tag.
    ///
    /// A branch as in [`Branches::tips`]; other refs are read from disk now, and only local ones.
    pub fn base_tips(&self, handle: &gix::Repository, name: &RefName) -> Vec<CommitId> {
        if name.as_bytes().starts_with(HEADS.as_bytes()) {
            return self.tips(name);
        }
        let found = handle.try_find_reference(name.as_bytes().as_bstr()).ok().flatten();
        // A name that is not there may still be the end of another one.
        let found = found.filter(|found| found.name().as_bstr() == name.as_bytes());
        let commit = found.and_then(|mut found| found.peel_to_commit().ok());
        commit.map(|commit| CommitId::from(commit.id)).into_iter().collect()
    }

    /// Returns where a branch is: here, or on a remote if that has all of the local branch and more.
    ///
    /// If the two diverged, the local branch counts.
    pub fn tip(&self, handle: &gix::Repository, name: &RefName) -> Result<Option<CommitId>, ReviewError> {
        let mut tips = self.tips(name).into_iter();
        let Some(mut best) = tips.next() else { return Ok(None) };
        for tip in tips {
            if history::is_ancestor(handle, best, tip)? {
                best = tip;
            }
        }
        Ok(Some(best))
    }
}

/// The remotes, in the order in which they count.
pub(super) fn remotes(handle: &gix::Repository) -> Vec<String> {
    let names = handle.remote_names();
    let mut remotes: Vec<String> =
        names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    remotes.sort_by_key(|name| (name != FIRST_REMOTE, name.clone()));
    remotes
}

/// The name that a tracking branch has on its remote.
fn shared_name(prefix: &str, name: &[u8]) -> Option<RefName> {
    let rest = name.strip_prefix(prefix.as_bytes()).filter(|rest| *rest != b"HEAD")?;
    RefName::from_bytes(&[HEADS.as_bytes(), rest].concat()).ok()
}

fn remote_head(handle: &gix::Repository, remote: &str) -> Option<RefName> {
    let prefix = format!("{REMOTES}{remote}/");
    let name = format!("{prefix}HEAD");
    let found = handle.try_find_reference(name.as_str()).ok()??;
    match found.target() {
        TargetRef::Symbolic(target) => shared_name(&prefix, target.as_bstr()),
        TargetRef::Object(_) => None,
    }
}
