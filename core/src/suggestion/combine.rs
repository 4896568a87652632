//! Several suggestions at once: what they do to each file together, or which of them are in each other's way.

use std::collections::BTreeMap;

use crate::edit::{Replacement, TextEdit};
use crate::git::RepoPath;
use crate::patch::FileMode;

use super::fate::RemainingChange;

/// What several suggestions do together, file by file.
#[derive(Clone, Debug, Default)]
pub struct CombinedSuggestions {
    files: BTreeMap<RepoPath, Joined>,
    claims: BTreeMap<RepoPath, Vec<ClaimedPath>>,
}

/// A path that a suggestion needs: a file is there, or is to.
#[derive(Clone, Debug)]
struct ClaimedPath {
    by: usize,
    /// The file that it is about, by where it is now.
    file: RepoPath,
    /// Whether that file is there now and will not.
    leaves: bool,
}

/// Two suggestions that cannot both be applied as things are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both change the same lines of {path}")]
pub struct Overlap {
    /// The file.
    pub path: RepoPath,
    /// The suggestion that was there first, by its number.
    pub one: usize,
    /// The other.
    pub other: usize,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedFile {
    /// Where it is; `None` if it is made.
    pub from: Option<RepoPath>,
    /// Where it goes; `None` if it is deleted.
    pub to: Option<RepoPath>,
    /// What it holds then; `None` if it is deleted.
    pub text: Option<Vec<u8>>,
    /// The mode it gets, where that changes.
    pub mode: Option<FileMode>,
}

#[derive(Clone, Debug)]
enum Joined {
    Change {
        edits: Vec<Vec<Replacement<usize>>>,
        to: Option<(RepoPath, usize)>,
        mode: Option<(FileMode, usize)>,
    },
    Create {
        text: Vec<u8>,
        mode: Option<FileMode>,
        by: usize,
    },
    Delete {
        by: usize,
    },
}

impl CombinedSuggestions {
    /// Adds what is left of the suggestion with the number `by`.
    ///
    /// What two suggestions have in common is done once.
    pub fn add(&mut self, by: usize, left: RemainingChange) -> Result<(), Overlap> {
        let (at, joined) = match left {
            RemainingChange::Change { at, edit, to, mode } => {
                let edits = vec![edit.map_data(|_, ()| by).into_replacements()];
                (at, Joined::Change { edits, to: to.map(|to| (to, by)), mode: mode.map(|mode| (mode, by)) })
            }
            RemainingChange::Create { at, text, mode } => (at, Joined::Create { text, mode, by }),
            RemainingChange::Delete { at } => (at, Joined::Delete { by }),
        };
        let to = match &joined {
            Joined::Change { to: Some((to, _)), .. } => Some(to.clone()),
            _ => None,
        };
        let leaves = to.is_some() || matches!(joined, Joined::Delete { .. });
        let claimed: Vec<(RepoPath, bool)> =
            [(at.clone(), leaves)].into_iter().chain(to.map(|to| (to, false))).collect();
        for (path, leaves) in &claimed {
            if let Some(one) = self.in_the_way(by, &at, path, *leaves) {
                return Err(Overlap { path: path.clone(), one, other: by });
            }
        }
        match self.files.get_mut(&at) {
            None => drop(self.files.insert(at.clone(), joined)),
            Some(there) => {
                there.join(joined).map_err(|one| Overlap { path: at.clone(), one, other: by })?;
            }
        }
        for (path, leaves) in claimed {
            self.claims.entry(path).or_default().push(ClaimedPath { by, file: at.clone(), leaves });
        }
        Ok(())
    }

