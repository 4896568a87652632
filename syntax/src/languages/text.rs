//! Markdown and diffs.

use crate::language::{Grammar, Language, LanguageNames};
use crate::rules::LexRules;

pub(crate) static MARKDOWN: Language = Language::new(
    LanguageNames {
        name: "Markdown",
        extensions: &["md", "markdown", "mdown", "mkd", "mdx", "rmd", "qmd"],
        ..LanguageNames::NONE
    },
    Grammar::Markdown,
    LexRules::NONE,
);

pub(crate) static DIFF: Language = Language::new(
    LanguageNames { name: "Diff", fences: &["udiff"], extensions: &["diff", "patch"], ..LanguageNames::NONE },
    Grammar::Diff,
    LexRules::NONE,
);
