//! What builds and deploys: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

const STRINGS: &[StringRule] =
    &[StringRule::line("\""), StringRule { escapes: false, ..StringRule::line("'") }];

language!(
    MAKEFILE,
    Grammar::Code,
    LanguageNames {
        name: "Makefile",
        fences: "make",
        extensions: "mk mak make",
        files: "Makefile* GNUmakefile makefile* Kbuild BSDmakefile justfile",
        programs: "make",
    },
    LexRules {
        comments_after_blanks: true,
        strings: STRINGS,
        keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override sinclude undefine unexport vpath",
        calls: false,
        word_bytes: "-",
        oddities: &[Oddity::MakeKeys, Oddity::CodeEscapes, Oddity::FirstWords],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    DOCKERFILE,
    Grammar::Code,
    LanguageNames {
        name: "Dockerfile",
        fences: "docker containerfile",
        extensions: "dockerfile containerfile",
        files: "Dockerfile* Containerfile*",
        ..LanguageNames::NONE
    },
    LexRules {
        comments_after_blanks: true,
        strings: STRINGS,
        keywords: "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER \
             VOLUME WORKDIR",
        ignores_case: true,
        calls: false,
        word_endings: "-",
        oddities: &[Oddity::FirstWords, Oddity::Variables, Oddity::ShellHeredocs, Oddity::CodeEscapes],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    CMAKE,
    Grammar::Code,
    LanguageNames { name: "CMake", extensions: "cmake", files: "CMakeLists.txt", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment { open: "#[[", close: "]]", nests: false, at_line_start: false }],
        strings: &[StringRule::raw("[[", "]]"), StringRule::lines("\"")],
        keywords: "if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro return break \
             continue AND OR NOT EQUAL STREQUAL MATCHES EXISTS DEFINED PUBLIC PRIVATE INTERFACE REQUIRED",
        literals: "ON OFF TRUE FALSE",
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    HCL,
    Grammar::Code,
    LanguageNames {
        name: "HCL",
        fences: "terraform",
        extensions: "tf tfvars hcl nomad",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["#", "//"],
        strings: &[StringRule::line("\"").with_code("${", b'{', b'}')],
        keywords: "data dynamic else endfor endif for for_each if import in locals module moved output provider resource \
             terraform variable check",
        literals: "true false null",
        types: "any bool list map number object set string tuple",
        capital_types: false,
        word_endings: "-",
        oddities: &[Oddity::ShellHeredocs],
        ..LexRules::LIKE_C
    },
);

language!(
    NIX,
    Grammar::Code,
    LanguageNames { name: "Nix", extensions: "nix", programs: "nix-shell", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment::C],
        strings: &[
            StringRule { escapes: false, ..StringRule::lines("''") }.with_code("${", b'{', b'}'),
            StringRule::lines("\"").with_code("${", b'{', b'}'),
        ],
        keywords: "assert else if import in inherit let or rec then with",
        literals: "true false null",
        calls: false,
        word_endings: "-'",
        ..LexRules::LIKE_SCRIPT
    },
);
