//! What is exported comes back as it was, at any version, and what tools suggest can be applied.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in the functions it calls")]

use serde_json::Value;

use crate::exchange::{project, result, sarif};
use crate::suggesting::json;
use crate::support::world::{Checkout, World};

#[test]
fn what_was_withdrawn_or_retired_stays_so_and_drafts_are_not_exported() {
    let world = World::new();
    let ann = project(&world);
    ann.postil("comment b.txt:2 -m 'never mind'").code(0);
    ann.postil("withdraw @ -m 'I misread'").code(0);
    ann.postil("comment b.txt:1 -m 'not yet' --draft").code(0);
    ann.postil("comment b.txt:3 -m 'look here'").code(0);
    ann.postil("reply @ -m 'or not'").code(0);
    ann.postil("withdraw @").code(0);
    ann.write("report.sarif", sarif(&result("unused", "src/a.rs", 2)));
    ann.postil("import report.sarif").code(0);
    ann.write("report.sarif", sarif(""));
    ann.postil("import --retire --covers :/ --absent 1 report.sarif").code(0);
    let statuses = |who: &Checkout<'_>| {
        let all = json(who.postil("list --all --json").code(0));
        let mut all: Vec<String> = all["threads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|thread| {
                let first = &thread["comments"][0]["text"];
                format!("{first} {} {}", thread["status"], thread["status_by"]["reason"])
            })
            .collect();
        all.retain(|told| !told.contains("not yet"));
        all.sort();
        all
    };
    let expected = [
        r#""look here" "open" null"#,
        r#""never mind" "withdrawn" "I misread""#,
        r#""unused" "resolved" "no longer reported""#,
    ];
    assert_eq!(statuses(&ann), expected);
    for (format, person) in [("sarif", "bob"), ("rdjson", "cid"), ("rdjsonl", "dan"), ("json", "eve")] {
        let out = world.people().join(format!("out.{format}"));
        ann.postil(&format!("export -f {format} --all -o {}", out.display())).code(0);
        assert!(!std::fs::read_to_string(&out).unwrap().contains("not yet"), "{format}");
        let other = world.clone_of(&ann, person);
        let told = other.postil(&format!("import {}", out.display())).code(0).stdout();
        assert_eq!(told, "imported 4 comments\n", "{format}");
        assert_eq!(statuses(&other), expected, "{format}");
        assert!(other.postil("show b.txt:3").code(0).stdout().contains("withdrawn"), "{format}");
        // What is reported again is opened again, there as here.
        other.write("report.sarif", sarif(&result("unused", "src/a.rs", 2)));
        let again = other.postil("import report.sarif").code(0).stdout();
        assert_eq!(again, "imported 0 comments, 1 already imported, 1 reopened\n", "{format}");
    }
    let comments = ann.postil("export -f comments --all b.txt").code(0).stdout();
    assert!(!comments.contains("never mind"), "it has no word for that: {comments}");
}

#[test]
fn an_export_lands_by_its_commit_and_not_by_its_numbers() {
    let world = World::new();
    let ann = world.repository("ann");
    let same = "same\n".repeat(6);
    ann.write("a.txt", format!("first\n{same}last\n"));
    ann.commit("first");
    let old = ann.git("rev-parse HEAD");
    ann.postil("comment a.txt:4 -m 'this one of six'").code(0);
    ann.postil("comment a.txt:8 -m 'and `last`'").code(0);
    ann.write("better", "LAST\n");
    ann.postil("suggest a.txt:8 --with better -m louder").code(0);
    std::fs::remove_file(ann.folder.join("better")).unwrap();
    ann.write("a.txt", format!("new\nnew\nfirst\n{same}last\n"));
    ann.commit("second");
    let lines = |who: &Checkout<'_>| {
        let told = who.postil("list --format '%(line) %(state) %(subject)'").code(0).stdout();
        let mut lines: Vec<String> = told.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let newer = ["10 anchored and `last`", "10 anchored louder", "6 anchored this one of six"];
    assert_eq!(lines(&ann), newer);
    for (format, person) in [("sarif", "bob"), ("rdjson", "cid"), ("json", "dan")] {
        let out = world.people().join(format!("out.{format}"));
        ann.postil(&format!("export -f {format} -o {}", out.display())).code(0);
        let other = world.clone_of(&ann, person);
        other.git(&format!("checkout --quiet {old}"));
        let told = other.postil(&format!("import {}", out.display())).code(0).stdout();
        assert_eq!(told, "imported 3 comments, 1 with a suggestion\n", "{format}");
        let older = ["4 anchored this one of six", "8 anchored and `last`", "8 anchored louder"];
        assert_eq!(lines(&other), older, "{format}");
        other.git("checkout --quiet -");
        assert_eq!(lines(&other), newer, "{format}");
        other.postil("apply --all").code(0);
        let text = std::fs::read_to_string(other.folder.join("a.txt")).unwrap();
        assert!(text.ends_with("same\nLAST\n"), "{format}: {text}");
    }
}

