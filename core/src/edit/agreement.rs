//! Agreement: the user has done part of what was suggested.
//!
//! What is compared here lies within one suggested replacement. Which replacements meet at all is for
//! `rebase` to find out.
//!
//! Invariant: no byte that the user typed is in a range of the pieces that are left to do.

use std::cell::Cell;
use std::ops::Range;

use memchr::memmem;

use super::replacement::{after_characters, characters};
use super::{Replacement, Rules};

/// How much agreement is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgreementMode {
    /// What touches a suggested replacement must agree with it, near the start of its text.
    Strict,
    /// What only touches stays beside, and agreement is looked for in the whole text.
    Lenient,
}

/// What is made of a pair of brackets or quotes of which an editor put in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoClose {
    /// It is text like any other.
    Typed,
    /// It agrees with a suggestion that has both, whatever is between them.
    Absorb,
}

/// Where the user's edits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOrigin {
    /// An editor reported them as they were made: a deleted end of a word may be about to be typed again.
    Typed,
    /// Two texts were compared: what is gone is meant to be gone.
    Compared,
}

/// In strict mode, agreement further into the suggested text than this many characters is a conflict.
pub const MAX_AGREEMENT_OFFSET: usize = 10;

/// In strict mode, agreement over more than this many characters counts only at the start of the
/// suggested text: a user who typed so much of something else was not following the suggestion.
pub const MAX_IMPERFECT_AGREEMENT: usize = 5;

/// How many bytes may be searched in vain in one rebase; then what is not found at once is taken to disagree.
///
/// It keeps the cost linear in both sides if a user made thousands of changes within one replacement.
pub(super) const MAX_VAIN_BYTES: usize = 64 << 20;

const PAIRS: [&[u8; 2]; 7] = [b"()", b"[]", b"{}", b"<>", b"\"\"", b"''", b"``"];

/// What is left of a suggested replacement.
pub(super) struct Agreement {
    /// How many of the user's replacements agree, from the first.
    pub agreed: usize,
    /// By how much they moved what is after them.
    pub shift: isize,
    /// What is left to do: ranges of the text as the user left it.
    pub left: Vec<(Range<usize>, Vec<u8>)>,
}

/// Goes through the user's replacements as long as they lie within `ours` and agree with it.
///
/// `content` is the text both were made for; `shift` is how far the user moved the start of `ours`; `patience`
/// is how many bytes may still be searched in vain.
pub(super) fn agree<D>(
    content: &[u8],
    ours: &Replacement<D>,
    users: &[Replacement],
    shift: isize,
    Rules { mode, auto_close, origin }: Rules,
    patience: &Cell<usize>,
) -> Agreement {
    let mut walk = AgreementWalk {
        text: ours.text(),
        furthest: match mode {
            AgreementMode::Strict => after_characters(ours.text(), MAX_AGREEMENT_OFFSET),
            AgreementMode::Lenient => ours.text().len(),
        },
        patience,
        shift,
        at: ours.start(),
        open: ours.start().wrapping_add_signed(shift),
        used: 0,
        left: Vec::new(),
    };
    let mut agreed = 0;
    for user in users {
        if user.start() < ours.start() || user.end() > ours.end() {
            break;
        }
        if origin == EditOrigin::Compared && user.text().is_empty() {
            // The kept text before it is in every suggestion that goes on after it, so that it proves nothing; and who
            // deleted all that was to be rewritten does not want it otherwise.
            let all = user.range() == ours.range() && !ours.text().is_empty();
            if all || !walk.deleted(content, user) {
                break;
            }
            agreed += 1;
            continue;
        }
        let agrees = walk.typed(content, user, mode)
            || walk.deleted(content, user)
            || (auto_close == AutoClose::Absorb && walk.paired(user));
        if !agrees {
            break;
        }
        agreed += 1;
    }
    let end = ours.end().wrapping_add_signed(walk.shift);
    let rest = walk.text[walk.used..].to_vec();
    walk.leave(end, rest);
    Agreement { agreed, shift: walk.shift, left: walk.left }
}

