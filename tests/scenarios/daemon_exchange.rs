//! Two clones at different heads exchange their notes, and come to rest.

use postil_protocol::{Client, WritePositions};

use crate::support::served::Served;
use crate::support::world::{Checkout, World};

const LINES: &str = "one\ntwo\nthree\nfour\n";

/// Has the positions of what is checked out written, as the daemon does when a head has come to rest.
fn write_positions(client: &mut Client, person: &Checkout<'_>) {
    client.ask(&person.about(WritePositions::default())).expect("positions are written");
}

fn tip(person: &Checkout<'_>) -> String {
    person.git("rev-parse refs/notes/reviews")
}

#[test]
fn positions_of_two_clones_do_not_rewrite_each_other() {
    let world = World::new();
    let _served = Served(&world);
    let origin = world.repository("origin");
    origin.git("config core.bare true");
    let alice = world.clone_of(&origin, "alice");
    alice.git("switch --quiet -c main");
    alice.write("a.txt", LINES);
    alice.commit("first");
    alice.git("push --quiet origin main");
    let bob = world.clone_of(&origin, "bob");
    bob.git("switch --quiet main");
    alice.served("comment a.txt:3 -m 'why three?'").code(0);
    alice.served("sync").code(0);
    bob.served("sync").code(0);
    alice.write("a.txt", format!("alice\n{LINES}"));
    alice.commit("hers");
    bob.write("a.txt", format!("bob\nbob\n{LINES}"));
    bob.commit("his");
    let mut client = world.client();
    for _ in 0..2 {
        for person in [&alice, &bob] {
            write_positions(&mut client, person);
            person.served("sync").code(0);
        }
    }
    alice.served("sync").code(0);
    let resting = (tip(&alice), tip(&bob));
    assert_eq!(resting.0, resting.1, "both have the same notes");
    for _ in 0..3 {
        for person in [&alice, &bob] {
            write_positions(&mut client, person);
            person.served("sync").code(0);
        }
    }
    assert_eq!((tip(&alice), tip(&bob)), resting, "no new notes commit");
}
