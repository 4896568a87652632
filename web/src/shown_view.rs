//! What a page shows: the changes of what is checked out, a review, or two commits; and its address.

use postil_protocol::{Diff, HeadName};

use crate::address::{decode, encode};

/// What a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownView {
    /// What is checked out, with what is on disk, against the base of its review.
    Current,
    /// A review, by its id.
    Review(String),
    /// A commit, or the files on disk, against another commit.
    Range {
        /// What it was.
        base: String,
        /// What it is; `None` for the files on disk.
        head: Option<String>,
    },
}

impl ShownView {
    /// The address of its page, below the prefix of the server.
    pub fn path(&self) -> String {
        match self {
            Self::Current => "changes".to_owned(),
            Self::Review(id) => format!("review/{}", encode(id.as_bytes())),
            Self::Range { base, head: None } => format!("compare/{}", encode(base.as_bytes())),
            Self::Range { base, head: Some(head) } => {
                format!("compare/{}/{}", encode(base.as_bytes()), encode(head.as_bytes()))
            }
        }
    }

    /// Reads an address.
    pub(crate) fn read(path: &str) -> Option<Self> {
        let mut parts = path.split('/');
        let kind = parts.next()?;
        let mut word = || match parts.next() {
            Some(part) => Some(Some(String::from_utf8(decode(part)?).ok().filter(|word| !word.is_empty())?)),
            None => Some(None),
        };
        let view = match (kind, word()?, word()?) {
            ("changes", None, None) => Self::Current,
            ("review", Some(id), None) => Self::Review(id),
            ("compare", Some(base), head) => Self::Range { base, head },
            _ => return None,
        };
        parts.next().is_none().then_some(view)
    }

    /// The diff to ask for.
    pub(crate) fn diff(&self) -> Diff {
        let usual = Diff {
            untracked: true,
            resolved: true,
            words: true,
            syntax: true,
            enclosing: true,
            ..Diff::default()
        };
        match self {
            Self::Current => usual,
            Self::Review(id) => Diff { review: Some(id.clone()), ..usual },
            Self::Range { base, head } => Diff {
                base: Some(base.clone()),
                head: head.clone().map_or(HeadName::WorkTree, HeadName::Rev),
                ..usual
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_what_it_was_made_of() {
        let range = |base: &str, head: Option<&str>| ShownView::Range {
            base: base.into(),
            head: head.map(str::to_owned),
        };
        for view in [
            ShownView::Current,
            ShownView::Review("3f9c1a".into()),
            range("main~3", None),
            range("origin/main", Some("topic/a b")),
        ] {
            assert_eq!(ShownView::read(&view.path()), Some(view));
        }
        for bad in [
            "",
            "change",
            "changes/x",
            "review",
            "review/",
            "review/a/b",
            "compare",
            "compare/a/b/c",
            "compare/%ff",
        ] {
            assert_eq!(ShownView::read(bad), None, "{bad}");
        }
    }
}
