//! JavaScript, TypeScript, PHP, HTML and XML: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{LexRules, Oddity, StringRule};

const SCRIPT_STRINGS: &[StringRule] =
    &[StringRule::lines("`").with_code("${", b'{', b'}'), StringRule::line("\""), StringRule::line("'")];

language!(
    JAVASCRIPT,
    Grammar::Code,
    LanguageNames {
        name: "JavaScript",
        fences: "node",
        extensions: "js mjs cjs jsx es6",
        programs: "node nodejs deno bun",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: SCRIPT_STRINGS,
        keywords: "as async await break case catch class const continue debugger default delete do else export extends \
             finally for from function get if import in instanceof let new of return set static super switch this \
             throw try typeof var void while with yield",
        literals: "true false null undefined NaN Infinity",
        word_bytes: "$",
        oddities: &[Oddity::SlashRegex, Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);

language!(
    TYPESCRIPT,
    Grammar::Code,
    LanguageNames {
        name: "TypeScript",
        extensions: "ts tsx mts cts",
        programs: "ts-node tsx",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: SCRIPT_STRINGS,
        keywords: "abstract accessor as asserts async await break case catch class const continue debugger declare default \
             delete do else enum export extends finally for from function get if implements import in infer instanceof \
             interface is keyof let namespace new of override private protected public readonly return satisfies set \
             static super switch this throw try type typeof var void while with yield",
        literals: "true false null undefined NaN Infinity",
        types: "any bigint boolean never number object string symbol unknown",
        word_bytes: "$",
        oddities: &[Oddity::SlashRegex, Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);

language!(
    PHP,
    Grammar::Php,
    LanguageNames {
        name: "PHP",
        extensions: "php phtml php3 php4 php5 php7 inc",
        programs: "php",
        ..LanguageNames::NONE
    },
    LexRules {
        line_comments: &["//", "#"],
        strings: &[
            StringRule::lines("\"").with_code("{$", b'{', b'}'),
            StringRule::lines("'"),
            StringRule::lines("`"),
        ],
        keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else \
             elseif empty enum extends final finally fn for foreach function global goto if implements include \
             include_once instanceof insteadof interface isset list match namespace new or print private protected \
             public readonly require require_once return static switch throw trait try unset use var while xor yield",
        literals: "true false null TRUE FALSE NULL",
        types: "bool float int iterable mixed never object self parent string void",
        oddities: &[Oddity::TripleHeredocs, Oddity::Variables],
        ..LexRules::LIKE_C
    },
);

language!(
    HTML,
    Grammar::Markup,
    LanguageNames {
        name: "HTML",
        extensions: "html htm xhtml vue svelte astro hbs mustache",
        ..LanguageNames::NONE
    },
    LexRules::NONE,
);

language!(
    XML,
    Grammar::Markup,
    LanguageNames {
        name: "XML",
        extensions: "xml svg xsd xsl xslt rss atom plist csproj fsproj vcxproj props targets xaml ui resx wsdl storyboard xib",
        files: "pom.xml",
        ..LanguageNames::NONE
    },
    LexRules::NONE,
);
