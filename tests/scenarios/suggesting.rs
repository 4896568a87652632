//! Suggestions: made in every form, carried along, applied to the files alone, or refused with a reason.

use std::fs;

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World, words};

pub(crate) const LIB: &str = "fn one() {\n    work(1);\n}\n\nfn two() {\n    let x = a - b;\n    x\n}\n\nfn three() {\n    rest();\n}\n";

/// The change that is suggested most of the time.
pub(crate) const BETTER: &str = "    let x = a.saturating_sub(b);\n";

/// A branch with one commit more than main.
pub(crate) fn topic(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("src/lib.rs", LIB);
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice
}

pub(crate) fn better(text: &str) -> String {
    text.replace("    let x = a - b;\n", BETTER)
}

/// Runs postil with something on its standard input.
pub(crate) fn fed(alice: &Checkout<'_>, line: &str, input: impl AsRef<[u8]>) -> Finished {
    let file = alice.folder.join(".git/input");
    fs::write(&file, input).expect("a file can be written");
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    Finished::run(command.args(words(line)).stdin(fs::File::open(file).expect("it was written")))
}

/// Suggests the better line, and returns the id.
pub(crate) fn suggest(alice: &Checkout<'_>) -> String {
    id(&fed(alice, "suggest src/lib.rs:6 --with - -m 'never below zero'", BETTER))
}

pub(crate) fn id(finished: &Finished) -> String {
    let told = finished.code(0).stdout();
    told.split(' ').next().expect("an id comes first").to_owned()
}

pub(crate) fn read(alice: &Checkout<'_>, path: &str) -> String {
    fs::read_to_string(alice.folder.join(path)).expect("a file can be read")
}

pub(crate) fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout()).unwrap_or_else(|error| panic!("{error}: {}", finished.stdout()))
}

/// Everything but the files: HEAD, the index, branches.
pub(crate) fn beside_files(alice: &Checkout<'_>) -> String {
    let index = alice.git("ls-files --stage");
    format!("{}\n{index}\n{}", alice.git("rev-parse HEAD"), alice.git("for-each-ref refs/heads"))
}

#[test]
fn a_suggested_change_is_not_edited_behind_those_who_may_have_applied_it() {
    let world = World::new();
    let alice = topic(&world);
    let comment = "comment src/lib.rs:6 -m 'never below\n```suggestion\n    let x = 1;\n```\n'";
    let id = id(&alice.postil(comment));
    for other in ["no block now", "less\n```suggestion\n    let x = 2;\n```\n"] {
        let refused = alice.postil(&format!("edit {id} -m '{other}'"));
        assert!(refused.code(2).stderr().contains("cannot edit"), "{}", refused.stderr());
        assert!(refused.stderr().contains("hint: "), "{}", refused.stderr());
    }
    alice.postil(&format!("edit {id} -m 'always above\n```suggestion\n    let x = 1;\n```\n'")).code(0);
    assert!(alice.postil("list").code(0).stdout().contains("suggestion applies"));
}

#[test]
fn a_suggestion_for_a_line_is_shown_applied_and_taken_back() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let listed = alice.postil("list").stdout();
    assert!(listed.contains("src/lib.rs:6  suggestion applies  alice: never below zero"), "{listed}");
    let shown = alice.postil(&format!("show {id}")).stdout();
    assert!(shown.contains("    -    let x = a - b;\n    +    let x = a.saturating_sub(b);\n"), "{shown}");

    let before = beside_files(&alice);
    let dry = alice.postil(&format!("apply {id} --diff"));
    assert!(dry.code(0).stdout().contains("+    let x = a.saturating_sub(b);\n"), "{}", dry.stdout());
    assert_eq!(read(&alice, "src/lib.rs"), LIB, "nothing was written");
    assert_eq!(alice.postil(&format!("apply {id}")).code(0).stdout(), "changed src/lib.rs\n");
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    assert_eq!(beside_files(&alice), before, "the files alone are written");
    assert!(alice.postil("list").stdout().contains("suggestion already applied"));
    let again = alice.postil(&format!("apply {id}"));
    assert_eq!(again.code(0).stdout(), format!("{id} is already applied\n"));

    assert_eq!(alice.postil("apply --undo").code(0).stdout(), format!("undid {id}\n"));
    assert_eq!(read(&alice, "src/lib.rs"), LIB);
    alice.postil("apply --undo").code(3);
}

