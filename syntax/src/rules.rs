//! What a table says about a language of code: its comments, strings, words and oddities.
//!
//! How a line is read by these rules is in `code`.

/// The rules of a language of code.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact about a language, named in its table")]
pub(crate) struct LexRules {
    /// What begins a comment up to the end of the line.
    pub(crate) line_comments: &'static [&'static str],
    /// Whether such a comment begins only at the start of a line or after a blank, as in shells.
    pub(crate) comments_after_blanks: bool,
    /// Comments that may have many lines.
    pub(crate) block_comments: &'static [BlockComment],
    /// Strings; of two that begin alike, the longer one comes first.
    pub(crate) strings: &'static [StringRule],
    /// What begins a string up to the end of the line.
    pub(crate) line_strings: &'static [&'static str],
    /// Keywords, with blanks between them.
    pub(crate) keywords: &'static str,
    /// Literal words such as `true`.
    pub(crate) literals: &'static str,
    /// Types that the language has.
    pub(crate) types: &'static str,
    /// Whether the case of known words does not matter.
    pub(crate) ignores_case: bool,
    /// Whether a name with a capital is a type.
    pub(crate) capital_types: bool,
    /// Whether a name before a parenthesis is a call.
    pub(crate) calls: bool,
    /// Bytes that words begin with or have, besides letters, digits and `_`.
    pub(crate) word_bytes: &'static str,
    /// Bytes that words have, but do not begin with.
    pub(crate) word_endings: &'static str,
    /// What else there is.
    pub(crate) oddities: &'static [Oddity],
}

/// A comment that may have many lines.
#[derive(Clone, Copy)]
pub(crate) struct BlockComment {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Whether one inside of it has to be closed as well.
    pub(crate) nests: bool,
    /// Whether it begins and ends only at the start of a line.
    pub(crate) at_line_start: bool,
}

/// A kind of string.
#[derive(Clone, Copy)]
pub(crate) struct StringRule {
    /// Words directly before it that belong to it, such as the `r` of `r""`; empty if it stands alone.
    pub(crate) prefixes: &'static [&'static str],
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    /// Whether a backslash takes away the meaning of what follows it.
    pub(crate) escapes: bool,
    /// Whether it may have many lines; if not, one that its line does not close is none.
    pub(crate) many_lines: bool,
    /// Whether `#` before it must follow it as often.
    pub(crate) hashes: bool,
    /// What begins code inside of it, with the bracket that opens and the one that closes that code.
    pub(crate) code: Option<(&'static str, u8, u8)>,
}

/// What a language has that most do not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// `'a'` is a character, and any other `'` is none.
    Characters,
    /// A regular expression between slashes, where no value is before it.
    SlashRegex,
    /// Lines such as `#include <a.h>`.
    Preprocessor,
    /// `R"x(…)x"`.
    DelimitedRaw,
    /// `[==[ … ]==]`, also as comments behind `--`.
    LongBrackets,
    /// Here-documents of shells: `<<EOF`.
    ShellHeredocs,
    /// Here-documents of Ruby and Perl, whose word follows at once.
    WordHeredocs,
    /// Here-documents of PHP: `<<<EOF`.
    TripleHeredocs,
    /// `q{…}`, `qw(…)`, `s/…/…/`.
    PerlQuotes,
    /// `%w[…]`, `%q(…)`.
    PercentQuotes,
    /// `~s(…)`.
    Sigils,
    /// A backslash in code takes away the meaning of what follows.
    CodeEscapes,
    /// `@name` is a call: decorators and annotations.
    Decorators,
    /// `@name` is a keyword.
    AtKeywords,
    /// `!name(` or `name!(` is a call: macros.
    BangCalls,
    /// `1'000` is one number.
    QuotedDigits,
    /// A string before a colon is a key.
    StringKeys,
    /// A word before a colon and a blank is a key, and `#fff` behind it a number.
    ColonKeys,
    /// `name =` at the start of a line is a key, and `[name]` a section.
    EqualsKeys,
    /// The same, and a colon may stand for `=`; what is behind it is no code.
    PropertyKeys,
    /// Targets and variables of makefiles.
    MakeKeys,
    /// Known words count only as the first of a line.
    FirstWords,
    /// `$name` is a type, as variables of shells are.
    Variables,
}

impl LexRules {
    /// A language of which nothing is known.
    pub(crate) const NONE: Self = Self {
        line_comments: &[],
        comments_after_blanks: false,
        block_comments: &[],
        strings: &[],
        line_strings: &[],
        keywords: "",
        literals: "",
        types: "",
        ignores_case: false,
        capital_types: false,
        calls: false,
        word_bytes: "",
        word_endings: "",
        oddities: &[],
    };

    /// A language with the comments and calls of C.
    pub(crate) const LIKE_C: Self = Self {
        line_comments: &["//"],
        block_comments: &[BlockComment::C],
        capital_types: true,
        calls: true,
        ..Self::NONE
    };

    /// A language with the comments of a shell.
    pub(crate) const LIKE_SCRIPT: Self = Self { line_comments: &["#"], calls: true, ..Self::NONE };

    pub(crate) const fn has(&self, oddity: Oddity) -> bool {
        let mut at = 0;
        while at < self.oddities.len() {
            if self.oddities[at] as u8 == oddity as u8 {
                return true;
            }
            at += 1;
        }
        false
    }
}

impl BlockComment {
    /// The comments of C.
    pub(crate) const C: Self = Self { open: "/*", close: "*/", nests: false, at_line_start: false };
    /// The same, one inside another.
    pub(crate) const NESTED: Self = Self { nests: true, ..Self::C };
}

impl StringRule {
    /// A string of one line with backslashes.
    pub(crate) const fn line(mark: &'static str) -> Self {
        Self {
            prefixes: &[],
            open: mark,
            close: mark,
            escapes: true,
            many_lines: false,
            hashes: false,
            code: None,
        }
    }

    /// A string of many lines with backslashes.
    pub(crate) const fn lines(mark: &'static str) -> Self {
        Self { many_lines: true, ..Self::line(mark) }
    }

    /// A string of many lines in which a backslash means nothing.
    pub(crate) const fn raw(open: &'static str, close: &'static str) -> Self {
        Self { open, close, escapes: false, ..Self::lines("") }
    }

    /// The same string behind certain words.
    pub(crate) const fn after(self, prefixes: &'static [&'static str]) -> Self {
        Self { prefixes, ..self }
    }

    /// The same string with code inside.
    pub(crate) const fn with_code(self, open: &'static str, left: u8, right: u8) -> Self {
        Self { code: Some((open, left, right)), ..self }
    }
}
