//! Carries suggested replacements over what the user did to the same text.
//!
//! Costs one walk over both sides and what is compared where they meet. Whether the user's edits are
//! what they claim to be, and where the cursor is, is for `reapply` to check.
//!
//! Invariant: no byte that the user typed is in a range of the result.

use std::cell::Cell;
use std::ops::Range;

use super::agreement::{Agreement, AgreementMode, AutoClose, EditOrigin, MAX_VAIN_BYTES, agree, pair_in};
use super::token::is_word;
use super::transform::moved_by;
use super::{EditError, Replacement, TextEdit};

/// How the two sides are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How much agreement is asked for.
    pub mode: AgreementMode,
    /// What is made of a pair that an editor closed.
    pub auto_close: AutoClose,
    /// Where the user's edits come from.
    pub origin: EditOrigin,
}

/// Where and why the two sides cannot both be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change of {}..{} {clash} the user's change of {}..{}",
    suggested.start, suggested.end, users.start, users.end)]
pub struct Conflict<D = usize> {
    /// Which suggestion it is.
    pub data: D,
    /// What was to be replaced, in the original text.
    pub suggested: Range<usize>,
    /// What was expected to be there.
    pub expected: Vec<u8>,
    /// What the user replaced, in the original text.
    pub users: Range<usize>,
    /// What the user typed there.
    pub typed: Vec<u8>,
    /// How they meet.
    pub clash: Clash,
}

/// How two replacements meet that do not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clash {
    /// They replace some of the same text.
    Overlap,
    /// One begins where the other ends.
    Touch,
    /// Both insert at one point.
    Insertions,
}

impl std::fmt::Display for Clash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Overlap => "overlaps and disagrees with",
            Self::Touch => "touches and disagrees with",
            Self::Insertions => "inserts something else than",
        })
    }
}

/// How far an insertion is moved over equal text to see whether the user made the same one.
const MAX_SLIDE: usize = 4096;

/// The suggested edit over the text as the user left it, or where the two disagree.
///
/// Both were made for `content`. What the user has done already is left away, so that an empty result
/// means that nothing is left to do. An edit that does not fit `content` is an error.
pub fn rebase<D: Clone + PartialEq>(
    content: &[u8],
    suggested: &TextEdit<D>,
    users: &TextEdit,
    rules: Rules,
) -> Result<Result<TextEdit<D>, Conflict<D>>, EditError> {
    let current = users.apply(content)?;
    rebase_onto(content, suggested, users, &current, rules)
}

/// As [`rebase`], for a caller who has the result of the user's edits at hand.
pub(super) fn rebase_onto<D: Clone + PartialEq>(
    content: &[u8],
    suggested: &TextEdit<D>,
    users: &TextEdit,
    current: &[u8],
    rules: Rules,
) -> Result<Result<TextEdit<D>, Conflict<D>>, EditError> {
    suggested.fits(content.len())?;
    let compared: Vec<Replacement> = match rules.origin {
        EditOrigin::Typed => Vec::new(),
        EditOrigin::Compared => {
            users.replacements().iter().map(|part| part.clone().trimmed_by_lines(content)).collect()
        }
    };
    let users = users.normalise(content)?;
    let patience = Cell::new(MAX_VAIN_BYTES);
    let users = users.replacements();
    let mut walk =
        RebaseWalk { content, users, compared, rules, patience, shift: 0, done: 0, result: Vec::new() };
    let ours = suggested.replacements();
    for (index, replacement) in ours.iter().enumerate().filter(|(_, replacement)| !replacement.is_nothing()) {
        let before = index.checked_sub(1).map_or(0, |before| ours[before].end());
        if let Err(conflict) = walk.bring(replacement, before, ours.get(index + 1)) {
            return Ok(Err(conflict));
        }
    }
    TextEdit::sorted(walk.result).normalise(current).map(Ok)
}

