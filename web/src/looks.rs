//! How a view is looked at: what stands behind the `?` of its address.

use postil_protocol::{Diff, HeadName};

use crate::address::{Query, encode};

/// How a view is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// Whether lines that differ only in white space are shown as unchanged.
    pub ignore_space: bool,
    /// The one commit that is shown, by its id.
    pub commit: Option<String>,
}

impl Looks {
    /// Reads it from an address; what is not known is as if it were not there.
    pub(crate) fn read(query: &Query) -> Self {
        let is_id =
            |id: &&str| id.len() >= 4 && id.len() <= 64 && id.bytes().all(|digit| digit.is_ascii_hexdigit());
        Self {
            ignore_space: query.text("space") == Some("ignore"),
            commit: query.text("commit").filter(is_id).map(str::to_owned),
        }
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
            None => diff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_how_one_looks() {
        for text in ["", "space=ignore", "commit=0123abcd", "space=ignore&commit=0123abcd"] {
            assert_eq!(Looks::read(&Query::read(text)).query(), text);
        }
        for odd in ["space=x", "commit=main", "commit=..", "commit=--help", "other=1", "commit=%ff"] {
            assert_eq!(Looks::read(&Query::read(odd)), Looks::default(), "{odd}");
        }
    }
}
