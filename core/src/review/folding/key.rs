//! The key by which a program names what it reports: the same in every report, and in every clone.
//!
//! It is kept in tags: an import writes `imported`, `from:` its source and `id:` its key there; a program that comments by
//! itself writes `key:`, and is the source itself. How a key is made is up to who imports.

/// Marks everything that was said elsewhere.
const IMPORTED: &str = "imported";

/// Before the source.
const FROM: &str = "from:";

/// Before the key that it has there.
const ID: &str = "id:";

/// Before the key that the author of a comment gave it.
pub const KEY: &str = "key:";

/// What something is called where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportKey {
    /// The tool, file or system that it comes from.
    pub source: String,
    /// Its name there.
    pub name: String,
}

impl ReportKey {
    /// That of what was imported, as its tags say.
    pub fn imported(tags: &[String]) -> Option<Self> {
        if !tags.iter().any(|tag| tag == IMPORTED) {
            return None;
        }
        let after = |start: &str| tags.iter().find_map(|tag| tag.strip_prefix(start)).map(str::to_owned);
        Some(Self { source: after(FROM)?, name: after(ID)? })
    }

    /// The tags that say it.
    pub fn tags(&self) -> [String; 3] {
        [IMPORTED.to_owned(), format!("{FROM}{}", self.source), format!("{ID}{}", self.name)]
    }

    /// Whether a tag says where something comes from.
    pub fn is_in(tag: &str) -> bool {
        tag == IMPORTED || tag.starts_with(FROM) || tag.starts_with(ID)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_the_tags_that_say_it() {
        let key = ReportKey { source: "lint".into(), name: "a:b".into() };
        assert_eq!(ReportKey::imported(&key.tags()), Some(key.clone()));
        assert!(key.tags().iter().all(|tag| ReportKey::is_in(tag)) && !ReportKey::is_in("rule:x"));
        assert_eq!(ReportKey::imported(&["from:lint".into(), "id:a".into()]), None, "not without the mark");
        assert_eq!(ReportKey::imported(&["imported".into(), "from:lint".into()]), None);
    }
}