#[test]
fn a_suggestion_lands_after_edits_elsewhere_a_rename_and_a_rebase() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let moved_on = format!("// top\n{}", LIB.replace("rest()", "more()").replace("work(1)", "work(2)"));
    alice.git("switch --quiet main");
    alice.write("other.txt", "x\n");
    alice.commit("elsewhere");
    alice.git("switch --quiet topic");
    alice.git("mv src/lib.rs src/parser.rs");
    alice.write("src/parser.rs", &moved_on);
    alice.commit("rename and change");
    alice.git("rebase --quiet main");
    // And something that is not committed.
    let dirty = moved_on.replace("work(2)", "work(3)");
    alice.write("src/parser.rs", &dirty);
    assert!(alice.postil("list").stdout().contains("suggestion applies"));
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/parser.rs"), better(&dirty));
    assert!(!alice.folder.join("src/lib.rs").exists());
}

#[test]
fn what_the_user_did_already_is_not_done_twice() {
    let world = World::new();
    let alice = topic(&world);
    let both = better(LIB).replace("    rest();\n", "    rest();\n    sleep();\n");
    let id = id(&fed(&alice, "suggest src/lib.rs --with - -m both", &both));
    // One of the two changes was typed, with something else elsewhere.
    let half = format!("// top\n{}", better(LIB));
    alice.write("src/lib.rs", &half);
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), format!("// top\n{both}"));
    alice.commit("all of it");
    assert!(
        alice.postil("list").stdout().contains("suggestion already applied"),
        "{}",
        alice.postil("list").stdout()
    );
}

#[test]
fn a_conflict_tells_both_sides_and_leaves_every_byte() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let other = LIB.replace("a - b", "a % b").replace("work(1)", "work(9)");
    alice.write("src/lib.rs", &other);
    assert!(alice.postil("list").stdout().contains("suggestion conflicts"));
    let refused = alice.postil(&format!("apply {id}"));
    let told = refused.code(4).stdout();
    assert!(told.contains("src/lib.rs:6"), "{told}");
    assert!(told.contains("expected |     let x = a - b;"), "{told}");
    assert!(told.contains("found |     let x = a % b;"), "{told}");
    assert!(refused.stderr().contains("no file was changed"), "{}", refused.stderr());
    assert_eq!(read(&alice, "src/lib.rs"), other);
    alice.postil(&format!("apply {id} --check")).code(1);
    let told = json(alice.postil(&format!("apply {id} --json")).code(4));
    assert_eq!((&told["state"], &told["written"]), (&"conflict".into(), &false.into()));
    assert_eq!(told["conflicts"][0]["expected"][0], "    let x = a - b;");
    assert_eq!(told["conflicts"][0]["actual"][0], "    let x = a % b;");
    assert_eq!(told["error"]["code"], "conflict");
    // Why it was refused is data, here and where the thread is shown: what was typed, and what was wanted instead.
    let shown = json(alice.postil(&format!("show {id} --json")).code(0));
    for why in [&told["conflicts"][0], &shown["thread"]["comments"][0]["suggestion"]["conflicts"][0]] {
        let at = LIB.find("    let x").unwrap();
        assert_eq!(why["code"], "overlap", "{why}");
        assert_eq!(
            why["meeting"]["suggested"],
            serde_json::json!({ "offset": at, "length": 18, "text": BETTER.trim_end_matches('\n') })
        );
        let typed = serde_json::json!({ "offset": at, "length": 18, "text": "    let x = a % b;" });
        assert_eq!(why["meeting"]["typed"], typed);
    }

    // Both sides can be had between marks, and taken back.
    alice.postil(&format!("apply {id} --3way")).code(4);
    let marked = read(&alice, "src/lib.rs");
    assert!(marked.contains("<<<<<<< yours\n    let x = a % b;\n|||||||"), "{marked}");
    assert!(marked.contains(&format!("=======\n{BETTER}>>>>>>> {id}\n")), "{marked}");
    assert!(marked.contains("work(9)"), "{marked}");
    // While nobody has chosen it is not done, and is not marked a second time.
    assert!(alice.postil("list").code(0).stdout().contains("suggestion conflicts"));
    for again in ["", " --3way", " --lenient"] {
        let refused = alice.postil(&format!("apply {id}{again}"));
        assert!(refused.code(4).stderr().contains("resolve the conflict markers"), "{}", refused.stderr());
        assert_eq!(read(&alice, "src/lib.rs"), marked);
    }
    let told = json(alice.postil(&format!("apply {id} --json")).code(4));
    assert_eq!((&told["conflicts"][0]["code"], &told["conflicts"][0]["line"]), (&"marked".into(), &6.into()));
    alice.postil("apply --undo").code(0);
    assert_eq!(read(&alice, "src/lib.rs"), other);
    // One that has no conflict is done beside it, in the same file too.
    alice.write("src/lib.rs", LIB);
    let more = self::id(&fed(&alice, "suggest src/lib.rs:11 --with - -m more", "    more();\n"));
    alice.write("src/lib.rs", &other);
    alice.postil(&format!("apply {id} {more} --3way")).code(4);
    assert_eq!(read(&alice, "src/lib.rs"), marked.replace("rest()", "more()"));
}