struct RebaseWalk<'a, D> {
    content: &'a [u8],
    users: &'a [Replacement],
    /// The user's replacements as a diff has them, with the words that became others.
    compared: Vec<Replacement>,
    rules: Rules,
    /// How many bytes may still be searched in vain.
    patience: Cell<usize>,
    /// By how much the user's replacements that are done moved what is after them.
    shift: isize,
    /// How many of the user's replacements are done.
    done: usize,
    result: Vec<Replacement<D>>,
}

/// What becomes of an edit that only touches ours and does not agree with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touching {
    Refused,
    Beside,
}

impl<D: Clone + PartialEq> RebaseWalk<'_, D> {
    /// Carries one suggested replacement; `before` is where the one in front of it ended.
    ///
    /// What the user typed in an editor is held against it as it was given. Where two texts were compared, it may be
    /// agreed with as it was given; what does not agree is held against the lines that it really changes, without the
    /// end of the last, so that a rewritten neighbouring line does not conflict, whichever of the two comes first.
    fn bring(
        &mut self,
        given: &Replacement<D>,
        before: usize,
        next: Option<&Replacement<D>>,
    ) -> Result<(), Conflict<D>> {
        let touching = match self.rules.mode {
            AgreementMode::Strict => Touching::Refused,
            AgreementMode::Lenient => Touching::Beside,
        };
        let changes = match self.rules.origin {
            EditOrigin::Typed => given.clone(),
            EditOrigin::Compared => given.clone().trimmed_by_lines(self.content),
        };
        let changes_nothing = self.content[given.range()] == *given.text();
        if changes == *given && !changes_nothing {
            return self.carry(given, before, next, touching);
        }
        let (shift, done, results) = (self.shift, self.done, self.result.len());
        if self.carry(given, before, next, Touching::Refused).is_ok() {
            return Ok(());
        }
        (self.shift, self.done) = (shift, done);
        self.result.truncate(results);
        if changes_nothing { Ok(()) } else { self.carry(&changes, before, next, touching) }
    }

    fn carry(
        &mut self,
        ours: &Replacement<D>,
        before: usize,
        next: Option<&Replacement<D>>,
        touching: Touching,
    ) -> Result<(), Conflict<D>> {
        while let Some(user) = self.users.get(self.done) {
            if user.end() < ours.start() {
                // What is between the two places must be what it was, on both sides.
                let behind = self.users.get(self.done + 1).is_none_or(|user| user.start() > ours.start());
                if behind && user.start() >= before && self.same_elsewhere(ours, user)? {
                    return Ok(());
                }
                self.pass(user);
            } else if ours.end() < user.start() {
                let free = next.is_none_or(|next| next.start() > user.start());
                if free && self.same_elsewhere(ours, user)? {
                    return Ok(());
                }
                break;
            } else if self.meet(ours, user, next, touching)? {
                return Ok(());
            }
        }
        self.result.push(moved_by(ours, self.shift));
        Ok(())
    }

    /// Two replacements overlap or touch. Returns whether `ours` is done with.
    fn meet(
        &mut self,
        ours: &Replacement<D>,
        user: &Replacement,
        next: Option<&Replacement<D>>,
        touching: Touching,
    ) -> Result<bool, Conflict<D>> {
        let agreement = self.agreement(ours);
        let failed = self.users.get(self.done + agreement.agreed).filter(|user| meets(ours, user));
        let Some(failed) = failed else {
            self.take(ours, agreement);
            return Ok(true);
        };
        if overlap(ours, failed) {
            return Err(conflict(ours, failed, Clash::Overlap));
        }
        let behind = failed.start() == ours.end();
        // Of two suggested replacements that touch, the user may have begun with the second.
        if behind && next.is_some_and(|next| meets(next, failed) && self.begun(next, failed)) {
            self.take(ours, agreement);
            return Ok(true);
        }
        if ours.is_insertion() && failed.is_insertion() {
            return Err(conflict(ours, failed, Clash::Insertions));
        }
        // What means the same on either side of a replacement is in the middle of it as well.
        if self.is_one_place(ours, failed) {
            return Err(conflict(ours, failed, Clash::Overlap));
        }
        if touching == Touching::Refused || (!behind && agreement.agreed > 0) {
            return Err(conflict(ours, failed, Clash::Touch));
        }
        // Who goes on with a word that is replaced has another word in mind than the one that is to be there.
        if continues_word(self.content, ours, failed) {
            return Err(conflict(ours, failed, Clash::Touch));
        }
        if ours.is_insertion() && failed.text() == ours.text() {
            // The user typed just this in just this place, over what was beside it.
            if !behind {
                self.pass(user);
            }
            return Ok(true);
        }
        // Who typed just this in just this place and went on has no wish for another copy beside it.
        let edge = if behind { <[u8]>::starts_with } else { <[u8]>::ends_with };
        if ours.is_insertion() && edge(failed.text(), ours.text()) {
            return Err(conflict(ours, failed, Clash::Touch));
        }
        if behind {
            self.take(ours, agreement);
        } else {
            self.pass(user);
        }
        Ok(behind)
    }

    /// An insertion can be in several places of a repetitive text and mean the same. Returns whether
    /// the user began to type `ours` in another such place; then it is done with.
    ///
    /// It is a conflict if the user typed all of `ours` there and more, seen from either place.
    fn same_elsewhere(&mut self, ours: &Replacement<D>, user: &Replacement) -> Result<bool, Conflict<D>> {
        if !ours.is_insertion() || !user.is_insertion() {
            return Ok(false);
        }
        if let Some(slid) = slid(self.content, ours, user.start()) {
            let agreement = self.agreement(&slid);
            if agreement.agreed > 0 && self.is_begun(user, slid.text()) {
                self.take(&slid, agreement);
                return Ok(true);
            }
            if self.holds(user, slid.text()) {
                return Err(conflict(ours, user, Clash::Insertions));
            }
        }
        match slid(self.content, user, ours.start()) {
            Some(slid) if self.holds(&slid, ours.text()) => Err(conflict(ours, user, Clash::Insertions)),
            _ => Ok(false),
        }
    }

    /// Whether the user typed `text` from its start on, but perhaps not to its end.
    fn is_begun(&self, user: &Replacement, text: &[u8]) -> bool {
        let absorbed = self.rules.auto_close == AutoClose::Absorb && pair_in(user.text(), text).is_some();
        absorbed || text.starts_with(user.text())
    }

    /// Whether the user typed all of `text` and more before it or after it.
    fn holds(&self, user: &Replacement, text: &[u8]) -> bool {
        let absorbed = self.rules.auto_close == AutoClose::Absorb && pair_in(text, user.text()).is_some();
        absorbed || (!text.is_empty() && (user.text().starts_with(text) || user.text().ends_with(text)))
    }

    /// Whether what was typed is more than beside `ours`, though no byte of the two is the same.
    fn is_one_place(&self, ours: &Replacement<D>, typed: &Replacement) -> bool {
        if self.rules.origin == EditOrigin::Typed {
            // Who typed it in an editor was there and saw what it came beside.
            return false;
        }
        // Of a diff, the whole word or line that became another one counts.
        let first = self.compared.partition_point(|word| word.end() < typed.start());
        let words = self.compared[first..].iter().take_while(|word| word.start() <= typed.end());
        words.into_iter().filter(|word| meets(typed, word)).any(|word| {
            overlap(ours, word)
                || is_around(self.content, ours, word)
                || is_around(self.content, word, ours)
                || is_of_line(self.content, ours, word)
                || is_of_line(self.content, word, ours)
        })
    }

    fn agreement(&self, ours: &Replacement<D>) -> Agreement {
        let users = &self.users[self.done..];
        agree(self.content, ours, users, self.shift, self.rules, &self.patience)
    }

    fn begun(&self, ours: &Replacement<D>, user: &Replacement) -> bool {
        let users = std::slice::from_ref(user);
        agree(self.content, ours, users, 0, self.rules, &self.patience).agreed > 0
    }

    fn take(&mut self, ours: &Replacement<D>, agreement: Agreement) {
        self.done += agreement.agreed;
        self.shift = agreement.shift;
        let left = agreement.left.into_iter();
        self.result.extend(left.map(|(range, text)| Replacement::new(range, text, ours.data().clone())));
    }

    fn pass(&mut self, user: &Replacement) {
        self.done += 1;
        self.shift += user.growth();
    }
}

