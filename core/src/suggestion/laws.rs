//! The laws of carrying suggestions along, for texts whose lines and words can be told apart.

use proptest::prelude::*;

use super::carry::{Carried, carry};
use crate::edit::{Grain, Mode, TextEdit};

type Line = Vec<String>;

/// What one side does: to a word of a line, or to whole ones.
#[derive(Clone, Debug)]
enum Change {
    Word(usize, usize),
    Rewrite(usize),
    Insert(usize),
    Delete(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..9_usize, 0..6_usize).prop_map(|(line, word)| Change::Word(line, word)),
        1 => (0..9_usize).prop_map(Change::Rewrite),
        1 => (0..9_usize).prop_map(Change::Insert),
        1 => (0..9_usize).prop_map(Change::Delete),
    ]
}

/// A line of six words that stand nowhere else.
fn line(side: &str, number: usize) -> Line {
    (0..6).map(|word| format!("{side}{number}.{word}")).collect()
}

fn changed(count: usize, changes: &[Change], side: &str) -> String {
    let mut lines: Vec<Line> = (0..count).map(|number| line("old", number)).collect();
    for (number, change) in changes.iter().enumerate() {
        match change {
            Change::Word(at, word) if *at < lines.len() => lines[*at][*word] = format!("{side}{number}"),
            Change::Rewrite(at) if *at < lines.len() => lines[*at] = line(side, number),
            Change::Insert(at) => lines.insert((*at).min(lines.len()), line(side, number)),
            Change::Delete(at) if *at < lines.len() => drop(lines.remove(*at)),
            _ => {}
        }
    }
    lines.iter().map(|line| line.join(" ") + "\n").collect()
}

fn changes(most: usize) -> impl Strategy<Value = Vec<Change>> {
    proptest::collection::vec(change(), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_applied_is_done(count in 3..9_usize, ours in changes(3), users in changes(5)) {
        let texts = [(&[][..], ""), (&ours, "new"), (&users, "user")];
        let [base, wanted, current] = texts.map(|(changes, side)| changed(count, changes, side));
        let edit = TextEdit::from_diff(base.as_bytes(), wanted.as_bytes(), Grain::Line);
        for mode in [Mode::Strict, Mode::Lenient] {
            let carried = carry(base.as_bytes(), &edit, current.as_bytes(), mode).unwrap();
            let Carried::Left(left) = carried else { continue };
            let applied = left.apply(current.as_bytes()).unwrap();
            let again = carry(base.as_bytes(), &edit, &applied, mode).unwrap();
            // What was put beside something else in lenient mode cannot always be told from it, but is never put there
            // a second time.
            let is_right = again == Carried::Done || (mode == Mode::Lenient && !matches!(again, Carried::Left(_)));
            prop_assert!(is_right, "{:?}: {:?}\n{}", mode, again, String::from_utf8_lossy(&applied));
        }
    }
}
