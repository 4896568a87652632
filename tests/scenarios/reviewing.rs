//! Reviews from the command line: begun, judged, merged, and what each branch sees of them.

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::World;

#[test]
fn a_review_is_begun_judged_and_closed() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let nothing = alice.postil("review show").code(3).stderr();
    assert!(nothing.contains("has no review") && nothing.contains("`postil review list --all`"), "{nothing}");
    assert!(alice.postil("review start").code(2).stderr().contains("with itself"));
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("add two");

    let begun = alice.postil("review start --title 'Two' -m 'It was missing.'").code(0).stdout();
    assert!(begun.contains("open  Two\ntopic into main\n"), "{begun}");
    assert!(begun.ends_with("    It was missing.\n"), "{begun}");
    assert!(alice.postil("review start").code(0).stderr().ends_with("already under review\n"));
    let told = alice.postil("review start --title 'Three'").code(2).stderr();
    assert!(told.contains("were not changed\n") && told.contains("`postil review edit "), "{told}");
    alice.postil("review request-changes -m 'not yet'").code(0);
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("add three");
    let shown = alice.postil("review show topic").code(0).stdout();
    assert!(shown.contains("changes requested by alice  (for an earlier version)\n    not yet\n"), "{shown}");
    let approved = alice.postil("review approve").code(0).stdout();
    assert!(approved.contains("approved by alice\n"), "{approved}");
    assert!(alice.postil("status").stdout().contains("approved by alice"));

    alice.postil("review close -m 'not wanted'").code(0);
    assert_eq!(alice.postil("review list").code(0).stdout(), "");
    assert!(alice.postil("review list --all").stdout().contains("closed  topic  Two"));
    assert!(alice.postil("review list --all --since 2023-11-13").stdout().contains("closed  topic  Two"));
    assert_eq!(alice.postil("review list --all --since 1w").code(0).stdout(), "");
    assert!(
        alice.postil("review list --since someday").code(2).stderr().contains("invalid date: \"someday\"")
    );
    alice.postil("review reopen").code(0);
    assert!(alice.postil("review list").stdout().starts_with("* "));
}

#[test]
fn what_was_computed_for_a_review_goes_when_it_ends() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let lines = |from: u32| (from..from + 30).map(|line| format!("line {line}\n")).collect::<String>();
    for branch in ["closed", "merged"] {
        alice.git(&format!("switch --quiet -c {branch} main"));
        alice.write("b.txt", lines(0));
        alice.commit("thirty");
        alice.postil("review start").code(0);
        alice.postil("comment b.txt:20 -m here").code(0);
        alice.write("b.txt", lines(7));
        alice.commit("later");
        assert!(alice.postil("list").code(0).stdout().contains("b.txt:13"), "it was followed");
        let cache = alice.folder.join(".git/postil/cache/line-maps");
        let size = || std::fs::metadata(&cache).expect("something was kept").len();
        let before = size();
        if branch == "merged" {
            alice.postil("resolve @").code(0);
            alice.git("switch --quiet main");
            alice.git("merge --quiet merged");
            alice.postil("review list").code(0);
        } else {
            alice.postil("review close").code(0);
        }
        assert!(size() < before, "{branch}: {} of {before}", size());
    }
}

