//! How a test says that this machine lacks what it needs.
//!
//! A test that cannot run passes, so its output is swallowed: what was missing goes past the harness, to the real
//! standard error, and into the file that `.ci/run` counts. Nothing else may make a test pass without running.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Tells that the calling test cannot run here because `missing` is; the test returns right after.
///
/// Called on the test's own thread, whose name is the test's.
pub fn skipped(missing: &str) {
    let thread = std::thread::current();
    let line = format!("SKIPPED: {}: {missing}\n", thread.name().unwrap_or("a test"));
    // One write each: tests run side by side, and lines must not mix.
    std::io::stderr().write_all(line.as_bytes()).expect("standard error can be written");
    if let Some(file) = std::env::var_os("POSTIL_SKIPS") {
        let mut file = OpenOptions::new().append(true).open(file).expect("POSTIL_SKIPS names a file");
        file.write_all(line.as_bytes()).expect("POSTIL_SKIPS can be written");
    }
}
