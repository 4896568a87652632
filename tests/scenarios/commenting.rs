//! The daily use: comment, list, show, reply, resolve, from the command line.

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

const LIB: &str = "fn one() {}\n\nfn two() {\n    let x = a.saturating_sub(b);\n    x\n}\n\nfn three() {}\n";

/// A branch with one commit more than main.
fn topic(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("src/lib.rs", LIB);
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice
}

/// The id that a writing command prints first.
fn id(finished: &Finished) -> String {
    let told = finished.code(0).stdout();
    told.split(' ').find(|word| word.chars().all(|c| c.is_ascii_hexdigit())).expect("an id").to_owned()
}

#[test]
fn a_comment_follows_its_lines_into_a_renamed_file() {
    let world = World::new();
    let alice = topic(&world);
    let said = alice.postil("comment src/lib.rs:4 -m 'why saturating?'");
    assert!(said.stderr().contains("started review"), "{}", said.stderr());
    let id = id(&said);
    assert_eq!(said.stdout(), format!("{id} src/lib.rs:4\n"));
    assert_eq!(alice.postil("list").stdout(), format!("{id}  src/lib.rs:4  alice: why saturating?\n"));

    alice.git("mv src/lib.rs src/parser.rs");
    alice.write("src/parser.rs", format!("// a new line\n{LIB}"));
    alice.commit("move the parser");
    let listed =
        format!("{id}  src/parser.rs:5  alice: why saturating?\n         file renamed from src/lib.rs\n");
    assert_eq!(alice.postil("list").code(0).stdout(), listed);
    assert_eq!(alice.postil("list src/parser.rs").stdout(), listed);
    assert_eq!(alice.postil("list src/lib.rs").stdout(), "");
    assert_eq!(alice.postil("list '*.rs'").stdout(), listed);
    let told = "nothing to show\nnote: there would be 1 thread without `PATH`\n";
    assert_eq!(alice.postil("list 'lib/*' '*.toml'").code(0).stderr(), told);
}

#[test]
fn a_thread_is_answered_resolved_and_opened_again() {
    let world = World::new();
    let alice = topic(&world);
    let root = id(&alice.postil("comment src/lib.rs:4 -m 'why saturating?' --severity question --tag math"));
    let answer = id(&alice.postil(&format!("reply {root} -m 'it can be zero' -m 'and was'")));
    assert_ne!(root, answer);

    let shown = alice.postil(&format!("show {answer}")).code(0).stdout();
    assert!(shown.contains("question  #math"), "{shown}");
    assert!(shown.contains(">      4 |     let x = a.saturating_sub(b);"), "{shown}");
    assert!(shown.ends_with("    it can be zero\n\n    and was\n"), "{shown}");

    assert!(alice.postil(&format!("resolve {root} -m done")).code(0).stdout().starts_with("resolved "));
    assert_eq!(alice.postil("list").code(0).stdout(), "");
    let all = alice.postil("list --all").stdout();
    assert!(all.contains("resolved  question  #math  alice: why saturating?  [1 reply]"), "{all}");
    assert!(alice.postil("status").stdout().contains("0 open threads, 1 resolved"));
    alice.postil("reopen @").code(0);
    assert_eq!(alice.postil("list --exit-code").code(1).stderr(), "");
    assert!(alice.postil("status --exit-code").code(1).stdout().contains("1 open thread"));
}

#[test]
fn what_the_person_sees_is_what_is_commented() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("src/lib.rs", format!("// not committed\n{LIB}"));
    let said = alice.postil("comment src/lib.rs:1 -m 'say more'");
    assert!(said.code(0).stderr().contains("not committed"), "{}", said.stderr());
    let id = id(&said);
    assert_eq!(alice.postil("list").stdout(), format!("{id}  src/lib.rs:1  alice: say more\n"));
    let shown = alice.postil("show @").stdout();
    assert!(shown.contains(">      1 | // not committed"), "{shown}");

    // Commented before it was committed, and found in the commit.
    alice.commit("second");
    assert_eq!(alice.postil("list").stdout(), format!("{id}  src/lib.rs:1  alice: say more\n"));
    // A file that git does not know yet.
    alice.write("new.txt", "one\ntwo\n");
    let new = alice.postil("comment new.txt:2 -m 'a new file'").code(0).stdout();
    assert!(new.contains("new.txt:2"), "{new}");
    assert!(alice.postil("list new.txt").stdout().contains("new.txt:2  alice: a new file"));
}

