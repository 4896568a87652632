//! Several suggestions at once: what they do to each file together, or which of them stand in each other's way.

use std::collections::BTreeMap;

use crate::edit::{Replacement, TextEdit};
use crate::git::RepoPath;
use crate::patch::FileMode;

use super::fate::Left;

/// What several suggestions do together, file by file.
#[derive(Clone, Debug, Default)]
pub struct Together {
    files: BTreeMap<RepoPath, Joined>,
}

/// Two suggestions that cannot both be applied as things are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both change the same place of {path}")]
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
pub struct Planned {
    /// Where it stands; none when it is made.
    pub from: Option<RepoPath>,
    /// Where it goes; none when it is deleted.
    pub to: Option<RepoPath>,
    /// What it holds then; none when it is deleted.
    pub text: Option<Vec<u8>>,
    /// The mode it gets, where that changes.
    pub mode: Option<FileMode>,
}

#[derive(Clone, Debug)]
enum Joined {
    Change { edits: Vec<Replacement<usize>>, to: Option<(RepoPath, usize)>, mode: Option<(FileMode, usize)> },
    Create { text: Vec<u8>, mode: Option<FileMode>, by: usize },
    Delete { by: usize },
}

impl Together {
    /// Adds what is left of the suggestion with the number `by`.
    ///
    /// What two suggestions have in common is done once.
    pub fn add(&mut self, by: usize, left: Left) -> Result<(), Overlap> {
        let (at, joined) = match left {
            Left::Change { at, edit, to, mode } => {
                let edits = edit.map_data(|_, ()| by).into_replacements();
                (at, Joined::Change { edits, to: to.map(|to| (to, by)), mode: mode.map(|mode| (mode, by)) })
            }
            Left::Create { at, text, mode } => (at, Joined::Create { text, mode, by }),
            Left::Delete { at } => (at, Joined::Delete { by }),
        };
        if let Joined::Change { to: Some((to, _)), .. } = &joined
            && let Some(other) = self.maker_of(to, &at)
        {
            return Err(Overlap { path: to.clone(), one: other, other: by });
        }
        match self.files.get_mut(&at) {
            None => drop(self.files.insert(at, joined)),
            Some(there) => there.join(joined).map_err(|one| Overlap { path: at, one, other: by })?,
        }
        Ok(())
    }

    /// Who else makes a file at `path`.
    fn maker_of(&self, path: &RepoPath, except: &RepoPath) -> Option<usize> {
        self.files.iter().find_map(|(at, joined)| match joined {
            Joined::Change { to: Some((to, by)), .. } if to == path && at != except => Some(*by),
            Joined::Create { by, .. } if at == path => Some(*by),
            _ => None,
        })
    }

    /// What becomes of each file; `read` gives what stands there now.
    pub fn plan<E>(self, mut read: impl FnMut(&RepoPath) -> Result<Vec<u8>, E>) -> Result<Vec<Planned>, E> {
        let mut plan = Vec::with_capacity(self.files.len());
        for (at, joined) in self.files {
            plan.push(match joined {
                Joined::Create { text, mode, .. } => {
                    Planned { from: None, to: Some(at), text: Some(text), mode }
                }
                Joined::Delete { .. } => Planned { from: Some(at), to: None, text: None, mode: None },
                Joined::Change { edits, to, mode } => {
                    let text = read(&at)?;
                    let edit = TextEdit::new(edits).expect("edits are joined in order");
                    let text = edit.apply(&text).expect("edits were made for this very text");
                    let to = to.map_or_else(|| at.clone(), |(to, _)| to);
                    Planned {
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
    /// Joins two changes of one file, or tells whose stands in the way.
    fn join(&mut self, other: Self) -> Result<(), usize> {
        match (self, other) {
            (
                Self::Change { edits, to, mode },
                Self::Change { edits: more, to: other_to, mode: other_mode },
            ) => {
                agree(to, other_to)?;
                agree(mode, other_mode)?;
                for edit in more {
                    let same = |there: &Replacement<usize>| {
                        there.range() == edit.range() && there.text() == edit.text()
                    };
                    if edits.iter().any(same) {
                        continue;
                    }
                    if let Some(there) = edits.iter().find(|there| meet(there, &edit)) {
                        return Err(*there.data());
                    }
                    let place = edits.partition_point(|there| there.start() <= edit.start());
                    edits.insert(place, edit);
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
                let edit = edits.first().map(|edit| *edit.data());
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

    fn path(path: &str) -> RepoPath {
        RepoPath::new(path).unwrap()
    }

    fn change(edits: &[(usize, usize, &str)]) -> Left {
        let edits = edits.iter().map(|(start, end, text)| Replacement::new(*start..*end, *text, ()));
        Left::Change { at: path("f"), edit: TextEdit::new(edits.collect()).unwrap(), to: None, mode: None }
    }

    fn check(lefts: Vec<Left>) -> Result<Vec<Planned>, Overlap> {
        let mut together = Together::default();
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
        let delete = Left::Delete { at: path("f") };
        assert_eq!(check(vec![delete.clone(), change(&[(1, 1, "y")])]), Err(overlap(1)));
        assert!(check(vec![delete.clone(), delete]).is_ok());
        let make = |text: &str| Left::Create { at: path("f"), text: text.into(), mode: None };
        assert_eq!(check(vec![make("a"), make("b")]), Err(overlap(1)));
        let rename = |at: &str, to: &str| Left::Change {
            at: path(at),
            edit: TextEdit::nothing(),
            to: Some(path(to)),
            mode: None,
        };
        assert!(check(vec![rename("f", "g"), rename("f", "h")]).is_err());
        assert!(check(vec![rename("f", "g"), rename("e", "g")]).is_err());
        assert!(check(vec![rename("f", "g"), change(&[(0, 1, "x")])]).is_ok());
    }
}
