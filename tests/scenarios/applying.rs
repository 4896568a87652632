//! Suggestions on their way to the files: what is written and staged, the way back, and what is never written.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::suggesting::{BETTER, LIB, beside_files, better, fed, id, json, read, suggest, topic};
use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

#[test]
fn what_was_applied_is_taken_back_step_by_step() {
    let world = World::new();
    let alice = topic(&world);
    let one = suggest(&alice);
    let two = id(&fed(&alice, "suggest src/lib.rs:11 --with - -m more", "    more();\n"));
    alice.postil(&format!("apply {one}")).code(0);
    alice.postil(&format!("apply {two}")).code(0);
    // What failed left no way back behind.
    alice.write("src/other.rs", "x\n");
    fed(&alice, "patch apply", "--- a/src/other.rs\n+++ b/src/other.rs\n@@ -1 +1 @@\n-y\n+z\n").code(4);
    assert_eq!(alice.postil("apply --undo").code(0).stdout(), format!("undid {two}\n"));
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    let told = json(alice.postil("apply --undo --json").code(0));
    assert_eq!((&told["undone"], &told["files"][0]), (&one.as_str().into(), &"src/lib.rs".into()));
    assert_eq!(read(&alice, "src/lib.rs"), LIB);
    let nothing = json(alice.postil("apply --undo --json").code(3));
    assert_eq!(nothing["error"]["code"], "not-found");
    // The oldest ways back go.
    for turn in 0..25 {
        let line = if turn % 2 == 0 { BETTER } else { "    let x = a - b;\n" };
        let old = if turn % 2 == 0 { "    let x = a - b;\n" } else { BETTER };
        let patch = format!("@@ -6 +6 @@\n-{old}+{line}");
        fed(&alice, "patch apply --path src/lib.rs", patch).code(0);
    }
    let taken_back = (0..30).take_while(|_| alice.postil("apply --undo").exit() == Some(0)).count();
    assert_eq!(taken_back, 20);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB), "the first five stay");
}

#[test]
fn undo_refuses_where_somebody_went_on_working() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    alice.postil(&format!("apply {id}")).code(0);
    let more = format!("{}// more\n", better(LIB));
    alice.write("src/lib.rs", &more);
    let refused = alice.postil("apply --undo");
    assert_eq!(
        refused.code(4).stderr(),
        format!(
            "error: {id} was not undone\n  because: src/lib.rs has changed since it was applied\nhint: nothing was \
             changed; undo your own change first, or undo this one by hand; to keep it and undo the apply before it, run `postil apply --undo --skip`\n"
        )
    );
    assert_eq!(read(&alice, "src/lib.rs"), more);
}

