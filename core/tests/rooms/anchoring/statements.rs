//! Statements: what a line is, what it declares, and what becomes of it in one step of history.

use postil_core::anchoring::Head;
use postil_testkit::{Files, ObjectWorld, shown, unmark};

/// Expects the marked lines of `old` at the marked lines of `new`, one commit later.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let world = ObjectWorld::new();
    let ((old, was), (new, is)) = (unmark(old), unmark(new));
    let (first, last) = was.expect("a line of the old text is marked");
    let before = world.commit(&Files::from([("f.java", old.clone())]), &[]);
    let after = world.commit(&Files::from([("f.java", new)]), &[before]);
    let head = Head { tree: world.tree_of(after), commit: Some(after) };
    let position = world.locate(world.anchor(Some(before), "f.java", &old, first, last), head);
    let place = is.map(|(first, last)| format!(" {first}-{last}")).unwrap_or_default();
    assert_eq!(shown(&position), format!("{expected}{place}"), "{position:?}");
}

#[test]
fn a_declaration_is_where_its_name_is_declared() {
    let old = "void f() {\n▸    Commit head = repository.commit(message).call();\n    publish(head);\n}\n";
    let new = "void f() {\n▸    Commit head = null;\n▸    if (!squash) {\n▸        head = repository.commit(message).call();\n▸    }\n    publish(head);\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn a_rewritten_declaration_of_the_same_name_is_the_same() {
    let old = "class A {\n    @Override\n▸    Collection<Handler> initialize() {\n        return none();\n    }\n}\n";
    let new = "class A {\n    @Override\n▸    List<Pair<Specification, Channel>> initialize(Future<String> address, Clock clock) {\n        Set<Object> all = load(address);\n        register(all, clock);\n        return sorted(all);\n    }\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn a_statement_of_another_kind_is_not_the_same_thing_changed() {
    let old = "void f() {\n    open();\n▸    List<Project> renamed = rename(filtered);\n    write(renamed);\n    a();\n}\n";
    let new = "void f() {\n    open();\n▸    for (Project each : filtered) {\n▸        store(each);\n▸    }\n    a();\n}\n";
    check(old, new, "outdated replaced");
}

#[test]
fn twins_at_different_depths_do_not_change_places_when_a_block_is_indented() {
    let body = |pad: &str, mark: &str| {
        format!(
            "{pad}if (any) {{\n{pad}  for (Type t : types) {{\n{mark}{pad}    if (t == null)\n{pad}      continue;\n{pad}    bytes += t.bytes;\n{pad}  }}\n{pad}}}\n{pad}for (Type t : types) {{\n{pad}  if (t == null)\n{pad}    continue;\n{pad}  deltas += t.deltas;\n{pad}}}\n"
        )
    };
    let old = format!("void write() {{\n{}}}\n", body("  ", "▸"));
    let new =
        format!("void write() {{\n  try {{\n{}  }} finally {{\n    end();\n  }}\n}}\n", body("    ", "▸"));
    check(&old, &new, "shifted reformatted");
}

#[test]
fn a_bracket_that_stays_behind_is_not_where_the_statement_begins() {
    let old = "void f() {\n    try {\n        run();\n▸    } catch (Failure e) {\n        throw new Wrapped(\"cannot run\", e);\n    }\n}\n";
    let new = "void f() {\n    try {\n        run();\n    }\n▸    catch (Failure e) {\n        throw e;\n    }\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn conditions_that_were_joined_are_both_in_the_one() {
    let old = "void f() {\n    objectId = callback.find(name);\n    if (objectId == null) {\n▸        if (ignoreRemoteFailures) {\n            continue;\n        }\n        throw new Unavailable(name);\n    }\n    go();\n}\n";
    let new = "void f() {\n    objectId = callback.find(name);\n▸    if (objectId == null && !ignoreRemoteFailures) {\n        throw new Unavailable(name);\n    }\n    go();\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn a_line_that_says_much_is_found_among_strangers_and_a_common_one_is_not() {
    let old = "void f() {\n    first();\n▸    for (Entry each : registry.allEntriesOf(descriptor)) {\n        old1(each);\n        old2(each);\n    }\n    second();\n    third();\n}\n";
    let new = "void f() {\n    first();\n    second();\n    third();\n}\n\nvoid g() {\n    fourth();\n    if (fifth()) {\n▸        for (Entry each : registry.allEntriesOf(descriptor)) {\n            print(new Other(each));\n        }\n    }\n}\n";
    check(old, new, "shifted reformatted");
    let common = |text: &str| text.replace("for (Entry each : registry.allEntriesOf(descriptor)) {", "try {");
    check(&common(old), &common(new).replace('▸', ""), "orphaned deleted");
}

#[test]
fn a_method_whose_annotation_gave_way_to_a_comment_begins_with_its_declaration() {
    let old = "class A {\n    int size;\n\n▸    @Override\n▸    public Plan discover(Request request) {\n▸        Root root = find(request, \"discovery\");\n▸        return new Plan(root);\n▸    }\n}\n";
    let new = "class A {\n    int size;\n\n    /**\n     * Discovers a {@link Plan} for a request.\n     * Override it to find more.\n     */\n▸    public Plan discover(Request request) {\n▸        return Plan.from(find(request, \"discovery\"));\n▸    }\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn a_method_whose_annotation_gave_way_to_another_one_begins_with_that() {
    let old = "class A {\n    int size;\n\n▸    @Override\n▸    public Plan discover(Request request) {\n▸        Root root = find(request, \"discovery\");\n▸        return new Plan(root);\n▸    }\n}\n";
    let new = "class A {\n    int size;\n\n    /** Discovers. */\n▸    @Nonnull\n▸    public Plan discover(Request request) {\n▸        return Plan.from(find(request, \"discovery\"));\n▸    }\n}\n";
    check(old, new, "outdated changed-in-place");
}
