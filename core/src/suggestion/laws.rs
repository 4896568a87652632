//! The laws of carrying suggestions along, for texts whose lines and words are distinct.

use proptest::prelude::*;

use super::carry::{CarriedEdit, carry};
use crate::edit::{AgreementMode, Grain, TextEdit};

type WordLine = Vec<String>;

/// What one side does: to a word of a line, or to whole ones.
#[derive(Clone, Debug)]
enum LineEdit {
    Word(usize, usize),
    Rewrite(usize),
    Insert(usize),
    Delete(usize),
}

fn change() -> impl Strategy<Value = LineEdit> {
    prop_oneof![
        4 => (0..9_usize, 0..6_usize).prop_map(|(line, word)| LineEdit::Word(line, word)),
        1 => (0..9_usize).prop_map(LineEdit::Rewrite),
        1 => (0..9_usize).prop_map(LineEdit::Insert),
        1 => (0..9_usize).prop_map(LineEdit::Delete),
    ]
}

/// A line of six words that are nowhere else.
fn line(side: &str, number: usize) -> WordLine {
    (0..6).map(|word| format!("{side}{number}.{word}")).collect()
}

fn changed(count: usize, changes: &[LineEdit], side: &str) -> String {
    let mut lines: Vec<WordLine> = (0..count).map(|number| line("old", number)).collect();
    for (number, change) in changes.iter().enumerate() {
        match change {
            LineEdit::Word(at, word) if *at < lines.len() => lines[*at][*word] = format!("{side}{number}"),
            LineEdit::Rewrite(at) if *at < lines.len() => lines[*at] = line(side, number),
            LineEdit::Insert(at) => lines.insert((*at).min(lines.len()), line(side, number)),
            LineEdit::Delete(at) if *at < lines.len() => drop(lines.remove(*at)),
            _ => {}
        }
    }
    lines.iter().map(|line| line.join(" ") + "\n").collect()
}

fn changes(most: usize) -> impl Strategy<Value = Vec<LineEdit>> {
    proptest::collection::vec(change(), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_applied_is_done(count in 3..9_usize, ours in changes(3), users in changes(5)) {
        let texts = [(&[][..], ""), (&ours, "new"), (&users, "user")];
        let [base, wanted, current] = texts.map(|(changes, side)| changed(count, changes, side));
        let edit = TextEdit::from_diff(base.as_bytes(), wanted.as_bytes(), Grain::Line);
        for mode in [AgreementMode::Strict, AgreementMode::Lenient] {
            let carried = carry(base.as_bytes(), &edit, current.as_bytes(), mode).unwrap();
            let CarriedEdit::Left(left) = carried else { continue };
            let applied = left.apply(current.as_bytes()).unwrap();
            let again = carry(base.as_bytes(), &edit, &applied, mode).unwrap();
            // What was put beside something else in lenient mode cannot always be told from it, but is never put there
            // a second time.
            let is_right = again == CarriedEdit::Done || (mode == AgreementMode::Lenient && !matches!(again, CarriedEdit::Left(_)));
            prop_assert!(is_right, "{:?}: {:?}\n{}", mode, again, String::from_utf8_lossy(&applied));
        }
    }
}
