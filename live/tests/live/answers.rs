//! What answers of the service do to a document that goes on changing.

use postil_live::{AfterAnswer, LiveDocument};
use proptest::prelude::*;

use crate::sample::{Said, at, lines, opened, orphaned, place, text};

#[test]
fn an_answer_is_carried_over_what_was_typed_meanwhile() {
    let mut document = opened();
    let mut now = lines();
    now.remove(3);
    document.change(text(&now));
    let (revision, _) = document.ask();
    now.insert(0, "typed while the service looks".into());
    document.change(text(&now));
    let next = document.answer(revision, vec![at("t", 9..10), at("u", 19..20)]);
    assert_eq!(next, AfterAnswer::AskAgain);
    assert_eq!((place(&document, "t"), place(&document, "u")), ("10".into(), "20".into()));
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, vec![at("t", 10..11), at("u", 20..21)]), AfterAnswer::Done);
}

#[test]
fn an_answer_to_an_older_question_is_left_out() {
    let mut document = opened();
    let (old, _) = document.ask();
    document.change("something else\n");
    document.ask();
    assert_eq!(document.answer(old, vec![at("t", 0..1)]), AfterAnswer::AskAgain);
    assert_eq!(place(&document, "t"), "gone at 0");
}

#[test]
fn a_thread_is_orphaned_only_after_a_second_look() {
    let mut document = opened();
    let mut now = lines();
    now.remove(10);
    document.change(text(&now));
    let lost = || vec![orphaned("t"), at("u", 19..20)];
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, lost()), AfterAnswer::AskAgain);
    assert!(!document.threads()[0].verified.orphaned);
    assert_eq!(place(&document, "t"), "gone at 9");
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, lost()), AfterAnswer::Done);
    assert!(document.threads()[0].verified.orphaned);
    // An undo brings back the very answer.
    document.change(text(&lines()));
    assert_eq!(document.threads()[0].verified, at("t", 10..11));
}

#[test]
fn a_key_after_the_first_look_begins_it_anew() {
    let mut document = opened();
    let mut now = lines();
    now.remove(10);
    document.change(text(&now));
    let (revision, _) = document.ask();
    document.answer(revision, vec![orphaned("t"), at("u", 19..20)]);
    now.push("typed".into());
    document.change(text(&now));
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, vec![orphaned("t"), at("u", 19..20)]), AfterAnswer::AskAgain);
}

#[test]
fn a_document_that_was_just_opened_shows_orphans_at_once() {
    let mut document = LiveDocument::open(text(&lines()));
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, vec![orphaned("t")]), AfterAnswer::Done);
    assert!(document.threads()[0].verified.orphaned);
}

#[test]
fn a_thread_that_an_answer_does_not_name_is_gone() {
    let mut document = opened();
    let (revision, _) = document.ask();
    assert_eq!(document.answer(revision, vec![at("u", 20..21)]), AfterAnswer::Done);
    assert_eq!(document.threads().len(), 1);
}

#[test]
fn answers_are_forgotten_if_something_else_than_the_text_changed() {
    let mut document = opened();
    document.forget_answers();
    document.change("x\n");
    document.change(text(&lines()));
    // Brought back by the ghosts alone.
    assert_eq!((place(&document, "t"), place(&document, "u")), ("10".into(), "20".into()));
}

/// What a service says, as a function of the text alone: the only line that says so.
fn said(text: &str) -> Vec<Said> {
    let find = |id: &'static str, line: u32| {
        let wanted = &lines()[line as usize];
        let mut found = text.lines().enumerate().filter(|(_, line)| line == wanted).map(|(at, _)| at as u32);
        match (found.next(), found.next()) {
            (Some(line), None) => at(id, line..line + 1),
            _ => orphaned(id),
        }
    };
    vec![find("t", 10), find("u", 20)]
}

/// One change of a text.
fn change() -> impl Strategy<Value = (usize, usize, Vec<usize>)> {
    (0..60_usize, 0..4_usize, proptest::collection::vec(0..60_usize, 0..4))
}

proptest! {
    #[test]
    fn whatever_way_led_to_a_text_its_answer_is_that_of_a_fresh_document(
        changes in proptest::collection::vec((change(), any::<bool>(), any::<bool>()), 0..12)
    ) {
        let mut document = opened();
        let mut now = lines();
        let mut earlier = Vec::new();
        for ((from, count, added), is_undo, is_asked) in changes {
            if is_undo && !earlier.is_empty() {
                now = earlier.pop().expect("there is one");
            } else {
                earlier.push(now.clone());
                let from = from.min(now.len());
                let to = (from + count).min(now.len());
                now.splice(from..to, added.into_iter().map(|line| lines()[line].clone()));
            }
            document.change(text(&now));
            if is_asked {
                let (revision, _) = document.ask();
                document.answer(revision, said(&text(&now)));
            }
            // Every place is inside the text.
            for thread in document.threads() {
                if let Some(place) = &thread.place {
                    prop_assert!(place.line() < document.text().len().max(1));
                }
            }
        }
        for _ in 0..3 {
            let (revision, _) = document.ask();
            if document.answer(revision, said(&text(&now))) == AfterAnswer::Done {
                break;
            }
        }
        let mut fresh = LiveDocument::open(text(&now));
        let (revision, _) = fresh.ask();
        fresh.answer(revision, said(&text(&now)));
        let shown = |document: &LiveDocument<Said>| {
            document.threads().iter().map(|thread| (thread.verified.clone(), thread.place.clone())).collect::<Vec<_>>()
        };
        prop_assert_eq!(shown(&document), shown(&fresh));
    }
}
