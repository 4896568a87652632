//! Whether what a suggestion does stands in a text already.
//!
//! Where somebody and the suggestion changed one line, what became of it has little in common with what it was, but much
//! with what was suggested. So the other way is looked at: whether the suggestion could be taken out again. Who is told
//! by mistake that it is done loses it, so that what could be chance is none.

use crate::edit::{
    AutoClose, EditError, Mode, Origin, Replacement, Rules, Text, TextEdit, Vocabulary, rebase,
};

use super::moved::moved;
use super::since::{MAX_PAIRS, MIN_ALIKE, by_lines, since};

/// Whether all that leads from `base` to `wanted` is in `current`: it is nearer to `wanted`, and all of it could be taken
/// out again.
pub(super) fn stands(base: &[u8], wanted: &[u8], current: &[u8]) -> Result<bool, EditError> {
    let (back, users) = (by_lines(wanted, base), by_lines(wanted, current));
    let (words, typed) = (since(wanted, base), since(wanted, current));
    let since_base = by_lines(base, current);
    // By lines, a line that is alike by chance weighs nothing; by words, one that both sides changed weighs less.
    let is_nearer = weight(&users) < weight(&since_base) || weight(&typed) < weight(&since(base, current));
    if !is_nearer || is_left(&back, &users) {
        return Ok(false);
    }
    let (gone, brought) = parted(&back);
    let is_gone = by_lines(base, wanted).replacements().iter().all(|part| {
        let covers = |other: &Replacement| other.start() <= part.start() && part.end() <= other.end();
        !part.text().is_empty() || since_base.replacements().iter().any(covers)
    });
    if is_gone && comes_out(wanted, brought, &users, Mode::Lenient)? {
        return Ok(true);
    }
    let parts = parted(&words);
    // Who put the old words beside the new ones may have put them there in their place.
    let mode = if is_kept_beside(&parts.1, &typed) { Mode::Strict } else { Mode::Lenient };
    if comes_out(wanted, parts.0, &typed, Mode::Strict)? && comes_out(wanted, parts.1, &typed, mode)? {
        return Ok(true);
    }
    // Elsewhere, what was taken away has no neighbours that would tell.
    Ok(gone.is_empty() && moved(wanted, base, current).is_some())
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
    mode: Mode,
) -> Result<bool, EditError> {
    let rules = Rules { mode, auto_close: AutoClose::Typed, origin: Origin::Compared };
    // Each has a number, so that two that come to stand beside each other stay two.
    let back = TextEdit::new(parts)?.map_data(|index, ()| index);
    let whole = weight(&back.normalise(wanted)?);
    Ok(rebase(wanted, &back, users, rules)?.is_ok_and(|left| weight(&left) == whole))
}

/// Whether something that is beside one of these replacements holds what that would put back.
fn is_kept_beside(parts: &[Replacement], users: &TextEdit) -> bool {
    let holds = |part: &Replacement, came: &Replacement| {
        let meet = came.start() <= part.end() && part.start() <= came.end();
        let old = part.text().trim_ascii();
        meet && !old.is_empty() && memchr::memmem::find(came.text(), old).is_some()
    };
    parts.iter().any(|part| users.replacements().iter().any(|came| holds(part, came)))
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
