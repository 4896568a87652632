//! A list that is asked again is told again by the daemon, and is never an old one.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use postil_daemon::echo::recall;

use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::{Checkout, World};

fn commented(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("src/lib.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.postil("comment src/lib.rs:2 -m 'why two?'").code(0);
    alice
}

/// The one list that is remembered, with the key that it is found by.
fn kept(world: &World) -> Option<(PathBuf, String)> {
    let folder = world.socket().with_file_name("echoes");
    let file = fs::read_dir(folder).ok()?.find_map(|entry| Some(entry.ok()?.path()))?;
    let bytes = fs::read(&file).ok()?;
    let (_, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let key = rest.get(..u32::from_le_bytes(*length) as usize)?;
    Some((file, String::from_utf8(key.to_vec()).ok()?))
}

/// Lists until what was printed is remembered, which it is once nothing has changed for a moment; returns its file.
fn remembered(alice: &Checkout<'_>, world: &World) -> PathBuf {
    let usual = alice.postil("list").stdout();
    let deadline = Instant::now() + TEN_SECONDS;
    loop {
        assert_eq!(alice.served("list").code(0).stdout(), usual);
        if let Some((file, key)) = kept(world)
            && let Some(text) = recall(file.parent().expect("a file is in a folder"), &key)
        {
            assert_eq!(text.as_ref(), usual.as_bytes());
            return file;
        }
        assert!(Instant::now() < deadline, "it is never remembered");
    }
}

#[test]
fn a_list_that_is_remembered_is_printed_as_it_was_by_whoever_is_there() {
    let world = World::new();
    let alice = commented(&world);
    let served = Served(&world);
    let file = remembered(&alice, &world);
    let usual = alice.postil("list").stdout();
    // Only what is remembered says this.
    let mut bytes = fs::read(&file).expect("it is remembered");
    bytes.truncate(bytes.len() - usual.len());
    bytes.extend(b"as it was before\n");
    fs::write(&file, bytes).expect("it is ours");
    assert_eq!(alice.served("list").code(0).stdout(), "as it was before\n");
    drop(served);
    assert_eq!(alice.served("list").code(0).stdout(), "as it was before\n");
    // Other words, and whoever wants no daemon, are told something else.
    assert_eq!(alice.postil("list").stdout(), usual);
    assert_eq!(alice.served("list --all").code(0).stdout(), usual);
    let _served = Served(&world);
}

#[test]
fn whatever_happens_between_two_lists_the_second_is_no_old_one() {
    let world = World::new();
    let alice = commented(&world);
    let _served = Served(&world);
    let steps: [&dyn Fn(); 8] = [
        &|| _ = alice.postil("comment src/lib.rs:1 -m 'why one?'").code(0),
        &|| drop(alice.git("commit --quiet --allow-empty -m second")),
        &|| {
            alice.write("src/lib.rs", "// new\nfn one() {}\nfn two() {}\nfn three() {}\n");
            assert_eq!(alice.served("list").stdout(), alice.postil("list").stdout(), "not committed");
            alice.commit("third");
        },
        &|| drop(alice.git("config core.quotePath false")),
        &|| drop(alice.git("branch --quiet -m parser")),
        &|| drop(alice.git("mv src/lib.rs src/code.rs")),
        &|| drop(alice.git("reset --quiet --hard")),
        &|| _ = alice.postil("resolve @").code(0),
    ];
    for (number, step) in steps.iter().enumerate() {
        // What is renamed and not committed is not remembered.
        if number != 6 {
            remembered(&alice, &world);
        }
        step();
        assert_eq!(alice.served("list").stdout(), alice.postil("list").stdout(), "step {number}");
    }
    // What is no repository any more has no list.
    remembered(&alice, &world);
    fs::remove_file(alice.folder.join(".git/HEAD")).expect("there is a HEAD");
    alice.served("list").code(5);
}