fn meets<D, E>(ours: &Replacement<D>, user: &Replacement<E>) -> bool {
    user.start() <= ours.end() && ours.start() <= user.end()
}

/// Whether some of the same text is replaced, or one inserts in the middle of the other.
fn overlap<D>(ours: &Replacement<D>, user: &Replacement) -> bool {
    user.start() < ours.end() && ours.start() < user.end()
}

/// Whether an insertion at either end of what `ours` replaces is of one word with it.
fn continues_word<D>(content: &[u8], ours: &Replacement<D>, typed: &Replacement) -> bool {
    if ours.is_insertion() || !typed.is_insertion() {
        return false;
    }
    let (replaced, text) = (&content[ours.range()], typed.text());
    let is_seam = |one: Option<&u8>, other: Option<&u8>| {
        one.zip(other).is_some_and(|(one, other)| is_word(*one) && is_word(*other))
    };
    (typed.start() == ours.end() && is_seam(replaced.last(), text.first()))
        || (typed.start() == ours.start() && is_seam(text.last(), replaced.first()))
}

/// Whether an insertion at one end of a replacement means the same at its other end: `5` became `5555` there.
///
/// Beside a deletion either end is the same place in the end.
fn is_around<D: Clone, E>(content: &[u8], insertion: &Replacement<D>, whole: &Replacement<E>) -> bool {
    let other_end = if insertion.start() == whole.start() { whole.end() } else { whole.start() };
    let has_sides = insertion.is_insertion() && !whole.is_insertion() && !whole.text().is_empty();
    has_sides && meets(insertion, whole) && slid(content, insertion, other_end).is_some()
}

