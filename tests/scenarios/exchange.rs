//! Comments and findings travel between postil and other tools: `import` and `export`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in the functions it calls")]

use serde_json::Value;

use crate::support::world::{Checkout, World};

const SOURCE: &str = "fn main() {\n    let x = 1;\n    let y = 2;\n    print(x);\n}\n";

pub(crate) fn project(world: &World) -> Checkout<'_> {
    let ann = world.repository("ann");
    ann.write("src/a.rs", SOURCE);
    ann.write("b.txt", "one\ntwo\nthree\n");
    ann.commit("first");
    ann
}

fn threads(checkout: &Checkout<'_>) -> Vec<Value> {
    let json = checkout.postil("list --all --json").code(0).stdout();
    let value: Value = serde_json::from_str(&json).unwrap();
    value["threads"].as_array().unwrap().clone()
}

/// Text, author, place and status of every thread, in the order of places.
fn told(checkout: &Checkout<'_>) -> Vec<String> {
    let told = threads(checkout).into_iter().map(|thread| {
        let (position, first) = (&thread["position"], &thread["comments"][0]);
        format!(
            "{}:{} {} {} {} +{} {}",
            position["path"].as_str().unwrap_or("-"),
            position["start"],
            position["state"].as_str().unwrap_or("-"),
            first["author"]["name"].as_str().unwrap(),
            first["text"].as_str().unwrap(),
            thread["replies"],
            thread["status"].as_str().unwrap(),
        )
    });
    told.collect()
}

pub(crate) fn sarif(results: &str) -> String {
    format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"lint"}}}},"results":[{results}]}}]}}"#
    )
}

pub(crate) fn result(text: &str, uri: &str, line: u32) -> String {
    format!(
        r#"{{"ruleId":"R1","level":"error","message":{{"text":"{text}"}},"locations":[{{"physicalLocation":{{"artifactLocation":{{"uri":"{uri}"}},"region":{{"startLine":{line}}}}}}}]}}"#
    )
}