#[test]
fn a_review_says_what_its_author_has_it_say_and_what_others_propose() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    for branch in ["next", "topic-2"] {
        alice.git(&format!("branch {branch}"));
    }
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("add two");
    alice.postil("review start --title Two -m 'It was missing.'").code(0);
    let edited = alice.postil("review edit --title 'Two lines'").code(0).stdout();
    assert!(edited.contains("open  Two lines\ntopic into main\n"), "{edited}");
    assert!(edited.ends_with("    It was missing.\n"), "what is not said stays: {edited}");
    let based = alice.postil("review edit topic --base next -m '' ").code(0).stdout();
    assert!(based.contains("open  Two lines\ntopic into next\n"), "{based}");
    assert!(!based.contains("missing"), "an empty description is none: {based}");

    let as_bob = |words: &[&str]| {
        let mut bob = alice.command(POSTIL);
        bob.env("POSTIL_DAEMON", "off")
            .env("GIT_AUTHOR_NAME", "bob")
            .env("GIT_AUTHOR_EMAIL", "bob@example.com");
        Finished::run(bob.args(["review", "edit"]).args(words))
    };
    let beside = as_bob(&["--title", "Both lines"]);
    assert!(beside.code(0).stderr().contains("someone else's"), "{}", beside.stderr());
    alice.postil("review edit --base main").code(0);
    let shown = alice.postil("review show").code(0).stdout();
    assert!(shown.contains("open  Two lines\ntopic into main\n"), "{shown}");
    let (_, proposed) = shown.split_once("bob proposes, ").expect("it is shown beside");
    assert!(proposed.ends_with(":\n    title: Both lines\n"), "what bob left alone is not his: {shown}");

    let mut editor = alice.command(POSTIL);
    editor.env("POSTIL_DAEMON", "off").env("GIT_EDITOR", "sed -i -e 1s/.*/Lines/ -e 2s/^/What\\ for/");
    let by_hand = Finished::run(editor.args(["review", "edit"])).code(0).stdout();
    assert!(by_hand.contains("open  Lines\n") && by_hand.contains("    What for\n"), "{by_hand}");

    let notes = alice.git("rev-parse refs/notes/reviews");
    alice.postil("review edit --title Lines").code(0);
    assert_eq!(alice.git("rev-parse refs/notes/reviews"), notes, "nothing is said twice");
    for (words, code, told) in [
        ("--base nowhere", 3, "no such branch or tag: nowhere"),
        ("--branch nowhere", 3, "no such branch: nowhere"),
        ("--base topic", 2, "with itself"),
        ("--title ' '", 2, "the title is empty"),
    ] {
        let refused = alice.postil(&format!("review edit {words}"));
        assert!(refused.code(code).stderr().contains(told), "{words}: {}", refused.stderr());
    }
    let moved = alice.postil("review edit --branch topic-2").code(0).stdout();
    assert!(moved.contains("topic-2 into main\n"), "{moved}");
}

#[test]
fn a_comment_on_a_review_leaves_the_judgement_before_it_standing() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("add two");
    alice.postil("review start").code(0);
    alice.postil("review approve").code(0);
    alice.postil("review request-changes").code(0);
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("add three");
    alice.postil("review comment -m fyi").code(0);
    let both = "changes requested by alice  (for an earlier version)\ncommented by alice\n    fyi\n";
    let shown = alice.postil("review show").code(0).stdout();
    assert!(shown.contains(both), "{shown}");
    let shown = alice.postil("review show -v").code(0).stdout();
    let before = format!("{both}earlier verdicts:\napproved by alice  (for an earlier version)\n");
    assert!(shown.contains(&before), "{shown}");
    let status = alice.postil("status").code(0).stdout();
    assert!(status.contains(both), "{status}");
    let since = alice.postil("review since").code(0).stdout();
    assert!(
        since.contains("\n+three\n") && !since.contains("+two"),
        "since the judgement, not the comment: {since}"
    );

    alice.postil("review comment --draft -m 'a second thought'").code(0);
    let shown = alice.postil("review show --json").code(0).stdout();
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON");
    let words = |field: &str| {
        let verdicts = shown.pointer(field).and_then(|all| all.as_array()).expect("a list");
        verdicts.iter().map(|one| one["verdict"].as_str().expect("a word").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words("/review/verdicts"), ["changes", "comment"]);
    assert_eq!(words("/review/history"), ["approve", "changes", "comment", "comment"]);
}

#[test]
fn publishing_leaves_the_drafts_of_other_reviews_and_says_so() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("switch --quiet --detach");
    alice.postil("comment a.txt:1 --draft -m 'of no review'").code(0);
    for branch in ["topic", "other"] {
        alice.git(&format!("switch --quiet -c {branch} main"));
        alice.write("a.txt", format!("one\n{branch}\n"));
        alice.commit(branch);
        alice.postil(&format!("comment a.txt:2 --draft -m 'of {branch}'")).code(0);
    }
    alice.git("switch --quiet topic");
    let status = alice.postil("status").code(0).stdout();
    assert!(
        status.contains("3 drafts (use `postil publish` to share)\n2 drafts of other reviews ("),
        "{status}"
    );

    let published = alice.postil("publish");
    published.code(0);
    let told = published.stdout();
    assert!(told.starts_with("published 3 records\n"), "a review, a comment, and one of no review: {told}");
    assert!(told.ends_with("  and 1 other record, such as resolutions and verdicts\n"), "{told}");
    assert!(published.stderr().contains("2 drafts of other reviews are not published"));
    assert!(alice.postil("list").stdout().contains("2  alice: of topic"));
    let nothing = alice.postil("publish");
    nothing.code(0);
    assert_eq!((nothing.stdout(), nothing.stderr().contains("`--all`")), (String::new(), true));
    alice.postil("publish --all --review other").code(2);
    let rest = alice.postil("publish --all");
    rest.code(0);
    assert!(
        rest.stdout().starts_with("published 2 records\n") && rest.stderr().is_empty(),
        "{}",
        rest.stdout()
    );
}

