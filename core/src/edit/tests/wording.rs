//! The words of the rules of rebasing, one test for each.
//!
//! How whole situations end is in `cases`.

use super::cases::{
    BOTH, Case, LENIENT, ONE, ONE_TO_42, STRICT, case, check, check_conflict, check_done, parallel,
    replacement, sequence,
};
use crate::edit::{
    AgreementMode, Clash, EditOrigin, ReapplyOutcome, Replacement, SuggestedStep, SuggestedSteps,
};

const TEN: &str = "0123456789";

#[test]
fn an_edit_with_one_character_between_only_moves_a_suggestion() {
    check(BOTH, &parallel(TEN, &[(4, 6, "x")], &[(1, 3, "new")]), "0new3x6789");
    check(BOTH, &parallel(TEN, &[(4, 6, "x")], &[(7, 9, "")]), "0123x69");
    check(BOTH, &parallel(TEN, &[(4, 4, "x")], &[(3, 3, "y")]), "012y3x456789");
    check(BOTH, &parallel(TEN, &[(4, 4, "x")], &[(5, 5, "y")]), "0123x4y56789");
    check(BOTH, &parallel(TEN, &[(4, 6, "")], &[(3, 3, "y"), (7, 7, "z")]), "012y36z789");
}

#[test]
fn what_touches_disagrees_in_strict_mode_and_stays_beside_in_lenient() {
    let beside = [
        // The user's edit ends where ours begins: a replacement, a deletion, an insertion.
        ((4, 6, "x"), (2, 4, "new"), "01newx6789"),
        ((4, 6, "x"), (2, 4, ""), "01x6789"),
        ((4, 6, "x"), (4, 4, "new "), "0123new x6789"),
        ((4, 4, "x"), (2, 4, "new"), "01newx456789"),
        // It begins where ours ends.
        ((4, 6, "x"), (6, 8, "new"), "0123xnew89"),
        ((4, 6, "x"), (6, 8, ""), "0123x89"),
        ((4, 6, "x"), (6, 6, " new"), "0123x new6789"),
        ((4, 4, "x"), (4, 6, "new"), "0123xnew6789"),
        ((4, 6, ""), (6, 6, " new"), "0123 new6789"),
    ];
    for (ours, user, result) in beside {
        let case = parallel(TEN, &[ours], &[user]);
        check_conflict(STRICT, &case);
        check(LENIENT, &case, result);
        let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Strict).0 else {
            panic!("it touches")
        };
        assert_eq!(conflict.clash, Clash::Touch);
    }
}

#[test]
fn who_goes_on_with_a_word_that_is_replaced_has_another_word_in_mind() {
    let text = "a = c\n";
    let statement = "compute(1);";
    for user in [(5, 5, "ut"), (4, 4, "ac"), (4, 5, "cut"), (5, 5, "_"), (5, 5, "\u{e9}"), (4, 4, "9")] {
        let case = parallel(text, &[(4, 5, statement)], &[user]);
        check_conflict(BOTH, &case);
        let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Lenient).0 else {
            panic!("one word")
        };
        assert_eq!(conflict.clash, Clash::Touch, "{user:?}");
        check_conflict(BOTH, &parallel(text, &[(4, 5, "")], &[user]));
    }
    // What is not a part of the word is beside it, and what is suggested as well agrees.
    for (user, result) in [((5, 5, " + d"), "a = compute(1); + d\n"), ((4, 4, "-"), "a = -compute(1);\n")] {
        check(LENIENT, &parallel(text, &[(4, 5, statement)], &[user]), result);
    }
    check(LENIENT, &parallel(text, &[(4, 5, "cutting")], &[(5, 5, "ut")]), "a = cutting\n");
    check(LENIENT, &parallel("a = f()\n", &[(5, 7, "(1)")], &[(7, 7, "x")]), "a = f(1)x\n");
}

#[test]
fn an_overlap_that_disagrees_is_a_conflict_in_both_modes() {
    for user in [(5, 7, "new"), (3, 5, ""), (5, 5, "new"), (3, 7, "new"), (4, 6, "new"), (0, 10, "")] {
        let case = parallel(TEN, &[(4, 6, "xy")], &[user]);
        check_conflict(BOTH, &case);
        let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Lenient).0 else {
            panic!("it overlaps")
        };
        assert_eq!((conflict.clash, conflict.users), (Clash::Overlap, user.0..user.1));
        assert_eq!((conflict.suggested, conflict.typed), (4..6, user.2.as_bytes().to_vec()));
    }
    check_conflict(BOTH, &parallel(TEN, &[(5, 5, "x")], &[(4, 6, "new")]));
}