/// Whether an insertion at one end of a line is part of that line, all of which is in `whole`, which it touches.
fn is_of_line<D, E>(content: &[u8], insertion: &Replacement<D>, whole: &Replacement<E>) -> bool {
    if !insertion.is_insertion() || whole.is_insertion() || !meets(insertion, whole) {
        return false;
    }
    let (at, text) = (insertion.start(), insertion.text());
    if at == whole.start() {
        let end = memchr::memchr(b'\n', &content[at..]).map_or(content.len(), |length| at + length);
        let begins = at == 0 || content[at - 1] == b'\n';
        begins && whole.end() >= end && !text.ends_with(b"\n")
    } else {
        let start = memchr::memrchr(b'\n', &content[..at]).map_or(0, |before| before + 1);
        let ends = content.get(at).is_none_or(|next| *next == b'\n' || *next == b'\r');
        ends && start < at && whole.start() <= start && !text.starts_with(b"\n") && !text.starts_with(b"\r\n")
    }
}

/// The insertion that has the same effect as `ours` at another point, where there is one.
fn slid<D: Clone>(content: &[u8], ours: &Replacement<D>, to: usize) -> Option<Replacement<D>> {
    let (from, text) = (ours.start(), ours.text());
    let (length, distance) = (text.len(), from.abs_diff(to));
    if length == 0 || distance > MAX_SLIDE {
        return None;
    }
    let same = if to < from {
        let mut passed = content[to..from].iter().rev().enumerate();
        passed.all(|(i, byte)| *byte == text[length - 1 - i % length])
    } else {
        content[from..to].iter().enumerate().all(|(i, byte)| *byte == text[i % length])
    };
    same.then(|| {
        let mut text = text.to_vec();
        if to < from {
            text.rotate_right(distance % length);
        } else {
            text.rotate_left(distance % length);
        }
        Replacement::new(to..to, text, ours.data().clone())
    })
}

fn conflict<D: Clone>(ours: &Replacement<D>, user: &Replacement, clash: Clash) -> Conflict<D> {
    Conflict {
        data: ours.data().clone(),
        suggested: ours.range(),
        expected: ours.text().to_vec(),
        users: user.range(),
        typed: user.text().to_vec(),
        clash,
    }
}
