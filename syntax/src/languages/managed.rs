//! Java, Kotlin, Scala and Groovy: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

language!(
    JAVA,
    Grammar::Code,
    LanguageNames { name: "Java", extensions: "java jav", ..LanguageNames::NONE },
    LexRules {
        strings: &[StringRule::lines("\"\"\""), StringRule::line("\""), StringRule::line("'")],
        keywords: "abstract assert break case catch class const continue default do else enum extends final finally for goto \
             if implements import instanceof interface native new non-sealed package permits private protected public \
             record return sealed static strictfp super switch synchronized this throw throws transient try var \
             volatile when while yield",
        literals: "true false null",
        types: "boolean byte char double float int long short void",
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);

language!(
    KOTLIN,
    Grammar::Code,
    LanguageNames {
        name: "Kotlin",
        fences: "kt",
        extensions: "kt kts",
        programs: "kotlin",
        ..LanguageNames::NONE
    },
    LexRules {
        block_comments: &[BlockComment::NESTED],
        strings: &[
            StringRule::raw("\"\"\"", "\"\"\"").with_code("${", b'{', b'}'),
            StringRule::line("\"").with_code("${", b'{', b'}'),
            StringRule::line("'"),
        ],
        keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline data \
             do else enum expect external final finally for fun get if import in infix init inline inner interface \
             internal is lateinit noinline object open operator out override package private protected public reified \
             return sealed set super suspend tailrec this throw try typealias val value var vararg when where while",
        literals: "true false null",
        types: "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit",
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);

language!(
    SCALA,
    Grammar::Code,
    LanguageNames { name: "Scala", extensions: "scala sc sbt", programs: "scala", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment::NESTED],
        strings: &[
            StringRule::raw("\"\"\"", "\"\"\"").after(&["s", "f", "raw"]).with_code("${", b'{', b'}'),
            StringRule::raw("\"\"\"", "\"\"\""),
            StringRule::line("\"").after(&["s", "f", "raw"]).with_code("${", b'{', b'}'),
            StringRule::line("\""),
        ],
        keywords: "abstract case catch class def derives do else end enum export extends extension final finally for forSome \
             given if implicit import infix inline lazy match new object opaque open override package private \
             protected return sealed super then this throw trait transparent try type using val var while with yield",
        literals: "true false null",
        types: "Any AnyRef Boolean Byte Char Double Float Int Long Nothing Short String Unit",
        oddities: &[Oddity::Decorators, Oddity::Characters],
        ..LexRules::LIKE_C
    },
);

language!(
    GROOVY,
    Grammar::Code,
    LanguageNames {
        name: "Groovy",
        extensions: "groovy gradle gvy",
        files: "Jenkinsfile*",
        programs: "groovy",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: &[
            StringRule::lines("\"\"\"").with_code("${", b'{', b'}'),
            StringRule::lines("'''"),
            StringRule::line("\"").with_code("${", b'{', b'}'),
            StringRule::line("'"),
        ],
        keywords: "abstract as assert break case catch class continue def default do else enum extends final finally for goto \
             if implements import in instanceof interface native new package private protected public return static \
             super switch synchronized this throw throws trait transient try var volatile while",
        literals: "true false null",
        types: "boolean byte char double float int long short void",
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);