    /// Who needs `path` for another file than `file`, or needs a folder where `path` is a file or the other way round.
    ///
    /// Within one suggestion, a file may get the path that another leaves.
    fn in_the_way(&self, by: usize, file: &RepoPath, path: &RepoPath, leaves: bool) -> Option<usize> {
        let makes_way = |claim: &ClaimedPath| claim.by == by && claim.leaves != leaves;
        let mut claims = self.claims.get(path).into_iter().flatten();
        let same = claims.find(|claim| claim.file != *file && !makes_way(claim));
        // One suggestion may make a folder of a file that it deletes.
        let of_another =
            |claims: &Vec<ClaimedPath>| claims.iter().find(|claim| claim.by != by).map(|claim| claim.by);
        let is_slash = |at: &usize| path.as_bytes()[*at] == b'/';
        let above = (0..path.as_bytes().len()).filter(is_slash).find_map(|end| {
            let folder = RepoPath::new(&path.as_bytes()[..end])?;
            self.claims.get(&folder).and_then(of_another)
        });
        let mut folder = path.as_bytes().to_vec();
        folder.push(b'/');
        let beside = self.claims.range(path..).take_while(|(other, _)| {
            // Some paths that only begin alike, such as `d-x`, are before what is within `d/`.
            other.as_bytes() <= folder.as_slice() || other.as_bytes().starts_with(&folder)
        });
        let mut within = beside.filter(|(other, _)| other.as_bytes().starts_with(&folder));
        let below = || within.find_map(|(_, claims)| of_another(claims));
        same.map(|claim| claim.by).or(above).or_else(below)
    }

    /// What becomes of each file; `read` gives what is there now.
    pub fn plan<E>(
        self,
        mut read: impl FnMut(&RepoPath) -> Result<Vec<u8>, E>,
    ) -> Result<Vec<CombinedFile>, E> {
        let mut plan = Vec::with_capacity(self.files.len());
        for (at, joined) in self.files {
            plan.push(match joined {
                Joined::Create { text, mode, .. } => {
                    CombinedFile { from: None, to: Some(at), text: Some(text), mode }
                }
                Joined::Delete { .. } => CombinedFile { from: Some(at), to: None, text: None, mode: None },
                Joined::Change { edits, to, mode } => {
                    let text = read(&at)?;
                    let edit =
                        TextEdit::new(without_repeats(edits)).expect("edits that meet were not joined");
                    let text = edit.apply(&text).expect("edits were made for this very text");
                    let to = to.map_or_else(|| at.clone(), |(to, _)| to);
                    CombinedFile {
                        from: Some(at),
                        to: Some(to),
                        text: Some(text),
                        mode: mode.map(|(mode, _)| mode),
                    }
                }
            });
        }
        Ok(plan)
    }
}

impl Joined {
    /// Joins two changes of one file, or returns whose is in the way.
    fn join(&mut self, other: Self) -> Result<(), usize> {
        match (self, other) {
            (
                Self::Change { edits, to, mode },
                Self::Change { edits: more, to: other_to, mode: other_mode },
            ) => {
                agree(to, other_to)?;
                agree(mode, other_mode)?;
                for more in more {
                    if edits.iter().any(|there| alike(there, &more)) {
                        continue;
                    }
                    let pairs =
                        edits.iter().flatten().flat_map(|there| more.iter().map(move |edit| (there, edit)));
                    let mut meeting =
                        pairs.filter(|(there, edit)| !is_same(there, edit) && meet(there, edit));
                    if let Some((there, _)) = meeting.next() {
                        return Err(*there.data());
                    }
                    edits.push(more);
                }
                Ok(())
            }
            (Self::Create { text, mode, by }, Self::Create { text: other, mode: other_mode, .. }) => {
                if *text == other && *mode == other_mode { Ok(()) } else { Err(*by) }
            }
            (Self::Delete { .. }, Self::Delete { .. }) => Ok(()),
            (there, _) => Err(there.by()),
        }
    }

