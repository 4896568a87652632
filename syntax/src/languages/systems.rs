//! Rust, Go, Zig and Swift: one table each.

use crate::language::{Grammar, LanguageNames, language};
use crate::rules::{BlockComment, LexRules, Oddity, StringRule};

language!(
    RUST,
    Grammar::Code,
    LanguageNames {
        name: "Rust",
        extensions: "rs",
        fences: "ignore no_run should_panic",
        ..LanguageNames::NONE
    },
    LexRules {
        block_comments: &[BlockComment::NESTED],
        strings: &[
            StringRule { hashes: true, ..StringRule::raw("\"", "\"") }.after(&["r", "br", "cr"]),
            StringRule::lines("\"").after(&["b", "c"]),
            StringRule::line("'").after(&["b"]),
            StringRule::lines("\""),
        ],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move \
             mut pub ref return self static struct super trait type union unsafe use where while yield macro_rules",
        literals: "true false",
        types: "Self bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize",
        oddities: &[Oddity::Characters, Oddity::BangCalls],
        ..LexRules::LIKE_C
    },
);

language!(
    GO,
    Grammar::Code,
    LanguageNames { name: "Go", fences: "golang", extensions: "go", ..LanguageNames::NONE },
    LexRules {
        strings: &[StringRule::raw("`", "`"), StringRule::line("\""), StringRule::line("'")],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
             package range return select struct switch type var",
        literals: "true false nil iota",
        types: "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string \
             uint uint16 uint32 uint64 uint8 uintptr",
        capital_types: false,
        ..LexRules::LIKE_C
    },
);

language!(
    ZIG,
    Grammar::Code,
    LanguageNames { name: "Zig", extensions: "zig zon", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[],
        strings: &[StringRule::line("\""), StringRule::line("'")],
        line_strings: &["\\\\"],
        keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue \
             defer else enum errdefer error export extern fn for if inline linksection noalias noinline nosuspend \
             opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable \
             usingnamespace var volatile while",
        literals: "true false null undefined",
        types: "anyerror anyopaque bool c_int c_long c_uint comptime_float comptime_int f128 f16 f32 f64 i128 i16 i32 i64 i8 \
             isize noreturn type u1 u128 u16 u32 u64 u8 usize void",
        oddities: &[Oddity::Decorators],
        ..LexRules::LIKE_C
    },
);

language!(
    SWIFT,
    Grammar::Code,
    LanguageNames { name: "Swift", extensions: "swift", programs: "swift", ..LanguageNames::NONE },
    LexRules {
        block_comments: &[BlockComment::NESTED],
        strings: &[
            StringRule { hashes: true, ..StringRule::lines("\"\"\"") },
            StringRule { hashes: true, ..StringRule::line("\"") },
            StringRule::lines("\"\"\"").with_code("\\(", b'(', b')'),
            StringRule::line("\"").with_code("\\(", b'(', b')'),
        ],
        keywords: "actor any as associatedtype async await borrowing break case catch class consuming continue convenience \
             default defer deinit didSet do dynamic else enum extension fallthrough fileprivate final for func get \
             guard if import in indirect infix init inout internal is isolated lazy let macro mutating nonisolated \
             nonmutating open operator optional override postfix precedencegroup prefix private protocol public \
             repeat required rethrows return self set some static struct subscript super switch throw throws try \
             typealias unowned var weak where while willSet",
        literals: "true false nil",
        types: "Self Any Int Int8 Int16 Int32 Int64 UInt UInt8 UInt32 UInt64 Double Float Bool String Character Void",
        oddities: &[Oddity::Decorators, Oddity::Preprocessor],
        ..LexRules::LIKE_C
    },
);
