//! Opening every kind of repository that git makes.

use postil_core::git::{ConfigScope, OpenError, Repository, history};
use postil_testkit::{Sandbox, skipped};

#[test]
fn a_work_tree_and_its_git_directory_are_the_same_repository() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let from_work_tree = checkout.open();
    let from_git_dir = Repository::open(&checkout.dir.join(".git"), ConfigScope::Isolated).unwrap();
    let canonical = checkout.dir.canonicalize().unwrap();
    assert_eq!(from_work_tree.common_dir(), canonical.join(".git"));
    assert_eq!(from_git_dir.common_dir(), canonical.join(".git"));
    assert_eq!(from_work_tree.work_tree(), Some(canonical.as_path()));
    assert!(!from_work_tree.is_bare() && !from_work_tree.is_shallow());
}

#[test]
fn a_repository_is_found_from_inside_it_but_opened_only_where_it_is() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    checkout.write("deep/er/file", "");
    let inside = checkout.dir.join("deep/er");
    let found = Repository::discover(&inside, ConfigScope::Isolated).unwrap();
    assert_eq!(found.common_dir(), checkout.open().common_dir());
    assert!(matches!(Repository::open(&inside, ConfigScope::Isolated), Err(OpenError::Open { .. })));
    let nowhere = checkout.dir.join("nowhere");
    assert!(matches!(Repository::open(&nowhere, ConfigScope::Isolated), Err(OpenError::Resolve { .. })));
}

#[test]
fn a_linked_work_tree_shares_the_common_directory() {
    let sandbox = Sandbox::new();
    let main = sandbox.repo("repo");
    main.git(&["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.at("linked").open();
    assert_eq!(linked.common_dir(), main.open().common_dir());
    assert_ne!(linked.git_dir(), linked.common_dir());
    assert!(linked.git_dir().ends_with("worktrees/linked"));
    assert_eq!(linked.reopen().unwrap().common_dir(), linked.common_dir());
    assert_eq!(linked.reopen().unwrap().work_tree(), linked.work_tree());
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let sandbox = Sandbox::new();
    sandbox.repo("inner");
    let outer = sandbox.repo("outer");
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "sub"]);
    let sub = sandbox.at("outer/sub").open();
    assert!(sub.common_dir().ends_with("outer/.git/modules/sub"));
    assert_eq!(sub.work_tree(), Some(outer.dir.join("sub").canonicalize().unwrap().as_path()));
}

#[test]
fn bare_shallow_and_partial_clones_open() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    origin.commit("file", "more\n");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", origin.dir.display());

    sandbox.git(&["clone", "-q", "--bare", &url, "bare"]);
    let bare = sandbox.at("bare").open();
    assert!(bare.is_bare() && bare.work_tree().is_none());

    sandbox.git(&["clone", "-q", "--depth=1", &url, "shallow"]);
    assert!(sandbox.at("shallow").open().is_shallow());

    sandbox.git(&["clone", "-q", "--filter=blob:none", "--no-checkout", &url, "partial"]);
    let partial = sandbox.at("partial").open();
    let tip = sandbox.at("partial").git(&["rev-parse", "HEAD"]).parse_commit();
    assert!(history::commit(&partial.handle(), tip).is_ok());
}

#[test]
fn a_sha256_repository_opens_and_its_commits_are_read() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.init("repo", &["--object-format=sha256"]);
    let tip = checkout.commit("file", "content\n").parse_commit();
    let repo = checkout.open();
    assert_eq!(repo.object_hash(), gix::hash::Kind::Sha256);
    assert!(history::commit(&repo.handle(), tip).unwrap().parents.is_empty());
}

#[test]
fn reftable_is_refused_with_the_way_out() {
    let sandbox = Sandbox::new();
    if !sandbox.at("").try_git(&["init", "-q", "--ref-format=reftable", "repo"]).status.success() {
        return skipped("a git that knows reftable");
    }
    let err = Repository::open(&sandbox.path().join("repo"), ConfigScope::Isolated).unwrap_err();
    assert!(matches!(&err, OpenError::RefFormat { format, .. } if format == "reftable"), "{err:?}");
    assert!(err.to_string().contains("git refs migrate"));
}

#[test]
fn replaced_objects_are_read_as_they_were() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let first = checkout.git(&["rev-parse", "HEAD"]);
    let second = checkout.commit("file", "other\n");
    checkout.git(&["replace", &second, &first]);
    assert_eq!(checkout.git(&["rev-list", "--count", "HEAD"]), "1", "git itself follows the replacement");

    for repo in [checkout.open(), Repository::discover(&checkout.dir, ConfigScope::AsGit).unwrap()] {
        let info = history::commit(&repo.handle(), second.parse_commit()).unwrap();
        assert_eq!(info.parents, [first.parse_commit()]);
        let memory = repo.handle().with_object_memory();
        assert_eq!(history::commit(&memory, second.parse_commit()).unwrap().parents.len(), 1);
    }
}

#[test]
fn an_edit_of_the_configuration_is_seen_after_reopening() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    checkout.git(&["remote", "add", "origin", "https://example.com/repo.git"]);
    assert!(repo.handle().find_remote("origin").is_err());
    assert!(repo.reopen().unwrap().handle().find_remote("origin").is_ok());
}

#[test]
fn ninety_packs_later_the_handle_still_reads() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let handle = repo.handle();
    assert!(handle.head_commit().is_ok());
    for n in 0..90 {
        let blob = checkout.git_with(&["hash-object", "-w", "--stdin"], format!("{n}").as_bytes());
        checkout.git_with(&["pack-objects", "-q", ".git/objects/pack/pack"], &blob);
        checkout.git(&["prune-packed"]);
        let id = gix::ObjectId::from_hex(blob.trim_ascii()).unwrap();
        assert!(handle.find_object(id).is_ok(), "after pack {n}");
    }
}

trait ParseCommit {
    fn parse_commit(&self) -> postil_core::git::CommitId;
}

impl ParseCommit for String {
    fn parse_commit(&self) -> postil_core::git::CommitId {
        postil_core::git::CommitId::from_hex(self.as_bytes()).expect("git printed a commit")
    }
}