#[test]
fn what_only_touches_is_left_beside_on_request() {
    let world = World::new();
    let alice = topic(&world);
    let id = id(&fed(&alice, "suggest src/lib.rs:6 --with - -m log", "    let x = a - b;\n    log(x);\n"));
    let beside = LIB.replace("    x\n}", "\treturn x\n}");
    alice.write("src/lib.rs", &beside);
    let refused = alice.postil(&format!("apply {id}"));
    assert!(refused.code(4).stdout().contains("adjacent lines have changed"), "{}", refused.stdout());
    assert!(refused.stderr().contains("use `--lenient`"), "{}", refused.stderr());
    alice.postil(&format!("apply {id} --lenient")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), beside.replace("a - b;\n", "a - b;\n    log(x);\n"));
    // Two that put in something else at one point have no order, in either mode.
    alice.write("src/lib.rs", LIB.replace("a - b;\n", "a - b;\n    check(x);\n"));
    let refused = alice.postil(&format!("apply {id} --lenient"));
    assert!(
        refused.code(4).stdout().contains("other lines were inserted at the same place"),
        "{}",
        refused.stdout()
    );
}

#[test]
fn place_status_and_suggestion_are_three_separate_things() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    let thread = || json(&alice.postil(&format!("show {id} --json")))["thread"].clone();
    let told = |thread: &Value| {
        [&thread["position"]["state"], &thread["status"], &thread["suggestion"]]
            .map(|word| word.as_str().unwrap().to_owned())
    };
    assert_eq!(told(&thread()), ["anchored", "open", "applies"]);
    alice.write("src/lib.rs", better(LIB));
    assert_eq!(told(&thread()), ["outdated", "open", "done"]);
    alice.write("src/lib.rs", LIB.replace("a - b", "a % b"));
    assert_eq!(told(&thread()), ["outdated", "open", "conflict"]);
    alice.write("src/lib.rs", LIB);
    alice.postil(&format!("resolve {id}")).code(0);
    assert_eq!(told(&thread()), ["anchored", "resolved", "applies"]);
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(told(&thread())[1..], ["resolved", "done"]);
}

