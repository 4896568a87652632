//! Comments as people write them: on lines of this project's own files, in words of its own pages.
//!
//! Words are drawn one by one, so that no phrase comes twice: prose would be smaller once it is packed.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use postil_core::anchoring::{Pointed, anchor_at};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{Author, Body, CommentRecord, LineSpan, Range, Record, Seq, Severity, Timestamp};

use crate::BenchResult;

/// How much an anchor keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All that postil keeps: five lines of context on each side, and the scope.
    Full,
    /// One line of context before and few words, for a record of some 325 bytes.
    Short,
}

/// Makes comments, the same ones in every run.
pub struct Comments {
    files: Vec<(RepoPath, Vec<u8>)>,
    words: Vec<String>,
    chance: Chance,
    made: u64,
}

const PEOPLE: [(&str, &str); 5] = [
    ("Ada Byron", "ada@example.com"),
    ("Grace Murray", "grace.murray@example.com"),
    ("Alan Mathison", "alan@example.org"),
    ("Barbara Huberman", "barbara@example.com"),
    ("Edsger Wybe", "edsger@example.net"),
];

impl Comments {
    /// Reads the project's own files, to comment on.
    pub fn new(seed: u64) -> BenchResult<Self> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("a crate outside of the workspace")?;
        let mut files = Vec::new();
        gather(top, &top.join("core/src"), "rs", &mut files)?;
        let mut pages = Vec::new();
        gather(top, &top.join("docs"), "md", &mut pages)?;
        let prose: String =
            pages.iter().map(|(_, page)| String::from_utf8_lossy(page).into_owned()).collect();
        let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic() || ",.:;`_'".contains(c));
        let words: Vec<String> = prose.split_whitespace().filter(is_word).map(str::to_owned).collect();
        if files.is_empty() || words.is_empty() {
            return Err("this program comments on the files that it was built from, and they are gone".into());
        }
        Ok(Self { files, words, chance: Chance(seed), made: 0 })
    }

    /// Makes one more comment on `commit`, and says which blob it is on.
    pub fn on(&mut self, commit: CommitId, shape: Shape) -> BenchResult<(BlobId, Record)> {
        let (path, content) = &self.files[self.chance.below(self.files.len())];
        let lines = content.split(|byte| *byte == b'\n').count().saturating_sub(1).max(1);
        let first = 1 + self.chance.below(lines);
        let last = match shape {
            Shape::Full => lines.min(first + [0, 0, 0, 1, 2, 5][self.chance.below(6)]),
            Shape::Short => first,
        };
        let number = |line: usize| u32::try_from(line).ok().and_then(NonZeroU32::new);
        let span = number(first).zip(number(last)).and_then(|(first, last)| LineSpan::new(first, last));
        let blob = self.chance.id();
        let pointed = Pointed { commit: Some(commit), path, blob, content, range: span.map(Range::lines) };
        let mut anchor = anchor_at(&pointed)?;
        let count = match shape {
            Shape::Full => 5 + self.chance.below(30),
            Shape::Short => {
                anchor.before.drain(..anchor.before.len().saturating_sub(1));
                anchor.after.clear();
                anchor.scope.clear();
                2 + self.chance.below(5)
            }
        };
        let words: Vec<&str> =
            (0..count).map(|_| &*self.words[self.chance.below(self.words.len())]).collect();
        let (name, email) = PEOPLE[self.chance.below(PEOPLE.len())];
        self.made += 1;
        let severities = [None, Some(Severity::Nit), Some(Severity::Issue), Some(Severity::Question)];
        let comment = CommentRecord {
            author: Author { name: name.into(), email: email.into() },
            at: Timestamp(1_750_000_000_000 + self.made * 41_017),
            seq: Seq::new(self.made % 50),
            via: None,
            review: None,
            parent: None,
            anchor: Some(anchor.into()),
            text: words.join(" "),
            severity: severities[self.chance.below(severities.len())].clone(),
            tags: Vec::new(),
            suggestion: Vec::new(),
        };
        Ok((blob, Record::new(&Body::Comment(comment))?))
    }
}

fn gather(top: &Path, dir: &Path, extension: &str, found: &mut Vec<(RepoPath, Vec<u8>)>) -> BenchResult<()> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir)? {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            gather(top, &path, extension, found)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            let name = path.strip_prefix(top)?.to_string_lossy().into_owned();
            found.extend(RepoPath::new(name).zip(Some(fs::read(&path)?)));
        }
    }
    Ok(())
}

/// SplitMix64: even enough, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    fn id(&mut self) -> BlobId {
        let bytes: Vec<u8> = (0..3).flat_map(|_| self.next().to_le_bytes()).take(20).collect();
        BlobId::from_bytes(&bytes).expect("20 bytes are an id")
    }
}
