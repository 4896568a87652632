//! A language: its names, and the table of its rules.

use crate::rules::{LexRules, Oddity};
use crate::words::WordTable;

/// A language that has syntax colours.
pub struct Language {
    pub(crate) names: LanguageNames,
    pub(crate) grammar: Grammar,
    pub(crate) rules: LexRules,
    pub(crate) words: WordTable,
    /// For each byte, what may begin with it in code.
    pub(crate) starts: &'static [LexStart; 256],
}

/// Makes the table of a language. What has no pointers is in statics of its own: the loader of a program need not touch them.
macro_rules! language {
    ($name:ident, $grammar:expr, $names:expr, $rules:expr $(,)?) => {
        pub(crate) static $name: $crate::language::Language = {
            const RULES: $crate::rules::LexRules = $rules;
            const TEXTS: [&str; 3] = [RULES.keywords, RULES.literals, RULES.types];
            static SLOTS: $crate::words::WordSlots = $crate::words::slots(TEXTS);
            static STARTS: [$crate::language::LexStart; 256] = $crate::language::starts(&RULES);
            $crate::language::Language {
                names: $names,
                grammar: $grammar,
                rules: RULES,
                words: $crate::words::WordTable::new(&SLOTS, TEXTS, RULES.ignores_case),
                starts: &STARTS,
            }
        };
    };
}

pub(crate) use language;

/// What a language and its files are called; each text has names with single blanks between them.
#[derive(Clone, Copy)]
pub(crate) struct LanguageNames {
    /// What people call it.
    pub(crate) name: &'static str,
    /// Other names of it at a fence, in lower case.
    pub(crate) fences: &'static str,
    /// The ends of its files' names, in lower case and without the dot.
    pub(crate) extensions: &'static str,
    /// Whole names of files; one that ends with `*` is the beginning of a name.
    pub(crate) files: &'static str,
    /// Programs that a first line `#!` names, without their version.
    pub(crate) programs: &'static str,
}

/// How the lines of a language are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// By its rules.
    Code,
    /// Tags and text.
    Markup,
    /// The same, and code between `<?php` and `?>`.
    Php,
    Yaml,
    Markdown,
    Diff,
}

/// What may begin with a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexStart {
    /// Nothing.
    Plain,
    /// Nothing, and a value before it stays one.
    Blank,
    /// A word.
    Word,
    /// A number, or the rest of a word.
    Digit,
    /// The rest of a word; elsewhere, what a mark begins.
    WordEnd,
    /// A comment, a string or an oddity.
    Mark,
    /// A bracket, which code inside a string counts, and after which a value was there.
    Close,
    /// A bracket that opens.
    Open,
}

impl Language {
    /// What people call it.
    pub fn name(&self) -> &'static str {
        self.names.name
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.names.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.names.name == other.names.name
    }
}

impl Eq for Language {}

impl LanguageNames {
    /// A language without names, which each sets.
    pub(crate) const NONE: Self = Self { name: "", fences: "", extensions: "", files: "", programs: "" };
}

/// For each byte, what may begin with it by these rules.
pub(crate) const fn starts(rules: &LexRules) -> [LexStart; 256] {
    let mut starts = [LexStart::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        starts[byte] = match byte as u8 {
            b' ' | b'\t' => LexStart::Blank,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..=0xff => LexStart::Word,
            b'0'..=b'9' => LexStart::Digit,
            b'(' | b'[' | b'{' => LexStart::Open,
            b')' | b']' | b'}' => LexStart::Close,
            _ => LexStart::Plain,
        };
        byte += 1;
    }
    let mut at = 0;
    while at < rules.word_endings.len() {
        starts[rules.word_endings.as_bytes()[at] as usize] = LexStart::WordEnd;
        at += 1;
    }
    at = 0;
    while at < rules.word_bytes.len() {
        starts[rules.word_bytes.as_bytes()[at] as usize] = LexStart::Word;
        at += 1;
    }
    mark_firsts(&mut starts, rules.line_comments);
    mark_firsts(&mut starts, rules.line_strings);
    at = 0;
    while at < rules.block_comments.len() {
        mark(&mut starts, rules.block_comments[at].open);
        at += 1;
    }
    at = 0;
    while at < rules.strings.len() {
        if rules.strings[at].hashes {
            mark(&mut starts, "#");
        }
        mark(&mut starts, rules.strings[at].open);
        at += 1;
    }
    at = 0;
    while at < rules.oddities.len() {
        mark(
            &mut starts,
            match rules.oddities[at] {
                Oddity::Characters => "'",
                Oddity::SlashRegex => "/",
                Oddity::LongBrackets => "[",
                Oddity::ShellHeredocs | Oddity::WordHeredocs | Oddity::TripleHeredocs => "<",
                Oddity::PercentQuotes => "%",
                Oddity::Sigils => "~",
                Oddity::CodeEscapes => "\\",
                Oddity::Decorators | Oddity::AtKeywords => "@",
                Oddity::Variables => "$",
                Oddity::Preprocessor | Oddity::ColonKeys => "#",
                _ => "",
            },
        );
        at += 1;
    }
    starts
}

const fn mark_firsts(starts: &mut [LexStart; 256], marks: &[&str]) {
    let mut at = 0;
    while at < marks.len() {
        mark(starts, marks[at]);
        at += 1;
    }
}

/// A letter begins a word first; a mark such as `REM` is then looked for at words.
const fn mark(starts: &mut [LexStart; 256], text: &str) {
    if text.is_empty() {
        return;
    }
    let first = text.as_bytes()[0] as usize;
    if !matches!(starts[first], LexStart::Word | LexStart::WordEnd) {
        starts[first] = LexStart::Mark;
    }
}
