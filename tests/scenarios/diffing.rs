//! `postil diff` is a diff of git that other tools read, with threads in it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World, words};
use crate::terminal::on_terminal;

const CODE: &str =
    "fn one() {\n    1\n}\n\nfn two() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n    a + b\n}\n";

/// A branch with every shape of change that git has a header for, and threads on most of them.
fn shapes(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    let long: String = (1..=60).map(|line| format!("line {line}\n")).collect();
    alice.write("src/lib.rs", CODE);
    alice.write("long.txt", &long);
    alice.write("renamed from.txt", &long);
    alice.write("moved.txt", &long);
    alice.write("script", "#!/bin/sh\n");
    alice.write("mode", "x\n");
    alice.write("blob.bin", b"\0one".repeat(100));
    alice.write("gone.txt", "a\nb\nc\n");
    alice.write("no end", "a\nb");
    alice.write("quo\"ted\tn\u{e4}me", "a\nb\n");
    alice.write("crlf.txt", "a\r\nb\r\nc\r\n");
    alice.write("type", "a file\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("src/lib.rs", CODE.replace("a + b", "a + b + c").replace("    1\n", "    11\n"));
    alice.write("long.txt", long.replace("line 7\n", "LINE 7\n").replace("line 50\n", ""));
    alice.git("mv 'renamed from.txt' 'renamed to.txt'");
    alice.write("renamed to.txt", long.replace("line 30\n", "line thirty\n"));
    alice.git("mv moved.txt moved");
    alice.write("blob.bin", b"\0two".repeat(100));
    alice.git("rm --quiet gone.txt");
    alice.write("no end", "a\nc");
    alice.write("quo\"ted\tn\u{e4}me", "a\nB\n");
    alice.write("crlf.txt", "a\r\nB\r\nc\r\n");
    alice.write("new.txt", "new\nfile\n");
    alice.write("empty.txt", "");
    alice.git("rm --quiet type");
    std::os::unix::fs::symlink("src/lib.rs", alice.folder.join("type")).expect("a link can be made");
    alice.git("add --all");
    alice.git("update-index --chmod=+x mode script");
    alice.git("commit --quiet -m second");
    alice.git("reset --quiet --hard");
    let submodule = "160000,1111111111111111111111111111111111111111,sub";
    alice.git(&format!("update-index --add --cacheinfo {submodule}"));
    alice.git("commit --quiet -m third");
    let comments = [
        "src/lib.rs:9 -m 'changed'",
        "src/lib.rs:9 --side old -m 'deleted'",
        "src/lib.rs:1 -m 'context'",
        "src/lib.rs -m 'whole file'",
        "long.txt:7 -m 'first hunk'",
        "long.txt:30 -m 'between the hunks'",
        "long.txt:50 --side old -m 'second hunk'",
        "'renamed to.txt:30' -m 'in a renamed file'",
        "moved:3 -m 'in a moved file'",
        "script -m 'its mode changed'",
        "blob.bin -m 'not text'",
        "gone.txt:2 --side old -m 'why delete it?'",
        "'no end:2' -m 'no newline'",
        "'quo\"ted\tn\u{e4}me:2' -m 'strange name'",
        "crlf.txt:2 -m 'strange line'",
        "new.txt:2 -m 'new'",
        "empty.txt -m 'nothing in it'",
        "-m 'all of it'",
    ];
    for comment in comments {
        alice.postil(&format!("comment {comment}")).code(0);
    }
    alice
}

/// What a program says about a patch on its standard input; the first value is whether it took it.
fn fed(command: &mut Command, patch: &[u8]) -> (bool, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    // One that refuses its input does not read it.
    let _ = child.stdin.take().expect("it was piped").write_all(patch);
    let output = child.wait_with_output().expect("it ends");
    let told = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&told).into_owned())
}

