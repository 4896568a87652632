//! Suggestions and what users did to them: one row for each kind of meeting.
//!
//! Only the `check` functions know the interface. What each word of the rules means is in `wording`; laws that hold
//! for all edits are in `laws`.

use crate::edit::{
    AgreementMode, AutoClose, EditOrigin, ReapplyOutcome, ReapplyRequest, Replacement, Rules, SuggestedStep,
    SuggestedSteps, TextEdit,
};

pub(crate) type Triple<'a> = (usize, usize, &'a str);

pub(crate) const STRICT: &[AgreementMode] = &[AgreementMode::Strict];
pub(crate) const LENIENT: &[AgreementMode] = &[AgreementMode::Lenient];
pub(crate) const BOTH: &[AgreementMode] = &[AgreementMode::Strict, AgreementMode::Lenient];

pub(crate) struct Case<'a> {
    pub(crate) original: &'a str,
    pub(crate) suggested: TextEdit<usize>,
    pub(crate) users: TextEdit,
    pub(crate) window: Option<std::ops::Range<usize>>,
    pub(crate) selections: Vec<std::ops::Range<usize>>,
    pub(crate) auto_close: AutoClose,
    pub(crate) origin: EditOrigin,
}

/// Replacements that all count in the original text.
pub(crate) fn parallel<'a>(original: &'a str, suggested: &[Triple<'_>], users: &[Triple<'_>]) -> Case<'a> {
    let suggested = edit(suggested).map_data(|index, ()| index);
    case(original, suggested, users)
}

/// Replacements that each count in the result of those before.
pub(crate) fn sequence<'a>(original: &'a str, suggested: &[Triple<'_>], users: &[Triple<'_>]) -> Case<'a> {
    let steps = suggested.iter().map(|one| SuggestedStep::from(replacement(one)));
    case(original, SuggestedSteps(steps.collect()).compose(original.as_bytes()).unwrap(), users)
}

pub(crate) fn case<'a>(original: &'a str, suggested: TextEdit<usize>, users: &[Triple<'_>]) -> Case<'a> {
    let users = edit(users);
    let (auto_close, origin) = (AutoClose::Typed, EditOrigin::Typed);
    Case { original, suggested, users, window: None, selections: Vec::new(), auto_close, origin }
}

pub(crate) fn edit(triples: &[Triple<'_>]) -> TextEdit {
    TextEdit::new(triples.iter().map(replacement).collect()).unwrap()
}

pub(crate) fn replacement((start, end, text): &Triple<'_>) -> Replacement {
    Replacement::new(*start..*end, *text, ())
}

impl Case<'_> {
    fn cursor_at(&mut self, at: usize) {
        self.selections = std::iter::once(at..at).collect();
    }

    pub(crate) fn outcome(&self, mode: AgreementMode) -> (ReapplyOutcome, String) {
        let current = self.users.apply(self.original.as_bytes()).unwrap();
        let request = ReapplyRequest {
            original: self.original.as_bytes(),
            window: self.window.clone(),
            suggested: &self.suggested,
            users: &self.users,
            current: &current,
            selections: &self.selections,
            rules: Rules { mode, auto_close: self.auto_close, origin: self.origin },
        };
        let outcome = request.outcome().unwrap();
        let result = match &outcome {
            ReapplyOutcome::Rebased(edit) => edit.apply(&current).unwrap(),
            _ => current,
        };
        (outcome, String::from_utf8(result).unwrap())
    }
}

#[track_caller]
pub(crate) fn check(modes: &[AgreementMode], case: &Case<'_>, result: &str) {
    for mode in modes {
        let (outcome, found) = case.outcome(*mode);
        assert!(matches!(outcome, ReapplyOutcome::Rebased(_)), "{mode:?}: {outcome:?}");
        assert_eq!(found, result, "{mode:?}");
    }
}

#[track_caller]
pub(crate) fn check_done(modes: &[AgreementMode], case: &Case<'_>) {
    for mode in modes {
        let (outcome, _) = case.outcome(*mode);
        assert_eq!(outcome, ReapplyOutcome::Done, "{mode:?}");
    }
}

#[track_caller]
pub(crate) fn check_conflict(modes: &[AgreementMode], case: &Case<'_>) {
    for mode in modes {
        let (outcome, _) = case.outcome(*mode);
        assert!(matches!(outcome, ReapplyOutcome::Conflict(_)), "{mode:?}: {outcome:?}");
    }
}

pub(crate) const ONE: &str = "const x = 1;";
pub(crate) const ONE_TO_42: Triple<'static> = (10, 11, "42");

#[test]
fn a_line_above_moves_the_suggestion_down() {
    let case = sequence(ONE, &[ONE_TO_42], &[(0, 0, "// comment\n")]);
    check(BOTH, &case, "// comment\nconst x = 42;");
    let ReapplyOutcome::Rebased(left) = case.outcome(AgreementMode::Strict).0 else {
        panic!("it was rebased")
    };
    assert_eq!(left.replacements(), [Replacement::new(21..22, "42", 0)]);
}

#[test]
fn lines_deleted_above_move_it_up() {
    let original = "// line 1\n// line 2\n// line 3\nconst x = 1;";
    let case = sequence(original, &[(40, 41, "42")], &[(10, 30, "")]);
    check(BOTH, &case, "// line 1\nconst x = 42;");
}

#[test]
fn an_edit_below_moves_nothing() {
    let case = sequence("const x = 1;\nconst y = 2;", &[ONE_TO_42], &[(25, 25, "\nconst z = 3;")]);
    check(BOTH, &case, "const x = 42;\nconst y = 2;\nconst z = 3;");
}

#[test]
fn something_else_in_the_same_place_is_a_conflict_that_tells_what() {
    let case = sequence(ONE, &[ONE_TO_42], &[(10, 11, "99")]);
    check_conflict(BOTH, &case);
    let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Strict).0 else {
        panic!("it was refused")
    };
    assert_eq!((conflict.suggested, conflict.users, conflict.data), (10..11, 10..11, 0));
    assert_eq!((conflict.expected.as_slice(), conflict.typed.as_slice()), (&b"42"[..], &b"99"[..]));
    assert_eq!(conflict.clash, crate::edit::Clash::Overlap);
}