#[test]
fn several_suggestions_go_together_and_overlaps_are_found_first() {
    let world = World::new();
    let alice = topic(&world);
    let one = suggest(&alice);
    let two = id(&fed(&alice, "suggest src/lib.rs:11 --with - -m more", "    rest();\n    sleep();\n"));
    let three = id(&fed(&alice, "suggest src/lib.rs:6-7 --with - -m shorter", "    a - b\n"));
    let refused = alice.postil(&format!("apply {one} {two} {three}"));
    assert!(
        refused.code(4).stdout().contains(&format!("it changes the same lines as {one}")),
        "{}",
        refused.stdout()
    );
    let told = refused.stderr();
    assert!(told.contains(&format!("because: {one} and {three} change the same lines")), "{told}");
    assert!(told.contains("hint: no file was changed; apply one of them"), "{told}");
    let told = json(alice.postil(&format!("apply {one} {three} --json")).code(4));
    assert_eq!(told["conflicts"][0]["other"], one.as_str(), "{told}");
    assert_eq!(read(&alice, "src/lib.rs"), LIB);
    // Two that rewrite one line are no better for the letters that their lines have in common.
    let named = id(&fed(&alice, "suggest src/lib.rs:11 --with - -m name", "    resting();\n"));
    let other = id(&fed(&alice, "suggest src/lib.rs:10-11 --with - -m other", "fn three() {\n    return;\n"));
    for pair in [format!("{named} {other}"), format!("{other} {named}")] {
        alice.postil(&format!("apply {pair}")).code(4);
    }
    alice.postil(&format!("apply {two} {one} {one}")).code(0);
    assert_eq!(
        read(&alice, "src/lib.rs"),
        better(LIB).replace("    rest();\n", "    rest();\n    sleep();\n")
    );
}

#[test]
fn a_block_in_the_text_of_a_comment_or_an_answer_is_a_suggestion() {
    let world = World::new();
    let alice = topic(&world);
    let text = format!("never below zero:\n\n```suggestion\n{BETTER}```\n");
    let root = id(&fed(&alice, "comment src/lib.rs:6 -F -", &text));
    let listed = alice.postil("list").stdout();
    assert!(listed.contains("suggestion applies  alice: never below zero:"), "{listed}");
    alice.postil(&format!("apply {root}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    alice.git("checkout --quiet -- .");

    let plain = id(&alice.postil("comment src/lib.rs:11 -m 'too little'"));
    alice.write("src/lib.rs", format!("// top\n{LIB}"));
    let answer = "this?\n\n```suggestion:-1+1\nfn three() {\n    rest();\n    sleep();\n}\n```\n";
    fed(&alice, &format!("reply {plain} -F -"), answer).code(0);
    assert!(
        alice.postil("list").stdout().contains("suggestion applies  alice: too little"),
        "{}",
        alice.postil("list").stdout()
    );
    alice.postil(&format!("apply {plain}")).code(0);
    assert_eq!(
        read(&alice, "src/lib.rs"),
        format!("// top\n{}", LIB.replace("    rest();\n", "    rest();\n    sleep();\n"))
    );
    // A comment suggests one change: blocks for other lines go together, others belong into an answer.
    let two = "either\n\n```suggestion\n    rest(1);\n```\nor\n\n```suggestion\n    rest(2);\n```\n";
    let refused = fed(&alice, "comment src/lib.rs:12 -F -", two);
    let told = refused.code(2).stderr();
    assert!(told.contains("two suggestion blocks change the same lines"), "{told}");
    assert!(told.contains("put the other in a reply"), "{told}");
    let nothing = id(&alice.postil("comment src/lib.rs:2 -m 'only words'"));
    assert!(alice.postil(&format!("apply {nothing}")).code(2).stderr().contains("is not a suggestion"));
    let carried = fed(&alice, &format!("reply {nothing} -m 'so?' --with -"), "    work(2);\n");
    assert!(
        carried.code(0).stderr().is_empty() || !carried.stderr().contains("error"),
        "{}",
        carried.stderr()
    );
    assert!(alice.postil(&format!("show {nothing}")).stdout().contains("+    work(2);"));
}

#[test]
fn deleted_lines_are_put_back() {
    let world = World::new();
    let alice = topic(&world);
    let shorter = LIB.replace("    work(1);\n", "");
    alice.write("src/lib.rs", &shorter);
    alice.commit("delete a line");
    let id = id(&alice.postil("suggest src/lib.rs:2 --side old -m 'we still need this'"));
    assert!(alice.postil("list").stdout().contains("suggestion applies"));
    alice.write("src/lib.rs", format!("// top\n{shorter}"));
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), format!("// top\n{LIB}"));
}

