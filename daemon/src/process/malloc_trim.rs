//! When the system gets back what was freed: not at once, and all of it in the end.
//!
//! glibc keeps what is freed in the middle of its memory: of 45 MB that ten repositories had used, 31 MB stayed with a
//! daemon that used 4. What is freed at the end it gives back each time, and asks for again: a tenth of what a
//! comment cost was the system's work of taking pages away and filling new ones with zeros.

/// So much that was freed at the end stays until [`trim`], and pieces below this size are not asked for one by one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: libc::c_int = 2 << 20;

/// Keeps what is freed at hand, since the next work needs it again; to be called once, at the beginning.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has this function alone for it")]
pub(crate) fn keep_at_hand() {
    // SAFETY: it takes two numbers and no pointer. What it refuses stays as it was.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
    }
}

/// Gives back all pages that hold nothing; takes some milliseconds, so it belongs on a thread of the pool.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library has this function alone for it")]
pub(crate) fn trim() {
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
pub(crate) fn trim() {}
