//! Style sheets: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

const STRINGS: &[StringRule] = &[StringRule::line("\""), StringRule::line("'")];

language!(
    CSS,
    Grammar::Code,
    LanguageNames { name: "CSS", extensions: "css", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment::C],
        strings: STRINGS,
        calls: true,
        word_bytes: "-",
        oddities: &[Oddity::ColonKeys, Oddity::AtKeywords],
        ..LexRules::NONE
    },
);

language!(
    SCSS,
    Grammar::Code,
    LanguageNames { name: "SCSS", extensions: "scss sass less styl", ..LanguageNames::NONE },
    LexRules {
        line_comments: &["//"],
        block_comments: &[BlockComment::C],
        strings: STRINGS,
        calls: true,
        word_bytes: "-",
        oddities: &[Oddity::ColonKeys, Oddity::AtKeywords, Oddity::Variables],
        ..LexRules::NONE
    },
);