/// Bytes that a command prints.
fn printed(alice: &Checkout<'_>, program: &str, line: &str) -> Vec<u8> {
    let mut command = alice.command(program);
    command.env("POSTIL_DAEMON", "off").args(words(line));
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[track_caller]
fn is_accepted(alice: &Checkout<'_>, patch: &[u8], what: &str) {
    let git = |words: &[&str], folder: &std::path::Path| {
        let mut command = alice.command("git");
        fed(command.args(words).current_dir(folder), patch)
    };
    let back = git(&["apply", "--reverse", "--check", "--whitespace=nowarn"], &alice.folder);
    assert!(back.0, "{what}: {}\n{}", back.1, String::from_utf8_lossy(patch));
    // The other way, in the files of the base.
    let base = alice.folder.with_extension("base");
    if !base.exists() {
        alice.git(&format!("worktree add --quiet --detach '{}' main", base.display()));
    }
    let forth = git(&["apply", "--check", "--whitespace=nowarn"], &base);
    assert!(forth.0, "{what}: {}\n{}", forth.1, String::from_utf8_lossy(patch));
}

#[test]
fn git_apply_takes_a_diff_with_threads_and_it_does_what_the_plain_one_does() {
    let world = World::new();
    let alice = shapes(&world);
    let woven = printed(&alice, POSTIL, "diff --binary");
    let text = String::from_utf8_lossy(&woven).into_owned();
    assert_eq!(text.matches("#   alice: ").count(), 18, "every thread is in it once: {text}");
    is_accepted(&alice, &woven, "woven");
    let plain = printed(&alice, POSTIL, "diff --binary --no-threads");
    let stat = |patch: &[u8]| fed(alice.command("git").args(["apply", "--numstat", "--summary"]), patch);
    assert_eq!(stat(&woven), stat(&plain), "git reads the same out of both");
    let without: Vec<&[u8]> = woven.split_inclusive(|byte| *byte == b'\n').collect();
    let without = without.into_iter().filter(|line| !line.starts_with(b"#")).collect::<Vec<_>>().concat();
    assert_eq!(String::from_utf8_lossy(&without), String::from_utf8_lossy(&plain));
}

#[test]
fn without_threads_it_is_what_git_prints_with_the_settings_of_the_user() {
    let world = World::new();
    let alice = shapes(&world);
    alice.write("long.txt", "only\nthis\n");
    alice.write("untracked.txt", "not shown\n");
    let settings = [
        "",
        "diff.context=1",
        "diff.algorithm=patience",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.srcPrefix=before/",
        "diff.renames=false",
        "diff.suppressBlankEmpty=true",
        "core.quotePath=false",
        "diff.interHunkContext=50",
        "color.diff=always",
        "diff.submodule=log",
        "diff.wsErrorHighlight=all",
        "diff.rust.xfuncname=^(let.*)$",
    ];
    let options = [
        "",
        "-U0",
        "-U20",
        "-w",
        "--stat",
        "--word-diff",
        "--name-only",
        "--numstat",
        "-p --stat",
        "--binary",
        "--find-renames=90",
    ];
    alice.write(".git/info/attributes", "*.rs diff=rust\n");
    let check = |setting: &str, option: &str, ends: &str| {
        let configured = if setting.is_empty() { String::new() } else { format!("-c '{setting}' ") };
        let git = printed(&alice, "git", &format!("{configured}diff {option} {ends}"));
        if !setting.is_empty() {
            let (name, value) = setting.split_once('=').expect("a value");
            alice.git(&format!("config '{name}' '{value}'"));
        }
        let ours = printed(&alice, POSTIL, &format!("diff --no-threads {option} {ends}"));
        assert!(!git.is_empty());
        assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&git), "{setting} {option}");
        let placed = printed(&alice, POSTIL, &format!("diff {option} {ends}"));
        let placed = String::from_utf8_lossy(&placed).into_owned();
        if !option.contains('-') {
            assert!(!placed.contains("# nothing"), "{placed}");
            let found = placed.matches("in files that this diff does not show").count();
            assert_eq!(found, 0, "{setting}: every file is recognised: {placed}");
        }
        if let Some((name, _)) = setting.split_once('=') {
            alice.git(&format!("config --unset '{name}'"));
        }
    };
    for setting in settings {
        check(setting, "", "main");
    }
    for option in options {
        check("", option, "main");
        check("", option, "main topic");
    }
}

