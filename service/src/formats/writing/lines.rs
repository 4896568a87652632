//! Lines of JSON: each thread as the protocol has it, with the version of the form.

use super::Exported;

/// The version of each line, as `--json` has it.
const VERSION: u32 = 1;

/// Writes a thread a line.
pub fn write_lines(threads: &[Exported]) -> String {
    let head = format!("{{\"version\":{VERSION},");
    let mut written = String::new();
    for exported in threads {
        let thread = serde_json::to_string(&exported.thread).expect("a thread has text for keys");
        let fields = thread.strip_prefix('{').expect("a thread is an object");
        written.extend([head.as_str(), fields, "\n"]);
    }
    written
}
