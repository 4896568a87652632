//! What takes memory takes a bounded amount of it, whatever others made of their notes and their text.
//!
//! A binary of its own, since its allocator counts.
#![allow(unsafe_code, reason = "an allocator that counts is an allocator, and that is an unsafe trait")]
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod entries;
mod prose;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what each thread has and the most that it had.
///
/// By thread, since tests run beside each other; what is measured here starts none.
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

/// Does something, and says how many bytes more than before were in use at once.
fn memory_of(work: impl FnOnce()) -> usize {
    let before = IN_USE.get();
    MOST.set(before);
    work();
    MOST.get().abs_diff(before)
}
