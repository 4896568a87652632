//! What a person names without an ID: the newest comment, and the lines that a thread is on.

use crate::suggesting::{fed, id, json};
use crate::support::world::{Checkout, World};

/// Alice and Bob, both of whom have a comment of Alice's on line 2.
pub(crate) fn team(world: &World) -> (Checkout<'_>, Checkout<'_>) {
    let seed = world.repository("seed");
    seed.write("a.txt", "one\ntwo\nthree\nfour\n");
    seed.commit("first");
    seed.git("config core.bare true");
    let (alice, bob) = (world.clone_of(&seed, "alice"), world.clone_of(&seed, "bob"));
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.postil("sync").code(0);
    bob.postil("sync").code(0);
    (alice, bob)
}

#[test]
fn the_newest_comment_is_changed_by_who_wrote_or_read_it() {
    let world = World::new();
    let (alice, bob) = team(&world);
    // One's own needs no question.
    alice.postil("edit @ -m 'why two at all?'").code(0);
    let newest = id(&bob.postil("list --all"));
    for line in ["reply @ -m because", "resolve @", "edit @ -m other", "withdraw @", "move @ a.txt:3"] {
        let refused = bob.postil(line).code(6).stderr();
        let told = format!("  because: `@` is {newest} by alice: why two?\n");
        assert!(refused.contains(&told), "{line}: {refused}");
        assert!(refused.contains(&format!("`postil show {newest}`")), "{line}: {refused}");
    }
    let error = json(bob.postil("--json resolve @").code(6));
    assert_eq!(error["error"]["code"], "newest-is-new");
    assert!(bob.postil("list").code(0).stdout().contains("why two?"), "nothing was written");
    bob.postil("show @").code(0);
    bob.postil("reply @ -m because --resolve").code(0);
    // What came since is new again.
    bob.postil("sync").code(0);
    alice.postil("sync").code(0);
    alice.postil("reopen @").code(6);
    alice.postil(&format!("reopen {newest}")).code(0);
}

#[test]
fn a_line_names_the_threads_that_are_on_it() {
    let world = World::new();
    let (alice, _) = team(&world);
    alice.write("a.txt", "zero\none\ntwo\nthree\nfour\n");
    assert!(alice.postil("show a.txt:3").code(0).stdout().contains("why two?"));
    let nothing = alice.postil("show a.txt:2").code(3).stderr();
    assert!(nothing.starts_with("error: no thread at a.txt:2\n"), "{nothing}");
    let other = id(&alice.postil("comment a.txt:3-4 -m 'both of them'"));
    let shown = alice.postil("show a.txt:3").code(0).stdout();
    assert!(shown.contains("why two?") && shown.contains("both of them"), "{shown}");
    assert_eq!(alice.postil("show a.txt --json").code(0).stdout().lines().count(), 2);
    let several = alice.postil("reply a.txt:3 -m yes").code(3).stderr();
    assert!(several.contains(&format!("it could be {other} alice: both of them\n")), "{several}");
    let resolved = alice.postil("resolve a.txt:4").code(0).stdout();
    assert_eq!(resolved, format!("resolved {other} a.txt:3-4\n"));
    // Only the open one is meant, and to reopen, the other.
    alice.postil("reply a.txt:3 -m 'one is left'").code(0);
    assert_eq!(alice.postil("reopen a.txt:3").code(0).stdout(), format!("reopened {other} a.txt:3-4\n"));
    fed(&alice, "edit a.txt:4 -F -", "both, really\n").code(0);
    assert!(alice.postil("log a.txt:4").code(0).stdout().contains("both, really"));
}
