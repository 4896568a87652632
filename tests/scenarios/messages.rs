//! Comments on messages of commits follow them while the real git rewrites the branch.

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

const MESSAGE: &str = "Read the file\n\nIt was not read before.\n\nIt is slow.";

/// A branch of three commits, with a comment on `It is slow.` of the second.
fn commented(world: &World) -> (Checkout<'_>, String) {
    let alice = world.repository("alice");
    alice.write("base", "base\n");
    alice.commit("base");
    alice.git("switch --quiet -c topic");
    for (file, message) in [("one", "Write the file"), ("two", MESSAGE), ("three", "Mend it")] {
        alice.write(file, format!("{file}\n"));
        alice.commit(message);
    }
    let said = json(&postil(&alice, &["comment", "--message", "HEAD~1:5", "-m", "how slow?", "--json"]));
    let thread = said["thread"]["id"].as_str().expect("a thread has an id").to_owned();
    (alice, thread)
}

fn postil(alice: &Checkout<'_>, args: &[&str]) -> Finished {
    Finished::run(alice.command(POSTIL).args(args))
}

fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.code(0).stdout()).expect("it is JSON")
}

/// The state, the commit's subject and the line of the comment.
fn place(alice: &Checkout<'_>) -> (String, String, Value) {
    let listed = json(&postil(alice, &["list", "--json"]));
    let position = &listed["threads"][0]["position"];
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (word(&position["state"]), word(&position["message"]["subject"]), position["start"].clone())
}

fn check(alice: &Checkout<'_>, state: &str, subject: &str, line: impl Into<Value>) {
    assert_eq!(place(alice), (state.to_owned(), subject.to_owned(), line.into()));
}

/// Rebases interactively: `todo` changes the list of commits and `editor` each message, with sed.
fn rebase(alice: &Checkout<'_>, todo: &str, editor: &str, args: &[&str]) {
    let sed = |script: &str| format!("sed -i {script}");
    let mut command = alice.command("git");
    command.env("GIT_SEQUENCE_EDITOR", sed(todo)).env("GIT_EDITOR", sed(editor));
    let done = command.args(["rebase", "--quiet", "-i"]).args(args).output().expect("git can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_comment_on_a_message_follows_its_commit_when_that_is_reworded_amended_and_rebased() {
    let world = World::new();
    let (alice, thread) = commented(&world);
    check(&alice, "anchored", "Read the file", 5);
    // Reworded in the middle of the branch.
    rebase(&alice, "'2s/^pick/reword/'", "'s/^It was not/For years,\\nit was not/'", &["main"]);
    check(&alice, "anchored", "Read the file", 6);
    let shown = postil(&alice, &["show", &thread]).code(0).stdout();
    assert!(shown.contains(">      6 | It is slow.\n"), "{shown}");
    // Its content is changed by a fixup.
    alice.write("two", "two\nand more\n");
    alice.git("add --all");
    alice.git("commit --quiet --fixup HEAD~1");
    rebase(&alice, "''", "''", &["--autosquash", "main"]);
    check(&alice, "anchored", "Read the file", 6);
    // Everything on top of the work of others.
    alice.git("switch --quiet main");
    alice.write("other", "other\n");
    alice.commit("others");
    alice.git("rebase --quiet main topic");
    check(&alice, "anchored", "Read the file", 6);
    // The line itself is reworded.
    rebase(&alice, "'2s/^pick/reword/'", "'s/^It is slow/It is rather slow/'", &["main"]);
    check(&alice, "outdated", "Read the file", 6);
    let log = postil(&alice, &["log", &thread]).code(0).stdout();
    assert!(log.contains("(rewritten)") && log.contains("reworded; was message of "), "{log}");
}

#[test]
fn a_squash_a_pick_and_a_lost_branch() {
    let world = World::new();
    let (alice, _) = commented(&world);
    // Another branch gets a copy of the commit.
    alice.git("switch --quiet -c other main");
    alice.write("first", "first\n");
    alice.commit("first");
    alice.git("cherry-pick topic~1");
    let listed = json(&postil(&alice, &["list", "--all", "--json"]));
    assert_eq!(listed["threads"][0]["position"]["state"], "anchored");
    assert_eq!(listed["threads"][0]["position"]["message"]["commit"], alice.git("rev-parse HEAD"));
    // The commit is joined to the one before it, with both messages.
    alice.git("switch --quiet topic");
    rebase(&alice, "'2s/^pick/squash/'", "'/^#/d'", &["main"]);
    let (state, subject, line) = place(&alice);
    assert_ne!(state, "orphaned");
    assert_eq!((subject.as_str(), line), ("Write the file", 7.into()));
    let diff = postil(&alice, &["diff"]).code(0).stdout();
    let (told, file) = (diff.find("how slow?"), diff.find("diff --git a/one"));
    assert!(told.is_some() && told < file, "messages come before files: {diff}");
    // Somebody drops the work.
    alice.git("reset --quiet --hard main");
    alice.write("new", "new\n");
    alice.commit("start over");
    let (state, ..) = place(&alice);
    assert_eq!(state, "orphaned");
    let listed = postil(&alice, &["list"]).code(0).stdout();
    assert!(listed.contains("orphaned: its commit is not in this history"), "{listed}");
    assert!(listed.contains("was | It is slow."), "{listed}");
}

#[test]
fn a_text_is_not_taken_for_a_commit() {
    let world = World::new();
    let (alice, _) = commented(&world);
    let refused = postil(&alice, &["comment", "--message", "this is slow"]);
    let told = refused.code(3).stderr();
    assert!(told.contains("no such commit: this is slow") && told.contains("`-m TEXT`"), "{told}");
    let both = postil(&alice, &["comment", "one:1", "--message", "HEAD", "-m", "x"]);
    assert!(both.code(2).stderr().contains("cannot be used together"), "{}", both.stderr());
}