#[test]
fn each_state_is_told_in_words_and_lost_comments_show_what_they_were_about() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("gone.txt", "only here\nand here\n");
    alice.commit("second");
    alice.postil("comment src/lib.rs:4 -m changed").code(0);
    alice.postil("comment src/lib.rs:8 -m moved").code(0);
    alice.postil("comment gone.txt:1 -m lost").code(0);
    alice.write("src/lib.rs", LIB.replace("saturating_sub(b)", "wrapping_sub(b, 1)"));
    std::fs::remove_file(alice.folder.join("gone.txt")).expect("the file is there");

    let told = alice.postil("list").code(0).stdout();
    let lines: Vec<&str> = told.lines().map(str::trim_start).collect();
    assert!(lines[0].ends_with("gone.txt:1  alice: lost"), "{told}");
    assert_eq!(lines[1..3], ["orphaned: its file was deleted", "was | only here"], "{told}");
    assert!(lines[3].ends_with("src/lib.rs:4  alice: changed"), "{told}");
    assert!(lines[4].starts_with("changed ("), "{told}");
    assert_eq!(lines[5], "was |     let x = a.saturating_sub(b);", "{told}");
    assert!(lines[6].ends_with("src/lib.rs:8  alice: moved"), "{told}");
    assert_eq!(lines.len(), 7, "{told}");

    let orphans = alice.postil("list --state orphaned --json").code(0).stdout();
    let orphans: serde_json::Value = serde_json::from_str(&orphans).expect("one JSON object");
    assert_eq!(orphans["version"], 1);
    let position = &orphans["threads"][0]["position"];
    assert_eq!((&position["state"], &position["reason"]), (&"orphaned".into(), &"file-deleted".into()));
    for field in ["path", "start", "end", "range", "confidence", "candidates"] {
        assert!(position.get(field).is_some(), "{field} in {position}");
    }
}

#[test]
fn locations_are_understood_from_any_folder() {
    let world = World::new();
    let alice = topic(&world);
    let within = |line: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off");
        command.env("POSTIL_DAEMON", "off");
        command.current_dir(alice.folder.join("src")).args(crate::support::world::words(line));
        Finished::run(&mut command)
    };
    let said = within("comment lib.rs:3-6 -m lines");
    assert!(said.code(0).stdout().ends_with(" lib.rs:3-6\n"));
    assert!(
        within("comment ../src/lib.rs:4:9-4:9 -m 'this name'")
            .code(0)
            .stdout()
            .ends_with(" lib.rs:4:9-4:9\n")
    );
    assert!(within("comment lib.rs @HEAD -m 'whole file'").code(0).stdout().ends_with(" lib.rs\n"));
    assert!(within("comment -m 'the whole review'").code(0).stdout().ends_with(" (review)\n"));
    let listed = alice.postil("list").stdout();
    let places: Vec<&str> = listed.lines().map(|line| line.split("  ").nth(1).unwrap_or_default()).collect();
    assert_eq!(places, ["(review topic)", "src/lib.rs", "src/lib.rs:3-6", "src/lib.rs:4:9-4:9"]);
    assert!(world.postil("-C alice/src list ..").code(0).stdout().contains("  lib.rs:3-6  "));

    let outside = within("comment ../../elsewhere:1 -m no");
    assert_eq!(
        outside.code(2).stderr(),
        "error: ../../elsewhere is outside this repository\n\
         hint: give a file in this repository, or use `-C DIR` for another one\n"
    );
    let missing = within("comment nothing.rs:1 -m no");
    assert!(missing.code(3).stderr().contains("no such file: nothing.rs"), "{}", missing.stderr());
    let beyond = within("comment lib.rs:99 -m no");
    assert!(
        beyond.code(3).stderr().contains("error: no such lines in lib.rs: its last line is 8"),
        "{}",
        beyond.stderr()
    );
    assert!(beyond.stderr().contains("note: your text is saved in "), "{}", beyond.stderr());
    // Neither another failure nor a success takes it away, but that it is said.
    within("comment lib.rs:100 -m 'another remark'").code(3);
    within("comment lib.rs:1 -m fine").code(0);
    assert_eq!(kept_texts(&alice), ["no\n\nanother remark"]);
    within("comment lib.rs:1 -m no").code(0);
    assert_eq!(kept_texts(&alice), ["another remark"]);
    let kept = alice.folder.join(".git/POSTIL_EDITMSG");
    let kept = kept.to_str().expect("a path of this test is text");
    within(&format!("comment lib.rs:1 -F {kept}")).code(0);
    assert_eq!(kept_texts(&alice), [""; 0]);
}

