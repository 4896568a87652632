//! What must hold of rebased edits, whatever text and edits they are of.

use postil_core::edit::{
    AgreementMode, AutoClose, EditOrigin, Replacement, Rules, Swallowed, TextEdit, rebase as rebase_edits,
};

/// Takes a text and two edits of it out of `data`, and carries each over the other.
///
/// Panics where a law of edits does not hold.
pub fn rebase(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let (length, rest) = rest.split_first().map_or((0, rest), |(length, rest)| (usize::from(*length), rest));
    let (content, rest) = rest.split_at(length.min(rest.len()));
    let (ours, users) = edits(rest, content);
    let mode = if choice & 1 == 0 { AgreementMode::Strict } else { AgreementMode::Lenient };
    let auto_close = if choice & 2 == 0 { AutoClose::Typed } else { AutoClose::Absorb };
    let origin = if choice & 4 == 0 { EditOrigin::Typed } else { EditOrigin::Compared };
    let rules = Rules { mode, auto_close, origin };
    laws(content, &ours, &users, rules);
}

fn laws(content: &[u8], ours: &TextEdit, users: &TextEdit, rules: Rules) {
    let apply = |edit: &TextEdit, content: &[u8]| edit.apply(content).expect("it fits");
    let (suggested, current) = (apply(ours, content), apply(users, content));
    let undone = ours.invert(content).expect("it fits");
    assert_eq!(apply(&undone, &suggested), content, "inverting undoes");
    assert_eq!(apply(&ours.compose(&undone), content), content, "doing and undoing is nothing");

    let there = rebase_edits(content, ours, users, rules).expect("both fit");
    let back = rebase_edits(content, users, ours, rules).expect("both fit");
    if let Ok(left) = &there {
        let typed = users.invert(content).expect("it fits");
        for typed in typed.replacements().iter().filter(|typed| !typed.is_insertion()) {
            for ours in left.replacements().iter().filter(|ours| !ours.is_insertion()) {
                assert!(ours.end() <= typed.start() || typed.end() <= ours.start(), "typed text is lost");
            }
        }
        // In lenient mode who began to type the other's text agrees with it, seen from the other's side; seen from the
        // own side the other only touches, and stays beside.
        let auto = rules.auto_close;
        let one_sided = rules.mode == AgreementMode::Lenient
            && (began_at_an_end(ours, users, auto) || began_at_an_end(users, ours, auto));
        if let (Ok(back), false) = (&back, one_sided) {
            assert_eq!(apply(left, &current), apply(back, &suggested), "either side can go first");
        }
    }
    let there = ours.transform(users, Swallowed::Refuse);
    let back = users.transform(ours, Swallowed::Refuse);
    if let (Some(there), Some(back)) = (there, back) {
        assert_eq!(apply(&there, &current), apply(&back, &suggested), "either side can go first");
    }
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

/// Each edit is four bytes (whose, from where, how far, how much text) and its text; what does not fit is cut.
fn edits(mut data: &[u8], content: &[u8]) -> (TextEdit, TextEdit) {
    let mut sides = [(0, Vec::new()), (0, Vec::new())];
    while let [whose, skip, length, text, rest @ ..] = data {
        let (text, rest) = rest.split_at(usize::from(text % 16).min(rest.len()));
        let (at, side) = &mut sides[usize::from(whose & 1)];
        let start = (*at + usize::from(skip % 32)).min(content.len());
        let end = (start + usize::from(length % 16)).min(content.len());
        side.push(Replacement::new(start..end, text, ()));
        *at = end;
        data = rest;
    }
    let [ours, users] = sides.map(|(_, side)| {
        let edit = TextEdit::new(side).expect("each begins where the one before ended");
        edit.normalise(content).expect("all were cut to fit")
    });
    (ours, users)
}
