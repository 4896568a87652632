//! C and what was made of it: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

const STRINGS: &[StringRule] = &[
    StringRule::line("\""),
    StringRule::line("\"").after(&["L", "u8", "u", "U"]),
    StringRule::line("'"),
    StringRule::line("'").after(&["L", "u8", "u", "U"]),
];

const C_TYPES: &str = "bool char double float int long short signed size_t ssize_t ptrdiff_t intptr_t uintptr_t unsigned void \
     int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t FILE u8 u16 u32 u64 s8 s16 s32 s64";

language!(
    C,
    Grammar::Code,
    LanguageNames { name: "C", extensions: "c h", ..LanguageNames::NONE },
    LexRules {
        strings: STRINGS,
        keywords: "auto break case const continue default do else enum extern for goto if inline register restrict \
             return sizeof static struct switch typedef union volatile while _Alignas _Alignof _Atomic _Bool _Generic \
             _Noreturn _Static_assert _Thread_local alignas alignof constexpr static_assert thread_local typeof asm \
             __attribute__ __asm__ __inline __volatile__",
        literals: "NULL true false nullptr",
        types: C_TYPES,
        oddities: &[Oddity::Preprocessor, Oddity::QuotedDigits],
        ..LexRules::LIKE_C
    },
);

language!(
    CPP,
    Grammar::Code,
    LanguageNames {
        name: "C++",
        fences: "cpp cplusplus",
        extensions: "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp cu cuh ino",
        ..LanguageNames::NONE
    },
    LexRules {
        strings: STRINGS,
        keywords: "alignas alignof and asm auto break case catch class co_await co_return co_yield concept const const_cast \
             consteval constexpr constinit continue decltype default delete do dynamic_cast else enum explicit export \
             extern final for friend goto if import inline module mutable namespace new noexcept not operator or \
             override private protected public register reinterpret_cast requires return sizeof static static_assert \
             static_cast struct switch template this thread_local throw try typedef typeid typename union using \
             virtual volatile while",
        literals: "NULL true false nullptr",
        types: C_TYPES,
        oddities: &[Oddity::Preprocessor, Oddity::QuotedDigits, Oddity::DelimitedRaw],
        ..LexRules::LIKE_C
    },
);

language!(
    OBJECTIVE_C,
    Grammar::Code,
    LanguageNames { name: "Objective-C", fences: "objc", extensions: "m mm", ..LanguageNames::NONE },
    LexRules {
        strings: &[
            StringRule { open: "@\"", ..StringRule::line("\"") },
            StringRule::line("\""),
            StringRule::line("'"),
        ],
        keywords: "auto break case const continue default do else enum extern for goto if in inline register return self \
             sizeof static struct super switch typedef union volatile while nonatomic strong weak copy readonly \
             readwrite assign",
        literals: "nil NULL YES NO true false",
        types: "id instancetype BOOL SEL IMP bool char double float int long short unsigned void",
        oddities: &[Oddity::Preprocessor, Oddity::AtKeywords],
        ..LexRules::LIKE_C
    },
);

language!(
    CSHARP,
    Grammar::Code,
    LanguageNames { name: "C#", fences: "csharp cs", extensions: "cs csx", ..LanguageNames::NONE },
    LexRules {
        strings: &[
            StringRule::lines("\"\"\""),
            StringRule { open: "$\"\"\"", ..StringRule::lines("\"\"\"") },
            StringRule::raw("$@\"", "\"").with_code("{", b'{', b'}'),
            StringRule::raw("@$\"", "\"").with_code("{", b'{', b'}'),
            StringRule { open: "$\"", ..StringRule::line("\"") }.with_code("{", b'{', b'}'),
            StringRule::raw("@\"", "\""),
            StringRule::line("\""),
            StringRule::line("'"),
        ],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else \
             enum event explicit extern file finally fixed for foreach from get global goto group if implicit in \
             init interface internal into is join let lock nameof namespace new not operator orderby out override \
             params partial private protected public readonly record ref required return sealed select set sizeof \
             stackalloc static struct switch this throw try typeof unchecked unsafe using virtual volatile when \
             where while with yield and or",
        literals: "true false null value",
        types: "bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort \
             var void",
        oddities: &[Oddity::Preprocessor],
        ..LexRules::LIKE_C
    },
);

language!(
    DART,
    Grammar::Code,
    LanguageNames { name: "Dart", extensions: "dart", programs: "dart", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment::NESTED],
        strings: &[
            StringRule::raw("\"\"\"", "\"\"\"").after(&["r"]),
            StringRule::raw("'''", "'''").after(&["r"]),
            StringRule { escapes: false, ..StringRule::line("\"") }.after(&["r"]),
            StringRule { escapes: false, ..StringRule::line("'") }.after(&["r"]),
            StringRule::lines("\"\"\"").with_code("${", b'{', b'}'),
            StringRule::lines("'''").with_code("${", b'{', b'}'),
            StringRule::line("\"").with_code("${", b'{', b'}'),
            StringRule::line("'").with_code("${", b'{', b'}'),
        ],
        keywords: "abstract as assert async await base break case catch class const continue covariant default deferred do \
             else enum export extends extension external factory final finally for get if implements import in \
             interface is late library mixin new on operator part required rethrow return sealed set show static \
             super switch sync this throw try typedef var when while with yield",
        literals: "true false null",
        types: "bool double dynamic int num void Function",
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);
