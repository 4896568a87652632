//! Trees, compared and listed as git does it, and hostile ones survived.

use postil_core::git::tree::{self, Subtrees, TreeChange, TreeDamage, TreeDiff, TreeLimits};
use postil_core::git::{ReadError, RepoPath, TreeId};
use postil_testkit::{Checkout, Sandbox};

fn tree_of(checkout: &Checkout<'_>, rev: &str) -> TreeId {
    TreeId::from_hex(checkout.git(&["rev-parse", &format!("{rev}^{{tree}}")]).as_bytes()).unwrap()
}

/// The changes in the form of `git diff-tree --raw`.
fn raw(change: &TreeChange) -> String {
    let side = |entry: Option<tree::TreeEntry>| match entry {
        Some(entry) => (format!("{:06o}", entry.mode.value()), entry.id.to_string()),
        None => ("000000".to_owned(), "0".repeat(40)),
    };
    let letter = match change {
        TreeChange::Added { .. } => 'A',
        TreeChange::Removed { .. } => 'D',
        TreeChange::Modified { old, new, .. } if old.mode.is_link() != new.mode.is_link() => 'T',
        TreeChange::Modified { .. } => 'M',
    };
    let ((old_mode, old), (new_mode, new)) = (side(change.before()), side(change.after()));
    format!(":{old_mode} {new_mode} {old} {new} {letter}\t{}", change.path())
}

#[test]
fn the_changes_are_those_that_git_finds() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.init("repo", &[]);
    for (file, content) in
        [("a.c", "1"), ("a/b", "2"), ("a/c/d", "3"), ("z", "4"), ("gone/x/y", "5"), ("same/s", "6")]
    {
        checkout.write(file, content);
    }
    checkout.commit("swap", "a file");
    std::fs::remove_file(checkout.dir.join("swap")).unwrap();
    std::fs::remove_dir_all(checkout.dir.join("gone")).unwrap();
    std::fs::remove_file(checkout.dir.join("z")).unwrap();
    std::os::unix::fs::symlink("a.c", checkout.dir.join("z")).unwrap();
    checkout.write("swap/inside", "now a directory");
    checkout.write("a/b", "changed");
    checkout.write("a/new", "added");
    checkout.git(&["add", "-A"]);
    checkout.git(&["update-index", "--chmod=+x", "a.c"]);
    checkout.git(&["commit", "-q", "-m", "second"]);

    let handle = checkout.open().handle();
    let (old, new) = (tree_of(&checkout, "HEAD~"), tree_of(&checkout, "HEAD"));
    for (subtrees, flags) in [(Subtrees::Omit, "--no-abbrev"), (Subtrees::Report, "-t")] {
        let ours = tree::diff(&handle, Some(old), Some(new), subtrees).unwrap();
        assert!(ours.damage.is_empty());
        let lines: Vec<String> = ours.changes.iter().map(raw).collect();
        let theirs = checkout.git(&[
            "diff-tree",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "-r",
            flags,
            "HEAD~",
            "HEAD",
        ]);
        assert_eq!(lines.join("\n"), theirs, "{subtrees:?}");
    }
    let all = tree::list(&handle, new).unwrap();
    let paths: Vec<String> = all.entries.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths.join("\n"), checkout.git(&["ls-tree", "-r", "--name-only", "HEAD"]));
    assert!(tree::diff(&handle, Some(new), Some(new), Subtrees::Report).unwrap().changes.is_empty());
    let removed = tree::diff(&handle, Some(new), None, Subtrees::Omit).unwrap();
    assert_eq!(removed.changes.len(), all.entries.len());
    assert!(removed.changes.iter().all(|change| matches!(change, TreeChange::Removed { .. })));
}