#[test]
fn what_was_typed_of_a_suggestion_is_kept_and_the_rest_is_left_to_do() {
    let case = sequence("function test() {}", &[(16, 18, "{ return 42; }")], &[(17, 17, " return ")]);
    check(BOTH, &case, "function test() { return 42; }");
    let ReapplyOutcome::Rebased(left) = case.outcome(AgreementMode::Strict).0 else {
        panic!("it was rebased")
    };
    assert_eq!(left.replacements(), [Replacement::new(25..25, "42; ", 0)]);
}

#[test]
fn what_touches_must_agree_in_strict_mode_and_stays_beside_in_lenient() {
    let case = sequence(ONE, &[ONE_TO_42], &[(11, 11, " + 2")]);
    check_conflict(STRICT, &case);
    check(LENIENT, &case, "const x = 42 + 2;");
    let before = sequence(ONE, &[ONE_TO_42], &[(10, 10, "-")]);
    check_conflict(STRICT, &before);
    check(LENIENT, &before, "const x = -42;");
    let deleted = parallel("abcde", &[(3, 3, "1c")], &[(2, 3, "")]);
    check_conflict(STRICT, &deleted);
    check(LENIENT, &deleted, "ab1cde");
}

#[test]
fn two_different_insertions_at_one_point_are_a_conflict_in_both_modes() {
    check_conflict(BOTH, &parallel("ab", &[(1, 1, "x")], &[(1, 1, "y")]));
    check_conflict(BOTH, &parallel("hello world\n", &[(5, 5, "X")], &[(5, 5, "XY")]));
    check_conflict(BOTH, &parallel("class Point3 {", &[(0, 14, "class Point3D {")], &[(12, 12, "d")]));
    check_done(BOTH, &parallel("ab", &[(1, 1, "x")], &[(1, 1, "x")]));
}