#[test]
fn findings_are_imported_once_and_retired_when_they_vanish() {
    let world = World::new();
    let ann = project(&world);
    let (x, y) = (result("unused x", "src/a.rs", 2), result("unused y", "src/a.rs", 3));
    ann.write("report.sarif", sarif(&format!("{x},{y}")));
    assert_eq!(ann.postil("import -f sarif report.sarif").code(0).stdout(), "imported 2 comments\n");
    assert_eq!(
        told(&ann),
        ["src/a.rs:2 anchored lint unused x +0 open", "src/a.rs:3 anchored lint unused y +0 open"]
    );
    let first = &threads(&ann)[0];
    assert_eq!(first["severity"], "blocker");
    let tags: Vec<&str> = first["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(&tags[..3], ["rule:R1", "imported", "from:lint"]);
    assert!(tags[3].starts_with("id:"), "{tags:?}");
    let notes = ann.git("rev-parse refs/notes/reviews");
    assert_eq!(
        ann.postil("import -f sarif report.sarif").code(0).stdout(),
        "imported 0 comments, 2 already imported\n"
    );
    assert_eq!(ann.git("rev-parse refs/notes/reviews"), notes, "nothing was written");

    // The file grows above the findings, and the tool tells their new lines.
    ann.write("src/a.rs", format!("// new\n{SOURCE}"));
    ann.commit("grow");
    ann.write("report.sarif", sarif(&result("unused y", "src/a.rs", 4)));
    assert_eq!(
        ann.postil("import -f sarif --retire report.sarif").code(0).stdout(),
        "imported 0 comments, 1 already imported, 1 no longer reported but left open\n"
    );
    ann.write("src/a.rs", format!("// new\n{}", SOURCE.replace("let x = 1;", "print(1);")));
    ann.commit("fix one");
    assert_eq!(
        ann.postil("import -f sarif --retire report.sarif").code(0).stdout(),
        "imported 0 comments, 1 already imported, 1 retired\n"
    );
    let log = ann.postil(&format!("log {}", threads(&ann)[0]["short"].as_str().unwrap())).code(0).stdout();
    assert!(log.contains("retired by ann"), "{log}");
    ann.write("src/a.rs", format!("// new\n{SOURCE}"));
    ann.commit("and back");
    let (x, y) = (result("unused x", "src/a.rs", 3), result("unused y", "src/a.rs", 4));
    assert_eq!(
        told(&ann),
        ["src/a.rs:3 anchored lint unused x +0 resolved", "src/a.rs:4 anchored lint unused y +0 open"]
    );
    ann.write("report.sarif", sarif(&format!("{x},{y}")));
    let again = ann.postil("import -f sarif --retire report.sarif").code(0).stdout();
    assert_eq!(again, "imported 0 comments, 2 already imported, 1 reopened\n");
}

#[test]
fn what_is_imported_back_from_an_export_adds_nothing_and_opens_nothing() {
    let world = World::new();
    let ann = project(&world);
    let (x, y) = (result("unused x", "src/a.rs", 2), result("unused y", "src/a.rs", 3));
    ann.write("report.sarif", sarif(&format!("{x},{y}")));
    ann.postil("import -f sarif report.sarif").code(0);
    let formats = ["sarif", "json", "rdjson", "rdjsonl", "comments"];
    let export = |folder: &str| {
        for format in formats {
            let out = world.people().join(format!("{folder}.{format}"));
            ann.postil(&format!("export -f {format} --all src/a.rs -o {}", out.display())).code(0);
        }
    };
    export("open");
    ann.write("report.sarif", sarif(&y));
    let retired = ann.postil("import -f sarif --retire --absent 1 report.sarif").code(0).stdout();
    assert!(retired.ends_with("1 retired\n"), "{retired}");
    export("retired");
    let before = told(&ann);
    let notes = ann.git("rev-parse refs/notes/reviews");
    for format in formats {
        for exported in ["open", "retired"] {
            let mut out = world.people().join(format!("{exported}.{format}"));
            if format == "comments" {
                // Such a file does not tell who wrote it: what is open in it is reported.
                if exported == "open" {
                    continue;
                }
                std::fs::copy(out.join("src/a.rs.comments"), ann.folder.join("src/a.rs.comments")).unwrap();
                out = "src/a.rs.comments".into();
            }
            let done = ann.postil(&format!("import -f {format} {}", out.display())).code(0).stdout();
            assert_eq!(done, "imported 0 comments, 2 already imported\n", "{exported} {format}");
        }
    }
    assert_eq!(told(&ann), before);
    assert_eq!(ann.git("rev-parse refs/notes/reviews"), notes, "nothing was written");
}

#[test]
fn a_hostile_entry_is_refused_and_the_rest_is_imported() {
    let world = World::new();
    let ann = project(&world);
    let entries = [
        result("good", "src/a.rs", 2),
        result("bad", "../../etc/passwd", 1),
        result("bad", ".git/hooks/x", 1),
        result("bad", "nowhere.rs", 1),
        result("\\u001b[2Jbad", "src/\\u001b[2J", 1),
    ];
    ann.write("report.sarif", sarif(&entries.join(",")));
    let done = ann.postil("import -f sarif report.sarif");
    assert_eq!(done.code(1).stdout(), "imported 1 comment\n");
    let said = done.stderr();
    assert!(
        said.contains("warning: runs[0].results[1]: not a file in this repository: \"../../etc/passwd\""),
        "{said}"
    );
    assert!(said.contains("no such file: nowhere.rs"), "{said}");
    assert!(said.contains("error: 4 entries were not imported"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    ann.write("deep.json", "[".repeat(200_000));
    for format in ["sarif", "rdjson", "rdjsonl", "comments", "json"] {
        let done = ann.postil(&format!("import -f {format} deep.json"));
        assert!(done.code(2).stderr().contains("cannot import"), "{}", done.stderr());
    }
    assert_eq!(ann.postil("import -f sarif").code(2).stdout(), "");
    assert_eq!(ann.postil("import -f sarif gone.sarif").code(3).stdout(), "");
}

#[test]
fn comments_files_are_searched_for_their_text() {
    let world = World::new();
    let ann = project(&world);
    let marker = |id: &str, line: u32, text: &str, before: &str, after: &str| {
        format!(
            r#"{{"id":"gm-{id}","line":{line},"commentIds":["{id}"],"lineHash":"x","lineText":"{text}","prevLineText":"{before}","nextLineText":"{after}"}}"#
        )
    };
    let markers = [
        marker("c1", 2, "let x = 1;", "fn main() {", "let y = 2;"),
        marker("c2", 1, "print(x);", "let y = 2;", "}"),
        marker("c3", 3, "let z = 3;", "", ""),
    ];
    let comments = ["c1", "c2", "c3"].map(|id| {
        format!(
            r#"{{"id":"{id}","line":99,"ghostMarkerId":"gm-{id}","text":"about {id}","author":"Bob <bob@example.com>","created":"2025-10-17T10:00:00.000Z","updated":"2025-10-17T11:00:00.000Z","tag":"TODO"}}"#
        )
    });
    ann.write(
        "src/a.rs.comments",
        format!(
            r#"{{"file":"a.rs","version":"2.0","ghostMarkers":[{}],"comments":[{}]}}"#,
            markers.join(","),
            comments.join(",")
        ),
    );
    ann.write("b.txt.comments", r#"{"file":"b.txt","version":"1.0","comments":[{"line":2,"text":"old"}]}"#);
    let line = "import -f comments src/a.rs.comments b.txt.comments";
    assert_eq!(ann.postil(line).code(0).stdout(), "imported 4 comments, 2 moved\n");
    let all = told(&ann);
    assert!(all.contains(&"src/a.rs:2 anchored Bob about c1 +0 open".to_owned()), "{all:#?}");
    assert!(all.contains(&"src/a.rs:4 anchored Bob about c2 +0 open".to_owned()), "{all:#?}");
    assert!(all.contains(&"-:null orphaned Bob about c3 +0 open".to_owned()), "{all:#?}");
    assert!(all.contains(&"b.txt:2 anchored somebody old +0 open".to_owned()), "{all:#?}");
    assert!(ann.postil(line).code(0).stdout().starts_with("imported 0 comments, 4 already imported"));

    // What was kept is written again.
    let written = ann.postil("export -f comments src/a.rs").code(0).stdout();
    let file: Value = serde_json::from_str(&written).unwrap();
    assert_eq!((&file["file"], &file["version"]), (&"src/a.rs".into(), &"2.0".into()));
    let c2 = file["comments"].as_array().unwrap().iter().find(|comment| comment["id"] == "c2").unwrap();
    assert_eq!((&c2["tag"], &c2["line"], &c2["endLine"]), (&"TODO".into(), &4.into(), &4.into()));
    assert_eq!(c2["author"], "Bob <bob@example.com>");
    assert_eq!(
        (&c2["created"], &c2["updated"]),
        (&"2025-10-17T10:00:00.000Z".into(), &"2025-10-17T11:00:00.000Z".into())
    );
    let marker =
        file["ghostMarkers"].as_array().unwrap().iter().find(|marker| marker["id"] == c2["ghostMarkerId"]);
    assert_eq!(marker.unwrap()["lineText"], "print(x);");
    assert!(ann.postil("export -f comments").code(2).stderr().contains("give a directory with `-o`"));
    assert_eq!(ann.postil("export -f comments src/a.rs -o -").code(0).stdout(), written);
    assert!(!ann.folder.join("-").exists(), "that is standard output");
}

#[test]
fn a_comments_file_comes_back_with_its_ids_dates_and_one_marker_a_line() {
    let world = World::new();
    let ann = project(&world);
    ann.write("App.js", "import React\r\nfunction total() {\r\n  const t = 0;\r\n}\r\n");
    ann.commit("an app");
    let said = |id: &str, day: u32, more: &str| {
        format!(
            r#"{{"id":"{id}","line":42,"ghostMarkerId":"gm-1","text":"about {id}","author":"Bob","created":"2025-10-{day}T10:00:00.000Z","updated":"2025-11-{day}T10:00:00.000Z"{more}}}"#
        )
    };
    let comments = [
        said("c1", 17, r#","startLine":42,"endLine":43,"tag":"TODO""#),
        said("c2", 18, r#","parentId":"c1""#),
        said("c3", 19, ""),
    ];
    // The first digits of what `printf 'function total() {' | sha256sum` says.
    let hash = "7785908a66aa902c";
    ann.write(
        "App.js.comments",
        format!(
            r#"{{"file":"App.js","version":"2.0","ghostMarkers":[{{"id":"gm-1","line":3,"commentIds":["c1","c2","c3"],"lineHash":"{hash}","lineText":"function total() {{","prevLineText":"import React","nextLineText":"const t = 0;"}}],"comments":[{}]}}"#,
            comments.join(",")
        ),
    );
    ann.postil("import -f comments App.js.comments").code(0);
    let written: Value = serde_json::from_str(&ann.postil("export -f comments").code(0).stdout()).unwrap();
    let [marker] = written["ghostMarkers"].as_array().unwrap().as_slice() else { panic!("{written:#}") };
    assert_eq!((&marker["line"], &marker["lineHash"]), (&2.into(), &hash.into()), "{written:#}");
    assert_eq!(marker["commentIds"], serde_json::json!(["c1", "c2", "c3"]));
    let comments = written["comments"].as_array().unwrap();
    for (comment, (id, day)) in comments.iter().zip([("c1", 17), ("c2", 18), ("c3", 19)]) {
        assert_eq!((&comment["id"], &comment["author"]), (&id.into(), &"Bob".into()), "{comment:#}");
        assert_eq!(comment["ghostMarkerId"], marker["id"]);
        assert_eq!(comment["created"], format!("2025-10-{day}T10:00:00.000Z"));
        assert_eq!(comment["updated"], format!("2025-11-{day}T10:00:00.000Z"));
    }
    assert_eq!((&comments[0]["startLine"], &comments[0]["endLine"]), (&2.into(), &3.into()));
    assert_eq!((&comments[0]["tag"], &comments[1]["parentId"]), (&"TODO".into(), &"c1".into()));
    ann.write("App.js.comments", written.to_string());
    let again = ann.postil("import -f comments App.js.comments").code(0).stdout();
    assert_eq!(again, "imported 0 comments, 3 already imported\n");
}

#[test]
fn what_is_exported_is_imported_into_a_clone_at_the_same_places() {
    let world = World::new();
    let ann = project(&world);
    ann.postil("comment src/a.rs:2-3 -m 'why two?' --severity question --tag style").code(0);
    ann.postil("reply @ -m 'because'").code(0);
    ann.postil("comment src/a.rs:4:5-4:9 -m 'print what?' --severity blocker").code(0);
    ann.postil("comment b.txt -m 'whole file'").code(0);
    ann.postil("comment b.txt:2 -m done").code(0);
    ann.postil("resolve @ -m 'it is'").code(0);
    ann.write("src/a.rs", format!("// new\n{SOURCE}"));
    ann.commit("grow");
    let all = told(&ann);
    assert_eq!(all.len(), 4);
    for (format, person) in [("sarif", "bob"), ("rdjson", "cid"), ("rdjsonl", "dan"), ("json", "eve")] {
        let out = world.people().join(format!("out.{format}"));
        ann.postil(&format!("export -f {format} --all -o {}", out.display())).code(0);
        let import = format!("import -f {format} {}", out.display());
        let other = world.clone_of(&ann, person);
        assert_eq!(other.postil(&import).code(0).stdout(), "imported 5 comments\n", "{format}");
        assert_eq!(told(&other), all, "{format}");
        let known = "imported 0 comments, 5 already imported\n";
        assert_eq!(other.postil(&import).code(0).stdout(), known, "{format}");
        assert_eq!(ann.postil(&import).code(0).stdout(), known, "{format}: these are ann's own");
    }
    let fay = world.clone_of(&ann, "fay");
    ann.postil(&format!("export -f comments --all -o {}", fay.folder.display())).code(0);
    let import = "import -f comments src/a.rs.comments b.txt.comments";
    assert_eq!(fay.postil(import).code(0).stdout(), "imported 5 comments\n");
    assert_eq!(told(&fay), all);
    assert_eq!(fay.postil(import).code(0).stdout(), "imported 0 comments, 5 already imported\n");
}

#[test]
fn what_a_format_has_no_word_for_is_left_out_and_counted() {
    let world = World::new();
    let ann = project(&world);
    ann.git("switch --quiet -c topic");
    ann.postil("comment b.txt:2 -m here").code(0);
    ann.postil("comment -m 'the whole of it'").code(0);
    for (format, left, written) in [("sarif", 0, "wrote 2 threads"), ("rdjson", 1, "wrote 1 thread to")] {
        let exported = ann.postil(&format!("export -f {format} -o ../out.{format}"));
        let told = exported.code(0).stderr();
        assert!(told.contains(written), "{told}");
        assert_eq!(told.contains("left out 1 thread about a whole review"), left == 1, "{told}");
    }
    let told = ann.postil("export -f comments").code(0).stderr();
    assert!(told.contains("left out 1 thread about a whole review"), "{told}");
}

#[test]
fn a_report_about_a_commit_that_is_not_here_is_placed_by_its_text() {
    let world = World::new();
    let ann = project(&world);
    let report = |snippet: &str| {
        let result = result("unused", "src/a.rs", 5)
            .replace(r#""startLine":5"#, &format!(r#""startLine":5{snippet}"#));
        let provenance = r#""versionControlProvenance":[{"revisionId":"0123456789012345678901234567890123456789"}],"results""#;
        sarif(&result).replace(r#""results""#, provenance)
    };
    ann.write("report.sarif", report(""));
    let refused = ann.postil("import -f sarif report.sarif");
    assert!(refused.code(1).stderr().contains("no such commit"), "{}", refused.stderr());
    ann.write("report.sarif", report(r#","snippet":{"text":"    let y = 2;\n"}"#));
    ann.postil("import -f sarif report.sarif").code(0);
    assert_eq!(told(&ann), ["src/a.rs:3 anchored lint unused +0 open"]);
}

#[test]
fn two_people_who_import_the_same_get_the_same_records() {
    let world = World::new();
    let ann = project(&world);
    let bob = world.clone_of(&ann, "bob");
    let report = sarif(&format!("{},{}", result("one", "src/a.rs", 2), result("two", "b.txt", 1)));
    for person in [&ann, &bob] {
        person.write("report.sarif", &report);
        person.postil("import -f sarif report.sarif").code(0);
    }
    let ids = |checkout: &Checkout<'_>| {
        let mut ids: Vec<String> = threads(checkout).iter().map(|thread| thread["id"].to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&ann), ids(&bob));
    bob.git("remote set-url origin ../ann");
    assert!(bob.postil("sync").code(0).stdout().starts_with("nothing new"));
}

#[test]
fn reviews_of_git_appraise_are_taken_over_with_their_comments() {
    let world = World::new();
    let ann = project(&world);
    ann.git("switch --quiet --create topic");
    ann.write("src/a.rs", SOURCE.replace('1', "7"));
    let head = ann.commit("seven");
    let request = r#"{"timestamp":"1508152342","reviewRef":"refs/heads/topic","targetRef":"refs/heads/main","requester":"ann@example.com","description":"Make it seven"}"#;
    let root = format!(
        r#"{{"timestamp":"1508152400","author":"bob@example.com","location":{{"commit":"{head}","path":"src/a.rs","range":{{"startLine":2}}}},"description":"why seven?"}}"#
    );
    let approval = r#"{"timestamp":"1508152500","author":"bob@example.com","resolved":true}"#;
    let whole = r#"{"timestamp":"1508152450","author":"cid","description":"nice"}"#;
    ann.write(".git/request", request);
    ann.write(".git/discuss", format!("{root}\n{whole}\n{approval}\n"));
    assert!(
        ann.postil("import -f appraise").code(3).stderr().contains("git fetch origin 'refs/notes/devtools/*")
    );
    ann.git("notes --ref devtools/reviews add -F .git/request HEAD");
    ann.git("notes --ref devtools/discuss add -F .git/discuss HEAD");
    assert_eq!(
        ann.postil("import -f appraise").code(0).stdout(),
        "imported 2 comments, 2 reviews and verdicts\n"
    );
    assert_eq!(
        told(&ann),
        ["-:null - cid nice +0 open", "src/a.rs:2 anchored bob@example.com why seven? +0 open"]
    );
    let review = ann.postil("review show topic").code(0).stdout();
    assert!(review.contains("Make it seven") && review.contains("bob@example.com"), "{review}");
    let again = ann.postil("import -f appraise").code(0).stdout();
    assert_eq!(again, "imported 0 comments, 3 already imported\n");
}

#[test]
fn comments_files_that_were_exported_elsewhere_come_back_as_what_they_are() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("src/App.js", "one\ntwo\nthree\n");
    alice.write(
        "src/App.js.comments",
        r#"{"file":"src/App.js","version":"1.0","comments":[{"id":"c1","line":2,"text":"why?"}]}"#,
    );
    alice.commit("first");
    alice.postil("import --format comments src/App.js.comments").code(0);
    alice.postil("export --format comments -o out").code(0);
    for file in ["out/src/App.js.comments", "../elsewhere.comments"] {
        if file.starts_with("..") {
            std::fs::copy(alice.folder.join("out/src/App.js.comments"), alice.folder.join(file))
                .expect("copied");
        }
        alice.postil(&format!("import --format comments {file}")).code(0);
        let listed = alice.postil("list --all").code(0).stdout();
        assert_eq!(listed.lines().count(), 1, "{file}: {listed}");
        assert!(listed.contains(" src/App.js:2 "), "{listed}");
    }
}
