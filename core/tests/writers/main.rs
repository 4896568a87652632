//! Writers that die or race each other, disks that fail, and the order in which things reach the disk.
//!
//! A binary of its own, since the writer is one too: this very binary, started again, stopped at its system calls,
//! failed and killed. So there are no hooks in what is tested.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod acknowledged;
mod concurrency;
mod writer;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod disk;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod kills;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod leftovers;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod order;

#[test]
fn a_writer_acknowledges_what_a_reader_then_finds() {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    writer::write_as_ordered(postil_testkit::impatient(), postil_testkit::tracer::begin);
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    writer::write_as_ordered(postil_testkit::impatient(), || ());
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[test]
fn writers_are_killed_at_their_system_calls() {
    postil_testkit::skipped("Linux on x86-64, whose registers the tests know");
}