    fn by(&self) -> usize {
        match self {
            Self::Create { by, .. } | Self::Delete { by } => *by,
            Self::Change { edits, to, mode } => {
                let edit = edits.iter().flatten().next().map(|edit| *edit.data());
                edit.or(to.as_ref().map(|to| to.1)).or(mode.map(|mode| mode.1)).unwrap_or_default()
            }
        }
    }
}

fn agree<T: PartialEq>(there: &mut Option<(T, usize)>, other: Option<(T, usize)>) -> Result<(), usize> {
    match (&there, other) {
        (Some((there, by)), Some((other, _))) if *there != other => Err(*by),
        (None, other @ Some(_)) => {
            *there = other;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// All edits in their order; what several suggestions have in common is there once.
fn without_repeats(edits: Vec<Vec<Replacement<usize>>>) -> Vec<Replacement<usize>> {
    let mut all: Vec<Replacement<usize>> = Vec::new();
    for more in edits {
        let before = all.len();
        for edit in more {
            if !all[..before].iter().any(|there| is_same(there, &edit)) {
                all.push(edit);
            }
        }
    }
    all.sort_by_key(|edit| (edit.start(), edit.end()));
    all
}

fn is_same<D>(one: &Replacement<D>, other: &Replacement<D>) -> bool {
    one.range() == other.range() && one.text() == other.text()
}

fn alike<D>(one: &[Replacement<D>], other: &[Replacement<D>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
}

/// Whether two replacements are not clearly apart: they overlap, or insert at one point.
fn meet<D>(one: &Replacement<D>, other: &Replacement<D>) -> bool {
    let overlap = one.start() < other.end() && other.start() < one.end();
    let inside = |point: &Replacement<D>, range: &Replacement<D>| {
        point.range().is_empty() && range.start() <= point.start() && point.start() <= range.end()
    };
    overlap || inside(one, other) || inside(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path).unwrap()
    }

    fn change(edits: &[(usize, usize, &str)]) -> RemainingChange {
        let edits = edits.iter().map(|(start, end, text)| Replacement::new(*start..*end, *text, ()));
        RemainingChange::Change {
            at: path("f"),
            edit: TextEdit::new(edits.collect()).unwrap(),
            to: None,
            mode: None,
        }
    }

    fn check(lefts: Vec<RemainingChange>) -> Result<Vec<CombinedFile>, Overlap> {
        let mut together = CombinedSuggestions::default();
        for (by, left) in lefts.into_iter().enumerate() {
            together.add(by, left)?;
        }
        Ok(together.plan(|_| Ok::<_, std::convert::Infallible>(b"abcdef".to_vec())).unwrap())
    }

    #[test]
    fn suggestions_that_are_apart_go_together() {
        let plan = check(vec![change(&[(4, 5, "E")]), change(&[(0, 1, "A"), (2, 3, "C")])]).unwrap();
        assert_eq!(plan[0].text.as_deref(), Some(&b"AbCdEf"[..]));
        let same = check(vec![change(&[(4, 5, "E")]), change(&[(4, 5, "E")])]).unwrap();
        assert_eq!(same[0].text.as_deref(), Some(&b"abcdEf"[..]));
    }

    #[test]
    fn overlaps_are_found_before_anything_is_done() {
        let overlap = |other| Overlap { path: path("f"), one: 0, other };
        assert_eq!(check(vec![change(&[(1, 3, "x")]), change(&[(2, 4, "y")])]), Err(overlap(1)));
        assert_eq!(check(vec![change(&[(1, 1, "x")]), change(&[(1, 1, "y")])]), Err(overlap(1)));
        let delete = RemainingChange::Delete { at: path("f") };
        assert_eq!(check(vec![delete.clone(), change(&[(1, 1, "y")])]), Err(overlap(1)));
        assert!(check(vec![delete.clone(), delete]).is_ok());
        assert_eq!(check(vec![make("f", "a"), make("f", "b")]), Err(overlap(1)));
        assert!(check(vec![rename("f", "g"), rename("f", "h")]).is_err());
        assert!(check(vec![rename("f", "g"), rename("e", "g")]).is_err());
        assert!(check(vec![rename("f", "g"), change(&[(0, 1, "x")])]).is_ok());
    }

    fn make(at: &str, text: &str) -> RemainingChange {
        RemainingChange::Create { at: path(at), text: text.into(), mode: None }
    }

    fn rename(at: &str, to: &str) -> RemainingChange {
        RemainingChange::Change { at: path(at), edit: TextEdit::nothing(), to: Some(path(to)), mode: None }
    }

    fn check_apart(one: &RemainingChange, other: &RemainingChange) {
        assert!(check(vec![one.clone(), other.clone()]).is_err(), "{one:?} then {other:?}");
        assert!(check(vec![other.clone(), one.clone()]).is_err(), "{other:?} then {one:?}");
    }

    #[test]
    fn a_path_that_two_suggestions_need_for_two_files_is_found_in_either_order() {
        check_apart(&rename("f", "g"), &make("g", "other"));
        check_apart(&rename("e", "f"), &change(&[(0, 1, "x")]));
        check_apart(&rename("e", "f"), &RemainingChange::Delete { at: path("f") });
        check_apart(&rename("f", "g"), &rename("e", "g"));
        check_apart(&rename("f", "g"), &rename("g", "h"));
    }

    #[test]
    fn two_files_of_one_suggestion_may_take_each_others_paths() {
        let swap = [rename("f", "g"), rename("g", "f")];
        let mut together = CombinedSuggestions::default();
        assert!(swap.iter().all(|left| together.add(0, left.clone()).is_ok()));
        check_apart(&swap[0], &swap[1]);
        let mut taken = CombinedSuggestions::default();
        assert!(taken.add(0, rename("f", "g")).is_ok() && taken.add(0, make("g", "other")).is_err());
    }

    #[test]
    fn a_file_of_one_that_is_a_folder_of_another_is_found_in_either_order() {
        check_apart(&make("d", "a"), &make("d/x", "b"));
        check_apart(&make("d", "a"), &rename("f", "d/e/x"));
        check_apart(&RemainingChange::Delete { at: path("d") }, &make("d/x", "b"));
        assert!(check(vec![make("d", "a"), make("d-x", "b"), make("d.x", "c"), make("dx/y", "d")]).is_ok());
        check_apart(&make("d-x/y", "a"), &make("d-x", "b"));
        let mut between = vec![make("d-x", "b"), make("d.x", "c"), make("d/x", "d")];
        assert!(check(between.clone()).is_ok());
        between.push(make("d", "a"));
        assert!(check(between).is_err());
    }

    fn left() -> impl Strategy<Value = RemainingChange> {
        let paths = || proptest::sample::select(vec!["f", "g", "d", "d/x", "d/x/y", "d-x"]).prop_map(path);
        let edits = proptest::collection::vec((0..3_usize, 0..2_usize, "[ab]?"), 0..3).prop_map(|edits| {
            let mut end = 0;
            let edits = edits.into_iter().map(|(skip, length, text)| {
                let start = end + skip;
                end = start + length;
                Replacement::new(start..end, text, ())
            });
            TextEdit::new(edits.collect()).unwrap_or_else(|_| TextEdit::nothing())
        });
        prop_oneof![
            (paths(), "[ab]").prop_map(|(at, text)| RemainingChange::Create {
                at,
                text: text.into(),
                mode: None
            }),
            paths().prop_map(|at| RemainingChange::Delete { at }),
            (paths(), proptest::option::of(paths()), edits).prop_map(|(at, to, edit)| {
                let to = to.filter(|to| *to != at);
                RemainingChange::Change { at, edit, to, mode: None }
            }),
        ]
    }

    proptest! {
        #[test]
        fn the_order_of_suggestions_plays_no_part(
            (lefts, shuffled) in proptest::collection::vec(left(), 1..5)
                .prop_flat_map(|lefts| (Just(lefts.clone()), Just(lefts).prop_shuffle()))
        ) {
            match (check(lefts), check(shuffled)) {
                (Ok(one), Ok(other)) => prop_assert_eq!(one, other),
                (Err(_), Err(_)) => {}
                (one, other) => prop_assert!(false, "{:?} but {:?}", one, other),
            }
        }

        #[test]
        fn what_goes_together_leaves_one_file_at_each_path(lefts in proptest::collection::vec(left(), 1..5)) {
            if let Ok(plan) = check(lefts) {
                let to: Vec<_> = plan.iter().filter_map(|planned| planned.to.as_ref()).collect();
                for (at, one) in to.iter().enumerate() {
                    let others = plan.iter().filter(|planned| planned.to.as_ref() != Some(*one));
                    prop_assert!(!to[..at].contains(one));
                    prop_assert!(others.clone().all(|other| other.from.as_ref() != Some(*one)));
                }
            }
        }
    }
}
