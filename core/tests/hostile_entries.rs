//! Notes with very many entries, made to fill the memory of whoever takes them in.
//!
//! What it takes grows with their number and no faster, so that the limit on entries bounds it.

#![allow(unsafe_code, reason = "an allocator that counts is an allocator, and that is an unsafe trait")]
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;

use postil_core::notes::{MergeKind, refs};
use support::{Sandbox, by_alice, comment};

/// So many notes come at once, and in the second run twice as many: beyond where their tree gets another level of
/// folders, which is when each of them takes most.
const ENTRIES: u32 = 20_000;

/// So many bytes of memory may be in use at once for each entry; it takes up to 2,900 here, and 800 with a million.
const MEMORY_PER_ENTRY: usize = 4_000;

/// The system's allocator, which counts what each thread has and the most that it had.
struct Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts bytes that came or went; a thread that is ending has no counters any more.
fn count(bytes: isize) {
    let _ = IN_USE.try_with(|in_use| {
        in_use.set(in_use.get() + bytes);
        MOST.try_with(|most| most.set(most.get().max(in_use.get())))
    });
}

// SAFETY: the system's allocator does all the work, with what it was asked for; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps to the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above; whatever was allocated here came from the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }
}

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
    let before = IN_USE.get();
    MOST.set(before);
    let merged = store.merge(theirs, &by_alice()).unwrap();
    let most = MOST.get().abs_diff(before);
    assert_eq!(merged.how, MergeKind::Commit);
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
