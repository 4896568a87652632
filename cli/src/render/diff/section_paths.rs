//! Which file git printed something about, with the name that it has on each side.

use gix::bstr::ByteSlice as _;
use postil_client::Checkout;

use super::git_output::{DiffSection, GitLine};

/// The names of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SectionPaths {
    /// In the base; none if it is new, or a copy.
    pub before: Option<Vec<u8>>,
    /// In the head; none if it is deleted.
    pub after: Option<Vec<u8>>,
}

/// What git writes before the names of files, on each side.
#[derive(Clone, Debug)]
pub struct PathPrefixes {
    old: NamePrefix,
    new: NamePrefix,
    /// The folder that names begin in, if they do not begin at the root (`diff.relative`).
    below: Vec<u8>,
}

/// What is before a name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NamePrefix {
    /// A letter and a slash: `a/`, or another letter with `diff.mnemonicPrefix`.
    Letter,
    /// This.
    Given(Vec<u8>),
}

impl NamePrefix {
    fn length(&self) -> usize {
        match self {
            Self::Letter => 2,
            Self::Given(prefix) => prefix.len(),
        }
    }

    fn strip<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Letter if name.get(1) == Some(&b'/') => &name[2..],
            Self::Letter => name,
            Self::Given(prefix) => name.strip_prefix(&prefix[..]).unwrap_or(name),
        }
    }
}

impl PathPrefixes {
    /// What git writes in this repository; `none` if the command line says that there is none.
    pub fn of(checkout: &Checkout, none: bool) -> Self {
        let is_on = |name: &str| checkout.switch(name).unwrap_or(false);
        let given = |name: &str| match checkout.setting(name) {
            Some(prefix) => NamePrefix::Given(prefix.into_bytes()),
            None => NamePrefix::Letter,
        };
        let (old, new) = if none || is_on("diff.noprefix") {
            (NamePrefix::Given(Vec::new()), NamePrefix::Given(Vec::new()))
        } else if is_on("diff.mnemonicPrefix") {
            (NamePrefix::Letter, NamePrefix::Letter)
        } else {
            (given("diff.srcPrefix"), given("diff.dstPrefix"))
        };
        let mut below = Vec::new();
        if is_on("diff.relative") && !checkout.prefix().is_empty() {
            below = checkout.prefix().to_vec();
            below.push(b'/');
        }
        Self { old, new, below }
    }

    /// The names of the file that a section is about.
    pub(super) fn paths(&self, section: &DiffSection) -> SectionPaths {
        let count = section.lines().take_while(|(_, what)| *what == GitLine::Header).count();
        let lines: Vec<Vec<u8>> = (0..count).map(|at| section.plain(at)).collect();
        let after = |start: &str| lines.iter().find_map(|line| line.strip_prefix(start.as_bytes()));
        let from = after("rename from ").map(|name| self.whole(&unquoted(name)));
        if let Some(to) = after("rename to ").or(after("copy to ")) {
            return SectionPaths { before: from, after: Some(self.whole(&unquoted(to))) };
        }
        let named = match (after("--- "), after("+++ ")) {
            (Some(old), Some(new)) => (self.side(old, &self.old), self.side(new, &self.new)),
            _ => {
                let both = after("diff --git ").and_then(|both| self.both(both));
                let both = both.or_else(|| after("diff --cc ").map(|name| self.whole(&unquoted(name))));
                let both = both.or_else(|| after("* Unmerged path ").map(|name| self.whole(&unquoted(name))));
                (both.clone(), both)
            }
        };
        SectionPaths {
            before: named.0.filter(|_| after("new file mode ").is_none()),
            after: named.1.filter(|_| after("deleted file mode ").is_none()),
        }
    }

    /// The name in a line that begins with `---` or `+++`.
    fn side(&self, written: &[u8], prefix: &NamePrefix) -> Option<Vec<u8>> {
        // A name with a blank in it is followed by a tab.
        let written = written.strip_suffix(b"\t").unwrap_or(written);
        (written != b"/dev/null").then(|| self.whole(prefix.strip(&unquoted(written))))
    }

    /// The name in `a/name b/name`, where both are the same.
    fn both(&self, written: &[u8]) -> Option<Vec<u8>> {
        if written.starts_with(b"\"") {
            return Some(self.whole(self.old.strip(&unquoted(written))));
        }
        let (old, new) = (self.old.length(), self.new.length());
        let length = written.len().checked_sub(old + new + 1)?;
        let name = written.get(old..old + length / 2)?;
        (length % 2 == 0 && written.ends_with(name)).then(|| self.whole(name))
    }

