//! How a view is looked at: what stands behind the `?` of its address.

use postil_protocol::{Diff, HeadName};

use crate::address::{Query, encode};

/// Since when changes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SinceWhen {
    /// Since the version that the person looked at before.
    Looked,
    /// Since the person's verdict.
    Judged,
}

/// What became of a branch since then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SinceHow {
    /// Nothing.
    Unmoved,
    /// Commits were added.
    Added,
    /// It was rewritten; its head is this commit now.
    Rewritten(String),
}

/// Since when changes are shown, once it is known which version that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SinceFound {
    /// The version of then.
    pub then: String,
    /// What became of the branch.
    pub how: SinceHow,
}

/// How a view is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// Whether lines that differ only in white space are shown as unchanged.
    pub ignore_space: bool,
    /// The one commit that is shown, by its id.
    pub commit: Option<String>,
    /// Since when changes are shown, if not all of them are.
    pub since: Option<SinceWhen>,
    /// Which version that is, once the service was asked; no address holds it.
    pub found: Option<SinceFound>,
}

impl Looks {
    /// Reads it from an address; what is not known is as if it were not there.
    pub(crate) fn read(query: &Query) -> Self {
        let is_id =
            |id: &&str| id.len() >= 4 && id.len() <= 64 && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        let commit = query.text("commit").filter(is_id).map(str::to_owned);
        let since = match query.text("since").filter(|_| commit.is_none()) {
            Some("looked") => Some(SinceWhen::Looked),
            Some("judged") => Some(SinceWhen::Judged),
            _ => None,
        };
        Self { ignore_space: query.text("space") == Some("ignore"), commit, since, found: None }
    }

    /// Writes it for an address, without the `?`.
    pub(crate) fn query(&self) -> String {
        let mut parts = Vec::new();
        if self.ignore_space {
            parts.push("space=ignore".to_owned());
        }
        if let Some(commit) = &self.commit {
            parts.push(format!("commit={}", encode(commit.as_bytes())));
        }
        match self.since {
            Some(SinceWhen::Looked) => parts.push("since=looked".to_owned()),
            Some(SinceWhen::Judged) => parts.push("since=judged".to_owned()),
            None => {}
        }
        parts.join("&")
    }

    /// Asks for it.
    pub(crate) fn apply(&self, diff: Diff) -> Diff {
        let diff = Diff { ignore_space: self.ignore_space, ..diff };
        match &self.commit {
            Some(commit) => Diff {
                base: Some(format!("{commit}^")),
                head: HeadName::Rev(commit.clone()),
                untracked: false,
                ..diff
            },
            None => match &self.found {
                Some(SinceFound { then, how: SinceHow::Added | SinceHow::Unmoved }) => {
                    Diff { base: Some(then.clone()), ..diff }
                }
                Some(SinceFound { then, how: SinceHow::Rewritten(now) }) => Diff {
                    base: Some(then.clone()),
                    head: HeadName::Rev(now.clone()),
                    untracked: false,
                    ..diff
                },
                None => diff,
            },
        }
    }

    /// Whether what is deleted is no line of the base of the review, but of another commit.
    pub(crate) fn has_other_base(&self) -> bool {
        let is_rewritten = |found: &SinceFound| matches!(found.how, SinceHow::Rewritten(_));
        self.commit.is_some() || self.found.as_ref().is_some_and(|found| !is_rewritten(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_how_one_looks() {
        for text in [
            "",
            "space=ignore",
            "commit=0123abcd",
            "space=ignore&commit=0123abcd",
            "since=looked",
            "space=ignore&since=judged",
        ] {
            assert_eq!(Looks::read(&Query::read(text)).query(), text);
        }
        for odd in
            ["space=x", "commit=main", "commit=..", "commit=--help", "other=1", "commit=%ff", "since=ever"]
        {
            assert_eq!(Looks::read(&Query::read(odd)), Looks::default(), "{odd}");
        }
    }
}
