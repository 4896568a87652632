//! Reviews follow their branches: renamed, merged, rewritten, and what changed since they were judged.

use postil_protocol::{Event, Topic};

use crate::support::served::{Served, until};
use crate::support::world::{Checkout, World};

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A branch `topic` that changed the fifth line and took out the eighth, with a comment on each.
fn reviewed(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("a.txt", LINES);
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", LINES.replace("five", "FIVE").replace("eight\n", ""));
    alice.commit("louder");
    alice.postil("comment a.txt:5 -m 'why five?'").code(0);
    alice.postil("comment a.txt:8 --side old -m 'why gone?'").code(0);
    alice
}

fn collect_garbage(alice: &Checkout<'_>) {
    alice.git("reflog expire --expire=now --all");
    alice.git("gc --quiet --prune=now");
}

#[test]
fn a_review_goes_on_after_its_branch_was_renamed() {
    let world = World::new();
    let alice = reviewed(&world);
    alice.git("branch -m topic parser");
    alice.write("b.txt", "more\n");
    alice.commit("more");
    let approved = alice.postil("review approve").code(0).stdout();
    assert!(approved.contains("parser into main\n"), "{approved}");
    assert!(alice.postil("review list").code(0).stdout().contains("open  parser  louder"));
    assert!(alice.postil("review show topic").code(0).stdout().contains("parser into main\n"));
    let commented = alice.postil("comment b.txt:1 -m 'and this?'");
    assert_eq!(commented.code(0).stderr(), "", "it belongs to the review that there is");

    // Another branch takes the old name, and is under no review.
    alice.git("switch --quiet -c topic main");
    alice.write("c.txt", "other\n");
    alice.commit("other");
    assert!(alice.postil("review show").code(3).stderr().contains("has no review"));
    assert_eq!(alice.postil("list").code(0).stdout(), "");
    // Nothing but the record tells the name now.
    collect_garbage(&alice);
    assert!(alice.postil("review show parser").code(0).stdout().contains("approved by alice\n"));
}

#[test]
fn a_branch_that_was_renamed_and_its_name_taken_before_anybody_looked_keeps_its_review() {
    let world = World::new();
    let alice = reviewed(&world);
    alice.git("branch -m topic parser");
    alice.git("switch --quiet -c topic main");
    alice.write("c.txt", "other\n");
    alice.commit("other");
    assert_eq!(alice.postil("list").code(0).stdout(), "");
    alice.git("switch --quiet parser");
    assert!(alice.postil("list").code(0).stdout().contains("why five?"));
    assert!(alice.postil("review show").code(0).stdout().contains("parser into main\n"));
}

#[test]
fn a_new_name_travels_to_those_who_cannot_see_it() {
    let world = World::new();
    let alice = reviewed(&world);
    alice.git("branch -m topic parser");
    alice.postil("review show").code(0);
    let bob = world.clone_of(&alice, "bob");
    bob.postil("sync").code(0);
    assert!(bob.postil("review list").code(0).stdout().contains("open  parser  louder"));
    assert!(bob.postil("review show parser").code(0).stdout().contains("parser into main\n"));
}

#[test]
fn who_still_has_the_old_name_stands_on_the_branch_of_the_review() {
    let world = World::new();
    let alice = reviewed(&world);
    let bob = world.clone_of(&alice, "bob");
    bob.postil("sync").code(0);
    bob.postil("review request-changes -m 'not yet'").code(0);
    alice.git("branch -m topic parser");
    alice.postil("review show").code(0);
    bob.git("fetch --quiet --prune");
    bob.postil("sync").code(0);
    assert!(bob.postil("review show").code(0).stdout().contains("parser into main\n"));
    assert!(bob.postil("review show topic").code(0).stdout().contains("parser into main\n"));
    bob.postil("review since topic").code(0);
    assert_eq!(bob.postil("comment a.txt:2 -m 'and two?'").code(0).stderr(), "", "no review is begun");
    bob.postil("review start --base main").code(0);
    assert_eq!(bob.postil("review list --all").code(0).stdout().lines().count(), 1);
}

