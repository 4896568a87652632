//! Where files may be on disk: inside the work tree, and nowhere else.

use std::fs;

use postil_core::git::{NoPlace, RepoPath, place_on_disk};

#[test]
fn a_path_never_leads_out_of_the_work_tree() {
    let root = tempfile::tempdir().unwrap();
    let within = |path: &str| place_on_disk(root.path(), &RepoPath::new(path).unwrap());
    fs::create_dir_all(root.path().join("folder/module/.git")).unwrap();
    fs::write(root.path().join("file"), "").unwrap();
    std::os::unix::fs::symlink("/", root.path().join("link")).unwrap();
    for bad in [
        "../x",
        "folder/../../x",
        "./x",
        ".git/config",
        ".GIT/config",
        "folder/.git",
        ".git::$INDEX_ALLOCATION/x",
        "git~1/config",
        ".g\u{200c}it/config",
        ".git /x",
    ] {
        assert!(matches!(within(bad), Err(NoPlace::Forbidden { .. })), "{bad}");
    }
    for through in ["link/etc/passwd", "file/x", "folder/module/x"] {
        assert!(matches!(within(through), Err(NoPlace::Through { .. })), "{through}");
    }
    for good in ["x", "folder/x", "new/deep/x", "link", "folder/..x", "folder/.gitignore", ".github/x"] {
        assert_eq!(within(good).unwrap(), root.path().join(good), "{good}");
    }
}