#[test]
fn on_a_terminal_threads_are_below_their_lines_and_elsewhere_after_their_file() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("second");
    let id = alice.postil("comment a.txt:2 -m 'why?\nreally'").code(0).stdout();
    let id = id.split(' ').next().expect("the id comes first");
    let old = alice.postil("comment a.txt:2 --side old -m 'it was fine'").code(0).stdout();
    let old = old.split(' ').next().expect("the id comes first");
    let lines = format!(
        "@@ -1,3 +1,3 @@\n one\n-two\n# {old}\n#   alice: it was fine\n+2\n# {id}\n#   alice: why?\n#     really\n three\n"
    );
    let files = format!(
        "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n# {old}  a.txt:2 (old)\n#   > two\n#   alice: it was fine\n\
         # {id}  a.txt:2\n#   > 2\n#   alice: why?\n#     really\n"
    );
    assert!(alice.postil("diff").code(0).stdout().ends_with(&files), "{}", alice.postil("diff").stdout());
    assert!(alice.postil("diff --threads=lines").code(0).stdout().ends_with(&lines));
    assert!(alice.postil("diff --threads=files").code(0).stdout().ends_with(&files));
    assert!(!alice.postil("diff --threads=none").code(0).stdout().contains('#'));
    // Words cannot be counted: the thread is below its hunk.
    let words = alice.postil("diff --word-diff --threads=lines").code(0).stdout();
    assert!(words.contains(&format!("three\n# {old}  a.txt:2 (old)\n")), "{words}");
    let Some(shown) = on_terminal(&alice, "--color never --no-pager diff", "") else { return };
    assert!(shown.ends_with(&lines), "{shown:?}");
    // With the pager and the colours that git has for a diff.
    alice.git("config core.pager 'sed s/^/core:/'");
    alice.git("config pager.diff 'sed s/^/diff:/'");
    alice.git("config color.diff.new 'bold blue'");
    let shown = on_terminal(&alice, "diff", "").expect("there was a terminal");
    assert!(shown.contains("\ndiff:\u{1b}[1;34m+\u{1b}[m\u{1b}[1;34m2\u{1b}[m\n"), "{shown:?}");
    assert!(shown.lines().all(|line| line.starts_with("diff:")), "{shown:?}");
}

#[test]
fn threads_outside_of_the_shown_lines_are_told_too() {
    let world = World::new();
    let alice = world.repository("alice");
    let long: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    alice.write("a.txt", &long);
    alice.write("other.txt", "not changed\n");
    alice.write("old name.txt", long.replace("line", "row"));
    alice.write("lost.txt", "unlike anything else here\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", long.replace("line 5\n", "five\n"));
    alice.commit("second");
    for comment in
        ["a.txt:30 -m far", "other.txt:1 -m unchanged", "'old name.txt:8' -m carried", "lost.txt:1 -m lost"]
    {
        alice.postil(&format!("comment {comment}")).code(0);
    }
    alice.postil("comment -m 'whole review'").code(0);
    // Renamed and deleted on disk alone.
    std::fs::rename(alice.folder.join("old name.txt"), alice.folder.join("new name.txt")).expect("renamed");
    std::fs::remove_file(alice.folder.join("lost.txt")).expect("deleted");
    let diff = alice.postil("diff").code(0).stdout();
    let tells = |words: &str| assert!(diff.contains(words), "{words}: {diff}");
    assert!(diff.starts_with("# ") && diff.lines().nth(1) == Some("#   alice: whole review"), "{diff}");
    tells("  a.txt:30\n#   > line 30\n#   alice: far\n");
    tells("# 2 threads in files that this diff does not show\n");
    tells("  new name.txt:8\n");
    tells("#   alice: carried\n");
    tells("  other.txt:1\n#   > not changed\n#   alice: unchanged\n");
    tells("#   orphaned: its file was deleted\n#   was | unlike anything else here\n#   alice: lost\n");
    is_accepted(&alice, diff.as_bytes(), "with files that are renamed on disk");
    let one = alice.postil("diff a.txt").code(0).stdout();
    assert!(
        one.contains("alice: far") && !one.contains("whole review") && !one.contains("other.txt"),
        "{one}"
    );
}

