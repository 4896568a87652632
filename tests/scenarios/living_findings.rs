//! Findings at the command line: of one report in several clones, of Codex, and of an agent that writes too fast.

use serde_json::Value;

use crate::exchange::{project, result, sarif};
use crate::support::world::World;

fn threads(json: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(json).expect("JSON");
    value["threads"].as_array().expect("a list").clone()
}

#[test]
fn clones_that_import_one_report_at_different_heads_see_one_thread_after_a_sync() {
    let world = World::new();
    let ann = project(&world);
    let people = ["bob", "cid"].map(|name| world.clone_of(&ann, name));
    for (nth, person) in people.iter().enumerate() {
        let source = std::fs::read_to_string(person.folder.join("src/a.rs")).unwrap();
        person.write("src/a.rs", format!("{}{source}", "// more\n".repeat(nth + 1)));
        person.commit("grow");
        let line = u32::try_from(nth).unwrap() + 3;
        person.write("report.sarif", sarif(&result("unused x", "src/a.rs", line)));
        assert_eq!(person.postil("import report.sarif").code(0).stdout(), "imported 1 comment\n");
    }
    let [bob, cid] = &people;
    bob.postil("reply src/a.rs:3 -m 'is it?'").code(0);
    for person in [bob, cid, bob] {
        person.postil("sync").code(0);
    }
    for person in [bob, cid] {
        let all = threads(&person.postil("list --all --json").code(0).stdout());
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!((&all[0]["replies"], all[0]["copies"].as_array().map(Vec::len)), (&1.into(), Some(1)));
        let behind = all[0]["copies"][0].as_str().unwrap();
        let shown = person.postil(&format!("show {behind}")).code(0).stdout();
        assert!(shown.contains("unused x") && shown.contains("is it?"), "{shown}");
    }
}

#[test]
fn a_review_of_codex_is_recognized_and_leads_into_the_repository() {
    let world = World::new();
    let ann = project(&world);
    ann.git("switch --quiet -c topic");
    ann.write("c.txt", "one\n");
    ann.commit("second");
    let review = |title: &str, file: &str| {
        format!(
            r#"{{"findings":[{{"title":"[P1] {title}","body":"Nothing reads x.","confidence_score":0.9,"priority":1,
                "code_location":{{"absolute_file_path":"{file}","line_range":{{"start":2,"end":2}}}}}}],
                "overall_correctness":"patch is incorrect","overall_explanation":"x is left over.","overall_confidence_score":0.8}}"#
        )
    };
    let file = ann.folder.join("src/a.rs");
    ann.write("review.json", review("Remove the unused x", file.to_str().unwrap()));
    assert_eq!(ann.postil("import review.json").code(0).stdout(), "imported 2 comments\n");
    let listed = ann.postil("list").code(0).stdout();
    assert!(
        listed.contains("src/a.rs:2") && listed.contains("codex (agent): Remove the unused x"),
        "{listed}"
    );
    assert!(listed.contains("codex (agent): patch is incorrect (confidence 0.80)"), "{listed}");
    assert!(!ann.postil("review show").code(0).stdout().contains("requested changes"), "nobody's verdict");
    ann.write("review.json", review("The unused x can go", file.to_str().unwrap()));
    let again = ann.postil("import review.json").code(0).stdout();
    assert_eq!(again, "imported 0 comments, 2 already imported, 1 updated\n");
    ann.write("review.json", review("Elsewhere", "/etc/passwd"));
    let refused = ann.postil("import review.json").code(1).stderr();
    assert!(
        refused.contains("not a file in this repository") && refused.contains("/etc/passwd"),
        "{refused}"
    );
}

#[test]
fn an_agent_that_writes_too_fast_is_told_to_wait() {
    let world = World::new();
    let ann = project(&world);
    ann.git("config --global postil.agents write");
    ann.git("config --global postil.agentsPerMinute 2");
    ann.postil("comment b.txt:1 -m one --via agent:helper").code(0);
    ann.postil("comment b.txt:2 -m two --via agent:helper").code(0);
    for more in ["comment b.txt:3 -m three", "reply @ -m three", "propose b.txt:1"] {
        let told = ann.postil(&format!("{more} --via agent:helper")).code(2).stderr();
        assert!(
            told.contains("wrote 2 comments in the last minute") && told.contains("postil.agentsPerMinute"),
            "{told}"
        );
    }
    ann.postil("comment b.txt:3 -m three --via agent:other").code(0);
    ann.postil("comment b.txt:3 -m four").code(0);
    ann.git("config --global postil.agentsPerMinute many");
    let told = ann.postil("comment b.txt:3 -m five --via agent:helper").code(2).stderr();
    assert!(
        told.contains("invalid value of postil.agentsPerMinute") && told.contains("it is a number"),
        "{told}"
    );
}