/// What was kept of words that were not written, in the order of the words.
fn kept_texts(checkout: &Checkout<'_>) -> Vec<String> {
    let files = std::fs::read_dir(checkout.folder.join(".git")).expect("a git directory can be read");
    let files = files.filter_map(Result::ok);
    let kept = files.filter(|file| file.file_name().to_string_lossy().starts_with("POSTIL_EDITMSG"));
    let mut kept: Vec<String> = kept.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    kept.sort();
    kept
}

#[test]
fn a_program_is_told_to_give_its_text_and_gets_no_editor() {
    let world = World::new();
    let alice = topic(&world);
    alice.git("config --global postil.agents write");
    alice.postil("comment src/lib.rs:1 -m why").code(0);
    let opened = alice.folder.join("opened");
    for line in [
        "comment src/lib.rs:1 --via agent:helper",
        "comment src/lib.rs:1 --json",
        "reply @ --via tool:lint",
        "edit @ --json",
        "suggest src/lib.rs:1 -e --via agent:helper",
    ] {
        let mut command = alice.command(POSTIL);
        command
            .env("POSTIL_DAEMON", "off")
            .env("GIT_EDITOR", format!("touch {}; echo drawn", opened.display()));
        let refused = Finished::run(command.args(line.split(' ')));
        let told = refused.code(2).stdout() + &refused.stderr();
        assert!(told.contains("a program gets no editor") && !told.contains("drawn"), "{line}: {told}");
        assert!(!opened.exists(), "{line}");
        if line.contains("--json") {
            let error: serde_json::Value = serde_json::from_str(&refused.stdout()).expect("one JSON object");
            assert!(error["error"]["hint"].as_str().is_some_and(|hint| hint.contains("-F FILE")), "{error}");
        }
    }
}

#[test]
fn words_in_an_editor_that_failed_are_kept_alone_and_told_where() {
    let world = World::new();
    let alice = topic(&world);
    let with_editor = |editor: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off").env("GIT_EDITOR", editor);
        Finished::run(command.args(["comment", "src/lib.rs:1"]))
    };
    let failed = with_editor("sh -c 'sed -i 1s/^/long\\ thoughts/ \"$0\"; exit 3'");
    let told = failed.code(2).stderr();
    assert!(told.contains("note: your text is saved in ") && told.contains("nothing was saved"), "{told}");
    assert_eq!(kept_texts(&alice), ["long thoughts"]);
    let failed = with_editor("sh -c 'sed -i 1s/^/more/ \"$0\"; kill -INT $$'");
    assert!(failed.code(130).stderr().contains("your text is saved in "), "{}", failed.stderr());
    // It begins with what was not sent.
    assert_eq!(kept_texts(&alice), ["morelong thoughts"]);
    with_editor("false").code(2);
    assert_eq!(kept_texts(&alice), ["morelong thoughts"], "who wrote nothing changes nothing");
    let closed = with_editor("true");
    assert!(closed.code(2).stderr().contains("the text was not changed"), "{}", closed.stderr());
    assert_eq!(kept_texts(&alice), ["morelong thoughts"]);
    assert_eq!(alice.postil("list").stdout(), "");
    with_editor("sed -i 1s/more/no\\ /").code(0);
    assert_eq!(kept_texts(&alice), [""; 0]);
    assert!(alice.postil("list").stdout().contains("no long thoughts"));
}

