//! Waiting for something that happens elsewhere: in another thread, another process, or on disk.
//!
//! The only place where a test may sleep. A test that can wait on a channel, a lock or a child does that instead.

use std::time::{Duration, Instant};

/// Far longer than anything that a test waits for takes, also on a loaded machine.
pub const LONG_ENOUGH: Duration = Duration::from_secs(30);

/// Between two looks: short beside what is waited for, and long enough that looking costs nothing.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// Waits until `condition` holds; fails with `what` if it does not hold in time.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// Waits until `condition` holds, but no longer than `limit`; for tests that interrupt something at any moment.
///
/// Returns whether it held.
pub fn wait_at_most(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if condition() {
            return true;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(BETWEEN_LOOKS));
    }
}

/// Waits until `look` finds something, and returns it; fails with `what` if it finds nothing in time.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LONG_ENOUGH;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {LONG_ENOUGH:?}: {what}");
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_thread_does_is_waited_for() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut looks = 0;
        let found = wait_for("the number", || {
            looks += 1;
            if looks == 3 {
                let sender = sender.clone();
                std::thread::spawn(move || sender.send(7).expect("somebody waits"));
            }
            receiver.try_recv().ok()
        });
        assert_eq!(found, 7);
        assert!(looks > 3);
    }
}