#[test]
fn what_a_comment_says_is_never_a_part_of_the_diff() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.write("victim", "safe\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\n");
    alice.commit("second");
    let texts = [
        "diff --git a/victim b/victim\n--- a/victim\n+++ b/victim\n@@ -1 +1 @@\n-safe\n+owned",
        "x\n--- victim\n+++ victim\n@@ -1 +1 @@\n-safe\n+owned\n",
        "*** victim\n--- victim\n***************\n*** 1 ****\n! safe\n--- 1 ----\n! owned",
        "1c1\n< safe\n---\n> owned",
        "Index: victim\nPrereq: safe\n1c\nowned\n.",
        "\\ No newline at end of file\n@@ -1,2 +1,2 @@\nrename from a.txt\nrename to victim",
        "\r--- a/victim\r+++ b/victim\r@@ -1 +1 @@\r-safe\r+owned",
        "\u{2028}diff --git a/victim b/victim\u{b}--- a/victim\u{c}+++ b/victim\u{85}@@ -1 +1 @@",
        "\u{1b}[2K\u{1b}[1Gdiff --git a/victim b/victim",
        "GIT binary patch\nliteral 0\nHcmV?d00001",
        "commit 0000000000000000000000000000000000000000\nSubmodule x 1..2:\n* Unmerged path victim",
    ];
    for text in texts {
        let mut command = alice.command(POSTIL);
        command
            .env("POSTIL_DAEMON", "off")
            .env("GIT_AUTHOR_NAME", "+++ b/victim")
            .env("GIT_AUTHOR_EMAIL", "m@x");
        Finished::run(command.args(["comment", "a.txt:2", "-m", text])).code(0);
    }
    alice
        .postil("review request-changes -m 'no\n--- a/victim\n+++ b/victim\n@@ -1 +1 @@\n-safe\n+owned'")
        .code(0);
    alice.write("a.txt", "one\n2\n3\n");
    alice.commit("third");
    for (line, added) in [("diff", 2), ("review since", 1)] {
        let woven = printed(&alice, POSTIL, line);
        let text = String::from_utf8_lossy(&woven).into_owned();
        assert!(text.contains("owned"), "{line}: {text}");
        assert!(!text.contains(['\u{1b}', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}']), "{line}: {text:?}");
        let (taken, stat) = fed(alice.command("git").args(["apply", "--numstat"]), &woven);
        assert!(taken, "{line}: {stat}");
        assert_eq!(stat, format!("{added}\t{}\ta.txt\n", added - 1), "{line}: {text}");
        let (taken, told) = fed(alice.command("git").args(["apply", "--reverse", "--check"]), &woven);
        assert!(taken, "{line}: {told}");
        gnu_patch_takes(&alice, &woven, line);
    }
    // GNU patch passes over remarks in hunks too; git refuses them, and does nothing.
    let inside = printed(&alice, POSTIL, "diff --threads lines");
    gnu_patch_takes(&alice, &inside, "lines");
    let (taken, told) = fed(alice.command("git").args(["apply", "--reverse", "--check"]), &inside);
    assert!(!taken && told.contains("corrupt patch"), "{told}");
}

/// GNU patch takes it, and changes a.txt alone.
#[track_caller]
fn gnu_patch_takes(alice: &Checkout<'_>, patch: &[u8], what: &str) {
    let version = Command::new("patch").arg("--version").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("GNU patch")) {
        return skipped("GNU patch");
    }
    let (taken, told) =
        fed(alice.command("patch").args(["--reverse", "--strip=1", "--dry-run", "--batch"]), patch);
    assert!(taken && told == "checking file a.txt\n", "{what}: {told}");
}

#[test]
fn delta_shows_a_diff_with_its_threads() {
    let world = World::new();
    let alice = world.repository("alice");
    if !Command::new("delta").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skipped("delta");
    }
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.write("b.txt", "b\n");
    alice.commit("second");
    alice.postil("comment a.txt:2 -m 'why?'").code(0);
    for line in ["diff", "diff --threads lines", "diff --threads lines --color always"] {
        let patch = printed(&alice, POSTIL, line);
        let mut delta = alice.command("delta");
        let (taken, told) = fed(delta.args(["--no-gitconfig", "--paging=never", "--width=80"]), &patch);
        let plain = without_escapes(&told);
        assert!(taken, "{line}: {told}");
        let place = |words: &str| plain.find(words).unwrap_or_else(|| panic!("{line}: {words}: {plain}"));
        assert!(place("\na.txt") < place("#   alice: why?"), "{line}: {plain}");
        assert!(place("#   alice: why?") < place("\nadded: b.txt"), "{line}: {plain}");
        let is_inside = place("#   alice: why?") < place("\nthree");
        assert_eq!(is_inside, line.contains("lines"), "{line}: {plain}");
    }
    alice.git("config core.pager 'delta --no-gitconfig --paging=never --width=80'");
    let Some(shown) = on_terminal(&alice, "diff", "") else { return };
    let plain = without_escapes(&shown);
    assert!(plain.contains("\na.txt") && plain.contains("\n#   alice: why?\nthree"), "{plain}");
}

