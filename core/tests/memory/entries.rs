//! Notes with very many entries, made to fill the memory of whoever takes them in.
//!
//! What it takes grows with their number and no faster, so that the limit on entries bounds it.

use std::fmt::Write as _;

use postil_core::notes::{MergeKind, refs};
use postil_testkit::{Sandbox, by_alice, comment};

use crate::memory_of;

/// So many notes come at once, and in the second run twice as many: beyond where their tree gets another level of
/// folders, which is when each of them takes most.
const ENTRIES: u32 = 20_000;

/// So many bytes of memory may be in use at once for each entry; it takes up to 2,900 here, and 800 with a million.
const MEMORY_PER_ENTRY: usize = 4_000;

/// The most memory in use at once while somebody who has said something takes in so many notes.
fn memory_of_taking_in(entries: u32) -> usize {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let said = comment("one of many");
    let mut input = format!("blob\nmark :1\ndata {}\n", said.as_bytes().len()).into_bytes();
    input.extend_from_slice(said.as_bytes());
    let mut commands = "\ncommit refs/notes/theirs\ncommitter e <e@example.com> 1 +0000\ndata 0\n".to_owned();
    for number in 0..entries {
        let digits = format!("{:08x}{number:032x}", number.wrapping_mul(2_654_435_761));
        writeln!(commands, "M 100644 :1 {}/{}", &digits[..2], &digits[2..]).unwrap();
    }
    input.extend_from_slice(commands.as_bytes());
    repo.git_with(&["fast-import", "--quiet"], &input);
    drop((input, commands));
    repo.say("HEAD", "mine");
    let theirs = repo.commit_id("refs/notes/theirs");
    let store = repo.store();
    let mut merged = None;
    let most = memory_of(|| merged = Some(store.merge(theirs, &by_alice()).unwrap()));
    assert_eq!(merged.unwrap().how, MergeKind::Commit);
    let notes = repo.git(&["notes", "--ref", refs::NOTES, "list"]);
    assert_eq!(notes.lines().count(), entries as usize + 1, "all of them came, and ours stayed");
    most
}

#[test]
fn the_memory_for_very_many_entries_grows_with_their_number_and_no_faster() {
    let (once, twice) = (memory_of_taking_in(ENTRIES), memory_of_taking_in(2 * ENTRIES));
    println!("{} and {} bytes an entry", once / ENTRIES as usize, twice / (2 * ENTRIES) as usize);
    assert!(twice <= MEMORY_PER_ENTRY * 2 * ENTRIES as usize, "{twice} bytes for {} entries", 2 * ENTRIES);
    assert!(twice <= once * 5 / 2, "{once} bytes, and {twice} for twice as many entries");
}
