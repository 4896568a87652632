//! Names for what has none: the same from report to report, wherever its lines are.

use std::collections::BTreeMap;

/// Longer names are replaced by what they hash to.
const MAX_NAME_BYTES: usize = 200;

/// Gives every entry of a report a name of its own.
#[derive(Debug, Default)]
pub struct EntryNames {
    given: BTreeMap<(String, String), u32>,
}

impl EntryNames {
    /// A name that nothing else of this source has; entries that are alike are counted.
    pub fn give(&mut self, source: &str, name: String) -> String {
        let name = if name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            fingerprint(&[&name])
        } else {
            name
        };
        let count = self.given.entry((source.to_owned(), name.clone())).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}~{count}") }
    }
}

/// What these words hash to.
pub fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_is_counted_and_what_is_long_is_hashed() {
        let mut names = EntryNames::default();
        assert_eq!(names.give("lint", "a".into()), "a");
        assert_eq!(names.give("lint", "a".into()), "a~2");
        assert_eq!(names.give("other", "a".into()), "a");
        assert_eq!(names.give("lint", "x".repeat(300)).len(), 16);
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }
}
