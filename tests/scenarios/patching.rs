//! Patches from anywhere: of many files, sloppy, of every form; applied whole, taken back, or refused.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use crate::suggesting::{BETTER, LIB, beside_files, better, fed, id, json, read, topic};
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

/// Creates, deletes, renames, makes a program, and changes, all at once.
const MANY: &str = "diff --git a/new/run.sh b/new/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new/run.sh\n@@ -0,0 +1 @@\n+echo\ndiff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/from.txt b/to.txt\nsimilarity index 50%\nrename from from.txt\nrename to to.txt\n--- a/from.txt\n+++ b/to.txt\n@@ -1,2 +1,2 @@\n same\n-x\n+y\ndiff --git a/tool b/tool\nold mode 100644\nnew mode 100755\ndiff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -5,3 +5,3 @@ fn two() {\n fn two() {\n-    let x = a - b;\n+    let x = a.saturating_sub(b);\n     x\n";

fn with_many(world: &World) -> Checkout<'_> {
    let alice = topic(world);
    alice.write("old.txt", "gone\n");
    alice.write("from.txt", "same\nx\n");
    alice.write("tool", "#!/bin/sh\n");
    alice.commit("many");
    alice
}

fn many_are_done(alice: &Checkout<'_>) {
    assert_eq!(read(alice, "new/run.sh"), "echo\n");
    assert_eq!(read(alice, "to.txt"), "same\ny\n");
    assert_eq!(read(alice, "src/lib.rs"), better(LIB));
    assert!(!alice.folder.join("old.txt").exists() && !alice.folder.join("from.txt").exists());
    for program in ["tool", "new/run.sh"] {
        let mode = fs::metadata(alice.folder.join(program)).expect("a program").permissions().mode();
        assert_eq!(mode & 0o100, 0o100, "{program}");
    }
}

#[test]
fn a_patch_of_many_files_is_suggested_applied_and_taken_back_whole() {
    let world = World::new();
    let alice = with_many(&world);
    let id = id(&fed(&alice, "suggest --patch - -m 'all at once'", MANY));
    alice.postil(&format!("apply {id}")).code(0);
    many_are_done(&alice);
    alice.commit("applied");
    assert!(
        alice.postil("list").stdout().contains("suggestion already applied"),
        "{}",
        alice.postil("list").stdout()
    );
    alice.git("reset --quiet --hard HEAD~1");
    alice.postil(&format!("apply {id}")).code(0);
    alice.postil("apply --undo").code(0);
    assert_eq!(alice.git("status --porcelain"), "");
    // One file in the way, and none is written.
    alice.write("old.txt", "not gone\n");
    let refused = alice.postil(&format!("apply {id}"));
    assert!(refused.code(4).stdout().contains("old.txt"), "{}", refused.stdout());
    assert_eq!(alice.git("status --porcelain"), " M old.txt");
}

#[test]
fn a_sloppy_patch_of_a_language_model_is_understood() {
    let world = World::new();
    let alice = topic(&world);
    let sloppy = "Here is the fix:\n\n```diff\n--- src/lib.rs\n+++ src/lib.rs\n@@ -40,9 +41,7 @@\n fn two() {\n-  let x = a - b;\n+  let x = a.saturating_sub(b);\n   x\n }\n```\n\nHope this helps!\n";
    let id = id(&fed(&alice, "suggest --patch - -m 'a machine says'", sloppy));
    assert!(
        alice.postil("list").stdout().contains("src/lib.rs:6  suggestion applies"),
        "{}",
        alice.postil("list").stdout()
    );
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    let nowhere = fed(
        &alice,
        "suggest --patch - -m no",
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-absent\n+present\n",
    );
    let told = nowhere.code(2).stderr();
    assert!(told.contains("expected:") && told.contains("absent") && told.contains("found:"), "{told}");
}

