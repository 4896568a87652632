//! The reviews of a Gerrit, as git keeps them, located by the real program.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A repository with one change, in the refs that a Gerrit would make.
struct Mirror(tempfile::TempDir);

impl Mirror {
    fn new() -> Self {
        let mirror = Self(tempfile::tempdir().unwrap());
        mirror.git(&["init", "--quiet", "--bare", "."], "");
        mirror
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, words: &[&str], input: &str) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.path()).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@example.org");
        }
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {words:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits one file and names the commit.
    fn commit(&self, refname: &str, path: &str, content: &str) -> String {
        let blob = self.git(&["hash-object", "-w", "--stdin"], content);
        let tree = self.git(&["mktree"], &format!("100644 blob {blob}\t{path}\n"));
        let commit = self.git(&["commit-tree", &tree, "-m", refname], "");
        self.git(&["update-ref", refname, &commit], "");
        commit
    }

    fn lab(&self, options: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_postil-lab"))
            .args(["gerrit", "--mirror"])
            .arg(self.path())
            .args(options)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

#[test]
fn comments_of_a_patch_set_are_located_in_later_ones_beside_what_git_keeps() {
    let mirror = Mirror::new();
    let lines: Vec<String> = (1..=20).map(|number| format!("    step_{number}(state, {number});")).collect();
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let first = mirror.commit("refs/changes/07/7/1", "a.rs", &text(&lines));
    let mut next = lines.clone();
    next[9] = "    step_10(state, context, 10);".to_owned();
    next.insert(0, "    begin();".to_owned());
    mirror.commit("refs/changes/07/7/2", "a.rs", &text(&next));
    next.insert(0, "    prepare();".to_owned());
    mirror.commit("refs/changes/07/7/3", "a.rs", &text(&next));
    let comment = |uuid: &str, line: u32, side: u32| json!({ "key": { "uuid": uuid, "filename": "a.rs", "patchSetId": 1 }, "lineNbr": line, "side": side });
    let mut answered = comment("d", 5, 1);
    answered["parentUuid"] = json!("a");
    let note = json!({ "comments": [comment("a", 5, 1), comment("b", 10, 1), comment("c", 5, 0), answered] });
    mirror.commit("refs/changes/07/7/meta", &first, &note.to_string());

    let folder = tempfile::tempdir().unwrap();
    let (answers, sample) = (folder.path().join("answers.jsonl"), folder.path().join("sample"));
    let output = mirror.lab(&[
        "--answers",
        answers.to_str().unwrap(),
        "--sample",
        "4",
        "--sample-to",
        sample.to_str().unwrap(),
    ]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "git and postil agree");
    let answers = std::fs::read_to_string(answers).unwrap();
    let mut told: Vec<String> = answers
        .lines()
        .map(|line| {
            let found: Value = serde_json::from_str(line).unwrap();
            let (id, state) = (found["id"].as_str().unwrap(), found["state"].as_str().unwrap());
            format!("{id} {} {state} {}, git {}", found["later"], found["start"], found["myers"]["start"])
        })
        .collect();
    told.sort();
    assert_eq!(
        told,
        [
            r#"7:2:a "next" anchored 6, git 6"#,
            r#"7:2:b "next" outdated 11, git null"#,
            r#"7:3:a "last" anchored 7, git 7"#,
            r#"7:3:b "last" outdated 12, git null"#,
        ]
    );
    let table = String::from_utf8(output.stderr).unwrap();
    assert!(table.contains("2 remarks on lines that have a later patch set"), "{table}");

    // Whoever judges by hand sees the two places, and not what the engine thinks of them.
    let shown = std::fs::read_to_string(sample.join("sample.txt")).unwrap();
    assert!(shown.contains(">    10     step_10(state, 10);\n"), "{shown}");
    assert!(shown.contains(">    11     step_10(state, context, 10);\n"), "{shown}");
    assert!(!shown.contains("outdated") && !shown.contains("anchored"), "{shown}");
    let hidden = std::fs::read_to_string(sample.join("sample-hidden.jsonl")).unwrap();
    assert_eq!(hidden.matches(r#""state":"outdated""#).count(), 2, "{hidden}");
}
