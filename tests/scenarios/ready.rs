//! Leading a review: what is missing until it is ready, and the hook that stops merging before.

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World, words};

const RULE: &str = "[ready]\n\tversion = 1\n\tapprovals = 2\n\trequired = dan@example.com\n";

/// Runs postil in a repository as another person.
fn by(person: &str, repo: &Checkout<'_>, line: &str) -> Finished {
    let mut command = repo.command(POSTIL);
    command.env("GIT_AUTHOR_NAME", person).env("GIT_AUTHOR_EMAIL", format!("{person}@example.com"));
    Finished::run(command.args(words(line)))
}

/// A branch under review, with a remote, and a rule in its base.
fn reviewed<'w>(world: &'w World, rule: &str) -> Checkout<'w> {
    let origin = world.repository("origin");
    origin.git("config receive.denyCurrentBranch ignore");
    origin.write("base.txt", "base\n");
    origin.write(".postil/ready", rule);
    origin.commit("base");
    let alice = world.clone_of(&origin, "alice");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n");
    alice.commit("Add a");
    alice.postil("review start --title 'Add a'").code(0);
    alice
}

#[test]
fn a_review_says_what_is_missing_until_it_is_ready() {
    let world = World::new();
    let alice = reviewed(&world, RULE);
    by("bob", &alice, "review show").code(0);
    by("bob", &alice, "comment a.txt:1 --severity blocker -m 'not like this'").code(0);
    let approved = by("bob", &alice, "review approve");
    assert!(approved.code(0).stderr().contains("warning: a blocker is open: "), "{}", approved.stderr());
    let own = alice.postil("review approve").code(0).stderr();
    assert!(own.contains("this is your own review: your approval does not count"), "{own}");

    let told = alice.postil("review ready").code(0).stdout();
    for line in [
        "approved by bob\n",
        "approved by alice  (does not count: their own review)\n",
        "not ready:\n  - 1 of 2 approvals\n  - dan@example.com has to approve\n  - 1 open blocker: ",
        "rule: .postil/ready at ",
    ] {
        assert!(told.contains(line), "{line:?} in {told}");
    }
    let refused = alice.postil("review ready --exit-code");
    assert!(refused.code(1).stderr().contains(" is not ready\n"), "{}", refused.stderr());
    for command in ["status", "review show"] {
        let told = alice.postil(command).code(0).stdout();
        assert!(told.contains("not ready:\n  - 1 of 2 approvals\n"), "{command}: {told}");
    }
    alice.postil("show @").code(0);
    alice.postil("resolve @ -m done").code(0);
    by("dan", &alice, "review approve").code(0);
    let told = alice.postil("review ready --exit-code").code(0).stdout();
    assert!(told.contains("ready to merge\n"), "{told}");
    assert!(alice.postil("status").code(0).stdout().contains("ready to merge\n"));

    // Whoever looked at an earlier version is told; so is everybody that the approval is void.
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("Add two");
    let told = alice.postil("review ready").code(0).stdout();
    assert!(told.contains("approved by bob  (does not count: for an earlier version)\n"), "{told}");
    let moved = by("bob", &alice, "review approve").code(0).stderr();
    assert!(moved.contains("warning: the branch moved since you looked at it last\n"), "{moved}");
    assert_eq!(by("bob", &alice, "review approve").code(0).stderr(), "", "it was judged just now");
}

#[test]
fn the_hook_stops_merging_what_is_not_ready_by_the_rule_before_the_push() {
    let world = World::new();
    let alice = reviewed(&world, RULE);
    alice.git("config postil.hook ready");
    alice.postil("hook install").code(0);
    // The branch brings a rule of its own, which must not count.
    alice.write(".postil/ready", "[ready]\n\tversion = 1\n\tapprovals = 0\n");
    alice.commit("Be lax");
    assert!(alice.try_git("push --quiet origin topic").status.success(), "other branches can be pushed");
    alice.git("switch --quiet main");
    alice.git("merge --quiet --no-ff -m Merge topic");
    let stopped = Finished::of(alice.try_git("push --quiet origin main"));
    let told = stopped.code(1).stderr();
    assert!(told.contains("0 of 2") || stopped.stdout().contains("2 approvals missing"), "{told}");
    assert!(told.contains(" is not ready\n") && told.contains("--no-verify"), "{told}");
    by("bob", &alice, "review approve topic").code(0);
    by("dan", &alice, "review approve topic").code(0);
    let passed = Finished::of(alice.try_git("push --quiet origin main"));
    assert_eq!(passed.exit(), Some(0), "{}", passed.stderr());
}

#[test]
fn a_rule_that_is_invalid_blocks_with_its_line() {
    let world = World::new();
    let alice = reviewed(&world, "[ready]\n\tversion = 1\n\tapprovers = 1\n");
    by("bob", &alice, "review approve").code(0);
    let refused = alice.postil("review ready --exit-code");
    let told = refused.code(5).stderr();
    assert!(told.contains("line 3: approvers is not known"), "{told}");
    assert!(alice.postil("review ready").code(0).stdout().contains("the rule is invalid: .postil/ready"));
    let gone = alice.postil("review ready nothing --exit-code");
    assert!(gone.code(5).stderr().contains("could not check"), "{}", gone.stderr());
}
