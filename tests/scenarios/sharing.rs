//! Reviews travel between people: `init`, `sync`, and plain git.

use crate::support::world::{Checkout, World};

/// A remote, and two people who cloned it.
fn team(world: &World) -> (Checkout<'_>, Checkout<'_>, Checkout<'_>) {
    let seed = world.repository("seed");
    seed.write("a.txt", "one\ntwo\nthree\n");
    seed.commit("first");
    seed.git("config core.bare true");
    let alice = world.clone_of(&seed, "alice");
    let bob = world.clone_of(&seed, "bob");
    (seed, alice, bob)
}

#[test]
fn two_people_exchange_comments_answers_and_resolutions() {
    let world = World::new();
    let (_remote, alice, bob) = team(&world);
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    assert_eq!(alice.postil("sync").code(0).stdout(), "nothing new; sent 1\n");
    assert_eq!(bob.postil("sync").code(0).stdout(), "1 new comment; nothing to send\n");
    assert!(bob.postil("list --all").code(0).stdout().contains("why two?"));
    bob.postil("reply @ -m 'because'").code(0);
    bob.postil("resolve @ -m done").code(0);
    assert_eq!(bob.postil("sync").code(0).stdout(), "nothing new; sent 2\n");
    let told = alice.postil("sync").code(0).stdout();
    assert_eq!(told, "1 new comment, 1 thread resolved; nothing to send\n");
    assert!(alice.postil("show @").code(0).stdout().contains("because"));
}

#[test]
fn a_dry_run_and_one_way_say_what_they_do() {
    let world = World::new();
    let (_remote, alice, bob) = team(&world);
    alice.postil("comment a.txt:1 -m one").code(0);
    assert_eq!(alice.postil("sync --dry-run").code(0).stdout(), "would come: nothing new; would send 1\n");
    assert_eq!(bob.postil("sync --fetch-only").code(0).stdout(), "nothing new\n");
    assert_eq!(alice.postil("sync --push-only").code(0).stdout(), "sent 1 to origin\n");
    bob.postil("comment a.txt:2 -m two").code(0);
    let refused = bob.postil("sync --push-only");
    assert!(refused.code(4).stderr().contains("hint: `postil sync` fetches first"), "{}", refused.stderr());
    let json = bob.postil("sync --json").code(0).stdout();
    assert!(json.starts_with(r#"{"version":1,"remotes":[{"remote":"origin","came":{"comments":1"#), "{json}");
}

#[test]
fn without_a_remote_or_with_one_that_is_gone_the_error_says_what_to_do() {
    let world = World::new();
    let lone = world.repository("lone");
    lone.write("a.txt", "one\n");
    lone.commit("first");
    let told = lone.postil("sync");
    assert!(told.code(2).stderr().contains("git remote add origin"), "{}", told.stderr());
    lone.git("remote add origin ../nowhere");
    let told = lone.postil("sync");
    assert!(told.code(5).stderr().contains("could not fetch from origin"), "{}", told.stderr());
    lone.git("remote add other ../elsewhere");
    lone.git("remote rename origin third");
    let told = lone.postil("sync");
    assert!(told.code(2).stderr().contains("which remote? name one of other, third"), "{}", told.stderr());
    let told = lone.postil("sync --all --json");
    let json = told.code(5).stdout();
    assert_eq!(json.matches(r#""error":"could not fetch"#).count(), 2, "{json}");
}

#[test]
fn after_init_a_plain_fetch_brings_the_notes_to_where_sync_finds_them() {
    let world = World::new();
    let (remote, alice, bob) = team(&world);
    let set = alice.postil("init").code(0).stdout();
    assert_eq!(
        set,
        "set notes.reviews.mergeStrategy=union\n\
         set remote.origin.fetch=+refs/notes/review*:refs/postil/remotes/origin/review*\n"
    );
    assert_eq!(alice.postil("init").code(0).stdout(), "", "a second time there is nothing to do");
    // A remote without notes breaks nothing.
    alice.git("fetch --quiet");
    bob.postil("comment a.txt:2 -m 'why two?'").code(0);
    bob.git("push --quiet origin refs/notes/reviews");
    assert!(remote.git("for-each-ref refs/notes").contains("refs/notes/reviews"));
    alice.postil("comment a.txt:3 -m 'why three?'").code(0);
    alice.git("fetch --quiet");
    assert!(alice.git("for-each-ref refs/postil/remotes").contains("refs/postil/remotes/origin/reviews"));
    assert!(alice.try_git("config --get-all remote.origin.push").stdout.is_empty());
    assert_eq!(alice.postil("sync").code(0).stdout(), "1 new comment; sent 1\n");
    let undone = alice.postil("init --undo").code(0).stdout();
    assert_eq!(undone.lines().filter(|line| line.starts_with("unset ")).count(), 2, "{undone}");
    assert_eq!(alice.git("config --get-all remote.origin.fetch"), "+refs/heads/*:refs/remotes/origin/*");
}
