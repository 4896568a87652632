//! Carries a suggested edit of one text over everything that happened to the text since.
//!
//! Coarse first: if nothing else touched the same lines, whole lines are moved. Only then are words looked at, and last
//! whether the lines were moved as they are.

use std::ops::Range;

use crate::edit::{AgreementMode, AutoClose, Conflict, EditError, EditOrigin, Rules, Text, TextEdit, rebase};

use super::already_done::is_done;
use super::changes_since::{by_lines, changes_since};
use super::conflict_marks::{Marked, MarkedSection};
use super::line_ends::ended_like;
use super::moved_lines::moved;

/// What is left of a suggested edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CarriedEdit {
    /// What is left to do, over the current text.
    Left(TextEdit),
    /// All of it was done.
    Done,
    /// Something else was done in the same place.
    Conflict(SuggestionConflict),
    /// Both sides are in its place, between conflict marks, and neither was chosen.
    Marked(MarkedSection),
}

/// Where a suggestion and what happened since meet, and do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestionConflict {
    /// The lines that the suggestion expects.
    pub expected: Vec<Vec<u8>>,
    /// The lines that are there now.
    pub actual: Vec<Vec<u8>>,
    /// The first of those, counted from one.
    pub line: usize,
    /// What was suggested there and what was typed instead, by bytes of the text that the suggestion was made for,
    /// with its lines ended as they are now.
    pub conflict: Conflict<()>,
}

/// Carries `edit`, which was made for `base`, over to `current`.
///
/// Fails for an edit that does not fit `base`.
pub fn carry(
    base: &[u8],
    edit: &TextEdit,
    current: &[u8],
    mode: AgreementMode,
) -> Result<CarriedEdit, EditError> {
    match Marked::of(current) {
        Some(marked) => Ok(marked.carried(carry_over(base, edit, &marked.yours, mode)?)),
        None => carry_over(base, edit, current, mode),
    }
}

fn carry_over(
    base: &[u8],
    edit: &TextEdit,
    current: &[u8],
    mode: AgreementMode,
) -> Result<CarriedEdit, EditError> {
    let wanted = edit.apply(base)?;
    if current == wanted {
        return Ok(CarriedEdit::Done);
    }
    if current == base {
        return Ok(CarriedEdit::Left(edit.normalise(base)?));
    }
    let (base, wanted) = ended_as_now(base, wanted, current);
    if is_done(&base, &wanted, current)? {
        return Ok(CarriedEdit::Done);
    }
    let rules = Rules { mode, auto_close: AutoClose::Typed, origin: EditOrigin::Compared };
    let users = by_lines(&base, current);
    let conflict = match rebase(&base, &by_lines(&base, &wanted), &users, rules)? {
        Ok(left) => return Ok(carried(left)),
        Err(conflict) => conflict,
    };
    if let Ok(left) = rebase(&base, &changes_since(&base, &wanted), &changes_since(&base, current), rules)? {
        return Ok(carried(left));
    }
    Ok(match moved(&base, &wanted, current) {
        Some(left) => carried(left),
        None => CarriedEdit::Conflict(meeting(&base, current, &users, &conflict)),
    })
}

/// Both texts with their lines ended as they are now, if that changed.
pub(super) fn ended_as_now(base: &[u8], wanted: Vec<u8>, current: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let ended = ended_like(&Text::new(current), base, None);
    if ended == base {
        return (ended, wanted);
    }
    let wanted = ended_like(&Text::new(ended.as_slice()), &wanted, None);
    (ended, wanted)
}

fn carried(left: TextEdit) -> CarriedEdit {
    if left.is_empty() { CarriedEdit::Done } else { CarriedEdit::Left(left) }
}