#[test]
fn an_entry_is_found_at_its_path() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    checkout.commit("a/b/c", "deep");
    let handle = checkout.open().handle();
    let tree = tree_of(&checkout, "HEAD");
    let at = |path: &str| {
        let found = tree::entry_at(&handle, tree, &RepoPath::new(path).unwrap()).unwrap();
        found.map(|entry| entry.id.to_string())
    };
    for path in ["file", "a", "a/b", "a/b/c"] {
        assert_eq!(at(path), Some(checkout.git(&["rev-parse", &format!("HEAD:{path}")])), "{path}");
    }
    for path in ["none", "file/x", "a/x", "a/b/c/d"] {
        assert_eq!(at(path), None, "{path}");
    }
}

#[test]
fn a_missing_tree_is_damage_inside_and_an_error_at_the_top() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    checkout.commit("sub/x", "1");
    let sub = checkout.git(&["rev-parse", "HEAD:sub"]);
    let new = tree_of(&checkout, "HEAD");
    std::fs::remove_file(checkout.dir.join(".git/objects").join(&sub[..2]).join(&sub[2..])).unwrap();
    let handle = checkout.open().handle();
    let listing = tree::list(&handle, new).unwrap();
    assert_eq!(listing.entries.len(), 1);
    let path = RepoPath::new("sub").unwrap();
    let tree = TreeId::from_hex(sub.as_bytes()).unwrap();
    assert_eq!(listing.damage, [TreeDamage::Unreadable { path, tree }]);
    assert!(matches!(tree::list(&handle, tree), Err(ReadError::Missing { .. })));
    let empty = TreeId::from(gix::hash::Kind::Sha1.empty_tree());
    assert!(tree::list(&handle, empty).unwrap().entries.is_empty());
}

#[test]
fn hostile_trees_end_in_a_report() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let handle = checkout.open().handle().with_object_memory();
    let blob = handle.write_blob(b"x").unwrap().detach();
    let write = |content: &[u8]| {
        let id = gix::objs::Write::write_buf(&handle.objects, gix::objs::Kind::Tree, content).unwrap();
        TreeId::from(id)
    };
    let entry = |mode: &str, name: &[u8], id: gix::ObjectId| {
        [mode.as_bytes(), b" ", name, b"\0", id.as_slice()].concat()
    };

    let mut deep = write(&entry("100644", b"bottom", blob));
    for _ in 0..TreeLimits::GENEROUS.depth + 10 {
        deep = write(&entry("40000", b"d", deep.raw()));
    }
    let listing = tree::list(&handle, deep).unwrap();
    assert!(listing.entries.is_empty());
    assert!(matches!(listing.damage[..], [TreeDamage::TooDeep { .. }]), "{:?}", listing.damage);

    // 16 names in each of 8 levels would be four thousand million files.
    let mut bomb = write(&entry("100644", b"f", blob));
    for _ in 0..8 {
        let names: Vec<u8> = (b'a'..=b'p').flat_map(|name| entry("40000", &[name], bomb.raw())).collect();
        bomb = write(&names);
    }
    let within = |entries, path_bytes| {
        let limits = TreeLimits { entries, path_bytes, ..TreeLimits::GENEROUS };
        let TreeDiff { changes, damage, .. } =
            tree::diff_within(&handle, None, Some(bomb), Subtrees::Omit, limits).unwrap();
        assert_eq!(damage, [TreeDamage::TooMany]);
        changes.len()
    };
    assert!((4_000..10_000).contains(&within(10_000, usize::MAX)));
    assert_eq!(within(usize::MAX, 17_000), 1_000, "each path has 17 bytes");

    let good = entry("100644", b"good", blob);
    for bad in
        [entry("100644", b"", blob), entry("100644", b"a/b", blob), entry("40000", b"../x", bomb.raw())]
    {
        let tree = write(&[bad, good.clone()].concat());
        let listing = tree::list(&handle, tree).unwrap();
        assert_eq!(listing.entries.len(), 1);
        assert_eq!(listing.damage, [TreeDamage::BadName { tree }]);
    }
    let cut = write(&[good.clone(), good[..10].to_vec()].concat());
    let listing = tree::list(&handle, cut).unwrap();
    assert_eq!((listing.entries.len(), listing.damage), (1, vec![TreeDamage::Truncated { tree: cut }]));
}