#[test]
fn whoever_did_not_begin_a_review_finds_its_renamed_branch_all_the_same() {
    let world = World::new();
    let alice = reviewed(&world);
    let bob = world.clone_of(&alice, "bob");
    bob.postil("sync").code(0);
    bob.git("branch -m topic parser");
    let notes = bob.git("rev-parse refs/notes/reviews");
    assert!(bob.postil("review list").code(0).stdout().contains("* "), "it is the one of this branch");
    assert!(bob.postil("review list").code(0).stdout().contains("open  parser  louder"));
    let shown = bob.postil("review show").code(0).stdout();
    assert!(shown.contains("topic into main\nrenamed to parser\n"), "{shown}");
    assert_eq!(bob.git("rev-parse refs/notes/reviews"), notes, "what it is about is for Alice to say");
    assert!(bob.postil("review approve").code(0).stdout().contains("approved by bob\n"));
    assert!(bob.postil("list").code(0).stdout().contains("why five?"));
}

#[test]
fn a_review_notices_that_it_was_merged_however_that_was_done() {
    let ways: [(&str, &[&str]); 4] = [
        ("merge commit", &["switch --quiet main", "merge --quiet --no-ff --no-edit topic"]),
        ("fast-forward", &["switch --quiet main", "merge --quiet --ff-only topic"]),
        (
            "rebase",
            &["switch --quiet main", "commit --quiet --allow-empty -m between", "cherry-pick main..topic"],
        ),
        ("squash, as ", &["switch --quiet main", "merge --quiet --squash topic", "commit --quiet -m all"]),
    ];
    for (way, steps) in ways {
        let world = World::new();
        let alice = reviewed(&world);
        alice.write("b.txt", "more\n");
        alice.commit("more");
        alice.postil("status").code(0);
        for step in steps {
            alice.git(step);
        }
        alice.git("branch --quiet -D topic");
        collect_garbage(&alice);
        alice.write("a.txt", format!("zero\n{}", LINES.replace("five", "FIVE").replace("eight\n", "")));
        alice.commit("go on");

        let listed = alice.postil("list").code(0).stdout();
        assert!(listed.contains("a.txt:6  alice: why five?"), "{way}: {listed}");
        assert!(listed.contains("alice: why gone?"), "{way}: {listed}");
        assert_eq!(alice.postil("review list").code(0).stdout(), "", "{way}");
        let shown = alice.postil("review show topic").code(0).stdout();
        assert!(shown.contains(&format!("merged into main ({way}")), "{way}: {shown}");
        let refs = alice.git("for-each-ref refs/postil/heads");
        assert_eq!(refs, "", "{way}: nothing is kept of what has ended");
        let notes = alice.git("rev-parse refs/notes/reviews");
        alice.postil("list").code(0);
        assert_eq!(alice.git("rev-parse refs/notes/reviews"), notes, "{way}: it is said once");
    }
}

#[test]
fn a_review_that_a_person_opened_again_stays_open() {
    let world = World::new();
    let alice = reviewed(&world);
    alice.git("switch --quiet main");
    alice.git("merge --quiet --no-ff --no-edit topic");
    assert_eq!(alice.postil("review list").code(0).stdout(), "");
    alice.git("revert --no-edit -m 1 HEAD");
    alice.postil("review reopen topic -m 'it broke the build'").code(0);
    for _ in 0..2 {
        assert!(alice.postil("review list").code(0).stdout().contains("open  topic  louder"));
    }
    let shown = alice.postil("review show topic").code(0).stdout();
    assert!(shown.contains("merged into main (merge-commit)\n"), "{shown}");
    alice.postil("review close topic --merged").code(0);
    assert!(alice.postil("review show topic").code(0).stdout().contains("merged by alice\n"));
}