#[test]
fn comments_on_deleted_lines_count_lines_of_the_base() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("src/lib.rs", LIB.replace("fn one() {}\n\n", ""));
    alice.commit("drop one");
    let said = alice.postil("comment src/lib.rs:1 --side old -m 'do we not need this?'");
    assert!(said.code(0).stdout().ends_with(" src/lib.rs:1 (old)\n"), "{}", said.stdout());
    let diff = alice.postil("diff --threads lines").code(0).stdout();
    let lines: Vec<&str> = diff.lines().collect();
    let deleted = lines.iter().position(|line| *line == "-fn one() {}").expect("the line is shown");
    assert!(lines[deleted + 1].starts_with("# "), "{diff}");
    assert_eq!(lines[deleted + 2], "#   alice: do we not need this?", "{diff}");
}

#[test]
fn a_line_that_the_change_keeps_is_not_on_the_old_side() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("src/lib.rs", LIB.replace("fn one() {}\n\n", ""));
    alice.commit("drop one");
    let kept = alice.postil("comment src/lib.rs:3 --side old -m why").code(3).stderr();
    assert!(kept.contains("error: the change does not delete any lines of src/lib.rs:3\n"), "{kept}");
    assert!(kept.contains("hint: the line still exists, as src/lib.rs:1;"), "{kept}");
    // Of several lines one is enough, and what is deleted on disk alone is deleted too.
    alice.postil("comment src/lib.rs:1-3 --side old -m several").code(0);
    alice.write("src/lib.rs", "");
    alice.postil("comment src/lib.rs:3 --side old -m 'on disk'").code(0);
    let committed = alice.postil("comment src/lib.rs:3 @HEAD --side old -m 'not there'").code(3).stderr();
    assert!(committed.contains("does not delete any lines of src/lib.rs:3"), "{committed}");
    let other = id(&alice.postil("comment src/lib.rs:1 --side old -m other"));
    alice.git("checkout --quiet -- src/lib.rs");
    alice.postil(&format!("move {other} src/lib.rs:4 --side old")).code(3);
}

#[test]
fn a_comment_on_a_deletion_that_is_not_committed_follows_it() {
    let world = World::new();
    let alice = topic(&world);
    let without = LIB.replace("fn one() {}\n\n", "");
    alice.write("src/lib.rs", &without);
    let said = alice.postil("comment src/lib.rs:1 --side old -m 'do we not need this?'").code(0).stderr();
    assert!(!said.contains("not committed"), "these lines are: {said}");
    let here = "src/lib.rs:1 (old)  alice: do we not need this?\n";
    let restored = format!("{here}         the change no longer deletes these lines");
    assert!(alice.postil("list").code(0).stdout().ends_with(here));
    alice.git("checkout --quiet -- src/lib.rs");
    assert!(alice.postil("list").code(0).stdout().contains(&restored), "{}", alice.postil("list").stdout());
    alice.write("src/lib.rs", &without);
    alice.commit("drop one");
    assert!(alice.postil("list").code(0).stdout().ends_with(here), "{}", alice.postil("list").stdout());
    let log = alice.postil("log @").code(0).stdout();
    assert!(log.contains("not committed at that time") && log.contains("drop one"), "{log}");
    alice.write("src/lib.rs", LIB);
    alice.commit("keep one");
    assert!(alice.postil("list").code(0).stdout().contains(&restored), "{}", alice.postil("list").stdout());
    // What was only on disk stays on this machine.
    assert_eq!(alice.git("ls-tree -r --name-only refs/notes/reviews pins/"), "", "nothing is published");
}