#[test]
fn two_different_insertions_at_one_point_are_in_nobodys_order() {
    let case = parallel(TEN, &[(4, 4, "x")], &[(4, 4, "y")]);
    check_conflict(BOTH, &case);
    let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Lenient).0 else {
        panic!("both insert")
    };
    assert_eq!(conflict.clash, Clash::Insertions);
    check_conflict(BOTH, &parallel("", &[(0, 0, "x")], &[(0, 0, "y")]));
}

#[test]
fn an_insertion_is_in_every_place_where_it_means_the_same() {
    // A diff of the two texts may tell either place: nothing but chance decides where somebody typed it.
    let list = "[\n  1,\n  1,\n]\n";
    check_done(BOTH, &parallel(list, &[(2, 2, "  1,\n")], &[(12, 12, "  1,\n")]));
    check_done(BOTH, &parallel(list, &[(12, 12, "  1,\n")], &[(2, 2, "  1,\n")]));
    // Another insertion there only moves it, as it means the same nowhere else.
    check(
        BOTH,
        &parallel(list, &[(12, 12, "  1,\n")], &[(2, 2, "  0,\n")]),
        "[\n  0,\n  1,\n  1,\n  1,\n]\n",
    );
    // What lies between the two places must be what it was.
    let broken = parallel(list, &[(2, 2, "  1,\n")], &[(4, 5, "7"), (12, 12, "  1,\n")]);
    check(BOTH, &broken, "[\n  1,\n  7,\n  1,\n  1,\n]\n");
}

#[test]
fn what_only_touches_stays_beside_in_lenient_mode_whatever_letters_it_has() {
    // Where these hold the suggested text it says nothing: it was not typed for its sake.
    let rows = [
        ((4, 4, "x"), (4, 6, "max"), "0123xmax6789"),
        ((4, 4, "x"), (2, 4, "axe"), "01axex456789"),
        ((4, 4, "x"), (2, 4, "xa"), "01xax456789"),
        ((4, 4, "x"), (4, 6, "yz"), "0123xyz6789"),
    ];
    for (ours, user, result) in rows {
        let case = parallel(TEN, &[ours], &[user]);
        check_conflict(STRICT, &case);
        check(LENIENT, &case, result);
    }
}

/// As [`parallel`], where the user's edits are the difference of two texts.
fn compared<'a>(original: &'a str, ours: (usize, usize, &str), user: (usize, usize, &str)) -> Case<'a> {
    Case { origin: EditOrigin::Compared, ..parallel(original, &[ours], &[user]) }
}

#[test]
fn what_means_the_same_on_either_side_of_a_replacement_overlaps_it_in_a_comparison() {
    let five = "4\n5\n6\n";
    let typed = (2, 3, "FIVE");
    for more in [(2, 2, "555"), (3, 3, "555"), (3, 3, " 5 5 5"), (4, 4, "5\n5\n5\n"), (2, 2, "5\n")] {
        // A line that is replaced with its end is around the lines that are like it.
        let typed = if more.2.ends_with('\n') { (2, 4, "FIVE") } else { typed };
        for (ours, user) in [(more, typed), (typed, more)] {
            let case = compared(five, ours, user);
            check_conflict(BOTH, &case);
            let ReapplyOutcome::Conflict(conflict) = case.outcome(AgreementMode::Lenient).0 else {
                panic!("it overlaps")
            };
            assert_eq!(conflict.clash, Clash::Overlap, "{ours:?} {user:?}");
        }
    }
    // Who typed it in an editor saw that it came beside.
    check(LENIENT, &parallel(five, &[(2, 2, "555")], &[typed]), "4\n555FIVE\n6\n");
    check_conflict(STRICT, &parallel(five, &[(2, 2, "555")], &[typed]));
    // Given or computed as a replacement, it is the same.
    for given in ["5555", "5 5 5 5", "5\n5\n5\n5"] {
        let sequence = || sequence(five, &[(2, 3, given)], &[typed]);
        check_conflict(BOTH, &Case { origin: EditOrigin::Compared, ..sequence() });
    }
    check_conflict(BOTH, &sequence(five, &[(2, 3, "5555")], &[typed]));
}