#[test]
fn two_people_who_notice_the_same_merge_agree() {
    let world = World::new();
    let alice = reviewed(&world);
    let bob = world.clone_of(&alice, "bob");
    bob.git("switch --quiet main");
    bob.postil("sync").code(0);
    alice.git("switch --quiet main");
    alice.git("merge --quiet --squash topic");
    alice.commit("all at once");
    alice.git("branch --quiet -D topic");
    bob.git("pull --quiet --prune origin main");
    for person in [&alice, &bob] {
        assert!(person.postil("review list --all").code(0).stdout().contains("merged  topic  louder"));
    }
    bob.postil("sync").code(0);
    assert_eq!(bob.postil("sync").code(0).stdout(), "nothing new; nothing to send\n");
    let steps = bob.git("log --format=%s refs/notes/reviews");
    for person in [&alice, &bob] {
        let json = person.postil("review show topic --json").code(0).stdout();
        assert!(
            json.contains(r#""status":"merged","status_by":{"author":{"name":"postil","email":""}"#),
            "{json}"
        );
    }
    assert_eq!(bob.git("log --format=%s refs/notes/reviews"), steps, "nobody has anything to add");
}

#[test]
fn the_daemon_notices_a_merge_by_itself() {
    let world = World::new();
    let alice = reviewed(&world);
    let _served = Served(&world);
    alice.served("status").code(0);
    let mut client = world.client();
    alice.subscribe(&mut client, Topic::Repository);
    alice.git("switch --quiet main");
    alice.git("merge --quiet --ff-only topic");
    until(&mut client, |event| matches!(event, Event::Changed(changed) if !changed.reviews.is_empty()));
    let steps = alice.git("log --format=%s refs/notes/reviews");
    assert!(steps.contains("Notice that the review of refs/heads/topic was merged"), "{steps}");
}

#[test]
fn what_changed_since_a_verdict_is_shown_without_what_came_from_the_base() {
    let world = World::new();
    let alice = reviewed(&world);
    let none = alice.postil("review since");
    assert!(
        none.code(2).stderr().contains("you have not given a verdict on the review of topic"),
        "{}",
        none.stderr()
    );
    alice.postil("review request-changes -m 'too loud'").code(0);
    let same = alice.postil("review since").code(0).stdout();
    assert!(same.ends_with("no changes since then: the branch has not moved\n"), "{same}");

    alice.git("switch --quiet main");
    alice.write("a.txt", format!("zero\n{LINES}"));
    alice.commit("upstream");
    alice.git("switch --quiet topic");
    alice.git("rebase --quiet main");
    collect_garbage(&alice);
    let rebased = alice.postil("review since").code(0).stdout();
    assert!(rebased.ends_with("no changes since then: the diff is the same\n"), "{rebased}");
    let status = alice.postil("status").code(0).stdout();
    assert!(
        status.contains("changes requested by alice  (for an earlier version)\n    too loud\n"),
        "{status}"
    );

    alice.write("a.txt", format!("zero\n{}", LINES.replace("five", "Five").replace("eight\n", "")));
    alice.commit("less loud");
    let changed = alice.postil("review since topic --by ALICE").code(0).stdout();
    let hunk =
        "@@ -3,7 +3,7 @@ one\n  two\n  three\n  four\n -five\n-+FIVE\n++Five\n  six\n  seven\n  nine\n";
    assert!(changed.contains(&format!(" ## a.txt ##\n{hunk}")), "{changed}");
    let json = alice.postil("review since --json").code(0).stdout();
    let line = r#"{"change":"came","mark":"added","line":6,"text":"Five"}"#;
    assert!(json.starts_with(r#"{"version":1,"review":{"#) && json.contains(line), "{json}");
    let nobody = alice.postil("review since --by bob");
    assert!(nobody.code(2).stderr().contains("nobody matching \"bob\" has given"), "{}", nobody.stderr());

    // What was judged elsewhere and never came here cannot be compared with.
    let bob = world.clone_of(&alice, "bob");
    collect_garbage(&bob);
    bob.postil("sync").code(0);
    let gone = bob.postil("review since topic --by alice");
    assert!(gone.code(3).stderr().contains("which is no longer in this repository"), "{}", gone.stderr());
}

#[test]
fn the_threads_of_a_branch_are_seen_in_the_middle_of_its_rebase() {
    let world = World::new();
    let alice = reviewed(&world);
    alice.git("switch --quiet main");
    alice.write("a.txt", LINES.replace("five", "FIVE francs"));
    alice.commit("much like it");
    alice.git("switch --quiet topic");
    assert!(!alice.try_git("rebase --quiet main").status.success(), "there is a conflict");
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).expect("it is there");
    let line = 1 + text.lines().position(|line| line == "FIVE").expect("one side of the conflict says it");
    let listed = alice.postil("list").code(0).stdout();
    assert!(listed.contains(&format!("a.txt:{line}  alice: why five?")), "{listed}{text}");
    assert!(
        alice
            .postil("status")
            .code(0)
            .stdout()
            .contains("topic into main\nnot ready: 1 approval missing\n2 open threads")
    );
    let said = alice.postil("comment a.txt:1 -m 'and this?'");
    assert!(!said.code(0).stderr().contains("started review"), "{}", said.stderr());
    alice.postil("comment -m 'the whole of it'").code(0);
    assert!(
        alice
            .postil("status")
            .code(0)
            .stdout()
            .contains("topic into main\nnot ready: 1 approval missing\n4 open threads")
    );
    alice.git("rebase --abort");
    assert!(alice.postil("review list").code(0).stdout().contains("open  topic  louder"));
    assert!(
        alice
            .postil("status")
            .code(0)
            .stdout()
            .contains("topic into main\nnot ready: 1 approval missing\n4 open threads")
    );
}

#[test]
fn a_comment_on_a_deleted_line_follows_its_base_and_comes_back_to_life() {
    let world = World::new();
    let alice = reviewed(&world);
    let place = || {
        let listed = alice.postil("list").code(0).stdout();
        let (_, told) = listed.split_once("why five?\n").expect("both are listed");
        told.lines()
            .map(|line| line.split_once("  ").map_or(line, |(_, rest)| rest).trim())
            .collect::<Vec<_>>()
            .join("|")
    };
    assert_eq!(place(), "a.txt:8 (old)  alice: why gone?");
    let shown = || alice.postil("show @").code(0).stdout();
    assert!(shown().contains("       7 | seven\n>      8 | eight\n       9 | nine\n"), "{}", shown());
    alice.git("switch --quiet main");
    alice.write("a.txt", format!("zero\n{LINES}"));
    alice.commit("shift it");
    alice.git("rebase --quiet main topic");
    assert_eq!(place(), "a.txt:9 (old)  alice: why gone?");
    assert!(shown().contains("       8 | seven\n>      9 | eight\n      10 | nine\n"), "{}", shown());
    alice.git("switch --quiet main");
    alice.write("a.txt", format!("zero\n{}", LINES.replace("eight\n", "")));
    alice.commit("take it out upstream");
    alice.git("rebase --quiet main topic");
    assert!(place().contains("its lines were deleted"), "{}", place());
    alice.git("switch --quiet main");
    alice.git("revert --no-edit HEAD");
    alice.git("rebase --quiet main topic");
    assert!(place().contains("was | eight"), "no longer deleted: {}", place());
    let again = std::fs::read_to_string(alice.folder.join("a.txt")).expect("it is there");
    alice.write("a.txt", again.replace("eight\n", ""));
    alice.commit("take it out again");
    assert_eq!(place(), "a.txt:9 (old)  alice: why gone?");
}

#[test]
fn the_log_of_a_comment_tells_what_was_before_its_commit_was_rewritten_and_why_it_moved() {
    let world = World::new();
    let alice = reviewed(&world);
    let id = alice.postil("list --json --author alice").code(0).stdout();
    let id = id.split(r#""short":""#).nth(1).and_then(|rest| rest.split('"').next()).expect("it is listed");
    let before = alice.git("rev-parse --short=10 HEAD");
    alice.git("switch --quiet main");
    alice.write("a.txt", format!("zero\n{LINES}"));
    alice.commit("upstream");
    alice.git("switch --quiet topic");
    alice.git("rebase --quiet main");
    let after = alice.git("rev-parse --short=10 HEAD");
    let told = |log: String| places(&log);
    let expected = format!(
        "{after}  a.txt:6  louder\n            same text, 1 line further down\n\
         {before}  a.txt:5  louder (rewritten)\n"
    );
    let log = alice.postil(&format!("log {id}")).code(0).stdout();
    assert_eq!(told(log), expected);

    // What was collected is told as far as the comment itself tells it.
    collect_garbage(&alice);
    alice.git("update-ref -d ORIG_HEAD");
    let log = alice.postil(&format!("log {id}")).code(0).stdout();
    assert!(log.contains(&format!("{before}  a.txt:5")), "{log}");
}

/// The places of a log without dates, without what happened in the thread.
fn places(log: &str) -> String {
    let (places, _) = log.split_once("\n\n").expect("the places come first, then what happened");
    format!("{places}\n").replace("  2026-01-05 09:00:00 +0000", "")
}

#[test]
fn the_log_of_a_comment_on_files_that_were_not_committed_tells_what_came_of_them() {
    let world = World::new();
    let alice = world.repository("alice");
    let told = |id: &str| {
        let log = alice.postil(&format!("log {id}")).code(0).stdout();
        places(&log)
    };
    let put = |location: &str| {
        let said = alice.postil(&format!("comment {location} -m why")).code(0).stdout();
        said.split(' ').next().expect("the id comes first").to_owned()
    };
    let tip = || alice.git("rev-parse --short=10 HEAD");
    alice.write("a.txt", "one\ntwo\n");
    let first = put("a.txt:2");
    assert_eq!(told(&first), "on disk     a.txt:2  not committed at that time\n", "before the first commit");
    alice.commit("begin");
    let begun = tip();
    alice.write("a.txt", "one\ntwo\nthree\n");
    let second = put("a.txt:3");
    assert_eq!(told(&second), "on disk     a.txt:3  not committed at that time\n", "before it is committed");
    alice.commit("count");
    let counted = tip();
    alice.write("a.txt", "zero\none\ntwo\nthree\n");
    alice.commit("from zero");
    let zero = tip();
    let further = "            same text, 1 line further down\n";
    assert_eq!(
        told(&first),
        format!(
            "{zero}  a.txt:3  from zero\n{further}{begun}  a.txt:2  begin\n\
             on disk     a.txt:2  not committed at that time\n"
        )
    );
    assert_eq!(
        told(&second),
        format!(
            "{zero}  a.txt:4  from zero\n{further}{counted}  a.txt:3  count\n\
             on disk     a.txt:3  not committed at that time\n"
        )
    );
}

#[test]
fn a_diff_with_another_base_shows_a_comment_on_a_deleted_line_where_that_is_deleted() {
    let world = World::new();
    let alice = reviewed(&world);
    let under = "-eight\n# ";
    let whole = alice.postil("diff --threads lines").code(0).stdout();
    assert!(whole.contains(under), "{whole}");
    alice.write("a.txt", format!("zero\nnull\n{}", LINES.replace("five", "FIVE").replace("eight\n", "")));
    alice.commit("more above");
    // What is compared with has not had the line for long.
    let newest = alice.postil("diff HEAD~1 HEAD").code(0).stdout();
    let told: Vec<&str> = newest.lines().skip_while(|line| !line.starts_with("# ")).take(3).collect();
    assert!(told[0].ends_with("  a.txt:8 (old)"), "{newest}");
    assert_eq!(told[1..], ["#   > eight", "#   alice: why gone?"], "{newest}");
    // And this one has it further down than the review's own base.
    alice.git("switch --quiet -c other main");
    alice.write("a.txt", format!("one more\n{LINES}"));
    alice.commit("shifted");
    alice.git("switch --quiet topic");
    let shifted = alice.postil("diff other topic --threads lines").code(0).stdout();
    assert!(shifted.contains(under), "{shifted}");
}
