//! What each kind of edit does to places, before any answer.

use postil_live::{LiveDocument, LiveRange, PlacesMoved};

use crate::sample::{Said, T, U, at, lines, opened, place, text};

/// A change of some lines.
type Edit<'a> = &'a dyn Fn(&mut Vec<String>);

/// Changes the lines step by step, and expects the places of both threads after each step.
fn check(what: &str, steps: &[(Edit<'_>, &str, &str)]) {
    let mut document = opened();
    let mut now = lines();
    for (nth, (edit, first, second)) in steps.iter().enumerate() {
        edit(&mut now);
        document.change(text(&now));
        let found = (place(&document, "t"), place(&document, "u"));
        assert_eq!(found, ((*first).to_owned(), (*second).to_owned()), "{what}, step {}", nth + 1);
    }
}

fn restore(now: &mut Vec<String>) {
    *now = lines();
}

#[test]
fn lines_above_move_a_thread() {
    check("a line inserted above", &[(&|now| now.insert(3, "new".into()), "11", "21")]);
    check("two lines above deleted", &[(&|now| drop(now.drain(3..5)), "8", "18")]);
    check(
        "enter at the beginning of the line",
        &[(&|now| now.insert(T as usize, String::new()), "11", "21")],
    );
    check("enter at the end of the line", &[(&|now| now.insert(T as usize + 1, String::new()), "10", "21")]);
}

#[test]
fn an_edited_line_stays_and_an_undo_restores_it() {
    check("a letter typed", &[(&|now| now[10].insert(8, 'x'), "10 edited", "20"), (&restore, "10", "20")]);
    check("indented", &[(&|now| now[10].insert_str(0, "    "), "10 edited", "20")]);
    check(
        "split in its middle",
        &[(
            &|now| {
                let rest = now[10].split_off(24);
                now.insert(11, rest);
            },
            "10 edited",
            "21",
        )],
    );
    check(
        "joined with the next line",
        &[(
            &|now| {
                let next = now.remove(11);
                now[10].push_str(next.trim_start());
            },
            "10 edited",
            "19",
        )],
    );
}

#[test]
fn a_deleted_line_leaves_a_ghost_that_an_undo_or_a_paste_brings_back() {
    let delete: Edit<'_> = &|now| drop(now.remove(10));
    check("deleted, undone", &[(delete, "gone at 9", "19"), (&restore, "10", "20")]);
    check(
        "cut, pasted far below",
        &[(delete, "gone at 9", "19"), (&|now| now.insert(49, lines()[10].clone()), "49", "19")],
    );
    check(
        "cut, typed elsewhere, pasted above",
        &[
            (delete, "gone at 9", "19"),
            (&|now| now.insert(30, "typed".into()), "gone at 9", "19"),
            (&|now| now.insert(2, "typed".into()), "gone at 10", "20"),
            (&|now| now.insert(0, lines()[10].clone()), "0", "21"),
        ],
    );
}

#[test]
fn a_line_moved_in_one_change_is_followed() {
    check("up by one", &[(&|now| now.swap(9, 10), "9", "20"), (&restore, "10", "20")]);
    check("down by one", &[(&|now| now.swap(10, 11), "11", "20")]);
    check("a block up", &[(&|now| now[5..12].rotate_left(5), "5", "20")]);
}

#[test]
fn a_copy_is_not_the_line_until_the_line_is_gone() {
    check("duplicated below", &[(&|now| now.insert(11, lines()[10].clone()), "10", "21")]);
    check(
        "copied four lines below, the first one deleted",
        &[
            (&|now| now.insert(14, lines()[10].clone()), "10", "21"),
            (&|now| drop(now.remove(10)), "13", "20"),
        ],
    );
}

#[test]
fn everything_replaced_and_undone_is_as_before() {
    check(
        "all selected, one letter typed",
        &[(&|now| *now = vec!["x".into()], "gone at 0", "gone at 0"), (&restore, "10", "20")],
    );
    let mut document = opened();
    document.change(String::new());
    document.change(text(&lines()));
    assert_eq!((place(&document, "t"), place(&document, "u")), ("10".into(), "20".into()));
}

#[test]
fn a_reformatted_document_is_followed_line_by_line() {
    check(
        "every second line indented, as one replacement",
        &[(
            &|now| now.iter_mut().step_by(2).for_each(|line| line.insert_str(0, "  ")),
            "10 edited",
            "20 edited",
        )],
    );
    check(
        "several cursors",
        &[(
            &|now| [5, 10, 15].into_iter().for_each(|line: usize| now[line].push_str(" //")),
            "10 edited",
            "20",
        )],
    );
}

#[test]
fn a_range_grows_with_what_is_put_inside_it() {
    let mut document = LiveDocument::open(text(&lines()));
    let (revision, _) = document.ask();
    document.answer(revision, vec![at("t", 10..15)]);
    let mut now = lines();
    now.insert(12, "inside".into());
    document.change(text(&now));
    assert_eq!(place(&document, "t"), "10-15 edited");
    now.insert(16, "right behind".into());
    now.insert(10, "right before".into());
    document.change(text(&now));
    assert_eq!(place(&document, "t"), "11-16 edited");
}

#[test]
fn a_part_of_a_line_keeps_to_its_words() {
    let part = |columns| Said {
        id: "t",
        range: Some(LiveRange { lines: 1..2, columns: Some(columns) }),
        orphaned: false,
    };
    let columns = |line: &str, next: &str, columns: (u32, u32)| {
        let mut document = LiveDocument::open(format!("first\n{line}\nlast\n"));
        let (revision, _) = document.ask();
        document.answer(revision, vec![part(columns)]);
        document.change(format!("first\n{next}\nlast\n"));
        let place = document.threads()[0].place.clone();
        let Some(postil_live::LivePlace::BeingEdited(range)) = place else { panic!("{place:?}") };
        let (start, end) = range.columns?;
        Some(next[start as usize..end as usize].to_owned())
    };
    let words = "let total = add(one, two);";
    assert_eq!(columns(words, "let grand_total = add(one, two);", (12, 15)), Some("add".into()));
    assert_eq!(columns(words, "let total = add(one, two, three);", (12, 15)), Some("add".into()));
    assert_eq!(columns(words, "let total = xadd(one, two);", (12, 15)), Some("add".into()));
    assert_eq!(columns(words, "let total = addx(one, two);", (12, 15)), Some("add".into()));
    assert_eq!(columns(words, "let total = aXdd(one, two);", (12, 15)), Some("aXdd".into()));
    assert_eq!(columns("é𝄞 = add(é)", "é𝄞é = add(é)", (9, 12)), Some("add".into()));
}

#[test]
fn it_is_said_whether_anything_moved() {
    let moved = |edit: Edit<'_>| {
        let (mut document, mut now) = (opened(), lines());
        edit(&mut now);
        document.change(text(&now))
    };
    assert_eq!(moved(&|_| {}), PlacesMoved::Nothing);
    assert_eq!(moved(&|now| now[30].push('x')), PlacesMoved::Nothing);
    assert_eq!(moved(&|now| now.push("below".into())), PlacesMoved::Nothing);
    assert_eq!(moved(&|now| now[10].push('x')), PlacesMoved::Something);
    assert_eq!(moved(&|now| now.insert(0, "above".into())), PlacesMoved::Something);
    assert_eq!(moved(&|now| drop(now.remove(10))), PlacesMoved::Something);
}

#[test]
fn nothing_moves_if_nothing_changes() {
    let mut document = opened();
    document.change(text(&lines()));
    assert_eq!((place(&document, "t"), place(&document, "u")), (T.to_string(), U.to_string()));
}