#[test]
fn a_comment_on_deleted_lines_stays_while_only_a_bracket_comes_back() {
    let world = World::new();
    let alice = topic(&world);
    let body = "fn total() -> u32 {\n    let sum = add();\n    log(sum);\n    sum\n}\n";
    alice.git("checkout --quiet main");
    alice.write("sum.rs", format!("use add;\n\n{body}"));
    alice.commit("sum");
    alice.git("checkout --quiet -B other");
    alice.write("sum.rs", "use add;\n");
    alice.commit("drop it");
    alice.postil("review start --base main").code(0);
    alice.postil("comment sum.rs:3-7 --side old -m 'who uses this?'").code(0);
    let here = "sum.rs:3-7 (old)  alice: who uses this?\n";
    assert!(alice.postil("list").code(0).stdout().ends_with(here), "{}", alice.postil("list").stdout());
    alice.write("sum.rs", "use add;\n\nfn helper() {\n    other();\n}\n");
    alice.commit("help");
    assert!(alice.postil("list").code(0).stdout().ends_with(here), "{}", alice.postil("list").stdout());
    alice.write("sum.rs", "use add;\n\nfn total() -> u32 {\n    let sum = add();\n}\n");
    alice.commit("keep half");
    let list = alice.postil("list").code(0).stdout();
    assert!(list.contains("sum.rs:5-6 (old)  alice: who uses this?"), "{list}");
    assert!(list.contains("the change no longer deletes all of these lines (medium confidence)"), "{list}");
}

#[test]
fn a_file_that_is_deleted_on_disk_can_be_commented_on_and_put_back() {
    let world = World::new();
    let alice = topic(&world);
    std::fs::remove_file(alice.folder.join("src/lib.rs")).expect("the file is there");
    alice.postil("comment src/lib.rs:3-6 --side old -m 'who calls this?'").code(0);
    assert!(alice.postil("list").stdout().contains("src/lib.rs:3-6 (old)  alice: who calls this?"));
    alice.write("src/lib.rs", LIB.replace("fn three() {}\n", ""));
    let put_back = id(&alice.postil("suggest src/lib.rs:8 --side old -m 'we still need this'"));
    alice.postil(&format!("apply {put_back}")).code(0);
    assert_eq!(std::fs::read_to_string(alice.folder.join("src/lib.rs")).expect("it is back"), LIB);
}

#[test]
fn a_person_puts_a_lost_comment_elsewhere() {
    let world = World::new();
    let alice = topic(&world);
    let root = id(&alice.postil("comment src/lib.rs:4 -m here"));
    assert!(alice.postil(&format!("move {root} src/lib.rs:8")).code(0).stdout().ends_with(" src/lib.rs:8\n"));
    assert!(alice.postil("list").stdout().contains("src/lib.rs:8  alice: here"));
    let nowhere = alice.postil(&format!("move {root} --pick 7"));
    assert!(nowhere.code(3).stderr().contains("no place 7"), "{}", nowhere.stderr());
    alice.postil(&format!("move {root}")).code(2);
    assert!(alice.postil(&format!("log {root}")).code(0).stdout().contains("moved here by alice"));
}

#[test]
fn an_id_that_is_unknown_or_no_id_is_not_found() {
    let world = World::new();
    let alice = topic(&world);
    assert!(alice.postil("show @").code(3).stderr().contains("no comments yet"));
    alice.postil("comment src/lib.rs:4 -m here").code(0);
    let unknown = alice.postil("resolve fffffff");
    assert!(
        unknown.code(3).stderr().starts_with("error: no such comment: fffffff\n"),
        "{}",
        unknown.stderr()
    );
    alice.postil("resolve nonsense").code(3);
}

#[test]
fn only_the_author_withdraws_and_words_of_others_stand_beside() {
    let world = World::new();
    let alice = topic(&world);
    let root = id(&alice.postil("comment src/lib.rs:4 -m 'wy?'"));
    alice.postil(&format!("edit {root} -m 'why?'")).code(0);
    assert!(alice.postil("list").stdout().contains("alice: why?"));
    let bob = |line: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off");
        command.env("POSTIL_DAEMON", "off");
        command.env("GIT_AUTHOR_NAME", "bob").env("GIT_AUTHOR_EMAIL", "bob@example.com");
        Finished::run(command.args(crate::support::world::words(line)))
    };
    let refused = bob(&format!("withdraw {root}"));
    assert!(refused.code(4).stderr().contains("it is alice's comment"), "{}", refused.stderr());
    assert!(bob(&format!("edit {root} -m 'how?'")).code(0).stdout().starts_with("proposed a new text for "));
    assert!(alice.postil("list").stdout().contains("alice: why?"));
    alice.postil(&format!("withdraw {root}")).code(0);
    assert_eq!(alice.postil("list").stdout(), "");
    let purged = bob(&format!("purge --force {root}")).code(0).stdout();
    assert!(purged.starts_with(&format!("purged {root} (")), "{purged}");
    assert_eq!(alice.postil("list --all").stdout(), "");
}

