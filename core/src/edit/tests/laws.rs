//! The laws of edits, for edits of every shape.
//!
//! The alphabet is small, so that edits meet, agree and repeat often.

use std::ops::Range;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::edit::{
    AgreementMode, AutoClose, EditOrigin, Grain, ReapplyOutcome, ReapplyRequest, Replacement, Rules,
    Swallowed, TextEdit, rebase,
};

/// A text of few different characters, some of them of several bytes.
fn text(longest: usize) -> impl Strategy<Value = String> {
    let one = proptest::sample::select(vec!['a', 'b', '\n', '(', ')', 'é']);
    proptest::collection::vec(one, 0..longest).prop_map(|characters| characters.into_iter().collect())
}

/// Cuts a text at some of its characters, and replaces some of the parts.
fn edit_of(content: &str) -> impl Strategy<Value = TextEdit> + use<> {
    let ends: Vec<usize> = content.char_indices().map(|(at, _)| at).chain([content.len()]).collect();
    let cut = (0..ends.len(), 0..4_usize, text(5));
    proptest::collection::vec(cut, 0..5).prop_map(move |cuts| {
        let mut cuts: Vec<_> = cuts
            .into_iter()
            .map(|(start, length, text)| {
                Replacement::new(ends[start]..ends[(start + length).min(ends.len() - 1)], text, ())
            })
            .collect();
        cuts.sort_by_key(|cut| (cut.start(), cut.end()));
        let mut kept: Vec<Replacement> = Vec::new();
        for cut in cuts {
            if kept.last().is_none_or(|last| last.end() <= cut.start()) {
                kept.push(cut);
            }
        }
        TextEdit::new(kept).unwrap()
    })
}

fn content_and_edit() -> impl Strategy<Value = (String, TextEdit)> {
    text(16).prop_flat_map(|content| (Just(content.clone()), edit_of(&content)))
}

fn content_and_two() -> impl Strategy<Value = (String, TextEdit, TextEdit)> {
    text(16).prop_flat_map(|content| (Just(content.clone()), edit_of(&content), edit_of(&content)))
}

