//! The known words of a language, as a hash table that the compiler makes.

use crate::class::SyntaxClass;

/// So many places a table has; a language has far fewer words, so that most look-ups end at the first place.
const SLOTS: usize = 256;

/// For each place, which text the word is in (from one), where it begins there and how long it is.
pub(crate) type WordSlots = [(u8, u16, u8); SLOTS];

/// The known words of a language.
pub(crate) struct WordTable {
    slots: &'static WordSlots,
    texts: [&'static str; 3],
    ignores_case: bool,
}

/// What the words of the three texts are.
const CLASSES: [SyntaxClass; 3] = [SyntaxClass::Keyword, SyntaxClass::Number, SyntaxClass::Type];

impl WordTable {
    /// The table of keywords, literals and types, whose places are known.
    pub(crate) const fn new(slots: &'static WordSlots, texts: [&'static str; 3], ignores_case: bool) -> Self {
        Self { slots, texts, ignores_case }
    }

    /// What a word is, if it is a known one.
    pub(crate) fn class(&self, word: &[u8]) -> Option<SyntaxClass> {
        let mut slot = hash(word, 0, word.len());
        loop {
            let (text, start, len) = self.slots[slot];
            if text == 0 {
                return None;
            }
            if usize::from(len) == word.len() {
                let start = usize::from(start);
                let known = &self.texts[usize::from(text) - 1].as_bytes()[start..start + word.len()];
                if known == word || self.ignores_case && known.eq_ignore_ascii_case(word) {
                    return Some(CLASSES[usize::from(text) - 1]);
                }
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.0 != 0).count()
    }

    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static str> {
        self.texts.into_iter().flat_map(|text| text.split(' ')).filter(|word| !word.is_empty())
    }
}

/// Makes the places of keywords, literals and types; each text has words with single blanks between them.
pub(crate) const fn slots(texts: [&str; 3]) -> WordSlots {
    let mut slots = [(0, 0, 0); SLOTS];
    let mut text = 0;
    while text < texts.len() {
        let bytes = texts[text].as_bytes();
        let mut start = 0;
        let mut at = 0;
        while at <= bytes.len() {
            if at == bytes.len() || bytes[at] == b' ' {
                if at > start {
                    let mut slot = hash(bytes, start, at);
                    while slots[slot].0 != 0 {
                        slot = (slot + 1) % SLOTS;
                    }
                    slots[slot] = (text as u8 + 1, start as u16, (at - start) as u8);
                }
                start = at + 1;
            }
            at += 1;
        }
        text += 1;
    }
    slots
}

/// Where the search for a word begins; the same for both cases of a letter.
const fn hash(bytes: &[u8], start: usize, end: usize) -> usize {
    if start >= end {
        return 0;
    }
    let first = (bytes[start] | 0x20) as usize;
    let middle = (bytes[start + (end - start) / 2] | 0x20) as usize;
    let last = (bytes[end - 1] | 0x20) as usize;
    (first.wrapping_mul(31) + middle.wrapping_mul(17) + last.wrapping_mul(7) + (end - start).wrapping_mul(67))
        % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_are_found_and_no_others() {
        const RUST: [&str; 3] = ["fn let", "true", "u8"];
        const SQL: [&str; 3] = ["SELECT FROM", "NULL", ""];
        static RUST_SLOTS: WordSlots = slots(RUST);
        static SQL_SLOTS: WordSlots = slots(SQL);
        const TABLE: WordTable = WordTable::new(&RUST_SLOTS, RUST, false);
        const QUERY: WordTable = WordTable::new(&SQL_SLOTS, SQL, true);
        assert_eq!(TABLE.class(b"let"), Some(SyntaxClass::Keyword));
        assert_eq!(TABLE.class(b"true"), Some(SyntaxClass::Number));
        assert_eq!(TABLE.class(b"u8"), Some(SyntaxClass::Type));
        assert_eq!(TABLE.class(b"Let"), None);
        assert_eq!(TABLE.class(b""), None);
        assert_eq!(QUERY.class(b"Select"), Some(SyntaxClass::Keyword));
        assert_eq!(QUERY.class(b"null"), Some(SyntaxClass::Number));
    }
}
