//! Which file a comment's lines are in, and what history tells.

use postil_core::anchoring::Head;
use postil_testkit::{Files, ObjectWorld, shown};

const ONE: &str =
    "fn one() {\n    let first = begin();\n    let second = go_on(first);\n    finish(second);\n}\n";
const TWO: &str = "fn two() {\n    let other = prepare();\n    other.run();\n    other.stop();\n}\n";

fn files<'a>(files: &[(&'a str, &str)]) -> Files<'a> {
    files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect()
}

/// Expects line 3 of `src/one.rs` with the text [`ONE`] to be at a path after the changes.
#[track_caller]
fn check(steps: &[&[(&str, &str)]], expected: &str, path: Option<&str>) {
    let world = ObjectWorld::new();
    let old = world.commit(&files(&[("src/one.rs", ONE), ("src/two.rs", TWO)]), &[]);
    let new = steps.iter().fold(old, |parent, step| world.commit(&files(step), &[parent]));
    let head = Head { tree: world.tree_of(new), commit: Some(new) };
    let position = world.locate(world.anchor(Some(old), "src/one.rs", ONE, 3, 3), head);
    assert_eq!(shown(&position), expected);
    assert_eq!(position.site().map(|site| site.path.to_string()), path.map(str::to_owned));
}

#[test]
fn a_renamed_file_is_followed() {
    check(&[&[("src/uno.rs", ONE), ("src/two.rs", TWO)]], "anchored renamed 3-3", Some("src/uno.rs"));
}

#[test]
fn a_file_renamed_and_edited_is_followed() {
    let edited = format!("// uno\n{ONE}");
    check(&[&[("src/uno.rs", &edited), ("src/two.rs", TWO)]], "anchored renamed 4-4", Some("src/uno.rs"));
}

#[test]
fn a_renamed_folder_is_followed() {
    check(&[&[("lib/one.rs", ONE), ("lib/two.rs", TWO)]], "anchored renamed 3-3", Some("lib/one.rs"));
}

#[test]
fn a_change_of_case_alone_is_a_rename() {
    check(&[&[("src/One.rs", ONE), ("src/two.rs", TWO)]], "anchored renamed 3-3", Some("src/One.rs"));
}

#[test]
fn a_copy_does_not_take_the_comment_along() {
    let edited = ONE.replace("begin()", "start()");
    check(&[&[("src/one.rs", &edited), ("src/copy.rs", ONE)]], "anchored translated 3-3", Some("src/one.rs"));
}

#[test]
fn a_deleted_file_orphans_its_comments() {
    check(&[&[("src/two.rs", TWO)]], "orphaned file-deleted", None);
}

#[test]
fn code_of_a_deleted_file_is_found_in_another_file() {
    let merged = format!("{TWO}\n{ONE}");
    check(&[&[("src/two.rs", &merged)]], "shifted moved-to-file 9-9", Some("src/two.rs"));
}

#[test]
fn code_that_left_its_file_is_found_in_another_file() {
    let moved = format!("{TWO}\n{ONE}");
    check(
        &[&[("src/one.rs", "fn rest() {}\n"), ("src/two.rs", &moved)]],
        "shifted moved-to-file 9-9",
        Some("src/two.rs"),
    );
}

#[test]
fn a_file_that_became_a_folder_is_followed_into_it_or_orphaned() {
    check(
        &[&[("src/one.rs/mod.rs", ONE), ("src/two.rs", TWO)]],
        "anchored renamed 3-3",
        Some("src/one.rs/mod.rs"),
    );
    check(&[&[("src/one.rs/x.rs", "fn x() {}\n"), ("src/two.rs", TWO)]], "orphaned not-text", None);
}

#[test]
fn history_leads_where_one_comparison_does_not() {
    let steps: Vec<String> = vec![
        ONE.replace("let second = go_on(first);", "let second = go_on(first, options);"),
        ONE.replace("let second = go_on(first);", "let next_value = go_on(first, options);"),
        ONE.replace("let second = go_on(first);", "let next_value = continue_with(first, options);"),
    ];
    let commits: Vec<Vec<(&str, &str)>> =
        steps.iter().map(|text| vec![("src/one.rs", text.as_str())]).collect();
    let commits: Vec<&[(&str, &str)]> = commits.iter().map(Vec::as_slice).collect();
    check(&commits, "outdated changed-in-place 3-3", Some("src/one.rs"));
}

#[test]
fn a_way_back_in_time_is_a_way() {
    let world = ObjectWorld::new();
    let edited = format!("// new\n{}", ONE.replace("begin()", "start()"));
    let old = world.commit(&files(&[("a.rs", ONE)]), &[]);
    let new = world.commit(&files(&[("b.rs", &edited)]), &[old]);
    let anchor = world.anchor(Some(new), "b.rs", &edited, 3, 3);
    let position = world.locate(anchor, Head { tree: world.tree_of(old), commit: Some(old) });
    assert_eq!(shown(&position), "outdated changed-in-place 2-2");
}

#[test]
fn a_way_over_the_merge_base_is_a_way() {
    let world = ObjectWorld::new();
    let base = world.commit(&files(&[("a.rs", ONE)]), &[]);
    let ours = format!("// ours\n{ONE}");
    let left = world.commit(&files(&[("a.rs", &ours)]), &[base]);
    let right = world.commit(&files(&[("b.rs", ONE)]), &[base]);
    let anchor = world.anchor(Some(left), "a.rs", &ours, 4, 4);
    let position = world.locate(anchor, Head { tree: world.tree_of(right), commit: Some(right) });
    assert_eq!(shown(&position), "anchored renamed 3-3");
}