#[test]
fn sarif_is_written_as_its_standard_has_it() {
    let schema = include_str!("../sarif/sarif-schema-2.1.0.json");
    // A bracket that is a plain character in the expressions of ECMAScript, and not in ours.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).expect("the schema can be used");
    let world = World::new();
    let ann = project(&world);
    ann.write("a b%\u{e9}.txt", "one\ntwo\n");
    ann.commit("an odd name");
    ann.git("switch --quiet -c topic");
    let nothing = json(ann.postil("export -f sarif").code(0));
    ann.postil("comment src/a.rs:2-3 -m 'why two?' --severity question --tag style").code(0);
    ann.postil("comment src/a.rs:4:5-4:9 -m 'print what?' --severity blocker").code(0);
    ann.postil("comment 'a b%\u{e9}.txt:1' -m 'an odd name'").code(0);
    ann.postil("comment b.txt -m 'whole file'").code(0);
    ann.postil("comment -m 'whole review'").code(0);
    ann.postil("comment b.txt:2 -m gone").code(0);
    ann.postil("withdraw @ -m 'I misread'").code(0);
    ann.postil("comment b.txt:3 -m done").code(0);
    ann.postil("resolve @ --by HEAD").code(0);
    ann.write("report.sarif", sarif(&result("unused", "src/a.rs", 2)));
    ann.postil("import report.sarif").code(0);
    let all = json(ann.postil("export -f sarif --all").code(0));
    assert_eq!(all["runs"][0]["results"].as_array().unwrap().len(), 8);
    for log in [nothing, all] {
        let wrong: Vec<String> =
            schema.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    assert!(
        !schema.is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{}] })),
        "it is a real schema"
    );
}

#[test]
fn the_fixes_of_a_tool_become_suggestions() {
    let world = World::new();
    let ann = world.repository("ann");
    ann.write("a.js", "let a = '\u{10400}' == b;\nlet c = 1;\n");
    ann.write("b.js", "old\n");
    ann.commit("first");
    // Columns of SARIF count UTF-16 code units, of which the letter has two.
    let fix = r#""fixes":[{"artifactChanges":[
        {"artifactLocation":{"uri":"a.js"},"replacements":[
            {"deletedRegion":{"startLine":1,"startColumn":14,"endColumn":16,"snippet":{"text":"=="}},"insertedContent":{"text":"==="}},
            {"deletedRegion":{"startLine":2},"insertedContent":{"text":"const c = 1;"}}]},
        {"artifactLocation":{"uri":"b.js"},"replacements":[
            {"deletedRegion":{"charOffset":0,"charLength":3},"insertedContent":{"text":"new"}}]}]}],"#;
    let fixed = result("use ===", "a.js", 1).replacen('{', &format!("{{{fix}"), 1);
    let other = fixed.replace("use ===", "elsewhere").replace(r#""text":"==""#, r#""text":"!=""#);
    ann.write("../report.json", sarif(&format!("{fixed},{other}")));
    let imported = ann.postil("import ../report.json");
    assert_eq!(imported.code(0).stdout(), "imported 2 comments, 1 with a suggestion, 1 without their fix\n");
    let told = imported.stderr();
    assert!(
        told.contains("imported without its fix: the text that it changes is different here\n"),
        "{told}"
    );
    ann.postil("apply --all").code(0);
    let read = |path: &str| std::fs::read_to_string(ann.folder.join(path)).unwrap();
    assert_eq!(read("a.js"), "let a = '\u{10400}' === b;\nconst c = 1;\n");
    assert_eq!(read("b.js"), "new\n");
    let diagnostic = r#"{"source":{"name":"dog"},"diagnostics":[{"message":"shorter","location":{"path":"a.js","range":{"start":{"line":2}}},
        "suggestions":[{"range":{"start":{"line":2},"end":{"line":2}},"text":"c()\n"},
            {"range":{"start":{"line":1,"column":5},"end":{"line":1,"column":6}},"text":"z"}]}]}"#;
    ann.write("../report.rdjson", diagnostic);
    let told = ann.postil("import ../report.rdjson").code(0).stdout();
    assert_eq!(told, "imported 1 comment, 1 with a suggestion\n");
    ann.postil("apply --all").code(0);
    assert_eq!(read("a.js"), "let z = '\u{10400}' === b;\nc()\n");
}