#[test]
fn undo_takes_back_what_was_staged_too_and_leaves_commits_to_git() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    alice.write("other.txt", "staged\n");
    alice.git("add other.txt");
    let before = beside_files(&alice);
    alice.postil(&format!("apply {id} --index")).code(0);
    assert_ne!(beside_files(&alice), before);
    alice.postil("apply --undo").code(0);
    assert_eq!((beside_files(&alice), read(&alice, "src/lib.rs")), (before.clone(), LIB.to_owned()));

    // A file that git did not know is not known to it afterwards.
    let made =
        "--- /dev/null\n+++ b/new/file\n@@ -0,0 +1 @@\n+new\n--- a/loose\n+++ b/loose\n@@ -1 +1 @@\n-a\n+b\n";
    alice.write("loose", "a\n");
    fed(&alice, "patch apply --index", made).code(0);
    assert!(alice.git("status --porcelain").contains("A  new/file"));
    alice.postil("apply --undo").code(0);
    assert_eq!(beside_files(&alice), before);
    assert!(!alice.folder.join("new").exists() && read(&alice, "loose") == "a\n");

    // Something else that was staged meanwhile is nobody's to throw away.
    alice.postil(&format!("apply {id} --index")).code(0);
    let other = alice.git("hash-object -w other.txt");
    alice.git(&format!("update-index --cacheinfo 100644,{other},src/lib.rs"));
    let staged = beside_files(&alice);
    let refused = alice.postil("apply --undo");
    assert!(refused.code(4).stderr().contains("were staged since"), "{}", refused.stderr());
    assert_eq!((beside_files(&alice), read(&alice, "src/lib.rs")), (staged, better(LIB)));
    alice.git("add src/lib.rs");
    alice.postil("apply --undo").code(0);
    assert_eq!(beside_files(&alice), before);

    // What is committed is taken back by a commit.
    alice.git("reset --quiet --hard");
    alice.postil(&format!("apply {id} --commit")).code(0);
    let refused = alice.postil("apply --undo");
    let commit = alice.git("rev-parse --short HEAD");
    assert!(refused.code(4).stderr().contains(&format!("`git revert {commit}`")), "{}", refused.stderr());
    assert_eq!(
        (alice.git("status --porcelain"), read(&alice, "src/lib.rs")),
        ("?? loose".to_owned(), better(LIB))
    );
    alice.git(&format!("revert --no-edit {commit}"));
    assert_eq!(read(&alice, "src/lib.rs"), LIB);
}

#[test]
fn a_file_that_changed_since_the_check_is_not_written() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let token = json(alice.postil(&format!("apply {id} --check --json")).code(0))["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let changed = format!("// new\n{LIB}");
    alice.write("src/lib.rs", &changed);
    let refused = alice.postil(&format!("apply {id} --expect {token}"));
    assert!(refused.code(4).stderr().contains("changed since they were checked"), "{}", refused.stderr());
    assert_eq!(read(&alice, "src/lib.rs"), changed);
    alice.write("src/lib.rs", LIB);
    alice.postil(&format!("apply {id} --expect {token}")).code(0);
}

#[test]
fn line_ends_and_modes_stay_as_they_are_on_disk() {
    let world = World::new();
    let alice = topic(&world);
    alice.git("config core.autocrlf true");
    let id = suggest(&alice);
    let on_disk = LIB.replace('\n', "\r\n");
    alice.write("src/lib.rs", &on_disk);
    fs::set_permissions(alice.folder.join("src/lib.rs"), fs::Permissions::from_mode(0o755)).unwrap();
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB).replace('\n', "\r\n"));
    let mode = fs::metadata(alice.folder.join("src/lib.rs")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    // The same where git keeps carriage returns, and where it takes them out alone.
    for autocrlf in ["false", "input"] {
        alice.git(&format!("config core.autocrlf {autocrlf}"));
        alice.write("src/lib.rs", &on_disk);
        alice.postil(&format!("apply {id}")).code(0);
        assert_eq!(read(&alice, "src/lib.rs"), better(LIB).replace('\n', "\r\n"), "{autocrlf}");
    }
}

#[test]
fn nothing_is_written_outside_of_the_work_tree() {
    let world = World::new();
    let alice = topic(&world);
    let outside = world.tmp().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "a\n").unwrap();
    symlink(&outside, alice.folder.join("link")).unwrap();
    symlink(outside.join("x"), alice.folder.join("file")).unwrap();
    alice.commit("links");
    let before = beside_files(&alice);
    for path in [
        "../outside/x",
        "/etc/passwd",
        ".git/hooks/pre-commit",
        "a/../../x",
        ".GIT/config",
        "link/x",
        "file",
        "link/new",
    ] {
        for patch in [
            format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"),
            format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+b\n"),
            format!("diff --git a/src/lib.rs b/{path}\nrename from src/lib.rs\nrename to {path}\n"),
            serde_json::json!({ "path": path, "patch_lines": ["@@ -1 +1 @@", "-a", "+b"] }).to_string(),
        ] {
            let refused = fed(&alice, "patch apply", &patch);
            assert!(
                !refused.stderr().is_empty() && refused.stdout().is_empty()
                    || refused.stdout().contains("no such file"),
                "{patch}: {}{}",
                refused.stdout(),
                refused.stderr()
            );
        }
    }
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n";
    fed(&alice, "patch apply", link).code(2);
    fed(&alice, "suggest --patch - -m no", link).code(2);
    assert_eq!(fs::read_to_string(outside.join("x")).unwrap(), "a\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(!alice.folder.join(".git/hooks/pre-commit").exists());
    assert_eq!((alice.git("status --porcelain"), beside_files(&alice)), (String::new(), before));
}

