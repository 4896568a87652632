//! Markdown and diffs.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::LexRules;

language!(
    MARKDOWN,
    Grammar::Markdown,
    LanguageNames {
        name: "Markdown",
        extensions: "md markdown mdown mkd mdx rmd qmd",
        ..LanguageNames::NONE
    },
    LexRules::NONE,
);

language!(
    DIFF,
    Grammar::Diff,
    LanguageNames { name: "Diff", fences: "udiff", extensions: "diff patch", ..LanguageNames::NONE },
    LexRules::NONE,
);
