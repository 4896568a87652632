//! Which characters of a text are not seen, or change how others are seen.

/// Reads the characters of a text in order: what some of them do depends on the one before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unseen {
    before: Option<char>,
}

impl Unseen {
    /// Whether the next character hides something or turns it around. Controls of ASCII are not asked about here.
    pub fn hides(&mut self, c: char) -> bool {
        let before = self.before.replace(c);
        match c {
            c if c < '\u{80}' => false,
            // Joins emoji, and letters in scripts that have a sign for it; between others, it only hides a word from searches.
            '\u{200d}' => !before.is_some_and(|before| is_emoji(before) || is_virama(before)),
            // The form of the sign before it. Several of them carry any bytes.
            '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(has_forms),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                !before.is_some_and(|before| ('\u{1820}'..='\u{18aa}').contains(&before))
            }
            c => is_always_unseen(c),
        }
    }
}

/// Characters that nobody sees, or that change how others are seen, wherever they are.
fn is_always_unseen(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'          // control characters, some of which begin escape sequences
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200c}' | '\u{200e}'..='\u{200f}'   // no width, and direction marks
        | '\u{2028}'..='\u{202e}'    // line separators, and embeddings of direction
        | '\u{2060}'..='\u{206f}'    // no width, and isolates of direction
        | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e000}'..='\u{f8ff}'    // private use: each font shows something else, or nothing
        | '\u{e0000}'..='\u{e0fff}'  // tags, and more forms of signs
        | '\u{f0000}'..='\u{10ffff}'
    )
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// The signs that leave the vowel of a letter out, before which a join has a meaning.
fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}

/// Signs of which there is more than one form: digits of keys, symbols, emoji and ideographs.
fn has_forms(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{3000}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_found_and_what_belongs_to_a_script_is_left() {
        let hidden = |text: &str| {
            let mut unseen = Unseen::default();
            text.chars().filter(|c| unseen.hides(*c)).count()
        };
        for seen in ["plain é 漢", "👩‍👩‍👧", "❤️ 1️⃣", "क्‍ष", "🏳️‍🌈", "👍🏽", "葛\u{fe00}", "ᠠ\u{180b}"]
        {
            assert_eq!(hidden(seen), 0, "{seen:?}");
        }
        let check = |text: &str, count: usize| assert_eq!(hidden(text), count, "{text:?}");
        check("ig\u{200d}nore", 1);
        check("\u{200d}", 1);
        check("a\u{fe0f}", 1);
        check("👍\u{fe0f}\u{fe00}\u{fe01}", 2);
        check("a\u{180b}", 1);
        check("\u{e0041}\u{e0100}\u{202e}\u{2800}\u{1d173}\u{e000}\u{100000}", 7);
    }
}
