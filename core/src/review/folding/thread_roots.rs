//! Which thread each comment belongs to.
//!
//! A reply may name another reply as its parent; its thread is the one at the end of the chain of parents. The chain
//! cannot be a circle, because an id is the hash of a record that names its parent. But it can be very long: it is
//! walked in a loop, without recursion.

use crate::record::RecordId;

/// The parent of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// None: it starts a thread.
    None,
    /// The comment with this index.
    Comment(usize),
    /// A comment that is not among these: the thread with this id is known already, or its first comment is not here.
    Elsewhere(RecordId),
}

/// The end of a chain of parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainEnd {
    /// The comment with this index, which has no parent.
    Comment(usize),
    /// The thread with this id, whose first comment is not among these.
    Elsewhere(RecordId),
}

/// Returns for each comment the end of its chain of parents.
///
/// Linear: every comment is visited once.
pub(super) fn origins(parents: &[Parent]) -> Vec<ChainEnd> {
    let mut origins: Vec<Option<ChainEnd>> = vec![None; parents.len()];
    let mut passed = Vec::new();
    for start in 0..parents.len() {
        let mut at = start;
        let origin = loop {
            if let Some(origin) = origins[at] {
                break origin;
            }
            passed.push(at);
            match parents[at] {
                Parent::None => break ChainEnd::Comment(at),
                Parent::Elsewhere(id) => break ChainEnd::Elsewhere(id),
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
        let four = ChainEnd::Comment(4);
        let elsewhere = ChainEnd::Elsewhere(gone);
        assert_eq!(
            origins(&parents),
            [four, elsewhere, four, elsewhere, four, elsewhere, ChainEnd::Comment(6)]
        );
    }

    #[test]
    fn a_chain_of_a_million_answers_has_one_origin_whichever_end_comes_first() {
        let length = 1_000_000;
        let mut parents: Vec<Parent> =
            (0..length).map(|at: usize| at.checked_sub(1).map_or(Parent::None, Parent::Comment)).collect();
        assert!(origins(&parents).iter().all(|origin| *origin == ChainEnd::Comment(0)));
        parents = (1..=length).map(Parent::Comment).chain([Parent::None]).collect();
        assert!(origins(&parents).iter().all(|origin| *origin == ChainEnd::Comment(length)));
    }
}
