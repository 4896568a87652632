//! Python, Ruby, Perl, Lua, R, Julia and shells: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

const RAW_PREFIXES: &[&str] = &["r", "R", "rb", "Rb", "rB", "RB", "br", "bR", "Br", "BR"];
const BYTE_PREFIXES: &[&str] = &["b", "B", "u", "U"];
const FORMAT_PREFIXES: &[&str] = &["f", "F", "t", "T"];
const RAW_FORMAT_PREFIXES: &[&str] = &["rf", "rF", "Rf", "RF", "fr", "fR", "Fr", "FR", "rt", "tr"];

language!(
    PYTHON,
    Grammar::Code,
    LanguageNames {
        name: "Python",
        fences: "python3 pycon",
        extensions: "py pyi pyw pyx bzl star",
        files: "SConstruct SConscript wscript BUILD WORKSPACE BUILD.bazel WORKSPACE.bazel",
        programs: "python pypy",
    },
    LexRules {
        strings: &[
            StringRule::lines("\"\"\"").after(FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::lines("'''").after(FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::lines("\"\"\"").after(RAW_FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::lines("'''").after(RAW_FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::lines("\"\"\"").after(RAW_PREFIXES),
            StringRule::lines("'''").after(RAW_PREFIXES),
            StringRule::lines("\"\"\"").after(BYTE_PREFIXES),
            StringRule::lines("'''").after(BYTE_PREFIXES),
            StringRule::line("\"").after(FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::line("'").after(FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::line("\"").after(RAW_FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::line("'").after(RAW_FORMAT_PREFIXES).with_code("{", b'{', b'}'),
            StringRule::line("\"").after(RAW_PREFIXES),
            StringRule::line("'").after(RAW_PREFIXES),
            StringRule::line("\"").after(BYTE_PREFIXES),
            StringRule::line("'").after(BYTE_PREFIXES),
            StringRule::lines("\"\"\""),
            StringRule::lines("'''"),
            StringRule::line("\""),
            StringRule::line("'"),
        ],
        keywords: "and as assert async await break case class continue def del elif else except finally for from global if \
             import in is lambda match nonlocal not or pass raise return try type while with yield",
        literals: "True False None",
        types: "bool bytes dict float frozenset int list object set str tuple",
        capital_types: true,
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    RUBY,
    Grammar::Code,
    LanguageNames {
        name: "Ruby",
        extensions: "rb rake gemspec ru podspec jbuilder",
        files: "Rakefile Gemfile Guardfile Vagrantfile Podfile Fastfile Brewfile",
        programs: "ruby jruby",
        ..LanguageNames::NONE
    },
    LexRules {
        block_comments: &[BlockComment { open: "=begin", close: "=end", nests: false, at_line_start: true }],
        strings: &[
            StringRule::lines("\"").with_code("#{", b'{', b'}'),
            StringRule::lines("'"),
            StringRule::lines("`").with_code("#{", b'{', b'}'),
        ],
        keywords: "BEGIN END alias and begin break case class def defined? do else elsif end ensure extend for if in include \
             module next not or prepend private protected public raise redo require require_relative rescue retry \
             return self super then undef unless until when while yield attr_accessor attr_reader attr_writer",
        literals: "true false nil __FILE__ __LINE__",
        capital_types: true,
        word_endings: "?!",
        oddities: &[Oddity::SlashRegex, Oddity::WordHeredocs, Oddity::PercentQuotes],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    PERL,
    Grammar::Code,
    LanguageNames {
        name: "Perl",
        extensions: "pl pm t pod psgi",
        files: "cpanfile",
        programs: "perl",
        ..LanguageNames::NONE
    },
    LexRules {
        block_comments: &[BlockComment { open: "=", close: "=cut", nests: false, at_line_start: true }],
        comments_after_blanks: true,
        strings: &[StringRule::lines("\""), StringRule::lines("'"), StringRule::lines("`")],
        keywords: "and cmp continue do else elsif eq for foreach ge given goto gt if last le local lt my ne next no not or our \
             package print redo require return say state sub unless until use wantarray when while x xor",
        literals: "undef __FILE__ __LINE__ __PACKAGE__",
        capital_types: true,
        oddities: &[Oddity::SlashRegex, Oddity::WordHeredocs, Oddity::PerlQuotes, Oddity::Variables],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    SHELL,
    Grammar::Code,
    LanguageNames {
        name: "Shell",
        fences: "console shell-session posix",
        extensions: "sh bash zsh ksh fish bats ebuild env",
        files: ".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile .kshrc .envrc PKGBUILD .env*",
        programs: "sh bash zsh ksh dash ash fish bats",
    },
    LexRules {
        comments_after_blanks: true,
        strings: &[
            StringRule::lines("\"").with_code("$(", b'(', b')'),
            StringRule { open: "$'", ..StringRule::lines("'") },
            StringRule::raw("'", "'"),
        ],
        keywords: "alias break case continue declare do done elif else esac eval exec exit export fi for function if in \
             local readonly return select set shift source then time trap typeset unset until while",
        literals: "true false",
        calls: false,
        word_endings: "-",
        oddities: &[Oddity::ShellHeredocs, Oddity::CodeEscapes, Oddity::Variables],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    LUA,
    Grammar::Code,
    LanguageNames {
        name: "Lua",
        extensions: "lua luau rockspec",
        programs: "lua luajit",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["--"],
        strings: &[StringRule::line("\""), StringRule::line("'")],
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        literals: "true false nil",
        oddities: &[Oddity::LongBrackets],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    R,
    Grammar::Code,
    LanguageNames {
        name: "R",
        extensions: "r rprofile",
        files: ".Rprofile",
        programs: "Rscript",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: &[
            StringRule::raw("\"(", ")\"").after(&["r", "R"]),
            StringRule::lines("\""),
            StringRule::lines("'"),
            StringRule::line("`"),
        ],
        keywords: "break else for function if in next repeat return while library require",
        literals: "TRUE FALSE NULL NA NA_character_ NA_integer_ NA_real_ Inf NaN T F",
        word_endings: ".",
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    JULIA,
    Grammar::Code,
    LanguageNames { name: "Julia", extensions: "jl", programs: "julia", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment { open: "#=", close: "=#", nests: true, at_line_start: false }],
        strings: &[
            StringRule::lines("\"\"\"").with_code("$(", b'(', b')'),
            StringRule::lines("\"").with_code("$(", b'(', b')'),
        ],
        keywords: "abstract baremodule begin break catch const continue do else elseif end export finally for function global \
             if import in isa let local macro module mutable primitive quote return struct try type using where while",
        literals: "true false nothing missing",
        capital_types: true,
        word_endings: "!",
        oddities: &[Oddity::Characters, Oddity::Decorators],
        ..LexRules::LIKE_SCRIPT
    },
);

language!(
    POWERSHELL,
    Grammar::Code,
    LanguageNames {
        name: "PowerShell",
        fences: "posh pwsh",
        extensions: "ps1 psm1 psd1",
        programs: "pwsh",
        ..LanguageNames::NONE
    },
    LexRules {
        block_comments: &[BlockComment { open: "<#", close: "#>", nests: false, at_line_start: false }],
        strings: &[
            StringRule::raw("@\"", "\"@"),
            StringRule::raw("@'", "'@"),
            StringRule::raw("\"", "\"").with_code("$(", b'(', b')'),
            StringRule::raw("'", "'"),
        ],
        keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach \
             function hidden if in param process return static switch throw trap try until using while",
        ignores_case: true,
        word_endings: "-",
        oddities: &[Oddity::Variables],
        ..LexRules::LIKE_SCRIPT
    },
);