#[test]
fn who_typed_just_the_suggested_insertion_in_its_place_agrees_with_it() {
    check_done(BOTH, &parallel(TEN, &[(4, 4, "xyz")], &[(4, 4, "xyz")]));
    // What was beside it went as well, and that only touches.
    for user in [(4, 6, "xyz"), (2, 4, "xyz")] {
        let case = parallel(TEN, &[(4, 4, "xyz")], &[user]);
        check_conflict(STRICT, &case);
        check_done(LENIENT, &case);
    }
    let next = parallel(TEN, &[(4, 4, "xyz"), (8, 9, "n")], &[(4, 6, "xyz")]);
    check(LENIENT, &next, "0123xyz67n9");
    let next = parallel(TEN, &[(4, 4, "xyz"), (8, 9, "n")], &[(2, 4, "xyz")]);
    check(LENIENT, &next, "01xyz4567n9");
}

#[test]
fn who_typed_a_whole_suggestion_in_its_place_and_more_is_not_given_a_second_one() {
    check_conflict(BOTH, &parallel(TEN, &[(4, 4, "x")], &[(4, 6, "xyz")]));
    check_conflict(BOTH, &parallel(TEN, &[(4, 4, "x")], &[(2, 4, "max")]));
}

#[test]
fn in_lenient_mode_agreement_is_found_anywhere_in_what_was_suggested() {
    let long = "something that goes on and on";
    check(LENIENT, &parallel(TEN, &[(4, 6, long)], &[(4, 6, "goes on")]), &format!("0123{long}6789"));
    check_conflict(STRICT, &parallel(TEN, &[(4, 6, long)], &[(4, 6, "goes on")]));
    // At an end of it as well, where the rest is not beside it but is it.
    check(LENIENT, &parallel(TEN, &[(4, 6, long)], &[(4, 4, "goes on")]), &format!("0123{long}6789"));
    // What is not in it overlaps and disagrees.
    check_conflict(BOTH, &parallel(TEN, &[(4, 6, long)], &[(4, 6, "gone on")]));
}

#[test]
fn an_insertion_elsewhere_is_refused_only_if_it_is_the_suggested_one_and_more() {
    let text = "aaxxbb";
    // Both could be after `xx`; that one has the letter of the other within it is chance.
    check(BOTH, &parallel(text, &[(2, 2, "x")], &[(4, 4, "max ")]), "aaxxxmax bb");
    check_conflict(BOTH, &parallel(text, &[(2, 2, "x")], &[(4, 4, "xy")]));
    check_conflict(BOTH, &parallel(text, &[(2, 2, "x")], &[(4, 4, "yx")]));
}

#[test]
fn a_suggestion_is_held_against_what_was_typed_as_it_was_given() {
    let lines = "1\n2\n3\n4\n";
    // Whole lines touch each other, and a line that is suggested unchanged is part of what is suggested.
    let touching = parallel(lines, &[(2, 4, "TWO\n")], &[(4, 6, "THREE\n")]);
    check_conflict(STRICT, &touching);
    check(LENIENT, &touching, "1\nTWO\nTHREE\n4\n");
    check_conflict(BOTH, &parallel(lines, &[(0, 6, "1\nTWO\n3\n")], &[(0, 1, "ONE")]));
    // Detail that is computed leaves only what really changes.
    for user in [(4, 6, "THREE\n"), (0, 1, "ONE")] {
        let both = if user.0 == 0 { "ONE\nTWO\n3\n4\n" } else { "1\nTWO\nTHREE\n4\n" };
        check(BOTH, &sequence(lines, &[(0, 6, "1\nTWO\n3\n")], &[user]), both);
    }
    // Nothing is changed by what is there already, so nothing is in its way.
    check_done(BOTH, &parallel(TEN, &[(4, 6, "45")], &[(3, 7, "new")]));
}

#[test]
fn a_suggestion_is_held_against_a_comparison_by_the_lines_that_it_really_changes() {
    let lines = "1\n2\n3\n4\n";
    let (second, third) = ((2, 4, "TWO\n"), (4, 6, "THREE\n"));
    for (ours, user) in [(second, third), (third, second), ((0, 4, "1\nTWO\n"), third)] {
        check(BOTH, &compared(lines, ours, user), "1\nTWO\nTHREE\n4\n");
    }
    // A line between two that went is one line, whoever takes it away.
    let gone = ((2, 4, ""), (4, 6, ""));
    for (ours, user) in [gone, (gone.1, gone.0)] {
        for case in [parallel(lines, &[ours], &[user]), compared(lines, ours, user)] {
            check_conflict(STRICT, &case);
            check(LENIENT, &case, "1\n4\n");
        }
    }
}

