//! Which thread each comment belongs to.
//!
//! An answer may name another answer; its thread is the one that the chain of parents ends in. The
//! chain cannot go round in a circle, since an id is the hash of a record that names its parent, but
//! it can be as long as somebody likes: it is walked, never recursed into.

use crate::record::RecordId;

/// What a comment says it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing: it begins a thread.
    None,
    /// The comment with this index.
    Comment(usize),
    /// None of these: it is in the thread with this id, which is known already, or whose first comment is not here.
    Elsewhere(RecordId),
}

/// What a chain of answers ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The comment with this index, which answers nothing.
    Comment(usize),
    /// The thread with this id, which begins with none of these.
    Elsewhere(RecordId),
}

/// Says for each comment what its chain of parents ends in.
///
/// Linear: every comment is passed once, however the chains run together.
pub(super) fn origins(parents: &[Parent]) -> Vec<Origin> {
    let mut origins: Vec<Option<Origin>> = vec![None; parents.len()];
    let mut passed = Vec::new();
    for start in 0..parents.len() {
        let mut at = start;
        let origin = loop {
            if let Some(origin) = origins[at] {
                break origin;
            }
            passed.push(at);
            match parents[at] {
                Parent::None => break Origin::Comment(at),
                Parent::Elsewhere(id) => break Origin::Elsewhere(id),
                Parent::Comment(parent) => at = parent,
            }
        };
        for at in passed.drain(..) {
            origins[at] = Some(origin);
        }
    }
    origins.into_iter().map(|origin| origin.expect("every comment was a start")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_answers_end_in_the_comment_that_answers_nothing() {
        let gone = RecordId::from_array([7; 16]);
        let parents = [
            Parent::Comment(2),
            Parent::Elsewhere(gone),
            Parent::Comment(4),
            Parent::Comment(1),
            Parent::None,
            Parent::Comment(3),
            Parent::None,
        ];
        let four = Origin::Comment(4);
        let elsewhere = Origin::Elsewhere(gone);
        assert_eq!(
            origins(&parents),
            [four, elsewhere, four, elsewhere, four, elsewhere, Origin::Comment(6)]
        );
    }

    #[test]
    fn a_chain_of_a_million_answers_has_one_origin_whichever_end_comes_first() {
        let length = 1_000_000;
        let mut parents: Vec<Parent> =
            (0..length).map(|at: usize| at.checked_sub(1).map_or(Parent::None, Parent::Comment)).collect();
        assert!(origins(&parents).iter().all(|origin| *origin == Origin::Comment(0)));
        parents = (1..=length).map(Parent::Comment).chain([Parent::None]).collect();
        assert!(origins(&parents).iter().all(|origin| *origin == Origin::Comment(length)));
    }
}