/// What a terminal shows, without colours.
fn without_escapes(told: &str) -> String {
    let mut parts = told.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.trim_start_matches(|c: char| "[0123456789;:".contains(c)).get(1..).unwrap_or(""));
    }
    plain
}

#[test]
fn a_file_cannot_hide_itself_on_a_terminal_and_a_program_gets_its_bytes() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    let evil = "one\n\u{1b}[8mhidden\u{1b}[m\u{1b}]0;title\u{7}\u{202e}turned\u{1b}[2J\n\ttab\n";
    alice.write("a.txt", evil);
    alice.commit("second");
    alice.postil("comment a.txt:2 -m 'what is this?'").code(0);
    let bytes = printed(&alice, POSTIL, "diff --no-threads");
    assert_eq!(bytes, printed(&alice, "git", "diff main"));
    for colour in ["always", "never"] {
        let Some(shown) = on_terminal(&alice, &format!("--color {colour} --no-pager diff"), "") else {
            return;
        };
        let plain = without_escapes(&shown.replace("\u{1b}[m", ""));
        assert!(plain.contains("+^[[8mhidden"), "{shown:?}");
        for bad in ["\u{1b}[8m", "\u{1b}]", "\u{7}", "\u{202e}", "\u{1b}[2J"] {
            assert!(!shown.contains(bad), "{colour} {bad:?}: {shown:?}");
        }
        assert!(plain.contains("+\ttab"), "{shown:?}");
    }
}

#[test]
fn what_git_does_not_know_is_an_error_and_json_has_no_options_of_git() {
    let world = World::new();
    let alice = shapes(&world);
    let unknown = alice.postil("diff --sttat");
    assert!(unknown.code(2).stderr().contains("unexpected argument '--sttat'"), "{}", unknown.stderr());
    assert!(unknown.stderr().contains("'--stat'"), "{}", unknown.stderr());
    let wrong = alice.postil("diff --word-diff=nonsense");
    assert!(wrong.code(5).stderr().contains("`git diff` failed"), "{}", wrong.stderr());
    for option in ["--stat", "--no-threads", "--threads=lines", "-w"] {
        let told = alice.postil(&format!("--json diff {option}")).code(2).stderr();
        assert!(told.contains("does not go with `--json`"), "{told}");
    }
    let both = alice.postil("diff --no-threads --threads=lines");
    assert!(both.code(2).stderr().contains("cannot be used with"), "{}", both.stderr());
}

#[test]
fn since_a_verdict_new_commits_are_a_plain_diff_and_a_rewritten_branch_has_two_marks() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", CODE);
    alice.write("b.txt", "b\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", CODE.replace("a + b", "a + b + c"));
    alice.commit("second");
    alice.postil("review start").code(0);
    alice.postil("review request-changes -m 'not yet'").code(0);
    alice.write("a.txt", CODE.replace("a + b", "a - b - c"));
    alice.commit("third");
    alice.postil("comment a.txt:9 -m 'better?'").code(0);
    let since = alice.postil("review since").code(0).stdout();
    let plain = alice.git("diff HEAD~1 HEAD");
    let bare: Vec<&str> = since.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(bare.join("\n"), plain, "{since}");
    assert!(since.starts_with("# review ") && since.contains("\n#     not yet\n"), "{since}");
    assert!(since.contains("#   > ") && since.contains("#   alice: better?\n"), "{since}");
    let (taken, told) = fed(alice.command("git").args(["apply", "--reverse", "--check"]), since.as_bytes());
    assert!(taken, "{told}");
    assert!(alice.postil("review since --json").code(0).stdout().contains("\"only_added\":true"));

    alice.git("reset --quiet --soft main");
    alice.git("commit --quiet -m 'all at once'");
    let since = alice.postil("review since").code(0).stdout();
    let expected = " ## a.txt ##\n@@ -6,5 +6,5 @@ fn two() {\n      let a = 1;\n      let b = 2;\n      let c = 3;\n \
                    -    a + b\n-+    a + b + c\n++    a - b - c\n  }\n";
    let told: Vec<&str> = since.lines().skip_while(|line| !line.starts_with("# rewritten since: ")).collect();
    assert_eq!(format!("{}\n", told[1..].join("\n")), expected, "{since}");
    assert!(told[0].len() <= 80, "{since}");
    let (taken, _) = fed(alice.command("git").args(["apply", "--check"]), since.as_bytes());
    assert!(!taken, "two marks are not a patch");
}