#[test]
fn what_is_not_committed_is_one_more_step() {
    let world = ObjectWorld::new();
    let old = world.commit(&files(&[("a.rs", ONE)]), &[]);
    let new = world.commit(&files(&[("b.rs", ONE)]), &[old]);
    let dirty = world.tree(&files(&[("b.rs", &format!("// typed\n{ONE}"))]));
    let position =
        world.locate(world.anchor(Some(old), "a.rs", ONE, 3, 3), Head { tree: dirty, commit: Some(new) });
    assert_eq!(shown(&position), "anchored renamed 4-4");
}

#[test]
fn a_comment_on_a_whole_file_follows_the_file() {
    let world = ObjectWorld::new();
    let old = world.commit(&files(&[("a.rs", ONE)]), &[]);
    let new = world.commit(&files(&[("b.rs", ONE)]), &[old]);
    let mut anchor = world.anchor(Some(old), "a.rs", ONE, 3, 3);
    anchor.range = None;
    let position = world.locate(anchor, Head { tree: world.tree_of(new), commit: Some(new) });
    assert_eq!(
        (shown(&position), position.site().unwrap().path.to_string()),
        ("anchored renamed".to_owned(), "b.rs".to_owned())
    );
}

fn class(name: &str, shared: &str, own: &str) -> String {
    format!("public class {name} {{\n\n{shared}{own}}}\n")
}

#[test]
fn a_file_renamed_with_its_class_is_followed_if_no_other_comes_near() {
    let shared: String = (0..5).map(|n| format!("    private int field{n} = start({n});\n")).collect();
    let before: String = (0..6).map(|n| format!("    void old{n}() {{ first({n}); }}\n")).collect();
    let after: String = (0..6).map(|n| format!("    long fresh{n} = compute(input, {n});\n")).collect();
    let (old, new) = (class("Camelizer", &shared, &before), class("Decamelizer", &shared, &after));
    let check = |others: &[(&str, &str)], expected: &str| {
        let world = ObjectWorld::new();
        let from = world.commit(&files(&[("Camelizer.java", &old)]), &[]);
        let to = world.commit(&files(&[&[("Decamelizer.java", new.as_str())], others].concat()), &[from]);
        let head = Head { tree: world.tree_of(to), commit: Some(to) };
        let position = world.locate(world.anchor(Some(from), "Camelizer.java", &old, 1, 1), head);
        assert_eq!(shown(&position), expected);
    };
    check(&[("Other.java", "class Other {}\n")], "outdated changed-in-place 1-1");
    let twin = class("Joiner", &shared, &after.replace("fresh", "other"));
    // The file could be either: only its lines are looked for.
    check(&[("Joiner.java", &twin)], "outdated similar-in-file 1-1");
}

#[test]
fn a_file_that_was_split_is_searched_in_its_other_half() {
    let head = "        try {\n            type = facade.typeOf(node);\n            known.add(node.identifier());\n            done.add(facade.declarationOf(node));\n";
    let tail = "        } catch (RuntimeException failure) {\n";
    let old = format!(
        "{head}{tail}            String line = failure.trace();\n            count(line);\n        }}\n"
    );
    let new = "            out.print(type);\n            successes += 1;\n            out.flush();\n";
    let new = format!("{head}{new}{tail}            failures++;\n        }}\n");
    let kept = "    void load(File file) {\n        read(file);\n        parse(file);\n    }\n";
    let old = format!("class Resolver {{\n{kept}    static void solve(Node node) {{\n{old}    }}\n}}\n");
    let extractor = format!("class Extractor {{\n    void solve(Node node) {{\n{new}    }}\n}}\n");
    let world = ObjectWorld::new();
    let from = world.commit(&files(&[("Resolver.java", &old)]), &[]);
    let rest = format!("class Resolver {{\n{kept}}}\n");
    let to = world.commit(&files(&[("Resolver.java", &rest), ("Extractor.java", &extractor)]), &[from]);
    let head = Head { tree: world.tree_of(to), commit: Some(to) };
    let position = world.locate(world.anchor(Some(from), "Resolver.java", &old, 11, 11), head);
    assert_eq!(shown(&position), "shifted moved-to-file 10-10", "{position:?}");
}

#[test]
fn a_method_that_became_a_function_of_another_file_is_found_whole_and_by_its_head() {
    let method = "    def from_file(self, name):\n        path = os.path.join(self.root, name)\n        with open(path) as stream:\n            loaded = json.load(stream)\n        return self.from_mapping(loaded)\n";
    let class = |body: &str| {
        format!(
            "class Config:\n    def __init__(self):\n        self.root = None\n\n{body}    def close(self):\n        self.root = None\n"
        )
    };
    let context = "class Context:\n    def __init__(self):\n        self.root = None\n\n    def close(self):\n        self.root = None\n";
    let function = method.replace("\n    ", "\n").replacen("    def", "def", 1);
    let world = ObjectWorld::new();
    let before = Files::from([("config.py", class(method)), ("ctx.py", context.to_owned())]);
    let old = world.commit(&before, &[]);
    let after = Files::from([("config.py", class("")), ("ctx.py", format!("{context}\n\n{function}"))]);
    let new = world.commit(&after, &[old]);
    for (first, last, expected) in [(5, 5, "shifted reformatted 9-9"), (5, 9, "shifted reformatted 9-13")] {
        let anchor = world.anchor(Some(old), "config.py", &class(method), first, last);
        let position = world.locate(anchor, Head { tree: world.tree_of(new), commit: Some(new) });
        assert_eq!(shown(&position), expected);
        assert_eq!(position.site().map(|site| site.path.to_string()).as_deref(), Some("ctx.py"));
    }
}