#[test]
fn the_first_selection_counts_and_none_is_no_check() {
    let mut case = sequence(ONE, &[ONE_TO_42], &[(0, 0, "// comment\n")]);
    case.window = Some(6..12);
    check(BOTH, &case, "// comment\nconst x = 42;");
    case.selections = vec![18..20, 0..0];
    check(BOTH, &case, "// comment\nconst x = 42;");
    case.selections = vec![0..0, 18..20];
    let outside = ReapplyOutcome::OutsideWindow { window: 17..23, selection: 0..0 };
    assert_eq!(case.outcome(AgreementMode::Lenient).0, outside);
    // A selection that leads out of the window is not in it, whichever way it was made.
    for selection in [16..20, 20..24] {
        case.selections = vec![selection.clone()];
        assert!(
            matches!(case.outcome(AgreementMode::Strict).0, ReapplyOutcome::OutsideWindow { .. }),
            "{selection:?}"
        );
    }
}

/// One suggested replacement, with or without finer ones.
fn with_detail(detail: Option<&[(usize, usize, &str)]>, users: &[(usize, usize, &str)]) -> Case<'static> {
    let original = "a result";
    let detail = detail.map(super::cases::edit);
    let step = SuggestedStep { replacement: replacement(&(0, 8, "a result42")), detail };
    case(original, SuggestedSteps(vec![step]).compose(original.as_bytes()).unwrap(), users)
}

#[test]
fn detail_that_is_given_counts_and_detail_that_is_wrong_is_computed() {
    let first = [(2, 3, "R")];
    // Without detail the word is what changes, and somebody else changed it.
    check_conflict(BOTH, &with_detail(None, &first));
    check(BOTH, &with_detail(Some(&[(8, 8, "42")]), &first), "a Result42");
    check_conflict(BOTH, &with_detail(Some(&[(8, 8, "43")]), &first));
    check_conflict(BOTH, &with_detail(Some(&[(8, 99, "42")]), &first));
    // Who typed part of the word over the old one agrees with the word, and not with the end of it alone.
    let typed = [(3, 8, "")];
    check(BOTH, &with_detail(None, &typed), "a result42");
    check_conflict(STRICT, &with_detail(Some(&[(8, 8, "42")]), &typed));
}

#[test]
fn several_suggestions_keep_their_numbers() {
    let case = parallel(TEN, &[(1, 2, "a"), (4, 4, "b"), (8, 9, "c")], &[(4, 4, "b"), (6, 6, "new")]);
    let ReapplyOutcome::Rebased(left) = case.outcome(AgreementMode::Strict).0 else {
        panic!("it was rebased")
    };
    assert_eq!(left.replacements(), [Replacement::new(1..2, "a", 0), Replacement::new(12..13, "c", 2)]);
}

#[test]
fn steps_that_take_each_other_back_leave_nothing_to_do() {
    let steps = [(0, 1, "X"), (0, 1, "a")];
    check_done(BOTH, &sequence("a b", &steps, &[(2, 3, "c")]));
    check_done(BOTH, &sequence("a b", &steps, &[]));
    check(BOTH, &sequence("a b", &[steps[0], steps[1], (3, 3, "!")], &[]), "a b!");
}

#[test]
fn thousands_of_changes_within_one_replacement_agree() {
    let count = 4_000;
    let (old, new) = ("x\n".repeat(count), "xy\n".repeat(count));
    let typed: Vec<_> = (0..count).map(|line| (2 * line + 1, 2 * line + 1, "y")).collect();
    check_done(LENIENT, &parallel(&old, &[(0, old.len(), &new)], &typed));
    check(LENIENT, &parallel(&old, &[(0, old.len(), &new)], &typed[..count / 2]), &new);
    // In strict mode agreement ends ten characters into the new text.
    check_conflict(STRICT, &parallel(&old, &[(0, old.len(), &new)], &typed));
}

#[test]
fn changes_that_are_looked_for_in_vain_too_long_disagree() {
    // Each deleted line is looked for in the whole new text.
    let old: String = (0..4_000).map(|line| format!("old {line}\n")).collect();
    let new = "something else\n".repeat(40_000);
    let deleted = |every: usize| -> Vec<_> {
        let mut at = 0;
        let lines = old.split_inclusive('\n').enumerate();
        let all = lines.map(|(line, text)| {
            at += text.len();
            (line, (at - text.len(), at, ""))
        });
        all.filter(|(line, _)| line % every == 1).map(|(_, gone)| gone).collect()
    };
    check(LENIENT, &parallel(&old, &[(0, old.len(), &new)], &deleted(400)), &new);
    check_conflict(LENIENT, &parallel(&old, &[(0, old.len(), &new)], &deleted(2)));
}