    fn whole(&self, name: &[u8]) -> Vec<u8> {
        [&self.below, name].concat()
    }
}

/// A name without the quotes of C.
fn unquoted(written: &[u8]) -> Vec<u8> {
    match gix::quote::ansi_c::undo(written.as_bstr()) {
        Ok((name, _)) if written.starts_with(b"\"") => name.to_vec(),
        _ => written.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::git_output::{GitDiffReader, HunkForm};
    use super::*;

    fn check_with(prefixes: &PathPrefixes, output: &str, before: Option<&str>, after: Option<&str>) {
        let mut reader = GitDiffReader::new(output.as_bytes(), HunkForm::Lines);
        let section = reader.section().unwrap().unwrap();
        let owned = |name: Option<&str>| name.map(|name| name.as_bytes().to_vec());
        let expected = SectionPaths { before: owned(before), after: owned(after) };
        assert_eq!(prefixes.paths(&section), expected, "{output}");
    }

    fn check(output: &str, before: Option<&str>, after: Option<&str>) {
        let letters = PathPrefixes { old: NamePrefix::Letter, new: NamePrefix::Letter, below: Vec::new() };
        check_with(&letters, output, before, after);
    }

    #[test]
    fn names_are_found_however_git_writes_them() {
        let both = Some("d/x");
        check("diff --git a/d/x b/d/x\nindex 1..2\n--- a/d/x\n+++ b/d/x\n@@ -1 +1 @@\n", both, both);
        check("diff --git c/d/x w/d/x\n--- c/d/x\n+++ w/d/x\n", both, both);
        check("diff --git a/d/x b/d/x\nold mode 100644\nnew mode 100755\n", both, both);
        check("diff --git a/d/x b/d/x\nindex 1..2\nBinary files a/d/x and b/d/x differ\n", both, both);
        check("diff --git a/d/x b/d/x\nnew file mode 100644\n--- /dev/null\n+++ b/d/x\n", None, both);
        check("diff --git a/d/x b/d/x\nnew file mode 100644\nindex 0..e69de29\n", None, both);
        check("diff --git a/d/x b/d/x\ndeleted file mode 100644\n--- a/d/x\n+++ /dev/null\n", both, None);
        check("diff --git a/o b/n\nrename from o\nrename to n\n--- a/o\n+++ b/n\n", Some("o"), Some("n"));
        check("diff --git a/o b/n\ncopy from o\ncopy to n\n", None, Some("n"));
        check("\x1b[1mdiff --git a/d/x b/d/x\x1b[m\n\x1b[1mold mode 100644\x1b[m\n", both, both);
        check("diff --cc d/x\nindex 1,2..3\n--- a/d/x\n+++ b/d/x\n", both, both);
    }

    #[test]
    fn blanks_and_quotes_are_parts_of_names() {
        let blank = Some("a b/ b/c");
        check("diff --git a/a b/ b/c b/a b/ b/c\n--- a/a b/ b/c\t\n+++ b/a b/ b/c\t\n", blank, blank);
        check("diff --git a/a b/ b/c b/a b/ b/c\nold mode 100644\n", blank, blank);
        let quoted = Some("\u{e9}\"\t");
        let name = "\\303\\251\\\"\\t\"";
        check(&format!("diff --git \"a/{name} \"b/{name}\nold mode 100644\n"), quoted, quoted);
        check(&format!("diff --git x\n--- \"a/{name}\n+++ \"b/{name}\n"), quoted, quoted);
    }

    #[test]
    fn prefixes_are_those_of_the_settings() {
        let given = |prefix: &str| NamePrefix::Given(prefix.as_bytes().to_vec());
        let none = PathPrefixes { old: given(""), new: given(""), below: Vec::new() };
        check_with(&none, "diff --git a/x a/x\n--- a/x\n+++ a/x\n", Some("a/x"), Some("a/x"));
        check_with(&none, "diff --git a/x a/x\nold mode 100644\n", Some("a/x"), Some("a/x"));
        let own = PathPrefixes { old: given("old/"), new: given("new/er/"), below: b"d/".to_vec() };
        check_with(&own, "diff --git old/x new/er/x\nold mode 100644\n", Some("d/x"), Some("d/x"));
        check_with(&own, "diff --git old/x new/er/x\n--- old/x\n+++ new/er/x\n", Some("d/x"), Some("d/x"));
    }
}