#[test]
fn drafts_stay_here_until_they_are_published() {
    let world = World::new();
    let alice = topic(&world);
    alice.postil("comment src/lib.rs:4 -m secret --draft").code(0);
    assert!(alice.postil("list").stdout().contains("src/lib.rs:4  draft  alice: secret"));
    assert!(!alice.try_git("rev-parse --verify --quiet refs/notes/reviews").status.success());
    assert!(alice.postil("status").stdout().contains("2 drafts (use `postil publish` to share)"));
    let told = alice.postil("publish").code(0).stdout();
    assert!(told.starts_with("published 2 records\n"), "{told}");
    assert!(alice.postil("list").stdout().contains("src/lib.rs:4  alice: secret"));
    alice.git("rev-parse --verify refs/notes/reviews");
    alice.postil("comment src/lib.rs:8 -m second --draft").code(0);
    alice.postil("withdraw @").code(0);
    assert!(!alice.postil("list --all").stdout().contains("second"), "a draft is given up");
}

#[test]
fn an_editor_is_asked_where_nothing_is_said() {
    let world = World::new();
    let alice = topic(&world);
    let edit = |script: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off");
        command.env("POSTIL_DAEMON", "off");
        command.env("GIT_EDITOR", script).args(["comment", "src/lib.rs:4"]);
        Finished::run(&mut command)
    };
    // The buffer shows what is commented on, below the line that cuts it off.
    let said = edit("grep -q '     4 |     let x = a.saturating_sub(b);' \"$1\" && sed -i '1i # a heading' ");
    assert_eq!(said.code(0).stderr().matches("started review").count(), 1);
    assert!(alice.postil("show @").stdout().ends_with("    # a heading\n"));
    let empty = edit("true");
    assert!(empty.code(2).stderr().starts_with("error: the text is empty"), "{}", empty.stderr());
    edit("false").code(2);
}

