//! Which folders stayed the same between the commits of a range of commits.
//!
//! Most commits do not touch the folder of a file. They need no look into a tree: two numbers are
//! compared. Folders are numbered once for all files in them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::git::TreeId;

use crate::anchoring::repository::memo::lock;
use crate::anchoring::repository::objects::{ObjectError, Objects};

/// Numbers that are remembered at once, over all folders.
const MAX_NUMBERS: usize = 4 << 20;

/// There is no such folder.
const NONE: u32 = u32::MAX;

/// For each commit of a range of commits the number of a folder: equal numbers, equal folders.
#[derive(Debug)]
pub(crate) struct FolderNumbers(Vec<u32>);

impl FolderNumbers {
    /// Whether two commits have the same folder.
    pub fn are_same(&self, one: usize, other: usize) -> bool {
        self.0[one] == self.0[other] && self.0[one] != NONE
    }
}

/// The folders of the commits of one range of commits.
#[derive(Debug)]
pub(crate) struct Folders {
    /// The tree of each commit.
    roots: Vec<TreeId>,
    trees: Mutex<TreeNumbers>,
    known: Mutex<HashMap<Vec<u8>, Folder>>,
}

/// The numbers of a folder, once a thread has found them; the others wait for it.
type Folder = Arc<Mutex<Option<Arc<FolderNumbers>>>>;

#[derive(Debug, Default)]
struct TreeNumbers {
    numbers: HashMap<TreeId, u32>,
    ids: Vec<TreeId>,
}

impl TreeNumbers {
    fn number(&mut self, tree: TreeId) -> u32 {
        let next = self.ids.len() as u32;
        let number = *self.numbers.entry(tree).or_insert(next);
        if number == next {
            self.ids.push(tree);
        }
        number
    }
}

impl Folders {
    pub fn new(roots: Vec<TreeId>) -> Self {
        let (trees, known) = Default::default();
        Self { roots, trees, known }
    }

    /// The folder with these numbers in the commit that is `at` a place; `None` if it has none.
    pub fn tree(&self, numbers: &FolderNumbers, at: usize) -> Option<TreeId> {
        lock(&self.trees).ids.get(numbers.0[at] as usize).copied()
    }

    /// The numbers of the folder that `path` lies in.
    pub fn of(&self, objects: &Objects, path: &[u8]) -> Result<Arc<FolderNumbers>, ObjectError> {
        let folder = memchr::memrchr(b'/', path).map(|at| &path[..at]);
        let cell = {
            let mut known = lock(&self.known);
            if known.len() * self.roots.len() > MAX_NUMBERS {
                known.clear();
            }
            known.entry(folder.unwrap_or_default().to_vec()).or_default().clone()
        };
        let mut numbers = lock(&cell);
        if let Some(known) = &*numbers {
            return Ok(known.clone());
        }
        let found = match folder {
            None => {
                let mut trees = lock(&self.trees);
                self.roots.iter().map(|root| trees.number(*root)).collect()
            }
            Some(folder) => {
                let name = memchr::memrchr(b'/', folder).map_or(folder, |at| &folder[at + 1..]);
                self.inside(objects, &*self.of(objects, folder)?, name)?
            }
        };
        Ok(numbers.insert(Arc::new(FolderNumbers(found))).clone())
    }

    /// The numbers of the folder `name` in each of some folders.
    fn inside(&self, objects: &Objects, outer: &FolderNumbers, name: &[u8]) -> Result<Vec<u32>, ObjectError> {
        let mut found: HashMap<u32, u32> = HashMap::from([(NONE, NONE)]);
        let mut numbers = Vec::with_capacity(outer.0.len());
        let mut last = (NONE, NONE);
        for number in &outer.0 {
            if *number != last.0 {
                let inner = match found.get(number) {
                    Some(inner) => *inner,
                    None => {
                        let tree = lock(&self.trees).ids[*number as usize];
                        let folder = objects.folder(tree, name)?;
                        let inner = folder.map_or(NONE, |tree| lock(&self.trees).number(tree));
                        found.insert(*number, inner);
                        inner
                    }
                };
                last = (*number, inner);
            }
            numbers.push(last.1);
        }
        Ok(numbers)
    }
}