#[test]
fn a_folder_that_became_a_link_is_not_written_through() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let outside = world.tmp().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("lib.rs"), LIB).unwrap();
    fs::remove_dir_all(alice.folder.join("src")).unwrap();
    symlink(&outside, alice.folder.join("src")).unwrap();
    let refused = alice.postil(&format!("apply {id}"));
    assert!(refused.stderr().starts_with("error:"), "{}", refused.stderr());
    assert_eq!(fs::read_to_string(outside.join("lib.rs")).unwrap(), LIB);
}

#[test]
fn the_index_and_a_commit_are_written_only_on_request() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    alice.write("other.txt", "staged\n");
    alice.git("add other.txt");
    alice.postil(&format!("apply {id} --index")).code(0);
    assert_eq!(alice.git("status --porcelain"), "A  other.txt\nM  src/lib.rs");
    alice.git("reset --quiet --hard");
    let mut bob = alice.command(POSTIL);
    bob.env("POSTIL_DAEMON", "off");
    bob.env("GIT_AUTHOR_NAME", "bob").env("GIT_AUTHOR_EMAIL", "bob@example.com");
    Finished::run(bob.args(["apply", &id, "--commit"])).code(0);
    assert_eq!(alice.git("status --porcelain"), "");
    let message = alice.git("log -1 --format=%B");
    let told =
        "Apply suggestion: never below zero\n\nCo-authored-by: alice <alice@example.com>\nPostil-Thread: ";
    assert!(message.starts_with(&format!("{told}{id}")), "{message}");
    assert_eq!(alice.git("show HEAD:src/lib.rs"), better(LIB).trim_end());
    // Somebody's own changes are not taken along.
    alice.git("reset --quiet --hard HEAD~1");
    let own = format!("// own\n{LIB}");
    alice.write("src/lib.rs", &own);
    alice.postil(&format!("apply {id} --commit")).code(4);
    alice.postil(&format!("apply {id} --index")).code(4);
    assert_eq!(read(&alice, "src/lib.rs"), own);
}

#[test]
fn nothing_is_committed_or_written_in_the_middle_of_a_merge() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    alice.git("branch other");
    alice.write("mine.txt", "mine\n");
    alice.commit("mine");
    alice.git("checkout --quiet other");
    alice.write("theirs.txt", "theirs\n");
    alice.commit("theirs");
    alice.git("merge --quiet --no-commit -");
    let before = alice.git("status --porcelain");
    let refused = alice.postil(&format!("apply {id} --commit"));
    assert!(refused.code(4).stderr().contains("a merge is in progress"), "{}", refused.stderr());
    assert_eq!(alice.git("status --porcelain"), before);
    alice.postil(&format!("apply {id} --index")).code(0);
}

#[test]
fn what_was_applied_to_a_line_that_both_changed_is_done() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    alice.write("src/lib.rs", LIB.replace("let x = a - b;", "let rest = a - b;"));
    alice.postil(&format!("apply {id}")).code(0);
    assert!(read(&alice, "src/lib.rs").contains("    let rest = a.saturating_sub(b);\n"));
    assert!(
        alice.postil("list").stdout().contains("suggestion already applied"),
        "{}",
        alice.postil("list").stdout()
    );
    assert_eq!(alice.postil(&format!("apply {id}")).code(0).stdout(), format!("{id} is already applied\n"));
}