#[test]
fn a_cursor_outside_of_the_window_refuses() {
    let original = "function test() {\n  const x = 1;\n}";
    let mut case = sequence(original, &[(30, 31, "42")], &[]);
    case.window = Some(18..34);
    check(BOTH, &case, "function test() {\n  const x = 42;\n}");
    case.cursor_at(5);
    let outside = ReapplyOutcome::OutsideWindow { window: 18..34, selection: 5..5 };
    assert_eq!(case.outcome(AgreementMode::Strict).0, outside);
    assert_eq!(case.outcome(AgreementMode::Lenient).0, outside);
    case.cursor_at(34);
    check(BOTH, &case, "function test() {\n  const x = 42;\n}");
}

#[test]
fn the_window_moves_with_what_the_user_typed() {
    let mut case = sequence(ONE, &[ONE_TO_42], &[(0, 0, "// comment\n")]);
    case.window = Some(0..12);
    case.cursor_at(21);
    check(BOTH, &case, "// comment\nconst x = 42;");
    let moved = |window: std::ops::Range<usize>, users: &[Triple<'_>]| edit(users).move_range(&window);
    assert_eq!(moved(5..9, &[(0, 2, "")]), 3..7);
    assert_eq!(moved(5..9, &[(5, 5, "ab"), (9, 9, "cd")]), 5..13);
    assert_eq!(moved(5..9, &[(2, 20, "x")]), 2..3);
    assert_eq!(moved(5..9, &[(10, 20, "x")]), 5..9);
}

#[test]
fn edits_that_lead_elsewhere_are_inconsistent() {
    let inconsistent = |users: &[Triple<'_>], current: &str| {
        let (suggested, users) = (TextEdit::nothing(), edit(users));
        let rules =
            Rules { mode: AgreementMode::Strict, auto_close: AutoClose::Typed, origin: EditOrigin::Typed };
        let request = ReapplyRequest {
            original: b"hello",
            window: None,
            suggested: &suggested,
            users: &users,
            current: current.as_bytes(),
            selections: &[],
            rules,
        };
        request.outcome().unwrap()
    };
    assert_eq!(inconsistent(&[(0, 0, "well ")], "well hello"), ReapplyOutcome::Done);
    assert_eq!(
        inconsistent(&[(0, 0, "well ")], "welcome"),
        ReapplyOutcome::Inconsistent { differs_at: 3, edited_length: Some(10), current_length: 7 }
    );
    assert_eq!(
        inconsistent(&[(2, 9, "")], "he"),
        ReapplyOutcome::Inconsistent { differs_at: 0, edited_length: None, current_length: 2 }
    );
    let composed = edit(&[(0, 0, "well ")]).compose(&edit(&[(10, 10, " there")]));
    assert_eq!(composed.apply(b"hello").unwrap(), b"well hello there");
}

#[test]
fn edits_one_after_the_other_are_composed_first() {
    let line = |at: usize, n: usize| edit(&[(at, at, &format!("// line {n}\n"))]);
    let three = line(0, 1).compose(&line(10, 2)).compose(&line(20, 3));
    let mut case = sequence(ONE, &[ONE_TO_42], &[]);
    case.users = three;
    check(BOTH, &case, "// line 1\n// line 2\n// line 3\nconst x = 42;");

    let mut case = sequence("// delete\nconst x = 1;\n// keep", &[(20, 21, "42")], &[]);
    case.users = edit(&[(0, 10, "")]).compose(&edit(&[(0, 0, "// insert\n")]));
    check(BOTH, &case, "// insert\nconst x = 42;\n// keep");
}

#[test]
fn nothing_typed_an_insertion_and_a_very_large_edit() {
    check(BOTH, &sequence(ONE, &[ONE_TO_42], &[]), "const x = 42;");
    let case = sequence("const x;", &[(7, 7, " = 1")], &[(0, 0, "// comment\n")]);
    check(BOTH, &case, "// comment\nconst x = 1;");
    let large = "x".repeat(10_000);
    let case = sequence(ONE, &[ONE_TO_42], &[(0, 0, &large)]);
    check(BOTH, &case, &format!("{large}const x = 42;"));
}

#[test]
fn both_sides_deleting_far_apart_lands_right() {
    let original = "one two three four five";
    check(BOTH, &parallel(original, &[(14, 19, "")], &[(0, 4, "")]), "two three five");
    check(BOTH, &parallel(original, &[(0, 4, "")], &[(14, 19, "")]), "two three five");
    check(BOTH, &parallel("aaaaaaaaaa", &[(6, 8, "")], &[(0, 2, "")]), "aaaaaa");
    check(BOTH, &sequence("a\n\nb\n\nc\n", &[(5, 6, "")], &[(2, 3, "")]), "a\nb\nc\n");
}

#[test]
fn deleting_part_of_what_goes_anyway_agrees() {
    check(BOTH, &parallel("0123456789", &[(2, 8, "")], &[(4, 6, "")]), "0189");
    check(BOTH, &parallel("0123456789", &[(2, 8, "x")], &[(2, 4, "")]), "01x89");
    check_done(BOTH, &parallel("0123456789", &[(2, 8, "")], &[(2, 8, "")]));
    check_conflict(BOTH, &parallel("0123456789", &[(2, 6, "")], &[(4, 8, "")]));
}

#[test]
fn agreement_is_bounded_in_strict_mode() {
    let far =
        |pad: usize| parallel("abcdefg", &[], &[(7, 7, "h")]).suggest(&[(7, 7, &("x".repeat(pad) + "h"))]);
    check(BOTH, &far(10), "abcdefgxxxxxxxxxxh");
    check_conflict(STRICT, &far(11));
    check(LENIENT, &far(11), "abcdefgxxxxxxxxxxxh");
    let long = |typed: usize| parallel("a", &[(1, 1, "xhhhhhhhx")], &[(1, 1, &"h".repeat(typed))]);
    check(BOTH, &long(5), "axhhhhhhhx");
    check_conflict(STRICT, &long(6));
    check(LENIENT, &long(6), "axhhhhhhhx");
    let umlauts = parallel("", &[(0, 0, "ääääääääääh")], &[(0, 0, "h")]);
    check(BOTH, &umlauts, "ääääääääääh");
}

impl Case<'_> {
    fn suggest(mut self, suggested: &[Triple<'_>]) -> Self {
        self.suggested = edit(suggested).map_data(|index, ()| index);
        self
    }
}

#[test]
fn a_replacement_is_agreed_with_from_its_start() {
    let get = parallel("this.myPet = g", &[(13, 14, "getPet();")], &[(14, 14, "et")]);
    check(BOTH, &get, "this.myPet = getPet();");
    let other = parallel("this.myPet = g", &[(13, 14, "new Pet();")], &[(14, 14, "et")]);
    check_conflict(STRICT, &other);
    check(BOTH, &parallel("abcdefg", &[(1, 6, "bCDEF")], &[(2, 5, "CD")]), "abCDEFg");
    check(BOTH, &parallel("abcdefg", &[(2, 5, "CDE")], &[(1, 5, "bC")]), "abCDEfg");
    check_done(BOTH, &parallel("class Point34D {", &[(0, 16, "class Point3D {")], &[(12, 13, "")]));
    check_conflict(BOTH, &parallel("abcdefghi", &[(4, 5, "234"), (7, 8, "ABC")], &[(1, 6, "123456")]));
}

#[test]
fn several_edits_on_both_sides_are_matched_one_by_one() {
    let suggested = [(2, 2, "1"), (3, 3, "2"), (5, 5, "3")];
    check(BOTH, &parallel("abcdef", &suggested, &[(2, 2, "1"), (5, 5, "3")]), "ab1c2de3f");
    check_done(BOTH, &parallel("abcdef", &[(1, 4, "b1c2d")], &suggested));
    check_done(BOTH, &parallel("abcdef", &[(2, 2, "1"), (5, 5, "3")], &suggested));
    check_conflict(BOTH, &parallel("abcdef", &suggested, &[(1, 4, "b1c2d")]));
    check_conflict(BOTH, &parallel("abcde", &[(1, 4, "b1c2d")], &[(2, 2, "1"), (3, 3, "3")]));
    check_conflict(BOTH, &parallel("abcde", &[(1, 4, "b1c2d")], &[(2, 2, "2"), (3, 3, "1")]));
}

#[test]
fn the_same_insertion_in_another_place_of_a_repetition_is_the_same() {
    let suggested = [(1, 1, "0"), (3, 3, "1c"), (4, 4, "2")];
    check(BOTH, &parallel("abcde", &suggested, &[(2, 2, "c1")]), "a0bc1cd2e");
    check(BOTH, &parallel("abcde", &[(1, 1, "0"), (2, 2, "c1")], &[(3, 3, "1c")]), "a0bc1cde");
    let typed = "\n\n\n\n\t// Do something";
    check_conflict(BOTH, &sequence("\t}\n}\n", &[(3, 4, "\t// Do something\n}")], &[(2, 2, typed)]));
    check(BOTH, &parallel("a\n\nb", &[(3, 3, "foo\n")], &[(2, 2, "// above\n")]), "a\n// above\n\nfoo\nb");
}

#[test]
fn words_are_replaced_as_a_whole_so_that_half_of_one_agrees() {
    let original = "{\n    if (result.empty())\n        return result.size();\n}\n";
    let suggested = "    if (result42.empty())\n        return result42.size();\n";
    let case = sequence(original, &[(2, 56, suggested)], &[(10, 16, "r")]);
    check(BOTH, &case, &format!("{{\n{suggested}}}\n"));
}

#[test]
fn the_index_tells_which_suggestion_is_left() {
    let original = "\nclass Point3D {\n\tconstructor(x, y) {\n\t\tthis.x = x;\n\t\tthis.y = y;\n\t}\n}\n";
    let suggested = [(17, 37, "\tconstructor(x, y, z) {"), (68, 68, "\n\t\tthis.z = z;")];
    let case = sequence(original, &suggested, &[(34, 34, ", z"), (65, 65, "\n\t\tthis.")]);
    for mode in BOTH {
        let (ReapplyOutcome::Rebased(left), _) = case.outcome(*mode) else { panic!("it was rebased") };
        assert_eq!(left.replacements(), [Replacement::new(76..76, "z = z;", 1)]);
    }
}

#[test]
fn brackets_that_an_editor_closed_are_absorbed_on_request() {
    let steps = [(0, 12, "function fib(n: number): number {"), (34, 34, "    return n;\n}\n")];
    let mut case = sequence("function fib\n", &steps, &[(12, 12, "()")]);
    check_conflict(BOTH, &case);
    case.auto_close = AutoClose::Absorb;
    check(BOTH, &case, "function fib(n: number): number {\n    return n;\n}\n");

    let body = "if (true) {\n    log(\"yes\");\n}";
    for (suggested, typed, absorbed) in [(body, "{}", true), (body, "{", false), (&body[..26], "{}", false)] {
        let mut case = parallel("if (true)\n", &[(0, 9, suggested)], &[(9, 9, typed)]);
        check_conflict(STRICT, &case);
        case.auto_close = AutoClose::Absorb;
        if absorbed {
            check(BOTH, &case, &format!("{suggested}\n"));
        } else {
            check_conflict(STRICT, &case);
        }
    }
    for typed in ["(n: )", "abc", "(a"] {
        let mut case = sequence("function fib\n", &steps, &[(12, 12, typed)]);
        case.auto_close = AutoClose::Absorb;
        check_conflict(BOTH, &case);
    }
}

#[test]
fn of_two_suggestions_at_one_point_the_user_may_have_begun_with_either() {
    let steps = [(0, 10, "class Foo {"), (11, 11, "\n\tbar() {}\n}")];
    let first = sequence("class Foo \n", &steps, &[(10, 10, "{")]);
    check(BOTH, &first, "class Foo {\n\tbar() {}\n}\n");
    let second = sequence("class Foo \n", &steps, &[(10, 10, "\n\tbar")]);
    check(BOTH, &second, "class Foo {\n\tbar() {}\n}\n");
    // Somebody who typed some of both agrees with neither.
    check_conflict(BOTH, &sequence("class Foo \n", &steps, &[(10, 10, "{\n\t")]));
}