#[test]
fn a_branch_is_compared_with_a_tag_or_any_ref() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("tag -a -m released rel/v1");
    alice.git("branch v1");
    alice.git("update-ref refs/deployed/now HEAD");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n");
    alice.commit("without two");
    let begin = |base: &str| alice.postil(&format!("review start --base {base}")).code(0).stdout();
    assert!(begin("rel/v1").contains("topic into refs/tags/rel/v1\n"), "a tag before a tracking branch");
    alice.postil("comment a.txt:2 --side old -m 'why gone?'").code(0);
    assert!(alice.postil("list").code(0).stdout().contains("why gone?"));
    assert!(begin("refs/deployed/now").contains("topic into refs/deployed/now\n"));
    assert!(begin("v1").contains("topic into v1\n"));
    assert!(alice.postil("review start --base v2").code(3).stderr().contains("no such branch or tag: v2"));
}

#[test]
fn a_branch_sees_its_own_threads_and_those_that_were_merged_into_it() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    alice.commit("add six");
    alice.postil("comment a.txt:6 -m 'why six?'").code(0);
    alice.git("switch --quiet main");
    assert_eq!(alice.postil("list").code(0).stdout(), "");
    assert!(alice.postil("list -v").stderr().contains("1 thread on other branches"));
    assert!(alice.postil("list --all").stdout().contains("why six?"));
    assert!(alice.postil("list --at topic").stdout().contains("a.txt:6  alice: why six?"));

    alice.git("merge --quiet --squash topic");
    alice.commit("six");
    let merged = alice.postil("list").code(0).stdout();
    assert!(merged.contains("a.txt:6  alice: why six?"), "{merged}");
}

#[test]
fn a_rebase_keeps_every_comment() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\nthree\nfour\n");
    alice.commit("add four");
    alice.postil("comment a.txt:4 -m 'why four?'").code(0);
    alice.git("switch --quiet main");
    alice.write("a.txt", "zero\none\ntwo\nthree\n");
    alice.commit("add zero");
    alice.git("switch --quiet topic");
    alice.git("rebase --quiet main");
    alice.git("reflog expire --expire=now --all");
    alice.git("gc --quiet --prune=now");
    let listed = alice.postil("list").code(0).stdout();
    assert!(listed.contains("a.txt:5  alice: why four?"), "{listed}");
}

#[test]
fn linked_work_trees_and_bare_repositories_are_served() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("worktree add --quiet -b other ../linked");
    alice.postil("-C ../linked comment a.txt:2 -m 'from the linked one'").code(0);
    assert!(alice.postil("-C ../linked list").stdout().contains("a.txt:2"));
    assert!(alice.postil("list").stdout().contains("a.txt:2"), "its commit is in this history as well");
    alice.git("clone --quiet --bare . ../bare.git");
    alice.postil("-C ../bare.git comment a.txt:1 -m 'from the bare one'").code(0);
    assert!(alice.postil("-C ../bare.git list").code(0).stdout().contains("a.txt:1"));
    let named = alice.postil("--git-dir ../bare.git list").code(0).stdout();
    assert!(named.contains("from the bare one"), "{named}");
}

#[test]
fn a_comment_on_a_deleted_line_is_found_after_its_branch_was_merged() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\nfour\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\nthree\nfour\n");
    alice.commit("without two");
    alice.postil("comment a.txt:2 --side old -m 'why take it out?'").code(0);
    assert!(alice.postil("list --json").stdout().contains(r#""state":"anchored""#));
    let json = alice.postil("review show --json").code(0).stdout();
    let counts = r#""threads":{"open":1,"resolved":0,"withdrawn":0,"anchored":1,"shifted":0,"outdated":0,"orphaned":0}"#;
    assert!(json.contains(counts), "{json}");
    alice.git("switch --quiet main");
    alice.git("merge --quiet --ff-only topic");
    let listed = alice.postil("list --json").code(0).stdout();
    assert!(listed.contains(r#""state":"anchored""#), "{listed}");
}
