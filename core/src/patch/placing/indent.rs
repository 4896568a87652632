//! Gives added lines the indentation of the file, where the whole hunk is indented otherwise.
//!
//! Learned from the lines that were found: which indentation of the hunk is which of the file.

use std::collections::BTreeMap;

use super::line::{indent, is_blank};

/// Which indentation in a hunk is which one in the file.
pub(crate) struct Indents {
    known: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Indents {
    /// Learns from pairs of a hunk's line and the file's; the first pair of an indentation counts.
    pub(crate) fn learn<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let mut known = BTreeMap::new();
        for (hunk, file) in pairs.filter(|(hunk, _)| !is_blank(hunk)) {
            known.entry(indent(hunk).to_vec()).or_insert_with(|| indent(file).to_vec());
        }
        Self { known }
    }

    /// The line as the file would indent it.
    pub(crate) fn put(&self, line: &[u8]) -> Vec<u8> {
        let own = indent(line);
        if is_blank(line) || self.known.iter().all(|(hunk, file)| hunk == file) || self.lost_marks() {
            return line.to_vec();
        }
        [self.of(own).as_slice(), &line[own.len()..]].concat()
    }

    /// Where each line of context has one blank too few, its author forgot the mark of context, and the
    /// added lines, which have theirs, are right.
    fn lost_marks(&self) -> bool {
        let shorter =
            |(hunk, file): (&Vec<u8>, &Vec<u8>)| hunk == file || file[..] == [b" ", &hunk[..]].concat();
        self.known.iter().all(shorter)
    }

    fn of(&self, own: &[u8]) -> Vec<u8> {
        if let Some(file) = self.known.get(own) {
            return file.clone();
        }
        // The nearest shallower line tells the base, and the step from one depth to the next tells the rest.
        let base = self.known.iter().rev().find(|(hunk, _)| own.starts_with(hunk));
        if let Some((hunk, file)) = base {
            return [file.as_slice(), &self.rest(&own[hunk.len()..])].concat();
        }
        // It is less deep than all: what the shallowest line has too much is taken away here too.
        let Some((hunk, file)) = self.known.iter().next() else { return own.to_vec() };
        let less = hunk.len() - own.len().min(hunk.len());
        if file.len() >= hunk.len() {
            return file[..file.len().saturating_sub(less)].to_vec();
        }
        own[..own.len().saturating_sub(hunk.len() - file.len())].to_vec()
    }

    /// Indentation beyond what is known, in the file's own unit if that is known.
    fn rest(&self, more: &[u8]) -> Vec<u8> {
        let steps = self.known.iter().zip(self.known.iter().skip(1)).find_map(|((a, x), (b, y))| {
            Some((b.strip_prefix(a.as_slice())?, y.strip_prefix(x.as_slice())?))
        });
        // One depth is enough where one side has tabs and the other has blanks.
        let steps = steps.or_else(|| {
            let (hunk, file) = self.known.iter().find(|(hunk, file)| hunk.first() != file.first())?;
            (!hunk.is_empty() && !file.is_empty()).then_some((hunk.as_slice(), file.as_slice()))
        });
        match steps {
            Some((from, to)) if !from.is_empty() && more.len().is_multiple_of(from.len()) => {
                to.repeat(more.len() / from.len())
            }
            _ => more.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], line: &str, put: &str) {
        let indents = Indents::learn(pairs.iter().map(|(hunk, file)| (hunk.as_bytes(), file.as_bytes())));
        assert_eq!(String::from_utf8(indents.put(line.as_bytes())).unwrap(), put);
    }

    #[test]
    fn what_is_indented_too_little_or_too_much_follows_the_file() {
        check(&[("a", "    a")], "b", "    b");
        check(&[("a", "    a")], "  b", "      b");
        check(&[("    a", "a")], "    b", "b");
        check(&[("    a", "a")], "        b", "    b");
        check(&[("    a", "        a")], "b", "    b");
        check(&[("        a", "    a")], "    b", "b");
    }

    #[test]
    fn tabs_and_blanks_are_told_by_the_step_between_two_depths() {
        let pairs = [("    a", "\ta"), ("        b", "\t\tb")];
        check(&pairs, "            c", "\t\t\tc");
        check(&pairs, "    c", "\tc");
        check(&[("    a", "\ta")], "        c", "\t\tc");
    }

    #[test]
    fn a_forgotten_mark_of_context_is_no_indentation() {
        check(&[("   a", "    a")], "    b", "    b");
        check(&[("a", "a")], "  b", "  b");
    }
}