#[test]
fn a_step_that_cannot_be_taken_back_is_skipped() {
    let world = World::new();
    let alice = topic(&world);
    let one = suggest(&alice);
    alice.write("other.txt", "x\n");
    let two = id(&fed(&alice, "suggest other.txt:1 --with - -m more", "y\n"));
    alice.postil(&format!("apply {one}")).code(0);
    alice.postil(&format!("apply {two}")).code(0);
    alice.write("other.txt", "y\nand more\n");
    let stuck = alice.postil("apply --undo");
    assert!(stuck.code(4).stderr().contains("`postil apply --undo --skip`"), "{}", stuck.stderr());
    assert_eq!(alice.postil("apply --undo --skip").code(0).stdout(), format!("skipped the undo of {two}\n"));
    assert_eq!(alice.postil("apply --undo").code(0).stdout(), format!("undid {one}\n"));
    assert_eq!(
        (read(&alice, "src/lib.rs").as_str(), read(&alice, "other.txt").as_str()),
        (LIB, "y\nand more\n")
    );
    alice.postil("apply --undo --skip").code(3);
}

#[test]
fn staging_takes_a_new_file_that_is_ignored_and_tells_what_it_did_not_stage() {
    let world = World::new();
    let alice = topic(&world);
    alice.write(".gitignore", "made/\n");
    alice.commit("ignore");
    let patch = "--- /dev/null\n+++ b/made/new\n@@ -0,0 +1 @@\n+x\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -2 +2 @@\n-    work(1);\n+    work(2);\n";
    fed(&alice, "patch apply --index", patch).code(0);
    assert_eq!(alice.git("status --porcelain"), "A  made/new\nM  src/lib.rs");
    alice.postil("apply --undo").code(0);
    assert_eq!(alice.git("status --porcelain"), "");
    let id = suggest(&alice);
    alice.postil(&format!("apply {id}")).code(0);
    let late = alice.postil(&format!("apply {id} --commit"));
    assert!(late.code(0).stderr().contains("nothing was committed; use git"), "{}", late.stderr());
    alice.commit("by hand");
    assert_eq!(alice.postil(&format!("apply {id} --commit")).code(0).stderr(), "");
}

#[test]
fn two_files_take_each_others_paths_and_back() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("a", "one\n");
    alice.write("b", "two\n");
    alice.commit("two");
    let rename =
        |from: &str, to: &str| format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n");
    let swap = format!("{}{}", rename("a", "b"), rename("b", "a"));
    let id = id(&fed(&alice, "suggest --patch - -m swap", swap));
    let both = |alice: &Checkout<'_>| (read(alice, "a"), read(alice, "b"));
    alice.postil(&format!("apply {id} --index")).code(0);
    assert_eq!(both(&alice), ("two\n".to_owned(), "one\n".to_owned()));
    assert!(alice.postil("list").stdout().contains("suggestion already applied"));
    alice.postil("apply --undo").code(0);
    assert_eq!(both(&alice), ("one\n".to_owned(), "two\n".to_owned()));
    assert_eq!(alice.git("status --porcelain"), "");
}

#[test]
fn each_line_keeps_its_own_end_and_a_file_its_mark() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("mixed.txt", "\u{feff}a\r\nb\nc\r\n");
    alice.commit("mixed");
    fed(&alice, "suggest mixed.txt:1-2 --with - -m x", "A\nB\nmore\n").code(0);
    alice.postil("apply @").code(0);
    assert_eq!(read(&alice, "mixed.txt"), "\u{feff}A\r\nB\nmore\nc\r\n");
}

