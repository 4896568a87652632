//! A small sample of accuracy cases with texts of our own, answered and scored by the real program.
//!
//! The cases from real histories are too many and too far away for a test; they run by hand.

use std::path::Path;
use std::process::{Command, Stdio};

fn lab(arguments: &[&str], input: Stdio) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_postil-lab"))
        .args(arguments)
        .stdin(input)
        .output()
        .expect("the program was built for this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("JSON and tables are UTF-8")
}

#[test]
fn every_case_of_the_sample_is_answered_as_expected() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/locate.jsonl");
    let count = std::fs::read_to_string(&cases).unwrap().lines().count();
    let answers = lab(&["locate"], std::fs::File::open(&cases).unwrap().into());
    let folder = tempfile::tempdir().unwrap();
    let answered = folder.path().join("answers.jsonl");
    std::fs::write(&answered, answers).unwrap();
    let score =
        lab(&["score", answered.to_str().unwrap(), "--cases", cases.to_str().unwrap()], Stdio::null());
    assert!(score.contains(&format!("{count} of {count} as expected")), "{score}");
    assert!(count > 15);
}
