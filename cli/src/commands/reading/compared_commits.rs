//! The commits that `postil diff` compares, distinguished from files as git does.
//!
//! What a commit is called in full is the service's to find out; here is only asked whether it is one.

use std::ffi::OsString;

use postil_client::Checkout;

use crate::commands::input::paths;
use crate::failure::{Failure, FailureKind};

/// What is compared with what.
#[derive(Debug)]
pub struct Compared {
    /// What it was; none for where the branch left its base.
    pub base: Option<String>,
    /// What it is; none for the files on disk.
    pub at: Option<String>,
}

impl Compared {
    /// Takes the commits at the start of `words`, and returns the paths after them.
    ///
    /// A word that names a file on disk is that file, and a pattern is never a commit. If there are paths
    /// after a `--` (`behind`), all words are commits.
    pub fn take<'a>(
        &mut self,
        words: &'a [OsString],
        behind: &[OsString],
        checkout: &Checkout,
    ) -> Result<&'a [OsString], Failure> {
        let mut rest = words;
        while let Some((word, others)) = rest.split_first() {
            if behind.is_empty() && (paths::on_disk(checkout, word).is_some() || paths::is_pattern(word)) {
                break;
            }
            let range = word.to_str().and_then(|word| RevisionRange::named(word, checkout));
            match range {
                Some(range) => self.add(range)?,
                // Without a working tree, a mistyped commit cannot be distinguished from a path.
                None if behind.is_empty() && checkout.work_tree().is_none() => break,
                None => {
                    let what = format!("{} is neither a commit nor a file", word.display());
                    let hint = "`git log --all --oneline` lists commits; put deleted paths after `--`";
                    return Err(Failure::new(FailureKind::NotFound, what).hint(hint));
                }
            }
            rest = others;
        }
        Ok(rest)
    }

    fn add(&mut self, range: RevisionRange) -> Result<(), Failure> {
        let (base, at) = match range {
            RevisionRange::One(rev) if self.base.is_none() => (rev, None),
            RevisionRange::One(rev) => (self.base.take().unwrap_or_default(), Some(rev)),
            RevisionRange::Two(base, at) => (base, Some(at)),
        };
        if self.base.is_some() || (self.at.is_some() && at.is_some()) {
            return Err(Failure::new(FailureKind::Usage, "cannot compare more than two commits")
                .hint("give one commit, two commits, or a range: `postil diff main..topic`"));
        }
        self.base = Some(base);
        self.at = at.or(self.at.take());
        Ok(())
    }
}

/// A word for commits.
enum RevisionRange {
    One(String),
    Two(String, String),
}

impl RevisionRange {
    /// Reads a word as git does; none if it names no commit.
    fn named(word: &str, checkout: &Checkout) -> Option<Self> {
        let end = |rev: &str| if rev.is_empty() { "HEAD".to_owned() } else { rev.to_owned() };
        if let Some((one, other)) = word.split_once("...") {
            let (one, other) = (end(one), end(other));
            return Some(Self::Two(checkout.merge_base(&one, &other)?.to_string(), other));
        }
        if let Some((one, other)) = word.split_once("..") {
            let (one, other) = (end(one), end(other));
            return (checkout.commit(&one).is_some() && checkout.commit(&other).is_some())
                .then_some(Self::Two(one, other));
        }
        checkout.commit(word).map(|_| Self::One(word.to_owned()))
    }
}