/// Lines, and for each side new text for some of them; no line is rewritten by both.
fn rewritten_lines() -> impl Strategy<Value = (Vec<String>, Vec<(Side, String)>)> {
    let lines = || proptest::collection::vec("[ab (é]{0,4}", 1..7);
    let sides = prop_oneof![Just(Side::Neither), Just(Side::Ours), Just(Side::Users)];
    lines().prop_flat_map(move |lines| {
        let rewritten = proptest::collection::vec((sides.clone(), "[ab (é]{0,4}"), lines.len());
        (Just(lines), rewritten)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Neither,
    Ours,
    Users,
}

/// The lines that one side rewrote, each replaced as a whole.
fn rewrites(lines: &[String], rewritten: &[(Side, String)], by: Side) -> TextEdit {
    let mut at = 0;
    let all = lines.iter().zip(rewritten).map(|(line, (side, text))| {
        at += line.len() + 1;
        (*side, Replacement::new(at - line.len() - 1..at, format!("{text}\n"), ()))
    });
    TextEdit::new(all.filter(|(side, _)| *side == by).map(|(_, rewrite)| rewrite).collect()).unwrap()
}

/// Whether an insertion changes the text in the same way from another place.
fn means_the_same_at(content: &str, insertion: &Replacement, at: usize) -> bool {
    let (content, length) = (content.as_bytes(), insertion.text().len());
    let result = TextEdit::single(insertion.clone()).apply(content).unwrap();
    result[..at] == content[..at] && result[at + length..] == content[at..]
}

/// Whether one side typed, at an end of a replacement of the other, what is in its text.
fn began_at_an_end(one: &TextEdit, other: &TextEdit, auto_close: AutoClose) -> bool {
    one.replacements().iter().filter(|typed| typed.is_insertion()).any(|typed| {
        let mut touched = other.replacements().iter().filter(|whole| {
            !whole.is_insertion() && (whole.start() == typed.start() || whole.end() == typed.start())
        });
        touched.any(|whole| holds(whole.text(), typed.text(), auto_close))
    })
}

/// Whether `part` is in a text; of a pair that an editor closed the halves may be apart.
fn holds(text: &[u8], part: &[u8], auto_close: AutoClose) -> bool {
    let mut rest = text.iter();
    let apart = auto_close == AutoClose::Absorb && part.len() == 2;
    (apart && part.iter().all(|half| rest.any(|byte| byte == half)))
        || text.windows(part.len()).any(|window| window == part)
}

fn modes() -> impl Strategy<Value = Rules> {
    let modes = prop_oneof![Just(AgreementMode::Strict), Just(AgreementMode::Lenient)];
    let auto = prop_oneof![Just(AutoClose::Typed), Just(AutoClose::Absorb)];
    let origins = prop::sample::select(vec![EditOrigin::Typed, EditOrigin::Compared]);
    (modes, auto, origins).prop_map(|(mode, auto_close, origin)| Rules { mode, auto_close, origin })
}

fn applied(edit: &TextEdit, content: &str) -> String {
    String::from_utf8(edit.apply(content.as_bytes()).unwrap()).expect("edits cut no character in two")
}

/// Where the bytes are that an edit brought, in its result.
fn brought(edit: &TextEdit) -> Vec<Range<usize>> {
    let inverse = edit.invert(&vec![b' '; edit.replacements().last().map_or(0, Replacement::end)]).unwrap();
    inverse.replacements().iter().map(Replacement::range).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn composing_is_doing_one_after_the_other((content, first) in content_and_edit(), seed in any::<u64>()) {
        let middle = applied(&first, &content);
        let second = edit_from(seed, &middle);
        let composed = first.compose(&second);
        prop_assert_eq!(applied(&composed, &content), applied(&second, &middle));
    }

    #[test]
    fn composing_is_associative((content, first) in content_and_edit(), seeds in any::<(u64, u64)>()) {
        let second = edit_from(seeds.0, &applied(&first, &content));
        let third = edit_from(seeds.1, &applied(&first.compose(&second), &content));
        prop_assert_eq!(first.compose(&second).compose(&third), first.compose(&second.compose(&third)));
    }

    #[test]
    fn inverting_undoes((content, edit) in content_and_edit()) {
        let inverse = edit.invert(content.as_bytes()).unwrap();
        prop_assert_eq!(applied(&inverse, &applied(&edit, &content)), content);
    }

    #[test]
    fn normalising_changes_no_result((content, edit) in content_and_edit()) {
        let normal = edit.normalise(content.as_bytes()).unwrap();
        prop_assert_eq!(applied(&normal, &content), applied(&edit, &content));
        prop_assert_eq!(normal.normalise(content.as_bytes()).unwrap(), normal);
    }

    #[test]
    fn a_diff_leads_from_one_text_to_the_other(old in text(40), new in text(40)) {
        for grain in [Grain::Line, Grain::Word, Grain::Character] {
            prop_assert_eq!(&applied(&TextEdit::from_diff(old.as_bytes(), new.as_bytes(), grain), &old), &new);
        }
    }

    #[test]
    fn either_side_can_go_first((content, ours, users) in content_and_two(), rules in modes()) {
        // What changes nothing may be there on one side and not on the other.
        let ours = ours.normalise(content.as_bytes()).unwrap();
        let users = users.normalise(content.as_bytes()).unwrap();
        let there = rebase(content.as_bytes(), &ours, &users, rules).unwrap();
        let back = rebase(content.as_bytes(), &users, &ours, rules).unwrap();
        // In lenient mode who began to type the other's text agrees with it, seen from the other's side; seen from
        // the own side the other only touches, and stays beside.
        let one_sided = rules.mode == AgreementMode::Lenient
            && (began_at_an_end(&ours, &users, rules.auto_close) || began_at_an_end(&users, &ours, rules.auto_close));
        if let (Ok(there), Ok(back), false) = (there, back, one_sided) {
            let ours_last = applied(&there, &applied(&users, &content));
            let users_last = applied(&back, &applied(&ours, &content));
            prop_assert_eq!(ours_last, users_last);
        }
        let there = ours.transform(&users, Swallowed::Refuse);
        let back = users.transform(&ours, Swallowed::Refuse);
        if let (Some(there), Some(back)) = (there, back) {
            let ours_last = applied(&there, &applied(&users, &content));
            let users_last = applied(&back, &applied(&ours, &content));
            prop_assert_eq!(ours_last, users_last);
        }
    }

    #[test]
    fn neighbouring_lines_can_be_rewritten_in_either_order(
        (lines, rewritten) in rewritten_lines(), rules in modes()
    ) {
        // What was typed is held against whole lines that are suggested, and those touch each other.
        let rules = Rules { origin: EditOrigin::Compared, ..rules };
        let content: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let both: String = lines.iter().zip(&rewritten).map(|(line, (side, text))| {
            format!("{}\n", if *side == Side::Neither { line } else { text })
        }).collect();
        let (ours, users) = (rewrites(&lines, &rewritten, Side::Ours), rewrites(&lines, &rewritten, Side::Users));
        for (first, last) in [(&ours, &users), (&users, &ours)] {
            let left = rebase(content.as_bytes(), last, first, rules).unwrap();
            let left = left.map_err(|conflict| TestCaseError::fail(conflict.to_string()))?;
            prop_assert_eq!(&applied(&left, &applied(first, &content)), &both);
        }
    }

    #[test]
    fn what_lies_apart_only_moves((content, ours, users) in content_and_two(), rules in modes()) {
        let users = users.normalise(content.as_bytes()).unwrap();
        let apart = users.into_replacements().into_iter().filter(|user| {
            ours.replacements().iter().all(|ours| {
                let meets = user.start() <= ours.end() && ours.start() <= user.end();
                // Of two insertions, one may mean the same in the place of the other.
                let both_insert = ours.is_insertion() && user.is_insertion();
                let same = both_insert && (
                    means_the_same_at(&content, ours, user.start())
                        || means_the_same_at(&content, user, ours.start())
                );
                !meets && !same
            })
        });
        let users = TextEdit::new(apart.collect()).unwrap();
        let current = applied(&users, &content);
        let moved = ours.transform(&users, Swallowed::Refuse).unwrap();
        let left = rebase(content.as_bytes(), &ours, &users, rules).unwrap().unwrap();
        prop_assert_eq!(left, moved.normalise(current.as_bytes()).unwrap());
    }

    #[test]
    fn no_character_that_the_user_typed_is_lost((content, ours, users) in content_and_two(), rules in modes()) {
        let users = users.normalise(content.as_bytes()).unwrap();
        if let Ok(left) = rebase(content.as_bytes(), &ours, &users, rules).unwrap() {
            for typed in brought(&users).into_iter().filter(|typed| !typed.is_empty()) {
                for ours in left.replacements().iter().filter(|ours| !ours.is_insertion()) {
                    prop_assert!(ours.end() <= typed.start || typed.end <= ours.start(), "{:?} {:?}", ours, typed);
                }
            }
        }
    }

    #[test]
    fn without_a_users_edit_everything_is_left_to_do((content, ours) in content_and_edit(), rules in modes()) {
        let left = rebase(content.as_bytes(), &ours, &TextEdit::nothing(), rules).unwrap().unwrap();
        prop_assert_eq!(applied(&left, &content), applied(&ours, &content));
    }

    #[test]
    fn who_did_all_of_it_is_done((content, ours) in content_and_edit(), rules in modes()) {
        // Replacements that touch would be told apart by nothing that the user's own edit says.
        let ours = ours.normalise(content.as_bytes()).unwrap();
        let current = ours.apply(content.as_bytes()).unwrap();
        let suggested = ours.clone().map_data(|index, ()| index);
        let request = ReapplyRequest {
            original: content.as_bytes(), window: None, suggested: &suggested, users: &ours,
            current: &current, selections: &[], rules,
        };
        prop_assert_eq!(request.outcome().unwrap(), ReapplyOutcome::Done);
    }
}

/// A second edit cannot be a strategy of its own: it depends on the result of the first.
fn edit_from(seed: u64, content: &str) -> TextEdit {
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        ProptestConfig::default(),
        proptest::test_runner::TestRng::from_seed(
            proptest::test_runner::RngAlgorithm::ChaCha,
            &seed.to_le_bytes().repeat(4),
        ),
    );
    edit_of(content).new_tree(&mut runner).expect("the strategy rejects nothing").current()
}
