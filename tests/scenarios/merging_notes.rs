//! A person merges notes with stock git and resolves conflicts, while comments are written and the daemon runs.

use postil_protocol::WritePositions;

use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_merge_of_notes_can_be_finished_while_comments_are_made() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.served("comment a.txt:3 -m 'why three?'").code(0);
    alice.git("notes --ref=theirs add -m foreign HEAD");
    let merge = alice.try_git("notes --ref=reviews merge -s manual theirs");
    assert!(!merge.status.success(), "the notes are in conflict");
    let tip = alice.git("rev-parse refs/notes/reviews");

    // Comments still have a place, the daemon leaves the ref alone, and everybody says why.
    alice.write("a.txt", "new\none\ntwo\nthree\n");
    alice.commit("second");
    let said = alice.served("comment a.txt:2 -m 'said meanwhile'");
    assert!(said.code(0).stdout().contains("(draft)"), "{}", said.stdout());
    assert!(said.stderr().contains("git notes merge --commit"), "{}", said.stderr());
    let mut client = world.client();
    client.ask(&alice.about(WritePositions::default())).expect("the daemon goes on");
    for told in [alice.served("status").code(0).stderr(), alice.served("doctor").code(1).stdout()] {
        assert!(told.contains("`git notes merge` is not finished"), "{told}");
        assert!(told.contains("git notes merge --abort"), "{told}");
    }
    alice.served("publish").code(4);
    assert_eq!(alice.git("rev-parse refs/notes/reviews"), tip);

    alice.git("notes merge --commit");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("said meanwhile") && listed.contains("why three?"), "{listed}");
    assert!(!listed.contains("draft"), "{listed}");
    let status = alice.served("status").code(0).stderr();
    assert!(!status.contains("is not finished"), "{status}");
}