fn meeting(base: &[u8], current: &[u8], users: &TextEdit, conflict: &Conflict<()>) -> SuggestionConflict {
    let start = conflict.suggested.start.min(conflict.users.start);
    let end = conflict.suggested.end.max(conflict.users.end);
    let (before, after) = (Text::new(base), Text::new(current));
    let now = users.move_range(&(start..end));
    let (expected, _) = lines(&before, &(start..end));
    let (actual, line) = lines(&after, &now);
    // What was typed is told in lines: half a word would tell nobody anything.
    let typed = users
        .replacements()
        .iter()
        .find(|typed| typed.start() <= conflict.users.start && conflict.users.end <= typed.end());
    let mut conflict = conflict.clone();
    if let Some(typed) = typed {
        (conflict.users, conflict.typed, ()) = typed.clone().trimmed_by_lines(base).into_parts();
    }
    SuggestionConflict { expected, actual, line, conflict }
}

/// The lines that a range of bytes lies in, and the number of the first, counted from one.
fn lines(text: &Text, range: &Range<usize>) -> (Vec<Vec<u8>>, usize) {
    if text.is_empty() {
        return (Vec::new(), 1);
    }
    let first = text.line_at(range.start);
    let last = text.line_at(range.end.saturating_sub(1).max(range.start));
    let lines = (first..=last).map(|line| text.line(line).to_vec());
    (lines.collect(), first as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Clash, Grain};

    const BASE: &str = "fn one() {\n    work(1);\n}\n\nfn two() {\n    let x = a + b;\n    x\n}\n\nfn three() {\n    rest();\n}\n";

    /// What becomes of the change from `BASE` to `wanted` once the text is `current`.
    fn check(wanted: &str, current: &str, mode: AgreementMode) -> Result<String, Box<SuggestionConflict>> {
        let edit = TextEdit::from_diff(BASE.as_bytes(), wanted.as_bytes(), Grain::Line);
        match carry(BASE.as_bytes(), &edit, current.as_bytes(), mode).unwrap() {
            CarriedEdit::Left(left) => {
                Ok(String::from_utf8(left.apply(current.as_bytes()).unwrap()).unwrap())
            }
            CarriedEdit::Done => Ok("done".to_owned()),
            CarriedEdit::Conflict(meeting) => Err(Box::new(meeting)),
            CarriedEdit::Marked(between) => panic!("{between:?}"),
        }
    }

    fn wanted() -> String {
        BASE.replace("a + b", "a.saturating_add(b)")
    }

    #[test]
    fn what_happens_elsewhere_only_moves_it() {
        let current = format!("// top\n{}", BASE.replace("rest()", "more()").replace("work(1)", "work(2)"));
        let result = current.replace("a + b", "a.saturating_add(b)");
        assert_eq!(check(&wanted(), &current, AgreementMode::Strict), Ok(result));
    }

    #[test]
    fn what_was_done_is_told() {
        assert_eq!(check(&wanted(), &wanted(), AgreementMode::Strict).as_deref(), Ok("done"));
        let more = format!("// top\n{}", wanted());
        assert_eq!(check(&wanted(), &more, AgreementMode::Strict).as_deref(), Ok("done"));
    }

    #[test]
    fn another_word_of_the_same_line_is_no_conflict() {
        let current = BASE.replace("let x", "let total");
        let result = current.replace("a + b", "a.saturating_add(b)");
        assert_eq!(check(&wanted(), &current, AgreementMode::Strict), Ok(result));
    }

    #[test]
    fn what_somebody_deleted_within_a_line_does_not_come_back() {
        let rows = [
            // Base, suggested, what somebody made of it.
            ("timeout = 100", "timeout = 100  # ms", "timeout = 10"),
            (
                "int max(int a, int b, int c) {",
                "int max(int a, int b, int c) noexcept {",
                "int max(int a, int b) {",
            ),
            ("foo(a, b, c);", "foo(a, b, c)?;", "foo(a, c);"),
            ("foo(a, b, c);", "foo(a, c);", "foo(a, b, c)?;"),
            (
                "def send(self, name: str) -> Reply:",
                "def send(self, name: str) -> Reply:  # noqa",
                "def send(self, name) -> Reply:",
            ),
        ];
        let around = |line: &str| format!("above\n{line}\nbelow\n");
        for (base, wanted, current) in rows {
            let (base, wanted, current) = (around(base), around(wanted), around(current));
            let edit = TextEdit::from_diff(base.as_bytes(), wanted.as_bytes(), Grain::Line);
            for mode in [AgreementMode::Strict, AgreementMode::Lenient] {
                let carried = carry(base.as_bytes(), &edit, current.as_bytes(), mode).unwrap();
                if let CarriedEdit::Left(left) = carried {
                    let result = String::from_utf8(left.apply(current.as_bytes()).unwrap()).unwrap();
                    assert_ne!(result, wanted, "{current} is undone");
                    assert_ne!(result, base, "{current} is undone");
                }
            }
        }
    }

    #[test]
    fn a_line_that_is_gone_is_not_rewritten() {
        let current = BASE.replace("    let x = a + b;\n", "");
        for mode in [AgreementMode::Strict, AgreementMode::Lenient] {
            let meeting = check(&wanted(), &current, mode).unwrap_err();
            assert_eq!(meeting.conflict.clash, Clash::Overlap, "{mode:?}");
        }
    }

    #[test]
    fn a_neighbouring_line_is_no_conflict() {
        let current = BASE.replace("    x\n", "    x * 2\n");
        let result = current.replace("a + b", "a.saturating_add(b)");
        assert_eq!(check(&wanted(), &current, AgreementMode::Strict), Ok(result));
    }

    #[test]
    fn two_neighbouring_lines_are_rewritten_in_either_order() {
        let (first, second) =
            (BASE.replace("let x = a + b;", "sum(a, b);"), BASE.replace("    x\n", "    done()\n"));
        let both = first.replace("    x\n", "    done()\n");
        assert_eq!(check(&first, &second, AgreementMode::Strict), Ok(both.clone()));
        assert_eq!(check(&second, &first, AgreementMode::Strict), Ok(both));
    }

    #[test]
    fn what_was_applied_beside_another_change_of_the_line_is_done() {
        let rows = [
            ("    let x = a + b;\n    x\n", "    let x = a.saturating_add(b);\n", "    let total = a + b;\n"),
            ("old(line);\n", "new(line);\n", "old(lines);\n"),
            ("call(first, second)\n", "call(first, second, third)\n", "self.call(first, other)\n"),
            ("x = 1\n", "x = 2\n", "self.x = 1\n"),
        ];
        for (base, wanted, current) in rows {
            let edit = TextEdit::from_diff(base.as_bytes(), wanted.as_bytes(), Grain::Line);
            let CarriedEdit::Left(left) =
                carry(base.as_bytes(), &edit, current.as_bytes(), AgreementMode::Strict).unwrap()
            else {
                continue;
            };
            let applied = left.apply(current.as_bytes()).unwrap();
            let again = carry(base.as_bytes(), &edit, &applied, AgreementMode::Strict).unwrap();
            assert_eq!(again, CarriedEdit::Done, "{}", String::from_utf8_lossy(&applied));
        }
    }

    #[test]
    fn a_word_that_became_another_is_not_left_beside_itself_in_lenient_mode() {
        let base = "first\n= x input\nlast\n";
        let edit = TextEdit::from_diff(base.as_bytes(), b"first\nlast\n", Grain::Line);
        for current in ["first\n== x input\nlast\n", "first\n= x inputs\nlast\n"] {
            let carried = carry(base.as_bytes(), &edit, current.as_bytes(), AgreementMode::Lenient).unwrap();
            assert!(matches!(carried, CarriedEdit::Conflict(_)), "{carried:?}");
        }
    }

    #[test]
    fn half_of_it_done_leaves_the_other_half() {
        let both = wanted().replace("rest()", "all()");
        let half = BASE.replace("rest()", "all()");
        assert_eq!(check(&both, &half, AgreementMode::Strict), Ok(both.clone()));
    }

    #[test]
    fn something_else_in_its_place_is_a_conflict_with_both_sides() {
        let current = BASE.replace("a + b", "a - b");
        let meeting = check(&wanted(), &current, AgreementMode::Strict).unwrap_err();
        assert_eq!(meeting.expected, [b"    let x = a + b;".to_vec()]);
        assert_eq!(meeting.actual, [b"    let x = a - b;".to_vec()]);
        let conflict = meeting.conflict;
        assert_eq!((meeting.line, conflict.clash), (6, Clash::Overlap));
        assert_eq!(&BASE[conflict.suggested], "    let x = a + b;");
        assert_eq!(conflict.expected, b"    let x = a.saturating_add(b);");
        assert_eq!(&BASE[conflict.users], "    let x = a + b;");
        assert_eq!(conflict.typed, b"    let x = a - b;");
        let rewritten = BASE.replace("    let x = a + b;\n    x\n", "    list.iter().sum()\n");
        assert!(check(&wanted(), &rewritten, AgreementMode::Lenient).is_err());
    }

    #[test]
    fn lines_that_were_moved_whole_are_found_there() {
        let two = "fn two() {\n    let x = a + b;\n    x\n}\n\n";
        let current =
            format!("{}\n{}", BASE.replace(two, ""), two.trim_end_matches('\n')) + "\n\nfn four() {\n}\n";
        let result = current.replace("a + b", "a.saturating_add(b)");
        assert_eq!(check(&wanted(), &current, AgreementMode::Strict), Ok(result));
    }

    #[test]
    fn texts_that_have_nothing_in_common_cost_little() {
        let many = |word: &str| -> Vec<u8> {
            (0..60_000_u32)
                .map(|at| format!("{word}{}\n", at.wrapping_mul(2_654_435_761)))
                .collect::<String>()
                .into()
        };
        let edit = TextEdit::single(crate::edit::Replacement::new(0..10, many("c"), ()));
        let carried = carry(&many("a"), &edit, &many("b"), AgreementMode::Strict).unwrap();
        assert!(matches!(carried, CarriedEdit::Conflict(_)));
    }

    #[test]
    fn line_ends_that_changed_are_kept() {
        let current = BASE.replace('\n', "\r\n");
        let result = wanted().replace('\n', "\r\n");
        assert_eq!(check(&wanted(), &current, AgreementMode::Strict), Ok(result.clone()));
        assert_eq!(check(&wanted(), &result, AgreementMode::Strict).as_deref(), Ok("done"));
    }

    #[test]
    fn line_ends_that_changed_in_part_are_kept_line_by_line() {
        let mixed = |text: &str| -> String {
            let lines = text.split_inclusive('\n').enumerate();
            lines
                .map(|(at, line)| if at % 3 == 1 { line.replace('\n', "\r\n") } else { line.into() })
                .collect()
        };
        assert_eq!(check(&wanted(), &mixed(BASE), AgreementMode::Strict), Ok(mixed(&wanted())));
        assert_eq!(check(&wanted(), &mixed(&wanted()), AgreementMode::Strict).as_deref(), Ok("done"));
        let (base, new) = (mixed(BASE), mixed(&wanted()));
        let edit = TextEdit::from_diff(base.as_bytes(), new.as_bytes(), Grain::Line);
        let more = format!("{}{base}", "// top\n".repeat(20));
        let CarriedEdit::Left(left) =
            carry(base.as_bytes(), &edit, more.as_bytes(), AgreementMode::Strict).unwrap()
        else {
            panic!("it only moved")
        };
        assert_eq!(
            left.apply(more.as_bytes()).unwrap(),
            format!("{}{new}", "// top\n".repeat(20)).as_bytes()
        );
    }

    #[test]
    fn what_only_touches_stays_beside_in_lenient_mode() {
        let wanted = BASE.replace("    x\n", "    log(x);\n    x\n");
        let current = BASE.replace("    x\n", "    check(x);\n    x\n");
        assert!(check(&wanted, &current, AgreementMode::Strict).is_err(), "two insertions at one point");
        assert!(check(&wanted, &current, AgreementMode::Lenient).is_err(), "in both modes");
    }
}
