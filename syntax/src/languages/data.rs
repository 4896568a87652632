//! Data and settings: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

language!(
    JSON,
    Grammar::Code,
    LanguageNames {
        name: "JSON",
        fences: "json5 jsonc",
        extensions: "json json5 jsonc geojson webmanifest ipynb jsonl ndjson sarif",
        files: ".babelrc .eslintrc .prettierrc composer.lock Pipfile.lock",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["//"],
        block_comments: &[BlockComment::C],
        strings: &[StringRule::line("\""), StringRule::line("'")],
        literals: "true false null",
        oddities: &[Oddity::StringKeys],
        ..LexRules::NONE
    },
);

language!(
    YAML,
    Grammar::Yaml,
    LanguageNames {
        name: "YAML",
        extensions: "yaml yml",
        files: ".clang-format .clang-tidy",
        ..LanguageNames::NONE
    },
    LexRules { literals: "true false null yes no on off True False Yes No ~", ..LexRules::NONE },
);

language!(
    TOML,
    Grammar::Code,
    LanguageNames {
        name: "TOML",
        extensions: "toml",
        files: "Cargo.lock poetry.lock uv.lock Pipfile",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["#"],
        strings: &[
            StringRule::lines("\"\"\""),
            StringRule::raw("'''", "'''"),
            StringRule::line("\""),
            StringRule { escapes: false, ..StringRule::line("'") },
        ],
        literals: "true false inf nan",
        word_endings: "-",
        oddities: &[Oddity::EqualsKeys],
        ..LexRules::NONE
    },
);

language!(
    INI,
    Grammar::Code,
    LanguageNames {
        name: "INI",
        fences: "dosini gitconfig systemd",
        extensions: "ini cfg conf properties desktop service socket timer mount target",
        files: ".editorconfig .gitconfig .gitmodules .npmrc .flake8 .pylintrc",
        ..LanguageNames::NONE
    },
    LexRules { oddities: &[Oddity::PropertyKeys], ..LexRules::NONE },
);

language!(
    SQL,
    Grammar::Code,
    LanguageNames {
        name: "SQL",
        fences: "postgresql mysql sqlite",
        extensions: "sql psql pgsql ddl",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["--"],
        block_comments: &[BlockComment::C],
        strings: &[
            StringRule { escapes: false, ..StringRule::lines("'") },
            StringRule { escapes: false, ..StringRule::line("\"") },
            StringRule { escapes: false, ..StringRule::line("`") },
        ],
        keywords: "add all alter analyze and any as asc begin between by cascade case check column commit conflict constraint \
             create cross current_date current_timestamp database declare default delete desc distinct do drop each \
             else end except exists explain fetch filter first for foreign from full function grant group having if ilike in index \
             inner insert intersect interval into is join key language last lateral left like limit materialized natural not nulls \
             of offset on or order outer over partition perform primary procedure recursive references rename replace \
             restrict return returning returns revoke right rollback row rows schema select sequence set table then to \
             transaction trigger truncate type union unique update using values view when where window with",
        literals: "true false null",
        types: "bigint binary blob boolean bool bytea char date decimal double float int integer json jsonb numeric real \
             serial bigserial smallint text time timestamp timestamptz uuid varchar",
        ignores_case: true,
        calls: true,
        ..LexRules::NONE
    },
);

language!(
    PROTOBUF,
    Grammar::Code,
    LanguageNames {
        name: "Protobuf",
        fences: "proto thrift",
        extensions: "proto thrift",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: &[StringRule::line("\""), StringRule::line("'")],
        keywords: "enum extend extensions import map max message oneof option optional package public repeated required \
             reserved returns rpc service stream syntax to weak struct namespace exception throws",
        literals: "true false",
        types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64",
        calls: false,
        ..LexRules::LIKE_C
    },
);

language!(
    GRAPHQL,
    Grammar::Code,
    LanguageNames {
        name: "GraphQL",
        fences: "gql",
        extensions: "graphql gql graphqls",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["#"],
        strings: &[StringRule::lines("\"\"\""), StringRule::line("\"")],
        keywords: "directive enum extend fragment implements input interface mutation on query scalar schema subscription type \
             union repeatable",
        literals: "true false null",
        capital_types: true,
        oddities: &[Oddity::Decorators],
        ..LexRules::NONE
    },
);
