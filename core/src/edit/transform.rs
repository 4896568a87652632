//! Carries an edit over another one by position alone.
//!
//! Nothing is compared here: whether two sides agree is `rebase`'s question.

use super::{Replacement, TextEdit};

/// What happens to a replacement whose place the other side replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swallowed {
    /// There is no result.
    Refuse,
    /// It is left away.
    Drop,
}

impl<D: Clone> TextEdit<D> {
    /// This edit over the result of `other`, which was made for the same text.
    ///
    /// Replacements that only touch stay beside each other; two insertions at one point do not, as
    /// nothing says which comes first. Returns `None` when one is swallowed and that is refused.
    pub fn transform<E>(&self, other: &TextEdit<E>, swallowed: Swallowed) -> Option<Self> {
        let mut moved = Vec::with_capacity(self.replacements().len());
        let mut others = other.replacements().iter().peekable();
        let mut shift = 0_isize;
        for ours in self.replacements() {
            while let Some(passed) = others.next_if(|theirs| is_before(theirs, ours)) {
                shift += passed.growth();
            }
            if others.peek().is_some_and(|theirs| !is_before(ours, theirs)) {
                match swallowed {
                    Swallowed::Refuse => return None,
                    Swallowed::Drop => continue,
                }
            }
            moved.push(moved_by(ours, shift));
        }
        Some(Self::sorted(moved))
    }
}

/// Whether all of `a` lies in front of `b`, which it may touch unless both insert.
fn is_before<D, E>(a: &Replacement<D>, b: &Replacement<E>) -> bool {
    a.end() < b.start() || (a.end() == b.start() && !(a.is_insertion() && b.is_insertion()))
}

pub(super) fn moved_by<D: Clone>(replacement: &Replacement<D>, shift: isize) -> Replacement<D> {
    let range = replacement.range();
    let range = range.start.wrapping_add_signed(shift)..range.end.wrapping_add_signed(shift);
    Replacement::new(range, replacement.text(), replacement.data().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ours: &[(usize, usize, &str)], theirs: &[(usize, usize, &str)], result: [Option<&str>; 2]) {
        let content = b"0123456789";
        let edit = |all: &[(usize, usize, &str)]| {
            TextEdit::new(all.iter().map(|(a, b, text)| Replacement::new(*a..*b, *text, ())).collect())
                .unwrap()
        };
        let (ours, theirs) = (edit(ours), edit(theirs));
        let current = theirs.apply(content).unwrap();
        for (swallowed, expected) in [Swallowed::Refuse, Swallowed::Drop].into_iter().zip(result) {
            let found = ours.transform(&theirs, swallowed);
            let found = found.map(|edit| String::from_utf8(edit.apply(&current).unwrap()).unwrap());
            assert_eq!(found.as_deref(), expected, "{swallowed:?}");
        }
    }

    #[test]
    fn what_lies_apart_only_moves() {
        check(&[(8, 9, "x")], &[(0, 3, ""), (4, 4, "new")], [Some("3new4567x9"); 2]);
        check(&[(0, 1, "x")], &[(5, 7, "")], [Some("x1234789"); 2]);
    }

    #[test]
    fn an_insertion_that_touches_a_replacement_stays_beside_it() {
        check(&[(3, 3, "x")], &[(3, 6, "new")], [Some("012xnew6789"); 2]);
        check(&[(6, 6, "x")], &[(3, 6, "new")], [Some("012newx6789"); 2]);
        check(&[(3, 6, "new")], &[(3, 3, "x")], [Some("012xnew6789"); 2]);
    }

    #[test]
    fn what_was_replaced_swallows_or_refuses() {
        check(&[(4, 5, "x"), (9, 9, "y")], &[(3, 6, "")], [None, Some("012678y9")]);
        check(&[(4, 4, "x")], &[(3, 6, "")], [None, Some("0126789")]);
        check(&[(3, 3, "x")], &[(3, 3, "y")], [None, Some("012y3456789")]);
        check(&[(2, 8, "x")], &[(3, 3, "y")], [None, Some("012y3456789")]);
    }
}