struct AgreementWalk<'a> {
    text: &'a [u8],
    /// Behind this no agreement may begin.
    furthest: usize,
    patience: &'a Cell<usize>,
    shift: isize,
    /// How much of the original text was looked at.
    at: usize,
    /// From where on nothing was decided, in the text as the user left it.
    open: usize,
    /// How much of the suggested text is there or is in `left`.
    used: usize,
    left: Vec<(Range<usize>, Vec<u8>)>,
}

impl AgreementWalk<'_> {
    /// Looks for what the user typed, and the kept text before it, in what is left of the suggestion.
    fn typed(&mut self, content: &[u8], user: &Replacement, mode: AgreementMode) -> bool {
        let kept = &content[self.at..user.start()];
        let typed = [kept, user.text()].concat();
        if typed.is_empty() {
            return false;
        }
        let Some(found) = self.find(&typed, self.furthest.saturating_add(typed.len())) else { return false };
        if mode == AgreementMode::Strict && found > 0 && characters(&typed) > MAX_IMPERFECT_AGREEMENT {
            return false;
        }
        let stays = self.at.wrapping_add_signed(self.shift);
        let before = self.text[self.used..found].to_vec();
        self.leave(stays, before);
        self.used = found + typed.len();
        self.open = stays + typed.len();
        self.pass(user);
        true
    }

    /// What goes anyway may as well be gone, unless the suggestion has it in its own text again.
    fn deleted(&mut self, content: &[u8], user: &Replacement) -> bool {
        let gone = &content[user.range()];
        let agrees =
            user.text().is_empty() && self.find(gone, self.text.len()).is_none() && self.patience.get() > 0;
        if agrees {
            self.pass(user);
        }
        agrees
    }

    /// Looks for a text in what is left of the suggestion, up to an offset.
    ///
    /// What is found is passed by, and so costs once; what is searched in vain is counted.
    fn find(&self, sought: &[u8], until: usize) -> Option<usize> {
        let left = self.text.get(self.used..until.min(self.text.len())).unwrap_or_default();
        if left.len() > self.patience.get() {
            self.patience.set(0);
            return None;
        }
        let found = memmem::find(left, sought);
        if found.is_none() {
            self.patience.set(self.patience.get() - left.len());
        }
        Some(self.used + found?)
    }

    /// Looks for both halves of a pair, one after the other.
    fn paired(&mut self, user: &Replacement) -> bool {
        let Some((opening, closing)) = pair_in(user.text(), &self.text[self.used..]) else { return false };
        let (opening, closing) = (self.used + opening, self.used + closing);
        let typed_at = user.start().wrapping_add_signed(self.shift);
        let (before, inside) =
            (self.text[self.used..opening].to_vec(), self.text[opening + 1..closing].to_vec());
        self.leave(typed_at, before);
        self.open = typed_at + 1;
        self.leave(typed_at + 1, inside);
        self.open = typed_at + 2;
        self.used = closing + 1;
        self.pass(user);
        true
    }

    /// Everything from `open` to `until` becomes `text`.
    fn leave(&mut self, until: usize, text: Vec<u8>) {
        self.left.push((self.open..until, text));
    }

    fn pass(&mut self, user: &Replacement) {
        self.at = user.end();
        self.shift += user.growth();
    }
}

/// Where both halves of `pair` are in a text, if it is a pair and they are.
pub(super) fn pair_in(pair: &[u8], text: &[u8]) -> Option<(usize, usize)> {
    let pair = PAIRS.iter().find(|known| known.as_slice() == pair)?;
    let opening = memchr::memchr(pair[0], text)?;
    let between = memchr::memchr(pair[1], &text[opening + 1..])?;
    Some((opening, opening + 1 + between))
}
