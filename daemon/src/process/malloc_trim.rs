//! When the system gets back what was freed: not at once, and all of it in the end.
//!
//! glibc keeps what is freed in the middle of its memory: of 45 MB that ten repositories had used, 31 MB stayed with a
//! daemon that used 4. What is freed at the end it gives back each time, and asks for again: a tenth of what a
//! comment cost was the system's work of taking pages away and filling new ones with zeros.
//!
//! It also keeps a heap for each thread, up to eight for each core, and what is freed in one is of no use to the others: five
//! busy repositories that used 34 MB took 78 MB in twelve heaps, and 56 MB in one.

/// So much that was freed at the end stays until [`trim`], and pieces below this size are not asked for one by one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 2 << 20;

/// So much more than it needs is asked for at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const AHEAD: libc::c_int = 16 << 10;

/// Has one heap for all threads, and keeps what is freed at hand, since the next work needs it again.
///
/// To be called once, before there is a second thread: a heap that a thread has stays.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has this function alone for it")]
pub(crate) fn keep_at_hand() {
    // SAFETY: it takes two numbers and no pointer. What it refuses stays as it was.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, AHEAD);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
    }
}

/// Gives back all pages that hold nothing; takes some milliseconds, so it belongs on a thread of the pool.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has this function alone for it")]
pub fn trim() {
    // SAFETY: it takes a number and no pointer, may be called on any thread, and moves nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other systems' allocators decide for themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_at_hand() {}

/// As above.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim() {}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::fs;
    use std::process::Command;
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    /// Heaps of threads begin at multiples of this.
    const ALIGNED: usize = 64 << 20;

    /// Set in the process of the test that has hardly any threads.
    const ALONE: &str = "POSTIL_TEST_ALONE";

    #[test]
    fn all_threads_share_one_heap() {
        if std::env::var_os(ALONE).is_none() {
            let name = "process::malloc_trim::tests::all_threads_share_one_heap";
            let mut again = Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", name, "--test-threads=1"]).env(ALONE, "1").env_remove("MALLOC_ARENA_MAX");
            let run = again.output().unwrap();
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
            return;
        }
        keep_at_hand();
        // Those that the test's own threads had before.
        let before = heaps_of_threads();
        let all = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // Nobody goes before all have some, or a heap would be free for the next.
                    let held = vec![1_u8; 4096];
                    all.wait();
                    drop(held);
                });
            }
        });
        assert_eq!(heaps_of_threads(), before);
    }

    fn heaps_of_threads() -> usize {
        let maps = fs::read_to_string("/proc/self/maps").expect("the system shows it");
        let begins = maps.lines().filter_map(|line| usize::from_str_radix(line.split('-').next()?, 16).ok());
        begins.filter(|begin| begin.is_multiple_of(ALIGNED)).count()
    }
}
