//! Parts of lines, to the column: what a part of a line became in one step of history.

use std::num::NonZeroU32;

use postil_core::anchoring::Head;
use postil_core::record::{Columns, LineSpan, Range};
use postil_testkit::{Files, ObjectWorld};

/// Takes out the marks: what stands between `«` and `»` is meant.
fn unmark(text: &str) -> (String, Option<Range>) {
    let (Some(start), Some(end)) = (text.find('«'), text.find('»')) else { return (text.to_owned(), None) };
    let bare = text.replace(['«', '»'], "");
    let spot = |byte: usize| {
        let line = bare[..byte].matches('\n').count() as u32 + 1;
        let column = byte - bare[..byte].rfind('\n').map_or(0, |at| at + 1);
        (line, column as u32)
    };
    let (from, to) = (spot(start), spot(end - '«'.len_utf8()));
    let column = |number| NonZeroU32::new(number).expect("what is meant is not empty");
    let columns = Columns { start: column(from.1 + 1), end: column(to.1) };
    let span = LineSpan::from_numbers(from.0, to.0).expect("the marks stand in order");
    (bare, Range::with_columns(span, columns))
}

/// Expects what is marked in `old` at what is marked in `new`, one commit later; nowhere, or replaced, if nothing is.
#[track_caller]
fn check(old: &str, new: &str) {
    let world = ObjectWorld::new();
    let ((old, was), (new, is)) = (unmark(old), unmark(new));
    let before = world.commit(&Files::from([("f.java", old.clone())]), &[]);
    let after = world.commit(&Files::from([("f.java", new)]), &[before]);
    let span = was.expect("something of the old text is marked").span();
    let mut anchor = world.anchor(Some(before), "f.java", &old, span.first(), span.last());
    anchor.range = was;
    let position = world.locate(anchor, Head { tree: world.tree_of(after), commit: Some(after) });
    let claimed = position.site().filter(|_| position.reason() != "replaced");
    assert_eq!(claimed.and_then(|site| site.range), is, "{position:?}");
}

#[test]
fn a_word_that_began_its_line_stays_that_word() {
    check(
        "void f() {\n    «point» = points.get(id);\n    use(point);\n}\n",
        "void f() {\n    Point «point» = points.get(id);\n    use(point);\n}\n",
    );
}

#[test]
fn a_statement_that_was_wrapped_is_all_of_what_it_became() {
    // `return` and `;` alone would lead to the line inside.
    check(
        "void f() {\n    if (done != last) {\n        last = done;\n        «return !first;»\n    }\n}\n",
        "void f() {\n    if (done != last) {\n        last = done;\n\n        «if (!first) {\n            return true;\n        }»\n    }\n}\n",
    );
    check(
        "void f() {\n    check(done);\n    «return first.of(done);»\n}\n",
        "void f() {\n    check(done);\n    log(done);\n    «return second.of(done);»\n}\n",
    );
}

#[test]
fn a_block_that_became_the_other_branch_begins_behind_the_bracket() {
    check(
        "void f() {\n    «if (kind == LEAF) {\n        grow(kind);\n    }»\n}\n",
        "void f() {\n    if (kind == ROOT) {\n        dig();\n    } else «if (kind == LEAF) {\n        grow(kind);\n    }»\n}\n",
    );
}

#[test]
fn a_declaration_of_another_name_that_keeps_no_word_is_another_one() {
    let old = "    Class engine;\n    «Class sslParameters;»\n    Method setParameters;\n    Method setProtocols;\n";
    check(
        old,
        "    Class engine;\n    Method getParameters;\n    Method setParameters;\n    Method setProtocols;\n",
    );
    check(
        old,
        "    Class engine;\n    «Class tlsParameters;»\n    Method setParameters;\n    Method setProtocols;\n",
    );
    // What was meant is not the name.
    check(
        "void f(Context extensionContext, «Registry registry»,\n        Collector all) {\n    go();\n}\n",
        "void f(Context extensionContext,\n        «Registry registry») {\n    go();\n}\n",
    );
}

#[test]
fn all_of_a_line_is_judged_as_the_line_is() {
    // The line below it is what became the new one.
    let rest = "\n// window.Echo = new Echo({\n//     wanted: 'valve',\n// });\n";
    check(
        &format!(
            "import pump from 'pump';\nwindow.pump = pump;\n\n// import Echo from 'echo';\n\n«// import Valve from 'valve-js';»\n// window.Valve = Valve;\n{rest}"
        ),
        &format!(
            "window.pump = require('pump');\n\n// import Echo from 'echo';\n\n// window.Valve = require('valve-js');\n{rest}"
        ),
    );
    check(
        &format!("// import Echo from 'echo';\n\n// import «Valve» from 'valve-js';\n{rest}"),
        &format!("// import Echo from 'echo';\n\n// import «Valve» from '@valve/core';\n{rest}"),
    );
}

#[test]
fn words_that_still_stand_are_the_place_and_what_was_added_beside_them_is_not() {
    check("import a\n# pylint: «disable=a»\nrun(a)\n", "import a\n# pylint: «disable=a»,b\nrun(a)\n");
    check(
        "import a\n# pylint: «disable=a»\nrun(a)\n",
        "import a\n# pylint: enable=c,«disable=a»,b\nrun(a)\n",
    );
    check("int f() {\n    go(1); // «twice»\n}\n", "int f() {\n    go(1); // «twice», or so\n}\n");
    check("list = [«one», two]\nuse(list)\n", "list = [«one», two, three]\nuse(list)\n");
}

#[test]
fn a_part_that_lost_its_words_is_on_its_own_line() {
    let check = |old: &str, new: &str, line: u32| {
        let world = ObjectWorld::new();
        let (old, was) = unmark(old);
        let before = world.commit(&Files::from([("f.c", old.clone())]), &[]);
        let after = world.commit(&Files::from([("f.c", new.to_owned())]), &[before]);
        let span = was.unwrap().span();
        let mut anchor = world.anchor(Some(before), "f.c", &old, span.first(), span.last());
        anchor.range = was;
        let position = world.locate(anchor, Head { tree: world.tree_of(after), commit: Some(after) });
        let range = position.site().and_then(|site| site.range);
        assert_eq!(range.map(|range| (range.span().first(), range.columns())), Some((line, None)));
        assert_eq!(position.state(), "outdated");
    };
    // What stands behind them, on the line or on the next one, is something else.
    check(
        "int a = open(path); «// opens it»\nint b = read(a, buf); // reads\n",
        "int a = open(path);\nint b = read(a, buf);\n",
        1,
    );
    check(
        "def f(path: str, «retries: int = 3», silent: bool):\n    go()\n",
        "def f(path: str, silent: bool):\n    go()\n",
        1,
    );
    check("x = compute(first, «second», third)\n", "x = compute(first, third)\n", 1);
}

#[test]
fn quotes_of_another_kind_are_the_same_words() {
    check(
        "def f(self, «prefix: str = \"FLASK\"», n=1):\n    return 1\n",
        "def f(self, «prefix: str = 'FLASK'», n=1):\n    return 1\n",
    );
    check("f(prefix: «\"FLASK\"», 1)\ngo()\n", "f(prefix: «'FLASK'», 1)\ngo()\n");
}