/// Where the only thread is, as `list` and `show` tell programs alike.
fn place(alice: &Checkout<'_>, id: &str) -> (String, String, u64, u64) {
    let listed = json(alice.postil("list --all --json").code(0))["threads"][0]["position"].clone();
    let shown = json(alice.postil(&format!("show {id} --json")).code(0))["thread"]["position"].clone();
    assert_eq!(listed, shown);
    let word = |name: &str| listed[name].as_str().unwrap_or_default().to_owned();
    let line = |name: &str| listed[name].as_u64().unwrap_or_default();
    (word("state"), word("reason"), line("start"), line("end"))
}

fn applied(first: u64, last: u64) -> (String, String, u64, u64) {
    ("outdated".to_owned(), "applied".to_owned(), first, last)
}

#[test]
fn a_thread_is_at_the_lines_that_its_suggestion_wrote() {
    let world = World::new();
    let alice = topic(&world);
    let other =
        "    debug_assert!(valid(), \"order\");\n    Difference::of(&minuend, &subtrahend).checked()\n";
    let id = id(&fed(&alice, "suggest src/lib.rs:6-7 --with - -m 'say what you mean'", other));
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(place(&alice, &id), applied(6, 7));
    let told = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(told.contains("its suggestion was applied here"), "{told}");

    alice.commit("apply it");
    assert_eq!(place(&alice, &id), applied(6, 7));
    let text = read(&alice, "src/lib.rs");
    alice.write("src/lib.rs", format!("// one more line above\n{text}"));
    assert_eq!(place(&alice, &id), applied(7, 8));
    alice.git("commit --quiet --all --amend -m 'apply it, and more'");
    assert_eq!(place(&alice, &id), applied(7, 8));
    alice.write("next.txt", "next\n");
    alice.commit("next");
    assert_eq!(place(&alice, &id), applied(7, 8));

    // What it wrote is followed on when somebody changes it again.
    let text = read(&alice, "src/lib.rs").replace("(&minuend, &subtrahend)", "(&subtrahend, &minuend)");
    alice.write("src/lib.rs", format!("// two\n{text}"));
    assert_eq!(place(&alice, &id), applied(8, 9));
    alice.commit("the other way round");
    assert_eq!(place(&alice, &id), applied(8, 9));
    let steps = json(alice.postil(&format!("log {id} --json")).code(0))["steps"].clone();
    assert_eq!(steps[0]["position"]["reason"], "applied", "{steps}");
}

#[test]
fn a_thread_whose_suggestion_took_its_lines_away_is_where_they_stood() {
    let world = World::new();
    let alice = topic(&world);
    let id = id(&fed(&alice, "suggest src/lib.rs:6-7 --with - -m 'nobody needs this'", ""));
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(place(&alice, &id), applied(5, 5));
    alice.commit("apply it");
    assert_eq!(place(&alice, &id), applied(5, 5));
    // Somebody brings them back: the thread is on its own lines again.
    alice.write("src/lib.rs", LIB);
    assert_eq!(place(&alice, &id).0, "anchored");
}

#[test]
fn a_reply_whose_suggestion_was_applied_leads_the_thread_to_what_it_wrote() {
    let world = World::new();
    let alice = topic(&world);
    let thread = id(&alice.postil("comment src/lib.rs:6 -m 'what is this?'"));
    let other = "    Difference::of(&minuend, &subtrahend).checked()\n";
    assert_eq!(place(&alice, &thread).0, "anchored");
    let reply = id(&fed(&alice, &format!("reply {thread} --with - -m so"), other));
    alice.postil(&format!("apply {reply}")).code(0);
    assert_eq!(place(&alice, &thread), applied(6, 6));
    // A suggestion that was not applied leads nowhere.
    alice.write("src/lib.rs", LIB.replace("    let x = a - b;\n", "    unreachable!(\"nothing\")\n"));
    assert_ne!(place(&alice, &thread).1, "applied");
}

