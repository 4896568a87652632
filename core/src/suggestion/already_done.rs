//! Whether what a suggestion does is in a text already.
//!
//! Where somebody and the suggestion changed one line, what became of it has little in common with what it was, but much
//! with what was suggested. So the other way is looked at: whether the suggestion could be taken out again. Saying
//! by mistake that it is done loses it, so that what could be chance does not count.

use crate::edit::{
    AgreementMode, AutoClose, EditError, EditOrigin, Replacement, Rules, Text, TextEdit, Vocabulary, rebase,
};

use super::changes_since::{MAX_PAIRS, MIN_ALIKE, by_lines, changes_since};
use super::moved_lines::moved;

/// Texts whose lengths multiply to more than this are not looked for in each other. Both come from others.
const MAX_COMPARED: usize = 1 << 28;

/// Whether all that leads from `base` to `wanted` is in `current`: it is nearer to `wanted`, and all of it could be taken
/// out again.
pub(super) fn is_done(base: &[u8], wanted: &[u8], current: &[u8]) -> Result<bool, EditError> {
    let (back, users) = (by_lines(wanted, base), by_lines(wanted, current));
    let (words, typed) = (changes_since(wanted, base), changes_since(wanted, current));
    let since_base = by_lines(base, current);
    // By lines, a line that is alike by chance weighs nothing; by words, one that both sides changed weighs less.
    let is_nearer =
        weight(&users) < weight(&since_base) || weight(&typed) < weight(&changes_since(base, current));
    if !is_nearer || is_left(&back, &users) {
        return Ok(false);
    }
    let (gone, brought) = parted(&back);
    let is_gone = by_lines(base, wanted).replacements().iter().all(|part| {
        let covers = |other: &Replacement| other.start() <= part.start() && part.end() <= other.end();
        !part.text().is_empty() || since_base.replacements().iter().any(covers)
    });
    // Who put what was old beside what is new may have put it there in its place.
    let beside = |brought: &[Replacement], users: &TextEdit| {
        if is_kept_beside(brought, users) { AgreementMode::Strict } else { AgreementMode::Lenient }
    };
    let mode = beside(&brought, &users);
    let is_kept = brought.iter().any(|part| users.replacements().iter().any(|came| holds_line(part, came)));
    if is_gone && comes_out(wanted, brought, &users, mode)? {
        return Ok(true);
    }
    let (words_gone, words_brought) = parted(&words);
    let mode = beside(&words_brought, &typed);
    if comes_out(wanted, words_gone, &typed, AgreementMode::Strict)?
        && comes_out(wanted, words_brought, &typed, mode)?
    {
        return Ok(true);
    }
    // Elsewhere, what was taken away has no neighbours that would tell.
    Ok(gone.is_empty() && !is_kept && moved(wanted, base, current).is_some())
}

/// What puts back what was taken away, and what takes away or replaces what was brought.
fn parted(back: &TextEdit) -> (Vec<Replacement>, Vec<Replacement>) {
    back.replacements().iter().cloned().partition(Replacement::is_insertion)
}

/// Whether all of these replacements in `wanted` can be carried over what happened to it.
fn comes_out(
    wanted: &[u8],
    parts: Vec<Replacement>,
    users: &TextEdit,
    mode: AgreementMode,
) -> Result<bool, EditError> {
    let rules = Rules { mode, auto_close: AutoClose::Typed, origin: EditOrigin::Compared };
    // Each has a number, so that two that come to be beside each other stay two.
    let back = TextEdit::new(parts)?.map_data(|index, ()| index);
    let whole = weight(&back.normalise(wanted)?);
    Ok(rebase(wanted, &back, users, rules)?.is_ok_and(|left| weight(&left) == whole))
}

/// Whether something that is beside one of these replacements holds a line of what that would put back.
fn is_kept_beside(parts: &[Replacement], users: &TextEdit) -> bool {
    let meet =
        |part: &Replacement, came: &Replacement| came.start() <= part.end() && part.start() <= came.end();
    let holds = |part: &Replacement, came: &Replacement| meet(part, came) && holds_line(part, came);
    parts.iter().any(|part| users.replacements().iter().any(|came| holds(part, came)))
}

/// Whether what came holds a line of what a replacement would put back; what costs too much to find out could.
fn holds_line(part: &Replacement, came: &Replacement) -> bool {
    if part.text().len().saturating_mul(came.text().len()) > MAX_COMPARED {
        return true;
    }
    let mut old = part.text().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    old.any(|line| !line.is_empty() && memchr::memmem::find(came.text(), line).is_some())
}

/// Whether a line that was to go, or one that it became, is among the lines that came; too many could be.
fn is_left(back: &TextEdit, users: &TextEdit) -> bool {
    let mut vocabulary = Vocabulary::default();
    let mut lines = |parts: &mut dyn Iterator<Item = &Replacement>| -> Vec<_> {
        let texts = parts.map(|part| Text::new(part.text())).collect::<Vec<_>>();
        let lines = texts.iter().flat_map(|text| (0..text.len()).map(|line| text.bare(line)));
        lines.map(|line| vocabulary.learn(line)).filter(|line| !line.is_blank()).collect()
    };
    let gone = lines(&mut back.replacements().iter().filter(|part| part.is_insertion()));
    let came = lines(&mut users.replacements().iter());
    let is_too_much = gone.len().saturating_mul(came.len()) > MAX_PAIRS;
    is_too_much
        || gone.iter().any(|gone| came.iter().any(|came| vocabulary.similarity(gone, came) >= MIN_ALIKE))
}

/// How many bytes go and come.
fn weight<D>(edit: &TextEdit<D>) -> usize {
    edit.replacements().iter().map(|part| part.range().len() + part.text().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, wanted: &str, current: &str, expected: bool) {
        let found = is_done(base.as_bytes(), wanted.as_bytes(), current.as_bytes()).unwrap();
        assert_eq!(found, expected, "{base:?} to {wanted:?} in {current:?}");
    }

    #[test]
    fn what_was_brought_stands_beside_whatever_else_became_of_the_line() {
        check("old(line);\nrest\n", "new(line);\nrest\n", "new(lines, more);\nrest\n", true);
        check("old(line);\nrest\n", "new(line);\nrest\n", "old(lines, more);\nrest\n", false);
        check("a\nb\nc\n", "a\nnew\nb\nc\n", "x\nnew\nb\nc\n", true);
    }

    #[test]
    fn lines_that_were_to_go_are_gone_unless_one_that_is_alike_is_left() {
        let (base, wanted) = ("first\nlet x = a + b;\nlast\n", "first\nlast\n");
        check(base, wanted, "first\nwhile other() {}\nlast\n", true);
        check(base, wanted, "first\nlet x = a - b;\nlast\n", false);
        check(base, wanted, "last\nlet x = a + b;\nfirst\n", false);
    }

    #[test]
    fn what_came_beside_the_old_line_did_not_come_in_its_place() {
        let base = ":orphan:\n\nWelcome\n";
        check(base, ".. hide-header\n\nWelcome\n", ":orphan:\n\n.. hide-header\n\nWelcome\n", false);
    }
}
