//! What was found out about signatures, kept by all that the answer depends on; starting programs is slow.
//!
//! A file of lines in the git directory: key, finding, checksum. It can only save time: a line that is damaged, or a
//! file that cannot be written, costs the work again and nothing more.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::claim::{Finding, KeyOwner};

/// More findings than this are not kept: the older half goes.
const MAX_FINDINGS: usize = 20_000;

/// A longer file is none of ours.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Longer words of a program are cut.
const MAX_WORDS: usize = 400;

/// Identifies a signature and everything that its check depended on.
pub(crate) type FindingKey = [u8; 32];

/// Findings of this process and of earlier ones.
#[derive(Debug)]
pub(crate) struct FindingCache {
    file: PathBuf,
    known: HashMap<FindingKey, Finding>,
    /// In the order in which they came.
    order: Vec<FindingKey>,
    new: Vec<FindingKey>,
}

impl FindingCache {
    /// Reads what earlier processes found out.
    pub fn open(folder: &Path) -> Self {
        let file = folder.join("signatures");
        let mut memory = Self { known: HashMap::new(), order: Vec::new(), new: Vec::new(), file };
        if fs::metadata(&memory.file).is_ok_and(|found| found.len() <= MAX_FILE_BYTES) {
            let text = fs::read_to_string(&memory.file).unwrap_or_default();
            for (key, finding) in text.lines().filter_map(read_line) {
                memory.insert(key, finding);
            }
        }
        memory
    }

    pub fn get(&self, key: &FindingKey) -> Option<&Finding> {
        self.known.get(key)
    }

    /// Remembers a finding; it is on disk after the next [`FindingCache::flush`].
    pub fn keep(&mut self, key: FindingKey, finding: Finding) {
        if self.insert(key, finding) {
            self.new.push(key);
        }
    }

    /// Writes what is new: appended, or all of it again where there is too much.
    pub fn flush(&mut self) {
        if self.new.is_empty() {
            return;
        }
        let new = std::mem::take(&mut self.new);
        let written = if self.order.len() > MAX_FINDINGS {
            let gone: Vec<FindingKey> = self.order.drain(..MAX_FINDINGS / 2).collect();
            for key in gone {
                self.known.remove(&key);
            }
            self.write_anew()
        } else {
            self.append(&new)
        };
        if let Err(error) = written {
            tracing::debug!(%error, "could not save the results of signature checks");
        }
    }

    fn insert(&mut self, key: FindingKey, finding: Finding) -> bool {
        let is_new = self.known.insert(key, finding).is_none();
        if is_new {
            self.order.push(key);
        }
        is_new
    }

    fn append(&self, keys: &[FindingKey]) -> std::io::Result<()> {
        self.file.parent().map_or(Ok(()), fs::create_dir_all)?;
        // One write of whole lines, after a newline: a torn line of another process only damages itself.
        let mut file = OpenOptions::new().append(true).create(true).open(&self.file)?;
        file.write_all(format!("\n{}", self.lines(keys)).as_bytes())
    }

    fn write_anew(&self) -> std::io::Result<()> {
        let beside = self.file.with_extension(format!("{}.new", std::process::id()));
        fs::write(&beside, self.lines(&self.order))?;
        fs::rename(&beside, &self.file)
    }

    fn lines(&self, keys: &[FindingKey]) -> String {
        let found = keys.iter().filter_map(|key| Some((key, self.known.get(key)?)));
        found.filter_map(|(key, finding)| write_line(key, finding)).collect()
    }
}

fn write_line(key: &FindingKey, finding: &Finding) -> Option<String> {
    let (letter, words, key_name) = match finding {
        Finding::Verified { signer: KeyOwner::Author(name), key } => ('a', name, key.as_ref()),
        Finding::Verified { signer: KeyOwner::Other(name), key } => ('o', name, key.as_ref()),
        Finding::Unknown { why, key } => ('u', why, key.as_ref()),
        Finding::Bad { why } => ('b', why, None),
        Finding::Unchecked => return None,
    };
    let clean = |text: &str| text.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect::<String>();
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    let key_name = key_name.map(|name| clean(name)).unwrap_or_default();
    let line = format!("{digits}\t{letter}\t{}\t{key_name}", clean(words));
    Some(format!("{line}\t{}\n", checksum(&line)))
}

fn read_line(line: &str) -> Option<(FindingKey, Finding)> {
    let (line, sum) = line.rsplit_once('\t')?;
    if checksum(line) != sum {
        return None;
    }
    let mut fields = line.split('\t');
    let (digits, letter, words, key) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let mut bytes = FindingKey::default();
    if digits.len() != bytes.len() * 2 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).ok()?;
    }
    let (words, key) = (words.to_owned(), (!key.is_empty()).then(|| key.to_owned()));
    let finding = match letter {
        "a" => Finding::Verified { signer: KeyOwner::Author(words), key },
        "o" => Finding::Verified { signer: KeyOwner::Other(words), key },
        "u" => Finding::Unknown { why: words, key },
        "b" => Finding::Bad { why: words },
        _ => return None,
    };
    Some((bytes, finding))
}

fn checksum(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> FindingKey {
        *blake3::hash(&number.to_be_bytes()).as_bytes()
    }

    fn all() -> [Finding; 4] {
        [
            Finding::Verified {
                signer: KeyOwner::Author("ann@example.com".into()),
                key: Some("SHA256:a".into()),
            },
            Finding::Verified { signer: KeyOwner::Other("bob".into()), key: None },
            Finding::Unknown { why: "nobody".into(), key: None },
            Finding::Bad { why: "no match".into() },
        ]
    }

    #[test]
    fn another_process_knows_what_was_found_out() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = FindingCache::open(dir.path());
        for (at, finding) in all().into_iter().enumerate() {
            memory.keep(key(at), finding);
            memory.flush();
        }
        let again = FindingCache::open(dir.path());
        for (at, finding) in all().iter().enumerate() {
            assert_eq!(again.get(&key(at)), Some(finding));
        }
    }

    #[test]
    fn damage_costs_time_and_changes_no_answer() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = FindingCache::open(dir.path());
        memory.keep(key(0), all()[0].clone());
        memory.flush();
        let file = dir.path().join("signatures");
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, damaged).unwrap();
            let found = FindingCache::open(dir.path()).get(&key(0)).cloned();
            assert!(found.is_none_or(|found| found == all()[0]), "byte {at}");
        }
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let mut memory = FindingCache::open(dir.path());
        for number in 0..MAX_FINDINGS + 10 {
            memory.keep(key(number), all()[3].clone());
        }
        memory.flush();
        let again = FindingCache::open(dir.path());
        assert!(again.order.len() <= MAX_FINDINGS / 2 + 10, "{}", again.order.len());
        assert!(again.get(&key(0)).is_none() && again.get(&key(MAX_FINDINGS + 9)).is_some());
    }
}
