//! Agreement: the user has done part of what was suggested.
//!
//! What is compared here lies within one suggested replacement. Which replacements meet at all is for
//! `rebase` to find out.
//!
//! Invariant: no byte that the user typed is in a range of the pieces that are left to do.

use std::ops::Range;

use memchr::memmem;

use super::Replacement;
use super::replacement::characters;

/// How much agreement is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
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
    /// It agrees with a suggestion that has both, whatever stands between them.
    Absorb,
}

/// In strict mode, agreement further into the suggested text than this many characters is a conflict.
pub const MAX_AGREEMENT_OFFSET: usize = 10;

/// In strict mode, agreement over more than this many characters counts only at the start of the
/// suggested text: somebody who typed so much of something else was not following the suggestion.
pub const MAX_IMPERFECT_AGREEMENT: usize = 5;

const PAIRS: [&[u8; 2]; 7] = [b"()", b"[]", b"{}", b"<>", b"\"\"", b"''", b"``"];

/// What is left of a suggested replacement.
pub(super) struct Agreement {
    /// How many of the user's replacements agree, from the first.
    pub agreed: usize,
    /// By how much they moved what is behind them.
    pub shift: isize,
    /// What is left to do: ranges of the text as the user left it.
    pub left: Vec<(Range<usize>, Vec<u8>)>,
}

/// Goes through the user's replacements as long as they lie within `ours` and agree with it.
///
/// `content` is the text both were made for; `shift` is how far the user moved the start of `ours`.
pub(super) fn agree<D>(
    content: &[u8],
    ours: &Replacement<D>,
    users: &[Replacement],
    shift: isize,
    mode: Mode,
    auto_close: AutoClose,
) -> Agreement {
    let mut walk = Walk {
        text: ours.text(),
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

struct Walk<'a> {
    text: &'a [u8],
    shift: isize,
    /// How much of the original text was looked at.
    at: usize,
    /// From where on nothing was decided, in the text as the user left it.
    open: usize,
    /// How much of the suggested text is there or is in `left`.
    used: usize,
    left: Vec<(Range<usize>, Vec<u8>)>,
}

impl Walk<'_> {
    /// Looks for what the user typed, and the kept text before it, in what is left of the suggestion.
    fn typed(&mut self, content: &[u8], user: &Replacement, mode: Mode) -> bool {
        let kept = &content[self.at..user.start()];
        let typed = [kept, user.text()].concat();
        if typed.is_empty() {
            return false;
        }
        let Some(found) = memmem::find(&self.text[self.used..], &typed) else { return false };
        let found = self.used + found;
        let too_far = characters(&self.text[..found]) > MAX_AGREEMENT_OFFSET;
        let imperfect = found > 0 && characters(&typed) > MAX_IMPERFECT_AGREEMENT;
        if mode == Mode::Strict && (too_far || imperfect) {
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
        let agrees =
            user.text().is_empty() && memmem::find(&self.text[self.used..], &content[user.range()]).is_none();
        if agrees {
            self.pass(user);
        }
        agrees
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

/// Where both halves of `pair` stand in a text, if it is a pair and they do.
pub(super) fn pair_in(pair: &[u8], text: &[u8]) -> Option<(usize, usize)> {
    let pair = PAIRS.iter().find(|known| known.as_slice() == pair)?;
    let opening = memchr::memchr(pair[0], text)?;
    let between = memchr::memchr(pair[1], &text[opening + 1..])?;
    Some((opening, opening + 1 + between))
}
