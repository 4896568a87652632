//! The branches of a repository at one moment: where they are, which is checked out, which is the usual base.
//!
//! A review names branches as everybody knows them, `refs/heads/topic`: on this machine that can be a branch, the
//! tracking branch of a remote, or both. Where the branches of reviews were when they were last seen here is known too.
//! What reviews make of it is `following`'s and `opening`'s work.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use gix::bstr::ByteSlice as _;
use gix::refs::TargetRef;

use super::ReviewError;
use crate::git::{CommitId, RefName, Repository, history};
use crate::notes::KeptHeads;

const HEADS: &str = "refs/heads/";
const REMOTES: &str = "refs/remotes/";

/// The remote that counts before all others.
const FIRST_REMOTE: &str = "origin";

/// Bases that need no remote to say so.
const USUAL_BASES: [&str; 2] = ["refs/heads/main", "refs/heads/master"];

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Current {
    /// A branch, perhaps one without commits.
    Branch(RefName),
    /// A commit, or something that is no branch.
    Detached,
}

/// Where every branch is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branches {
    pub(super) local: BTreeMap<RefName, CommitId>,
    /// By the names that the branches have on each remote; the remote that counts most comes first.
    pub(super) tracking: Vec<BTreeMap<RefName, CommitId>>,
    pub(super) usual_base: Option<RefName>,
    pub(super) current: Current,
    pub(super) kept: KeptHeads,
}

impl Branches {
    /// Reads the branches as they are now.
    ///
    /// `repo` must have been opened since a remote was last added: its configuration does not change.
    pub fn read(repo: &Repository) -> Result<Self, ReviewError> {
        let handle = repo.handle();
        let head = handle.head_name().map_err(|source| ReviewError::Head { source })?;
        let head = head.and_then(|name| RefName::from_bytes(name.as_bstr()).ok());
        let is_branch = |name: &RefName| name.as_bytes().starts_with(HEADS.as_bytes());
        let current = head.filter(is_branch).map_or(Current::Detached, Current::Branch);
        let local = repo.list_refs(HEADS)?.refs.into_iter();
        let local: BTreeMap<RefName, CommitId> = local.map(|(name, id)| (name, id.raw().into())).collect();
        let names = handle.remote_names();
        let mut remotes: Vec<String> =
            names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        remotes.sort_by_key(|name| (name != FIRST_REMOTE, name.clone()));
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

    /// What there is besides the heads that are kept of reviews, for whoever compares.
    pub fn besides_kept(&self) -> impl Hash + '_ {
        (&self.local, &self.tracking, &self.usual_base, &self.current)
    }

    /// Where the branches of open reviews were seen, as far as that is kept here.
    pub fn kept(&self) -> &KeptHeads {
        &self.kept
    }

    /// What a branch is compared with unless somebody says otherwise: the remote's HEAD, else main or master.
    pub fn usual_base(&self) -> Option<&RefName> {
        self.usual_base.as_ref()
    }

    /// The branches that are here, in the order of their names.
    pub fn local(&self) -> impl Iterator<Item = (&RefName, CommitId)> {
        self.local.iter().map(|(name, tip)| (name, *tip))
    }

    /// Every branch that is here or on a remote, in the order of their names.
    pub fn names(&self) -> BTreeSet<&RefName> {
        self.tracking.iter().chain([&self.local]).flat_map(BTreeMap::keys).collect()
    }

    /// Where a branch is, here and on the remotes; the one that is here comes first.
    pub fn tips(&self, name: &RefName) -> Vec<CommitId> {
        let mut tips = Vec::new();
        for branches in [&self.local].into_iter().chain(&self.tracking) {
            if let Some(tip) = branches.get(name).filter(|tip| !tips.contains(*tip)) {
                tips.push(*tip);
            }
        }
        tips
    }

    /// Where that is which branches are compared with: a branch, or any other ref that leads to a commit, such as a tag.
    ///
    /// Of a branch, as [`Branches::tips`]; others are read as they are now, and count only as they are here.
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

    /// The one place where a branch is: here, or on a remote that has all of that and more.
    ///
    /// Where the two went apart, the branch that is here counts.
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