#[test]
fn patches_of_every_form_are_applied_with_their_stages_told() {
    let world = World::new();
    let alice = topic(&world);
    let check = |patch: &str, line: &str, stages: &[&str]| {
        let told = json(fed(&alice, line, patch).code(0));
        assert_eq!(told["state"], "applies", "{told}");
        let found: Vec<_> = told["files"][0]["stages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|stage| stage.as_str().unwrap())
            .collect();
        assert_eq!(found, stages, "{patch}");
        assert_eq!(read(&alice, "src/lib.rs"), better(LIB), "{patch}");
        assert_eq!(told["files"][0]["matched"], alice.git("rev-parse HEAD:src/lib.rs").as_str());
        let again = json(fed(&alice, line, patch).code(0));
        assert_eq!((&again["state"], &again["written"]), (&"done".into(), &false.into()), "{again}");
        alice.git("checkout --quiet -- .");
    };
    let hunk =
        "@@ -5,3 +5,3 @@\n fn two() {\n-    let x = a - b;\n+    let x = a.saturating_sub(b);\n     x\n";
    check(&format!("--- a/src/lib.rs\n+++ b/src/lib.rs\n{hunk}"), "patch apply --json", &["strict"]);
    check(hunk, "patch apply --json --path src/lib.rs", &["strict"]);
    check(
        &hunk.replace("-5,3 +5,3", "-90,3 +90,3"),
        "patch apply --json --path src/lib.rs -",
        &["reanchored"],
    );
    let blocks =
        format!("src/lib.rs\n<<<<<<< SEARCH\n    let x = a - b;\n=======\n{BETTER}>>>>>>> REPLACE\n");
    check(&blocks, "patch apply --json", &["strict"]);
    let begun = "*** Begin Patch\n*** Update File: src/lib.rs\n@@ fn two() {\n-    let x = a - b;\n+    let x = a.saturating_sub(b);\n*** End Patch\n";
    check(begun, "patch apply --json", &["strict"]);
    let lines = serde_json::json!({ "path": "src/lib.rs", "patch_lines": ["@@ -5,3 +5,3 @@\n fn two() {", "-    let x = a - b;\n+    let x = a.saturating_sub(b);", "     x"] });
    check(&lines.to_string(), "patch apply --json", &["strict"]);
    check(&serde_json::json!([lines]).to_string(), "patch apply --json", &["strict"]);
    let crlf = format!("--- a/src/lib.rs\n+++ b/src/lib.rs\n{hunk}").replace('\n', "\r\n");
    check(&crlf, "patch apply --json", &["whitespace"]);
}

#[test]
fn a_patch_is_checked_reversed_and_refused_whole() {
    let world = World::new();
    let alice = with_many(&world);
    alice.write("many.patch", MANY);
    let before = beside_files(&alice);
    let checked = alice.postil("patch apply --check many.patch");
    assert!(checked.code(0).stdout().starts_with("the patch can be applied ("), "{}", checked.stdout());
    assert!(alice.postil("patch apply --dry-run many.patch").stdout().contains("rename from from.txt"));
    alice.postil("patch apply many.patch").code(0);
    many_are_done(&alice);
    assert_eq!(alice.postil("patch apply many.patch").code(0).stdout(), "the patch is already applied\n");
    alice.postil("patch apply --reverse many.patch").code(0);
    assert_eq!(alice.git("status --porcelain"), "?? many.patch");
    alice.postil("patch apply many.patch").code(0);
    alice.postil("apply --undo").code(0);
    assert_eq!(alice.git("status --porcelain"), "?? many.patch");
    assert_eq!(beside_files(&alice), before);
    // One hunk without a place stops all files.
    alice.write("src/lib.rs", LIB.replace("a - b", "a + b"));
    let refused = alice.postil("patch apply many.patch");
    let told = refused.code(4).stdout();
    assert!(
        told.contains("expected |     let x = a - b;") && told.contains("found |     let x = a + b;"),
        "{told}"
    );
    assert!(!alice.folder.join("new").exists() && alice.folder.join("old.txt").exists());
    alice.postil("patch apply --check many.patch").code(1);
}

#[test]
fn what_is_no_patch_is_refused_from_a_pipe_too() {
    let world = World::new();
    let alice = topic(&world);
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    command.args(["patch", "apply"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("postil can be started");
    child.stdin.take().expect("it was asked for").write_all(b"no patch at all\n").expect("it listens");
    let output = child.wait_with_output().expect("a child can be waited for");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no patch found in the text"));
}

#[test]
fn a_program_is_told_why_a_patch_was_refused_in_words_that_stay() {
    let world = World::new();
    let alice = topic(&world);
    std::os::unix::fs::symlink("src", alice.folder.join("link")).expect("a link can be made");
    let change = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
    for (patch, code, exit) in [
        (change("../x"), "forbidden-path", 6),
        (change(".git/config"), "forbidden-path", 6),
        (change("link/lib.rs"), "forbidden-path", 6),
        (change("link"), "no-plain-file", 2),
        (change("src"), "no-plain-file", 2),
        ("no patch at all\n".to_owned(), "no-patch", 2),
        ("src/lib.rs\n<<<<<<< SEARCH\nx\n".to_owned(), "unclosed-block", 2),
        (r#"{"path": "../x", "patch_lines": ["@@", "-a", "+b"]}"#.to_owned(), "forbidden-path", 6),
        (r#"{"path": "x"}"#.to_owned(), "usage", 2),
        (change("src/lib.rs"), "conflict", 4),
    ] {
        let refused = fed(&alice, "patch apply --json", &patch);
        let told = json(refused.code(exit));
        assert_eq!((&told["version"], &told["error"]["code"]), (&1.into(), &code.into()), "{patch}: {told}");
        assert!(!refused.stderr().is_empty(), "a person is told as well: {patch}");
    }
}

#[test]
fn a_file_that_one_suggestion_renames_is_not_lost_to_one_that_another_makes() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("f", "precious\n");
    alice.commit("precious");
    let rename = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n";
    let renamed = id(&fed(&alice, "suggest --patch - -m rename", rename));
    let made =
        id(&fed(&alice, "suggest --patch - -m make", "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+other\n"));
    alice.write("f", "precious\nedited\n");
    for both in [format!("{renamed} {made}"), format!("{made} {renamed}")] {
        alice.postil(&format!("apply {both} --check")).code(1);
        let refused = alice.postil(&format!("apply {both}"));
        assert!(refused.code(4).stdout().contains("it changes the same lines as"), "{}", refused.stdout());
        assert_eq!(read(&alice, "f"), "precious\nedited\n");
        assert!(!alice.folder.join("g").exists());
    }
    alice.write("g", "another\n");
    let in_the_way = alice.postil(&format!("apply {renamed}"));
    assert!(
        in_the_way.code(4).stdout().contains(&format!("g  {renamed}  another file exists there")),
        "{}",
        in_the_way.stdout()
    );
    fs::remove_file(alice.folder.join("g")).expect("it was written");
    alice.postil(&format!("withdraw {made}")).code(0);
    let withdrawn = alice.postil(&format!("apply {made}"));
    assert!(withdrawn.code(2).stderr().contains("was withdrawn"), "{}", withdrawn.stderr());
    assert!(!alice.folder.join("g").exists());
}

#[test]
fn a_path_beside_a_patch_does_not_stand_in_for_the_one_it_names() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("keep", "precious\n");
    let apply = |path: &str, lines: &[&str]| {
        let patch = serde_json::json!({ "path": path, "patch_lines": lines });
        fed(&alice, "patch apply", patch.to_string())
    };
    apply("keep", &["--- a/gone", "+++ /dev/null", "@@ -1 +0,0 @@", "-precious"]);
    assert_eq!(read(&alice, "keep"), "precious\n");
    apply("keep", &["--- /dev/null", "+++ b/made", "@@ -0,0 +1 @@", "+precious"]).code(2);
    assert!(!alice.folder.join("made").exists());
    let change = [
        "--- a/lib.rs",
        "+++ b/lib.rs",
        "@@ -6,2 +6,2 @@",
        "-    let x = a - b;",
        "+    let x = b;",
        "     x",
    ];
    let suggested = id(&fed(&alice, "suggest src/lib.rs:6 --patch - -m b", change.join("\n") + "\n"));
    let told = alice.postil(&format!("apply {suggested} --diff"));
    assert!(!told.code(0).stdout().contains("rename"), "{}", told.stdout());
    apply("src/lib.rs", &change).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), LIB.replace("a - b", "b"));
    assert!(!alice.folder.join("lib.rs").exists());
}

#[test]
fn a_file_that_is_deleted_and_made_again_is_changed() {
    let world = World::new();
    let alice = topic(&world);
    let lines =
        |mark: char, text: &str| -> String { text.lines().map(|line| format!("{mark}{line}\n")).collect() };
    let count = LIB.lines().count();
    let patch = format!(
        "--- a/src/lib.rs\n+++ /dev/null\n@@ -1,{count} +0,0 @@\n{}--- /dev/null\n+++ b/src/lib.rs\n@@ -0,0 +1,{count} @@\n{}",
        lines('-', LIB),
        lines('+', &better(LIB))
    );
    let suggested = id(&fed(&alice, "suggest --patch - -m again", &patch));
    fed(&alice, "patch apply", &patch).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    alice.postil("apply --undo").code(0);
    alice.write("src/lib.rs", format!("// top\n{LIB}"));
    alice.postil(&format!("apply {suggested}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), format!("// top\n{}", better(LIB)));
}

#[test]
fn two_names_without_a_word_of_a_rename_are_one_file() {
    let world = World::new();
    let alice = topic(&world);
    let hunk = "@@ -6 +6 @@\n-    let x = a - b;\n+    let x = a.saturating_sub(b);\n";
    let named = format!("--- a/src/lib.rs\n+++ b/src/new.rs\n{hunk}");
    fed(&alice, "patch apply", &named).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    assert!(!alice.folder.join("src/new.rs").exists());
    alice.git("checkout --quiet -- .");
    // As git reads it, the line that begins a file says it.
    fed(&alice, "patch apply", format!("diff --git a/src/lib.rs b/src/new.rs\n{named}")).code(0);
    assert_eq!(read(&alice, "src/new.rs"), better(LIB));
    assert!(!alice.folder.join("src/lib.rs").exists());
}

#[test]
fn a_patch_that_only_makes_files_says_what_it_needs_where_there_is_no_review() {
    let world = World::new();
    let alice = topic(&world);
    alice.git("switch --quiet main");
    let made = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n";
    let refused = fed(&alice, "suggest --patch - -m new", made);
    assert!(
        refused.code(2).stderr().contains("needs a file or a review to comment on"),
        "{}",
        refused.stderr()
    );
    let made = id(&fed(&alice, "suggest src/lib.rs --patch - -m new", made));
    alice.postil(&format!("apply {made}")).code(0);
    assert_eq!(read(&alice, "new"), "new\n");
}

#[test]
fn a_copy_of_a_program_is_suggested_as_one() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("run", "echo\n");
    fs::set_permissions(alice.folder.join("run"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let copy = "diff --git a/run b/walk\ncopy from run\ncopy to walk\n";
    let suggested = id(&fed(&alice, "suggest run --patch - -m copy", copy));
    alice.postil(&format!("apply {suggested}")).code(0);
    let mode = fs::metadata(alice.folder.join("walk")).expect("it was made").permissions().mode();
    assert_eq!(mode & 0o100, 0o100);
}

#[test]
fn half_of_a_patch_is_not_taken_for_all_of_it() {
    let world = World::new();
    let alice = topic(&world);
    let create =
        "diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+echo\n";
    let is_program = || {
        let mode = fs::metadata(alice.folder.join("run")).expect("a program").permissions().mode();
        mode & 0o100 != 0
    };
    let suggested = id(&fed(&alice, "suggest --patch - -m program", create));
    alice.write("run", "echo\n");
    fed(&alice, "patch apply", create).code(0);
    assert!(is_program());
    fs::set_permissions(alice.folder.join("run"), fs::Permissions::from_mode(0o644)).expect("it is ours");
    alice.postil(&format!("apply {suggested}")).code(0);
    assert!(is_program());
    assert_eq!(fed(&alice, "patch apply", create).code(0).stdout(), "the patch is already applied\n");
    let rename = "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n";
    alice.write("g", "x\n");
    fed(&alice, "patch apply", rename).code(0);
    assert_eq!(read(&alice, "g"), "y\n");
    for patch in [
        "diff --git a/g b/h\ncopy from g\ncopy to h\n",
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
    ] {
        fed(&alice, "patch apply", patch).code(0);
        assert_eq!(fed(&alice, "patch apply", patch).code(0).stdout(), "the patch is already applied\n");
    }
    alice.write("f", "x\n");
    let refused = fed(&alice, "patch apply", rename);
    assert!(refused.code(4).stdout().contains("g  the file already exists"), "{}", refused.stdout());
}

#[test]
fn a_path_that_the_patch_does_not_mean_is_refused() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("other.txt", "x\n");
    let patch = r#"{"path": "src/lib.rs", "patch_lines": ["--- a/other.txt", "+++ b/other.txt", "@@ -1 +1 @@", "-x", "+y"]}"#;
    let refused = fed(&alice, "patch apply --json", patch);
    assert_eq!(json(refused.code(2))["error"]["code"], "other-file");
    assert_eq!(read(&alice, "other.txt"), "x\n");
    fed(&alice, "patch apply --json", patch.replace("src/lib.rs", "other.txt")).code(0);
    assert_eq!(read(&alice, "other.txt"), "y\n");
    // What was looked at has a name also where nothing can be done to it.
    let nowhere =
        fed(&alice, "patch apply --check --json", "--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-x\n+z\n");
    let other = fed(
        &alice,
        "patch apply --check --json",
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-nope\n+z\n",
    );
    assert_ne!(json(nowhere.code(1))["token"], json(other.code(1))["token"]);
}