#[test]
fn quoted_words_are_found_again_in_prose_that_changes_around_them() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("guide.md", "# Guide\n\nOpen the **main valve** slowly.\n\nOpen the main gate.\n");
    alice.commit("guide");
    alice.postil("comment guide.md --quote 'main valve slowly' -m 'how slowly?'").code(0);
    let twice = alice.postil("comment guide.md --quote 'Open the main' -m no");
    assert!(twice.code(3).stderr().contains("occurs 2 times in guide.md"), "{}", twice.stderr());
    assert!(twice.stderr().contains("it could be line 5"), "{}", twice.stderr());
    let thrice = alice.postil("comment guide.md --quote 'main' --suffix '' -m no").code(3).stderr();
    assert!(thrice.contains("it could be line 3\n") && !thrice.contains("times, "), "{thrice}");
    alice.write("again.md", "well, well, well\n\nwell\n");
    let told = alice.postil("comment again.md --quote well -m no").code(3).stderr();
    assert!(told.contains("it could be line 1, 3 times\n  because: it could be line 3\n"), "{told}");
    assert!(alice.postil("comment guide.md:1 -F nofile").code(3).stderr().contains("could not read "));
    alice.postil("comment guide.md --quote 'Open the main' --suffix ' gate' -m 'which?'").code(0);
    alice.write("guide.md", "# Guide\n\nBefore you begin:\n\nOpen the *main\nvalve* slowly, please.\n");
    let told = alice.postil("list").code(0).stdout();
    assert!(told.contains("guide.md:5:10-6:13  alice: how slowly?"), "{told}");
    assert!(told.contains("was \"Open the main\""), "{told}");

    // One comment can be shown in the editor, by its source, and on the page.
    let json = alice.postil("list --json").code(0).stdout();
    assert!(json.contains(r#""source":{"start":37,"end":56},"rendered":{"start":33,"end":50}"#), "{json}");
    let quote =
        r#""quote":"main valve slowly","prefix":"Guide\nOpen the ","suffix":".\nOpen the main gate.""#;
    assert!(json.contains(quote) && json.contains(r#""headings":["Guide"]"#), "{json}");
}

#[test]
fn a_column_that_a_line_does_not_have_is_told_with_its_length() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("b.txt", "one\nfour\n");
    let told = alice.postil("comment b.txt:2:9 -m far");
    let message = "error: line 2 of b.txt has no column 9: it has 4 bytes\n";
    assert!(told.code(3).stderr().starts_with(message), "{}", told.stderr());
}

#[test]
fn the_log_of_a_comment_that_was_put_elsewhere_tells_where_it_was_before() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("g.txt", "a\nb\nc\n");
    alice.write("f.txt", "1\n2\n3\n4\n");
    alice.commit("one");
    let said = alice.postil("comment g.txt:1 -m 'why?'").code(0).stdout();
    let id = said.split(' ').next().expect("the id comes first");
    alice.write("g.txt", "x\na\nb\nc\n");
    alice.commit("two");
    alice.postil(&format!("move {id} f.txt:3-4")).code(0);
    alice.write("f.txt", "0\n1\n2\n3\n4\n");
    alice.commit("three");
    alice.postil(&format!("move {id} g.txt:4")).code(0);
    let log = alice.postil(&format!("log {id}")).code(0).stdout();
    let (log, story) = log.split_once("\n\n").expect("the places come first, then what happened");
    assert_eq!(story.matches("moved by alice").count(), 2, "{story}");
    let told: Vec<String> = log
        .lines()
        .map(|line| line.split("  ").skip(1).take(2).collect::<Vec<_>>().join(" ").trim().to_owned())
        .collect();
    let expected = [
        "g.txt:4 three",
        "moved here by alice",
        "f.txt:4-5 three",
        "same text, 1 line further down",
        "f.txt:3-4 two",
        "moved here by alice",
        "g.txt:2 two",
        "same text, 1 line further down",
        "g.txt:1 one",
    ];
    let words: Vec<&str> = log.lines().map(str::trim).collect();
    assert_eq!(words.len(), expected.len(), "{log}");
    for (at, expected) in expected.iter().enumerate() {
        assert!(told[at] == *expected || words[at] == *expected, "{expected}: {log}");
    }
}

#[test]
fn a_file_that_is_called_like_a_commit_is_that_file() {
    let world = World::new();
    let alice = topic(&world);
    alice.write("@scope/pk/@types/i.ts", "one\ntwo\n");
    alice.write("@at", "one\ntwo\n");
    alice.commit("scoped");
    for (place, told) in [
        ("@scope/pk/@types/i.ts:2", "@scope/pk/@types/i.ts:2"),
        ("./@scope/pk/@types/i.ts:1 @HEAD", "@scope/pk/@types/i.ts:1"),
        ("@scope/pk/@types/i.ts @HEAD", "@scope/pk/@types/i.ts"),
        ("@at:2", "@at:2"),
        ("@at", "@at"),
    ] {
        let said = alice.postil(&format!("comment {place} -m 'about {place}'")).code(0).stdout();
        assert!(said.trim_end().ends_with(&format!(" {told}")), "{place}: {said}");
    }
}

#[test]
fn a_comment_has_the_offset_of_the_clock_on_the_wall() {
    let world = World::new();
    let alice = topic(&world);
    // As POSIX has it: ahead of UTC is written with a minus.
    for (zone, offset) in [("XYZ-5:30", "+0530"), ("", "+0000"), ("ABC3", "-0300")] {
        let mut comment = alice.command(POSTIL);
        comment.env("POSTIL_DAEMON", "off").env("TZ", zone).env_remove("GIT_AUTHOR_DATE");
        comment.args(["comment", "src/lib.rs:4", "-m", zone, "-m", "where the clock is"]);
        Finished::run(&mut comment).code(0);
        let told = alice.git("log -1 --format=%ad --date=raw refs/notes/reviews");
        assert!(told.trim().ends_with(offset), "{zone}: {told}");
    }
}
