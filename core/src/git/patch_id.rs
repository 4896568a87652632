//! Patch ids: what a patch does, wherever it is applied; its files and their hunks, without line numbers and white
//! space.
//!
//! Pure: texts in, hash out. Two patches are equal here if they are equal for `git patch-id --stable`; the hashes are
//! different. Which trees to compare is the caller's work.

use super::RepoPath;
use crate::edit::{Algorithm, Hunk, LineMap, Text};

/// Unchanged lines around each change that belong to a patch, as git has it.
const CONTEXT: u32 = 3;

/// Two patches with the same id do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchId([u8; 32]);

/// One file of a patch, on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSides<'a> {
    /// The lines can be compared; `None`: the file is not there.
    Lines(Option<&'a Text>, Option<&'a Text>),
    /// Only that they differ is known: binaries, large files, submodules. In ids, empty for what is not there.
    Opaque(&'a [u8], &'a [u8]),
}

/// Computes the ids of a patch; its files are added in the order of their paths.
#[derive(Default)]
pub(crate) struct PatchHasher {
    hash: blake3::Hasher,
    /// The same without the lines around each change.
    bare: blake3::Hasher,
    is_some: bool,
}

/// The two ids of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatchIds {
    /// As git does it.
    pub id: PatchId,
    /// By the lines that it takes out and puts in alone; patches with the same one need not do the same.
    pub bare: PatchId,
}

impl PatchHasher {
    /// Adds one file, with the modes that git has for it, zero for none.
    pub fn add(&mut self, path: &RepoPath, modes: (u16, u16), sides: FileSides<'_>) {
        self.is_some = true;
        self.part(b"file", path.as_bytes());
        if modes.0 != modes.1 {
            self.part(b"mode", format!("{:o} {:o}", modes.0, modes.1).as_bytes());
        }
        match sides {
            FileSides::Opaque(before, after) => {
                self.part(b"from", before);
                self.part(b"to", after);
            }
            FileSides::Lines(before, after) => {
                let nothing = Text::new("");
                let (before, after) = (before.unwrap_or(&nothing), after.unwrap_or(&nothing));
                let map = LineMap::between(before, after, Algorithm::Histogram);
                if map.hunks().is_empty() {
                    // Only line ends differ, which no hunk shows.
                    self.part(b"from", before.bytes());
                    self.part(b"to", after.bytes());
                }
                for group in groups(map.hunks()) {
                    self.hunks(group, before, after);
                }
            }
        }
    }

    /// The ids; `None` for a patch that does nothing.
    pub fn ids(self) -> Option<PatchIds> {
        let id = |hash: blake3::Hasher| PatchId(*hash.finalize().as_bytes());
        self.is_some.then(|| PatchIds { id: id(self.hash), bare: id(self.bare) })
    }

    /// Hunks that share context are one, from the first line of it to the last.
    fn hunks(&mut self, group: &[Hunk], before: &Text, after: &Text) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        put(&mut self.hash, b"hunk", b"");
        let mut at = first.before.start.saturating_sub(CONTEXT);
        for hunk in group {
            self.lines(b' ', before, at..hunk.before.start);
            self.lines(b'-', before, hunk.before.clone());
            self.lines(b'+', after, hunk.after.clone());
            at = hunk.before.end;
        }
        self.lines(b' ', before, at..(last.before.end + CONTEXT).min(before.len()));
    }

    fn lines(&mut self, mark: u8, text: &Text, lines: std::ops::Range<u32>) {
        for line in lines {
            let bare: Vec<u8> =
                text.line(line).iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            put(&mut self.hash, &[mark], &bare);
            if mark != b' ' {
                put(&mut self.bare, &[mark], &bare);
            }
        }
    }

    fn part(&mut self, word: &[u8], bytes: &[u8]) {
        put(&mut self.hash, word, bytes);
        put(&mut self.bare, word, bytes);
    }
}

/// Lengths before the bytes keep two parts from being taken for two others.
fn put(hash: &mut blake3::Hasher, word: &[u8], bytes: &[u8]) {
    hash.update(word).update(b"\n").update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
}

/// Puts together the hunks whose context would touch.
fn groups(hunks: &[Hunk]) -> impl Iterator<Item = &[Hunk]> {
    hunks.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(path: &str, before: &str, after: &str) -> PatchId {
        let mut patch = PatchHasher::default();
        let (before, after) = (Text::new(before), Text::new(after));
        let path = RepoPath::new(path).unwrap();
        patch.add(&path, (0o100_644, 0o100_644), FileSides::Lines(Some(&before), Some(&after)));
        patch.ids().unwrap().id
    }

    const BEFORE: &str = "a\nb\nc\nd\ne\nf\ng\n";
    const AFTER: &str = "a\nb\nc\nD\ne\nf\ng\n";

    #[test]
    fn a_patch_is_the_same_wherever_in_the_file_it_applies() {
        let further_down = |text: &str| format!("1\n2\n3\n{text}");
        assert_eq!(id("x", BEFORE, AFTER), id("x", &further_down(BEFORE), &further_down(AFTER)));
        assert_eq!(id("x", BEFORE, AFTER), id("x", &format!("{BEFORE}h\n"), &format!("{AFTER}h\n")));
    }

    #[test]
    fn white_space_does_not_count() {
        let spaced = |text: &str| text.replace('\n', " \t\n");
        assert_eq!(id("x", BEFORE, AFTER), id("x", &spaced(BEFORE), &spaced(AFTER)));
    }

    #[test]
    fn path_words_context_and_direction_count() {
        let patch = id("x", BEFORE, AFTER);
        assert_ne!(patch, id("y", BEFORE, AFTER));
        assert_ne!(patch, id("x", AFTER, BEFORE));
        assert_ne!(patch, id("x", BEFORE, &AFTER.replace('D', "E")));
        assert_ne!(patch, id("x", &BEFORE.replace('b', "B"), &AFTER.replace('b', "B")));
        assert_ne!(patch, id("x", &format!("{BEFORE}{BEFORE}"), &format!("{AFTER}{AFTER}")));
    }

    #[test]
    fn a_mode_alone_is_a_patch_and_nothing_is_none() {
        assert_eq!(PatchHasher::default().ids(), None);
        let with = |modes| {
            let mut patch = PatchHasher::default();
            let text = Text::new("a\n");
            patch.add(&RepoPath::new("x").unwrap(), modes, FileSides::Lines(Some(&text), Some(&text)));
            patch.ids()
        };
        assert_ne!(with((0o100_644, 0o100_755)), with((0o100_755, 0o100_644)));
        assert!(with((0o100_644, 0o100_755)).is_some());
    }
}