#[test]
fn all_suggestions_are_applied_committed_and_resolved_and_what_is_in_the_way_is_told() {
    let world = World::new();
    let alice = topic(&world);
    alice.git("commit --quiet --allow-empty -m work");
    let one = suggest(&alice);
    let stored = fed(&alice, "suggest src/lib.rs:11 --with - -m 'rest less'", "    rest_less();\n");
    let two = id(&stored);
    assert!(stored.stdout().contains("\n    +    rest_less();\n"), "{}", stored.stdout());
    // A minute later.
    let block = "or so\n```suggestion\n    let x = 0;\n```";
    let mut later = alice.command(POSTIL);
    later.env("POSTIL_DAEMON", "off").env("GIT_AUTHOR_DATE", "2026-01-05T09:01:00Z");
    let other = id(&Finished::run(later.args(["comment", "src/lib.rs:6", "-m", block])));
    let planned = alice.postil("apply --all --check");
    planned.code(1);
    assert!(planned.stderr().contains("1 of 3 suggestions cannot be applied"), "{}", planned.stderr());
    assert_eq!(read(&alice, "src/lib.rs"), LIB);
    let applied = alice.postil("apply --all --commit --resolve");
    applied.code(4);
    let expected = better(LIB).replace("rest()", "rest_less()");
    assert_eq!(read(&alice, "src/lib.rs"), expected);
    assert_eq!(alice.git("status --porcelain"), "");
    let head = alice.git("rev-parse HEAD");
    let told = applied.stdout();
    for line in [
        format!("committed {}\n", &head[..10]),
        format!("resolved {one} src/lib.rs:6\n"),
        format!("resolved {two} src/lib.rs:11\n"),
        format!("left out {other} alice: or so\n"),
        format!("it changes the same lines as {one}\n"),
    ] {
        assert!(told.contains(&line), "{line}{told}");
    }
    assert!(applied.stderr().contains("2 applied, 1 left out\n"), "{}", applied.stderr());
    assert!(applied.stderr().contains("error: 1 of 3 suggestions was not applied\n"), "{}", applied.stderr());
    let message = alice.git("log -1 --format=%B");
    assert!(message.starts_with("Apply 2 suggestions\n\n- "), "{message}");
    assert!(message.contains("- never below zero\n") && message.contains("- rest less\n"), "{message}");
    assert!(message.contains(&format!("\nPostil-Thread: {one}")), "{message}");
    assert!(message.contains(&format!("\nPostil-Thread: {two}")), "{message}");
    let shown = json(alice.postil(&format!("show {one} --json")).code(0));
    assert_eq!(shown["thread"]["status_by"]["commit"], head.as_str());
    assert!(alice.postil(&format!("show {two}")).code(0).stdout().contains(&head[..7]));
    // The rest is told again, and nothing is written.
    let again = json(alice.postil("apply --all --resolve --json").code(4));
    assert_eq!((&again["left_out"][0]["short"], &again["written"]), (&other.as_str().into(), &false.into()));
    assert_eq!(again["error"]["code"], "conflict");
    alice.postil(&format!("resolve {other}")).code(0);
    let nothing = alice.postil("apply --all --resolve");
    nothing.code(0);
    assert_eq!((nothing.stdout(), nothing.stderr()), (String::new(), "no open suggestions\n".into()));
}

#[test]
fn what_was_applied_before_is_resolved_without_a_commit() {
    let world = World::new();
    let alice = topic(&world);
    alice.git("commit --quiet --allow-empty -m work");
    let done = suggest(&alice);
    alice.write("src/lib.rs", better(LIB));
    alice.commit("by hand");
    let head = alice.git("rev-parse HEAD");
    let told = alice.postil(&format!("apply {done} --commit --resolve")).code(0).stdout();
    assert!(told.contains("is already applied\n") && told.contains(&format!("resolved {done}")), "{told}");
    assert_eq!(alice.git("rev-parse HEAD"), head);
    let shown = json(alice.postil(&format!("show {done} --json")).code(0));
    assert_eq!(shown["thread"]["status_by"].get("commit"), None);
}