#[test]
fn lines_are_changed_in_an_editor() {
    let world = World::new();
    let alice = topic(&world);
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    command.env("GIT_EDITOR", "sed -i 's/a - b/a.saturating_sub(b)/'");
    let id = id(&Finished::run(command.args(["suggest", "src/lib.rs:5-7", "-e", "-m", "so"])));
    alice.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&alice, "src/lib.rs"), better(LIB));
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    command.env("GIT_EDITOR", "true");
    let unchanged = Finished::run(command.args(["suggest", "src/lib.rs:5-7", "-e"]));
    assert!(unchanged.code(2).stderr().contains("nothing was changed"), "{}", unchanged.stderr());
    let none = alice.postil("suggest src/lib.rs:5");
    assert!(none.code(2).stderr().contains("no change given"), "{}", none.stderr());
}

#[test]
fn a_suggestion_that_could_hide_a_record_is_refused() {
    let world = World::new();
    let alice = topic(&world);
    let refused = fed(&alice, "suggest src/lib.rs:6 --with - -m no", b"x \xd9\xd9\xf7 y\n");
    assert!(refused.code(2).stderr().starts_with("error:"), "{}", refused.stderr());
    assert_eq!(alice.postil("list --all").stdout(), "");
}

#[test]
fn a_suggestion_travels_and_says_where_it_cannot_be_checked() {
    let world = World::new();
    let alice = topic(&world);
    let id = suggest(&alice);
    // On text that git has not published, the files stay here, and the suggestion waits for them.
    alice.write("src/lib.rs", format!("// not committed\n{LIB}"));
    let second = self::id(&fed(&alice, "suggest src/lib.rs:12 --with - -m more", "    more();\n"));
    // Not a clone, which would take every object of a folder along.
    let bob = world.repository("bob");
    bob.git(&format!("remote add origin '{}'", alice.folder.display()));
    bob.git("fetch --quiet origin");
    bob.git("switch --quiet main");
    bob.git("switch --quiet topic");
    bob.postil("sync").code(0);
    let listed = bob.postil("list").stdout();
    assert!(listed.contains("suggestion applies  alice: never below zero"), "{listed}");
    assert!(listed.contains("suggestion cannot be checked here  alice: more"), "{listed}");
    let refused = bob.postil(&format!("apply {second}"));
    assert!(refused.code(5).stderr().contains("cannot be applied here"), "{}", refused.stderr());
    bob.postil(&format!("apply {id}")).code(0);
    assert_eq!(read(&bob, "src/lib.rs"), better(LIB));
}

#[test]
fn what_cannot_be_suggested_is_refused_with_a_reason() {
    let world = World::new();
    let alice = topic(&world);
    fs::write(alice.folder.join("logo.bin"), b"x\0y\n").expect("a file can be written");
    alice.commit("binary");
    let binary = fed(&alice, "suggest logo.bin --with - -m x", "z\n");
    assert!(binary.code(2).stderr().contains("logo.bin is binary"), "{}", binary.stderr());

    // What a link holds is a path, and no text that could be another.
    std::os::unix::fs::symlink("lib.rs", alice.folder.join("src/link")).expect("a link can be made");
    let patch = "--- a/src/link\n+++ b/src/link\n@@ -1 +1 @@\n-lib.rs\n\\ No newline at end of file\n+other.rs\n\\ No newline at end of file\n";
    let refused = |command: &str, text: &str| {
        let link = fed(&alice, command, text);
        assert!(link.code(2).stderr().contains("src/link: it is a symlink"), "{}", link.stderr());
    };
    refused("suggest src/link --with - -m x", "z\n");
    refused("suggest --patch - -m x", patch);
    alice.commit("link");
    refused("suggest src/link --with - -m x", "z\n");
    refused("suggest src/link @HEAD --with - -m x", "z\n");
    refused("suggest --patch - -m x", patch);
    for line in ["comment src/lib.rs -F -", "comment --review topic -F -"] {
        let refused = fed(&alice, line, "```suggestion\nx\n```\n");
        assert_ne!(refused.exit(), Some(0), "{line}");
    }
    let file = fed(&alice, "comment src/lib.rs -F -", "```suggestion\nx\n```\n");
    assert!(file.stderr().contains("but this comment has none"), "{}", file.stderr());
    let id = id(&alice.postil("comment src/lib.rs:6 -m why"));
    fed(&alice, &format!("reply {id} --with -"), BETTER).code(0);
    assert!(
        alice.postil(&format!("show {id}")).stdout().contains("Suggested change\n    suggestion applies")
    );
}
